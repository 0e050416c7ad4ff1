import type { ConverseRequest, ConverseResponse } from '@aws-sdk/client-bedrock-runtime';
import { type Clock, systemClock } from '../../provenance/clock.ts';
import { checkConversation } from './bedrock-conversation.ts';
import { type ConverseBody, converseBodySchema } from './bedrock-request.ts';
import { ServiceFault } from './fault.ts';
import type { Service, ServiceRequest, ServiceResponse } from './service.ts';

/**
 * A model behind the Converse protocol: it decides from the request alone. It refuses by throwing a
 * {@link ServiceFault}, such as a `ThrottlingException` with status 429.
 */
export type LocalModel = (request: ConverseRequest, modelId: string) => Promise<ConverseResponse>;

export interface BedrockOptions {
  readonly model: LocalModel;
  /** Measures the latency that a response reports. */
  readonly clock?: Clock | undefined;
}

const converse = /^\/model\/([^/]+)\/converse$/;

/**
 * Bedrock's Converse operation, with the rules for conversations and tools that Bedrock enforces. Streaming and the
 * model-specific InvokeModel are refused by name.
 * Protocol: REST JSON, `POST /model/{modelId}/converse`.
 */
export function bedrockService({ model, clock = systemClock }: BedrockOptions): Service {
  return {
    name: 'bedrock',
    async handle(request) {
      const modelId = modelIdOf(request);
      const body = readBody(request);
      checkConversation(body);
      const started = clock.now();
      const response = await model(body as ConverseRequest, modelId);
      return answer(response, body, clock.now() - started);
    },
  };
}

function modelIdOf({ method, path }: ServiceRequest): string {
  const match = converse.exec(path);
  if (match === null || method !== 'POST') {
    throw new ServiceFault(400, 'UnsupportedOperation', 'only the operation `Converse` is served here');
  }
  return decodeURIComponent(match[1] ?? '');
}

function readBody({ body }: ServiceRequest): ConverseBody {
  const result = converseBodySchema.safeParse(parsed(body));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(`\`${issue?.path.join('.') || 'body'}\` does not have the form that Converse takes`);
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalid('the `body` is not JSON in UTF-8');
  }
}

function invalid(message: string): ServiceFault {
  return new ServiceFault(400, 'ValidationException', message);
}

/** A response says what it cost. A model that does not count is estimated at four characters a token. */
function answer(response: ConverseResponse, body: ConverseBody, latencyMs: number): ServiceResponse {
  const { output, stopReason, usage, metrics } = response;
  const inputTokens = usage?.inputTokens ?? tokens(body);
  const outputTokens = usage?.outputTokens ?? tokens(output ?? '');
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      output,
      stopReason,
      usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
      metrics: { latencyMs: metrics?.latencyMs ?? Math.max(0, latencyMs) },
    }),
  };
}

/** What a model makes of a picture of a page. */
const pictureTokens = 1_600;

function tokens(value: unknown): number {
  let pictures = 0;
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key !== 'image') return part;
    pictures += 1;
    return undefined;
  });
  return Math.ceil(text.length / 4) + pictures * pictureTokens;
}
