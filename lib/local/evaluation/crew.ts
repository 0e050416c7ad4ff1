import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CaregateError, type ErrorCode, errorCodes } from '../../errors.ts';
import type { EvaluationMail } from './attempts.ts';
import type { Replay } from './replay.ts';

/** What a thread is started for: the rules as shipped, or mutants of them one after the other. */
export interface WorkOrder {
  readonly mutants: readonly string[] | undefined;
  readonly mails: readonly EvaluationMail[];
  readonly directory: string;
}

/** What a thread says: that a mail came to rest, or what was counted under a configuration. */
export type WorkerMessage =
  | { readonly configuration: string; readonly mail: true }
  | { readonly configuration: string; readonly replay: Replay };

export interface EvaluationOptions {
  readonly mails: readonly EvaluationMail[];
  /** `shipped`, or the names of mutants. */
  readonly configurations: readonly string[];
  readonly onMail?: (configuration: string) => void;
  readonly workers?: number;
}

/** The rules as they are shipped, untouched. */
export const shippedConfiguration = 'shipped';

/** More threads would wait for each other; fewer would leave a core idle. */
const mostWorkers = 4;

/** A thread takes as long to start as it takes for a dozen mails, so it gets a few dozen of them. */
const worthAThread = 40;

/**
 * Plays mails under configurations, on several cores: the mails of one configuration are shared out, and where there are
 * many mutants, the mutants are. Each thread has an office of its own.
 * @returns what was counted, in the order of the configurations
 * @throws CaregateError what a thread met
 */
export async function evaluate(options: EvaluationOptions): Promise<ReadonlyMap<string, Replay>> {
  const { configurations, mails, workers = Math.min(mostWorkers, availableParallelism()) } = options;
  const results = new Map<string, Replay>(configurations.map((name) => [name, { attempts: [], benign: [] }]));
  const hear = (message: WorkerMessage): void => {
    if ('mail' in message) options.onMail?.(message.configuration);
    else results.set(message.configuration, joined(results.get(message.configuration), message.replay));
  };
  await inTemporaryDirectory(async (directory) => {
    const orders = plannedOrders(configurations, mails, workers, directory);
    const next = async (): Promise<void> => {
      for (let order = orders.shift(); order !== undefined; order = orders.shift()) await run(order, hear);
    };
    await Promise.all(Array.from({ length: workers }, next));
  });
  return results;
}

/** Nothing is left behind in memory, also where somebody loses patience and presses Ctrl-C. */
async function inTemporaryDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(memoryDirectory(), 'caregate-evaluation-'));
  const clean = () => rmSync(directory, { recursive: true, force: true });
  const interrupted = () => process.exit(130);
  process.once('exit', clean);
  process.once('SIGINT', interrupted);
  try {
    await work(directory);
  } finally {
    process.off('exit', clean);
    process.off('SIGINT', interrupted);
    clean();
  }
}

/** Shipped rules and mutants never share a thread: where one mutant was, the product is not whole any more. */
function plannedOrders(
  configurations: readonly string[],
  mails: readonly EvaluationMail[],
  workers: number,
  directory: string,
): WorkOrder[] {
  const mutants = configurations.filter((name) => name !== shippedConfiguration);
  const threads = Math.min(workers, Math.ceil(mails.length / worthAThread));
  const shared = (names: readonly string[] | undefined) =>
    shares(mails, threads).map((share) => ({ mutants: names, mails: share, directory }));
  return [
    ...(configurations.includes(shippedConfiguration) ? shared(undefined) : []),
    ...(mutants.length > workers
      ? shares(mutants, workers).map((names) => ({ mutants: names, mails, directory }))
      : mutants.flatMap((name) => shared([name]))),
  ];
}

/** Every nth element each, so that what is slow is not all in one share. */
function shares<T>(list: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, at) => list.filter((__, index) => index % count === at)).filter(
    (share) => share.length > 0,
  );
}

function joined(one: Replay | undefined, other: Replay): Replay {
  return {
    attempts: [...(one?.attempts ?? []), ...other.attempts],
    benign: [...(one?.benign ?? []), ...other.benign],
  };
}

function run(order: WorkOrder, hear: (message: WorkerMessage) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: order,
      // The options of a test runner are not those of a thread of the product.
      execArgv: [],
    });
    worker.on('message', hear);
    worker.on('error', (error) => reject(coded(error)));
    worker.on('exit', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new CaregateError('UNEXPECTED', `a thread of the evaluation ended with \`${code}\`; run it again`),
        );
    });
  });
}

/** An error comes out of a thread without its class; its name is its code. */
function coded(error: unknown): unknown {
  if (!(error instanceof Error) || !Object.hasOwn(errorCodes, error.name)) return error;
  return new CaregateError(error.name as ErrorCode, error.message, { cause: error });
}

/** A directory in memory, so that no sync waits for a disk; an ordinary temporary one where there is none. */
function memoryDirectory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK | constants.X_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
