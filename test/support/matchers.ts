import fc from 'fast-check';
import { expect } from 'vitest';
import { CaregateError, type ErrorCode } from '../../lib/errors.ts';

// The same examples at every run, so that a change and not the draw makes a property fail. The full run draws anew.
if (process.env.CAREGATE_FULL !== '1')
  fc.configureGlobal({ seed: Number(process.env.CAREGATE_SEED ?? 20_270_301) });

declare module 'vitest' {
  interface Matchers<T> {
    /** The function throws, or the promise rejects with, a Caregate error of this code. */
    toFailWithCode(code: ErrorCode): T extends Promise<unknown> ? Promise<void> : void;
  }
}

function verdict(error: unknown, code: ErrorCode) {
  const actual = error instanceof CaregateError ? error.code : String(error);
  return { pass: actual === code, message: () => `expected an error with code ${code}, got ${actual}` };
}

expect.extend({
  toFailWithCode(received: unknown, code: ErrorCode) {
    if (typeof received === 'function') {
      try {
        received = received();
      } catch (error) {
        return verdict(error, code);
      }
    }
    if (received instanceof Promise) {
      return received.then(
        () => verdict('nothing was thrown', code),
        (error: unknown) => verdict(error, code),
      );
    }
    return verdict('nothing was thrown', code);
  },
});
