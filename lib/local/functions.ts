import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CaregateError } from '../errors.ts';
import { FunctionRegistry, type LambdaHandler } from './endpoints/lambda.ts';
import { type FunctionName, functionNames } from './names.ts';

/** One call of a function, as the office's progress is told from it. */
export interface FunctionCall {
  readonly name: string;
  readonly payload: unknown;
}

/** What hears of the functions' calls. */
export interface FunctionListener {
  /** Before a call. */
  called(call: FunctionCall): void;
  /** After each, with how long it took in milliseconds. */
  ended?(name: string, milliseconds: number): void;
  /** After one that failed: the kind and our own text of the error, never content. */
  failed(name: string, error: unknown): void;
}

export interface LoadedFunctions {
  readonly registry: FunctionRegistry;
  /** Resolves once no function has run for a moment: what follows from the last one has followed. */
  idle(): Promise<void>;
}

/** As long as any function may run, in seconds: the machine gives up on a step after 300. */
const longest = 290;

/** How long nothing may run before it counts as idle, in milliseconds: longer than from one state to the next. */
const quiet = 250;

/**
 * The deployed handlers, loaded from their own files, so that what runs here is what a deployment runs.
 * @param bundles a folder with `<name>/handler.mjs` for each of them, to run the very files that are deployed
 */
export async function loadFunctions(listener: FunctionListener, bundles?: string): Promise<LoadedFunctions> {
  // The office keeps a log of its own, in the data directory; lines between the progress would help nobody. The logger
  // reads this when its module is loaded.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';
  const registry = new FunctionRegistry();
  let running = 0;
  let calls = 0;
  for (const name of functionNames) {
    const handler = await loadHandler(name, bundles);
    registry.register(
      name,
      async (event, context) => {
        listener.called({ name, payload: event });
        running += 1;
        calls += 1;
        const start = performance.now();
        try {
          return await handler(event, context);
        } catch (error) {
          listener.failed(name, error);
          throw error;
        } finally {
          running -= 1;
          listener.ended?.(name, performance.now() - start);
        }
      },
      longest,
    );
  }
  const idle = async (): Promise<void> => {
    for (let seen = -1; running > 0 || seen !== calls; ) {
      seen = calls;
      await new Promise((resolve) => setTimeout(resolve, quiet));
    }
  };
  return { registry, idle };
}

async function loadHandler(name: FunctionName, bundles: string | undefined): Promise<LambdaHandler> {
  const file =
    bundles === undefined
      ? new URL(`../../lambdas/${name}/handler.ts`, import.meta.url)
      : pathToFileURL(join(bundles, name, 'handler.mjs'));
  const module: { handler?: LambdaHandler } = await import(file.href);
  if (module.handler === undefined) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `function \`${name}\` has no handler; install Caregate anew`,
    );
  }
  return module.handler;
}
