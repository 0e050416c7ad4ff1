import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { bedrockService, type LocalModel } from '../../lib/local/endpoints/bedrock.ts';
import { startEndpoint } from '../../lib/local/endpoints/server.ts';
import { systemClock } from '../../lib/provenance/clock.ts';

export interface RunningModel extends AsyncDisposable {
  readonly client: BedrockRuntimeClient;
  readonly url: string;
}

/** A local model behind the real Converse protocol, and the real SDK client that talks to it. */
export async function startModel(model: LocalModel, attempts = 1): Promise<RunningModel> {
  const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'only-for-this-test' };
  const endpoint = await startEndpoint(bedrockService({ model }), { credentials, clock: systemClock });
  const client = new BedrockRuntimeClient({
    endpoint: endpoint.url,
    region: 'eu-west-1',
    credentials,
    maxAttempts: attempts,
    requestHandler: new NodeHttpHandler(),
  });
  return {
    client,
    url: endpoint.url,
    async [Symbol.asyncDispose]() {
      client.destroy();
      await endpoint.close();
    },
  };
}
