import { CaregateError } from '../../errors.ts';
import type { LocalModel } from '../endpoints/bedrock.ts';
import { ServiceFault } from '../endpoints/fault.ts';
import { chatRequest, chatResponseSchema, converseResponse } from './chat.ts';

export interface BridgeOptions {
  /** The server's base, such as `http://127.0.0.1:8080` or `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** The name that the server knows the model by. */
  readonly model: string;
  readonly fetch?: typeof fetch | undefined;
  /** How long one answer may take, in milliseconds: small machines think for minutes. */
  readonly timeout?: number | undefined;
  /** Told what the server says that the time is. */
  readonly onDate?: ((date: string) => void) | undefined;
}

/** What a look at the server found. */
export interface BridgeReport {
  readonly url: string;
  readonly model: string;
  readonly reachable: boolean;
  /** The models that the server names, where it answers. */
  readonly models: readonly string[];
  /** What is wrong, in words, if anything is. */
  readonly problem?: string | undefined;
}

export interface OpenAiBridge extends LocalModel {
  /** Asks the server what it serves, without asking a model anything. */
  describe(): Promise<BridgeReport>;
}

/**
 * A model behind a server that speaks OpenAI's chat completions with tools (llama.cpp, Ollama and others).
 * @throws CaregateError `CONFIGURATION_INVALID` for a URL that is not http or https; what goes wrong later is the
 *   fault that Bedrock would give
 */
export function openAiBridge(options: BridgeOptions): OpenAiBridge {
  const base = baseUrl(options.url);
  const send = telling(options.fetch ?? fetch, options.onDate);
  const timeout = options.timeout ?? 300_000;
  const model: LocalModel = async (request) => {
    const response = await reach(send, `${base}/chat/completions`, timeout, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chatRequest(request, options.model)),
    });
    if (!response.ok) throw refusal(response.status);
    const answer = chatResponseSchema.safeParse(await jsonOf(response));
    if (!answer.success) {
      throw new ServiceFault(
        424,
        'ModelErrorException',
        'the server of the model did not answer in the form of chat completions',
      );
    }
    return converseResponse(answer.data);
  };
  const report = { url: base, model: options.model };
  return Object.assign(model, { describe: () => probe(send, report) });
}

function telling(send: typeof fetch, onDate: BridgeOptions['onDate']): typeof fetch {
  return async (...asked) => {
    const response = await send(...asked);
    const date = response.headers.get('date');
    if (date !== null) onDate?.(date);
    return response;
  };
}

function baseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      'the `url` of the model is not an http address; give one such as http://127.0.0.1:8080',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? '/v1' : path}`;
}

async function reach(send: typeof fetch, url: string, timeout: number, init: RequestInit): Promise<Response> {
  try {
    return await send(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeout) });
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw late
      ? new ServiceFault(408, 'ModelTimeoutException', 'the server of the model took too long')
      : new ServiceFault(
          503,
          'ServiceUnavailableException',
          'the server of the model cannot be reached; start it',
        );
  }
}

function refusal(status: number): ServiceFault {
  const message = `the server of the model answered with status ${status}`;
  if (status === 429) return new ServiceFault(429, 'ThrottlingException', message);
  if (status === 401 || status === 403) return new ServiceFault(403, 'AccessDeniedException', message);
  if (status === 404) return new ServiceFault(404, 'ResourceNotFoundException', message);
  if (status >= 500) return new ServiceFault(503, 'ServiceUnavailableException', message);
  return new ServiceFault(400, 'ValidationException', message);
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

async function probe(
  send: typeof fetch,
  report: { readonly url: string; readonly model: string },
): Promise<BridgeReport> {
  const nothing = { ...report, reachable: false, models: [] };
  try {
    const response = await reach(send, `${report.url}/models`, 5_000, {});
    if (!response.ok) return { ...nothing, problem: `the server answers with status ${response.status}` };
    const models = modelNames(await jsonOf(response));
    const missing = models.length > 0 && !models.includes(report.model);
    return {
      ...report,
      reachable: true,
      models,
      ...(missing ? { problem: 'the server does not name this model' } : {}),
    };
  } catch (error) {
    return {
      ...nothing,
      problem: error instanceof ServiceFault ? error.message : 'the server cannot be asked',
    };
  }
}

function modelNames(answer: unknown): string[] {
  const list = (answer as { data?: unknown } | undefined)?.data;
  if (!Array.isArray(list)) return [];
  return list.flatMap((model: unknown) => {
    const id = (model as { id?: unknown } | null)?.id;
    return typeof id === 'string' ? [id] : [];
  });
}
