/** What has been started and must be stopped again, the last one first. */
export class Closers {
  readonly #closers: (() => Promise<void> | void)[] = [];

  /** Keeps how to stop `part`, and gives it back. */
  add<T>(part: T, close: (part: T) => Promise<void> | void): T {
    this.#closers.push(() => close(part));
    return part;
  }

  /** Stops everything. One part that cannot be stopped does not keep the others running. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const closer of this.#closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
