import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { systemClock } from '../../provenance/clock.ts';
import { systemRandomness } from '../../provenance/randomness.ts';
import { bedrockService } from '../endpoints/bedrock.ts';
import { startEndpoint } from '../endpoints/server.ts';
import { names } from '../names.ts';
import { pictureReader } from './pictures.ts';
import { offlineReader } from './reader.ts';

/** The offline reader behind an endpoint of its own, for as long as one command needs it. */
export interface InProcessReader extends AsyncDisposable {
  readonly client: BedrockRuntimeClient;
}

/** Starts the offline reader on loopback, where only this process can ask it. */
export async function startInProcessReader(): Promise<InProcessReader> {
  const secret = Buffer.from(systemRandomness.bytes(32)).toString('hex');
  const credentials = { accessKeyId: 'reader', secretAccessKey: secret };
  const endpoint = await startEndpoint(bedrockService({ model: offlineReader }), {
    credentials,
    clock: systemClock,
  });
  const client = new BedrockRuntimeClient({
    endpoint: endpoint.url,
    region: names.region,
    credentials,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  });
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.destroy();
      await endpoint.close();
      await pictureReader.close();
    },
  };
}
