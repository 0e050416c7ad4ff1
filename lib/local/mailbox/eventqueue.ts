import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory, writeSynced } from '../endpoints/durable.ts';

/**
 * Events that functions are still to be called with, on disk, as Lambda's own queue of asynchronous events is: what a
 * receiver said of a mail must survive the moment between the answer to the sender and the call.
 */
export class EventQueue {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps an event under an id of the caller's; it is on disk when this returns. */
  async keep(id: string, event: unknown): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeSynced(this.#file(id), JSON.stringify(event));
    await syncDirectory(this.#directory);
  }

  /** Takes an event out, once its function has taken it over. */
  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  /** What an earlier office left. A file that was being written when it ended was never answered for. */
  async left(): Promise<{ readonly id: string; readonly event: unknown }[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const found = await Promise.all(
      names.filter((name) => name.endsWith('.json')).map((name) => this.#read(name)),
    );
    return found.filter((entry) => entry !== undefined);
  }

  async #read(name: string): Promise<{ id: string; event: unknown } | undefined> {
    try {
      return {
        id: name.slice(0, -'.json'.length),
        event: JSON.parse(await readFile(join(this.#directory, name), 'utf8')),
      };
    } catch {
      return undefined;
    }
  }

  #file(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}
