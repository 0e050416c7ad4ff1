import { rmSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does some work that fills a file or a folder under a name of its own. Whoever ends the process meanwhile, by Ctrl-C or
 * from a service manager, finds nothing of it: half a backup is as large as a whole one, and is good for nothing.
 */
export async function droppedOnSignal<T>(path: string, work: () => Promise<T>): Promise<T> {
  const stop = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    rmSync(path, { recursive: true, force: true });
    stop();
    process.kill(process.pid, signal); // as if nobody had listened
  };
  for (const signal of signals) process.on(signal, end);
  try {
    return await work();
  } finally {
    stop();
  }
}
