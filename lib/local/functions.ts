import { CaregateError } from '../errors.ts';
import { FunctionRegistry, type LambdaHandler } from './endpoints/lambda.ts';
import { type FunctionName, functionNames } from './names.ts';

/** One call of a function, as the office's progress is told from it. */
export interface FunctionCall {
  readonly name: string;
  readonly payload: unknown;
}

/**
 * The deployed handlers, loaded from their own files, so that what runs here is what a deployment runs.
 * @param observe called before each call
 */
export async function loadFunctions(observe: (call: FunctionCall) => void): Promise<FunctionRegistry> {
  const registry = new FunctionRegistry();
  for (const name of functionNames) {
    const handler = await loadHandler(name);
    registry.register(name, async (event, context) => {
      observe({ name, payload: event });
      return handler(event, context);
    });
  }
  return registry;
}

async function loadHandler(name: FunctionName): Promise<LambdaHandler> {
  const module: { handler?: LambdaHandler } = await import(
    new URL(`../../lambdas/${name}/handler.ts`, import.meta.url).href
  );
  if (module.handler === undefined) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `function \`${name}\` has no handler; install Caregate anew`,
    );
  }
  return module.handler;
}
