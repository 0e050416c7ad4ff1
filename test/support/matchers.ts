import { expect } from 'vitest';
import { CaregateError, type ErrorCode } from '../../lib/errors.ts';

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
