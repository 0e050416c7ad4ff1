/** Yielded to wait until somebody wakes the steps. */
export const parked: unique symbol = Symbol('parked');

/**
 * A computation that runs without a pause until there is something to wait for, which it yields. What has
 * nothing to wait for costs no promise: that is what makes machines without expressions fast.
 */
export type Steps<T> = Generator<Promise<unknown> | typeof parked, T, unknown>;

/** Waits for a promise inside {@link Steps}. */
export function* waitFor<T>(promise: Promise<T>): Steps<T> {
  return (yield promise) as T;
}

export interface StepsOwner {
  /** Asked after each pause; false drops the rest. */
  alive(): boolean;
  /** Takes what lets parked steps go on. */
  park(resume: () => void): void;
  /** Gets what the steps throw. */
  crash(error: unknown): void;
}

/** Runs steps to their end, or to the first pause, and from there on by themselves. */
export function runSteps(steps: Steps<void>, owner: StepsOwner): void {
  const next = (value?: unknown): void => {
    if (owner.alive()) advance(false, value);
  };
  const fail = (error: unknown): void => {
    if (owner.alive()) advance(true, error);
  };
  const advance = (failed: boolean, value: unknown): void => {
    try {
      const step = failed ? steps.throw(value) : steps.next(value);
      if (step.done === true) return;
      if (step.value === parked) owner.park(next);
      else step.value.then(next, fail);
    } catch (error) {
      owner.crash(error);
    }
  };
  advance(false, undefined);
}
