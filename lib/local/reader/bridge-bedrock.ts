import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandOutput,
  type ConverseRequest,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { LocalModel } from '../endpoints/bedrock.ts';
import { ServiceFault } from '../endpoints/fault.ts';

/** What a household signs in to Bedrock with: an API key of Bedrock alone, or the keys of a user of its account. */
export type BedrockKeys =
  | { readonly token: string }
  | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string };

export interface BedrockBridgeOptions {
  /** The id of the model, or of an inference profile. */
  readonly model: string;
  readonly region: string;
  readonly keys: BedrockKeys;
  /** Where Bedrock is, if not at its own address in the region. */
  readonly endpoint?: string | undefined;
  /** How long one answer may take, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Told what Bedrock says that the time is. */
  readonly onDate?: ((date: string) => void) | undefined;
}

/**
 * A model of Bedrock itself, asked with the household's keys. They are given to this one client of Bedrock's runtime,
 * and to nothing else: what else speaks AWS here speaks to this machine, with a secret made at each start.
 * @returns a model that refuses with the fault that Bedrock gave, in words of our own
 */
export function bedrockBridge(options: BedrockBridgeOptions): LocalModel {
  const client = clientOf(options);
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { headers } = result.response as { headers?: Record<string, string> };
      if (headers?.date !== undefined) options.onDate?.(headers.date);
      return result;
    },
    // Outside of what makes an error of an answer, so that a refusal tells the time too: a clock that is off is refused.
    { step: 'deserialize', priority: 'low' },
  );
  return async (request) => {
    try {
      const answer = await client.send(
        new ConverseCommand({ ...withPictures(request), modelId: options.model }),
      );
      return answerOf(answer);
    } catch (error) {
      throw faultOf(error);
    }
  };
}

function clientOf({ region, keys, endpoint, timeout = 60_000 }: BedrockBridgeOptions): BedrockRuntimeClient {
  const signIn =
    'token' in keys
      ? { token: { token: keys.token }, authSchemePreference: ['httpBearerAuth'] }
      : { credentials: keys, authSchemePreference: ['aws.auth#sigv4'] };
  return new BedrockRuntimeClient({
    region,
    ...signIn,
    // Said outright: an address in the environment is that of this office's own endpoint.
    endpoint: endpoint ?? `https://bedrock-runtime.${region}.amazonaws.com`,
    // Whoever asked tries again by itself.
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 5_000,
      requestTimeout: timeout,
      throwOnRequestTimeout: true,
    }),
  });
}

/** On the wire a picture's bytes are base64, and the client writes them so once more. */
function withPictures(request: ConverseRequest): ConverseRequest {
  const messages = request.messages?.map((message) => ({
    ...message,
    content: message.content?.map(decoded),
  }));
  return { ...request, messages };
}

function decoded(block: ContentBlock): ContentBlock {
  const bytes: unknown = block.image?.source?.bytes;
  if (block.image === undefined || typeof bytes !== 'string') return block;
  return { image: { ...block.image, source: { bytes: Buffer.from(bytes, 'base64') } } };
}

/** What is read of an answer: its words and tool uses, why it stopped, and what it cost. */
function answerOf({ output, stopReason, usage, metrics }: ConverseCommandOutput) {
  const content = (output?.message?.content ?? []).filter(
    (block) => block.text !== undefined || block.toolUse !== undefined,
  );
  return { output: { message: { role: 'assistant' as const, content } }, stopReason, usage, metrics };
}

/** The fault by its name and status, and none of its text. */
function faultOf(error: unknown): ServiceFault {
  const { name = '', $metadata } = (error ?? {}) as {
    name?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  if (name === 'TimeoutError') {
    return new ServiceFault(408, 'ModelTimeoutException', 'bedrock took too long');
  }
  if (status === undefined || status < 400 || !/^\w{1,60}$/.test(name)) {
    return new ServiceFault(503, 'ServiceUnavailableException', 'bedrock cannot be reached');
  }
  return new ServiceFault(status, name, `bedrock answered with status ${status}`);
}
