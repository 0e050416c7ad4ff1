import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does some work that fills a file or a folder under a name of its own. Whoever ends the process meanwhile, by Ctrl-C or
 * from a service manager, finds nothing of it: half a backup is as large as a whole one, and is good for nothing.
 * @param make gives the name, and makes what has it if need be, at once: no signal comes in between
 */
export async function droppedOnSignal<T>(make: () => string, work: (path: string) => Promise<T>): Promise<T> {
  let path: string | undefined;
  const stop = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    if (path !== undefined) drop(path);
    stop();
    process.kill(process.pid, signal); // as if nobody had listened
  };
  for (const signal of signals) process.on(signal, end);
  try {
    path = make();
    return await work(path);
  } finally {
    stop();
  }
}

/**
 * Does some work in a folder of its own, which is gone afterwards, however it ended.
 * @param prefix the folder's path, but for a random end
 */
export function inOwnFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  return droppedOnSignal(
    () => mkdtempSync(prefix),
    async (folder) => {
      try {
        return await work(folder);
      } finally {
        // Where unpacking failed, files may still be on their way into it.
        await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      }
    },
  );
}

/** Files may still be on their way into a folder. Whatever keeps it there, the process ends. */
function drop(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } catch {}
}
