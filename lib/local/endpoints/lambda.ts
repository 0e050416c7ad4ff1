import { ServiceFault } from './fault.ts';
import { type FunctionRegistry, type Invocation, payloadLimit } from './lambda-registry.ts';
import type { Service, ServiceRequest, ServiceResponse } from './service.ts';

export {
  type FunctionError,
  FunctionRegistry,
  type Invocation,
  type LambdaContext,
  type LambdaHandler,
} from './lambda-registry.ts';

/** Lambda's limit for the event of an asynchronous invocation. */
const asynchronousLimit = 1024 * 1024;
/** How often Lambda runs an asynchronous event that fails, the first time included. */
const asynchronousAttempts = 3;
/** The pause before each further attempt. On AWS it is minutes, which nobody would wait for on one machine. */
const retryMilliseconds = 1000;

/** Lambda's Invoke, for the functions of a registry: `RequestResponse` and `Event`. */
export function lambdaService(registry: FunctionRegistry): Service {
  return {
    name: 'lambda',
    handle: async (request) => {
      const name = functionName(request);
      if (!registry.has(name)) {
        throw new ServiceFault(404, 'ResourceNotFoundException', `function \`${name}\` is not registered`);
      }
      const type = request.headers['x-amz-invocation-type'] ?? 'RequestResponse';
      if (type === 'RequestResponse')
        return respond(await registry.invoke(name, readEvent(request, payloadLimit)));
      if (type !== 'Event') throw invalid('InvocationType', 'use RequestResponse or Event');
      // On AWS too an event is accepted first and run later; what becomes of it shows in the case, or in the sweep.
      void invokeEvent(registry, name, readEvent(request, asynchronousLimit));
      return { status: 202 };
    },
  };
}

/**
 * Runs an asynchronous event as Lambda does: again, twice at most, while the function fails.
 * @returns what the last attempt gave
 */
export async function invokeEvent(
  registry: FunctionRegistry,
  name: string,
  event: unknown,
  pauseMilliseconds = retryMilliseconds,
): Promise<Invocation> {
  let result = await registry.invoke(name, event);
  for (let attempt = 2; 'error' in result && attempt <= asynchronousAttempts; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    result = await registry.invoke(name, event);
  }
  return result;
}

/** The name in the path; a name, an ARN and a qualified ARN all name the same function. */
function functionName({ method, path }: ServiceRequest): string {
  const named = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (method !== 'POST' || named === undefined) {
    throw new ServiceFault(404, 'UnknownOperationException', 'only Invoke is served here');
  }
  const name = decodeURIComponent(named);
  return /^(?:arn:aws:lambda:[^:]*:[^:]*:)?(?:function:)?([\w-]+)(?::[\w$-]+)?$/.exec(name)?.[1] ?? name;
}

function readEvent({ body }: ServiceRequest, limit: number): unknown {
  if (body.length > limit) {
    throw new ServiceFault(413, 'RequestTooLargeException', `the event is larger than ${limit} bytes`);
  }
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new ServiceFault(400, 'InvalidRequestContentException', 'the event is not JSON');
  }
}

function respond(result: Invocation): ServiceResponse {
  const headers = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  if ('payload' in result) return { status: 200, headers, body: JSON.stringify(result.payload) };
  // Lambda answers 200 for a function that failed: the header tells.
  return {
    status: 200,
    headers: { ...headers, 'x-amz-function-error': 'Unhandled' },
    body: JSON.stringify(result.error),
  };
}

function invalid(parameter: string, advice: string): ServiceFault {
  return new ServiceFault(400, 'InvalidParameterValueException', `\`${parameter}\` is not served: ${advice}`);
}
