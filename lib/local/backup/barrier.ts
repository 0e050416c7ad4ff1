import type { Service } from '../endpoints/service.ts';

/**
 * Lets requests to the stores through, and holds them back for a moment: what lies on disk then is what a crash in that
 * moment would leave, and the office goes on from that by what it does after every crash.
 */
export class Barrier {
  #running = 0;
  #held: Promise<void> | undefined;
  #emptied: (() => void) | undefined;

  /** The same service, whose requests wait while the barrier is down. */
  guard(service: Service): Service {
    return {
      name: service.name,
      handle: async (request) => {
        while (this.#held !== undefined) await this.#held;
        this.#running += 1;
        try {
          return await service.handle(request);
        } finally {
          this.#running -= 1;
          if (this.#running === 0) this.#emptied?.();
        }
      },
    };
  }

  /** Runs `work` while no request is under way. One after the other, if it is asked for twice. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    while (this.#held !== undefined) await this.#held;
    const { promise, resolve: lift } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      if (this.#running > 0) {
        await new Promise<void>((resolve) => {
          this.#emptied = resolve;
        });
      }
      return await work();
    } finally {
      this.#emptied = undefined;
      this.#held = undefined;
      lift();
    }
  }
}
