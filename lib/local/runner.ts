import type { Randomness } from '../provenance/randomness.ts';
import { type Engine, openEngine } from './asl/engine.ts';
import type { EngineClock } from './asl/timer.ts';
import type { DataDirectory } from './datadirectory.ts';
import { type FunctionRegistry, invokeEvent } from './endpoints/lambda.ts';
import { names } from './names.ts';

export interface RunnerOptions {
  readonly data: DataDirectory;
  readonly registry: FunctionRegistry;
  readonly clock: EngineClock;
  readonly randomness: Randomness;
}

/** The engine with the functions behind it. */
export interface Runner {
  readonly engine: Engine;
  /** Lets functions be called: what an earlier office left goes on from here. */
  open(): void;
  /** Calls no function any more: what is due waits for the next start, as if this one had been ended here. */
  rest(): void;
  close(): Promise<void>;
}

/**
 * Opens the engine on its journal. It takes up at once what it left, but its calls wait until the services that the
 * functions need are there.
 */
export async function startRunner({ data, registry, clock, randomness }: RunnerOptions): Promise<Runner> {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let resting = false;
  const admitted = async (): Promise<void> => {
    await opened;
    if (resting) await new Promise<never>(() => {});
  };
  const call = async (name: string, payload: unknown) => {
    await admitted();
    return registry.invoke(name, payload);
  };
  const engine = await openEngine({
    journal: data.journal,
    clock,
    randomness,
    region: names.region,
    account: names.account,
    invoke: (name, payload) => call(name, payload),
    // The event rules of a deployment: a run that ended is kept, one that failed is told.
    onStatusChange: async (detail) => {
      if (detail.status === 'RUNNING') return;
      await admitted();
      await invokeEvent(registry, 'audit', { detail });
      if (detail.status !== 'SUCCEEDED') await invokeEvent(registry, 'report', { detail });
    },
  });
  const rest = (): void => {
    resting = true;
  };
  return { engine, open, rest, close: () => engine.close() };
}
