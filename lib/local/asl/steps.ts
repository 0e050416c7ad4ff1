/**
 * A computation that runs without a pause until there is something to wait for, which it yields. What has
 * nothing to wait for costs no promise: that is what makes machines without expressions fast.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits for a promise inside {@link Steps}. */
export function* waitFor<T>(promise: Promise<T>): Steps<T> {
  return (yield promise) as T;
}

/**
 * Runs steps to their end, or to the first pause, and from there on by themselves.
 * @param alive asked after each pause; false drops the rest
 * @param onError gets what the steps throw
 */
export function runSteps(steps: Steps<void>, alive: () => boolean, onError: (error: unknown) => void): void {
  const resume = (advance: () => IteratorResult<Promise<unknown>, void>): void => {
    try {
      const step = advance();
      if (step.done === true) return;
      step.value.then(
        (value) => alive() && resume(() => steps.next(value)),
        (error: unknown) => alive() && resume(() => steps.throw(error)),
      );
    } catch (error) {
      onError(error);
    }
  };
  resume(() => steps.next());
}
