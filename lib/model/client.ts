import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';

export interface ModelClientOptions {
  /** How long one answer of a model may take, in milliseconds. */
  readonly timeout?: number | undefined;
  /** How often the SDK sends a call in all, for throttling and faults of the service. */
  readonly attempts?: number | undefined;
}

/**
 * The client of Bedrock. It speaks HTTP/1.1, because the SDK's default for this service, HTTP/2 with prior knowledge, is
 * not spoken by a loopback endpoint; Bedrock answers Converse over both.
 */
export function modelClient({
  timeout = 60_000,
  attempts = 3,
}: ModelClientOptions = {}): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    maxAttempts: attempts,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 5_000,
      requestTimeout: timeout,
      throwOnRequestTimeout: true,
    }),
  });
}
