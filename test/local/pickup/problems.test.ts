import { describe, expect, test } from 'vitest';
import { CaregateError } from '../../../lib/errors.ts';
import { pauseAfter } from '../../../lib/local/pickup/backoff.ts';
import { problemDetails, problemOf, refusalOf } from '../../../lib/local/pickup/problems.ts';

const withPassword = { password: 'x' };

test.each<[object, object, string, string]>([
  [
    { authenticationFailed: true, serverResponseCode: 'AUTHENTICATIONFAILED' },
    withPassword,
    'mailbox-password-wrong',
    'password',
  ],
  [
    { authenticationFailed: true, serverResponseCode: 'EXPIRED' },
    withPassword,
    'mailbox-sign-in-expired',
    'token',
  ],
  [{ authenticationFailed: true }, {}, 'mailbox-sign-in-expired', 'token'],
  [
    { authenticationFailed: true, serverResponseCode: 'UNAVAILABLE' },
    withPassword,
    'mailbox-unreachable',
    'busy',
  ],
  [new CaregateError('INVALID_INPUT', 'no token'), {}, 'mailbox-sign-in-expired', 'token'],
  [{ mailboxMissing: true }, withPassword, 'mailbox-folder-missing', 'folder'],
  [{ serverResponseCode: 'nonexistent' }, withPassword, 'mailbox-folder-missing', 'folder'],
  [{ serverResponseCode: 'OVERQUOTA' }, withPassword, 'mailbox-full', 'quota'],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, withPassword, 'mailbox-unreachable', 'certificate'],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, withPassword, 'mailbox-unreachable', 'certificate'],
  [{ tlsFailed: true }, withPassword, 'mailbox-unreachable', 'no-tls'],
  [{ code: 'ENOTFOUND' }, withPassword, 'mailbox-unreachable', 'name'],
  [{ code: 'ECONNREFUSED' }, withPassword, 'mailbox-unreachable', 'refused'],
  [{ code: 'CONNECT_TIMEOUT' }, withPassword, 'mailbox-unreachable', 'timeout'],
  [{ code: 'ETHROTTLE' }, withPassword, 'mailbox-unreachable', 'busy'],
  [{ code: 'NoConnection' }, withPassword, 'mailbox-unreachable', 'closed'],
])('an error %j of a mailbox %j is %s', (error, settings, trouble, detail) => {
  expect(problemOf(error, settings)).toEqual({ trouble, detail });
  expect(problemDetails).toHaveProperty(detail);
});

test.each<[object | undefined, string | undefined, string, string]>([
  [{ serverResponseCode: 'OVERQUOTA' }, undefined, 'mailbox-full', 'quota'],
  [{ serverResponseCode: 'TRYCREATE' }, 'Done', 'mailbox-folder-missing', 'move-folder'],
  [{ serverResponseCode: 'TRYCREATE' }, undefined, 'mailbox-not-writable', 'mark'],
  [undefined, 'Done', 'mailbox-not-writable', 'mark'],
])('a refusal %j of a move to %s is %s', (error, moveTo, trouble, detail) => {
  expect(refusalOf(error, moveTo)).toEqual({ trouble, detail });
});

describe('pauses', () => {
  const highest = { bytes: (size: number) => new Uint8Array(size).fill(255) };
  const lowest = { bytes: (size: number) => new Uint8Array(size) };

  test('are twice as long each time, up to a bound, and at least half of that', () => {
    const longest = [1, 2, 3, 20].map((failures) => pauseAfter(failures, 'mailbox-unreachable', highest));
    expect(longest).toEqual([2000, 4000, 8000, 300_000]);
    const shortest = [1, 2, 3, 20].map((failures) => pauseAfter(failures, 'mailbox-unreachable', lowest));
    expect(shortest).toEqual([1000, 2000, 4000, 150_000]);
  });

  test('after a wrong password are long, so that no provider locks the account', () => {
    expect(pauseAfter(1, 'mailbox-password-wrong', lowest)).toBe(30_000);
    expect(pauseAfter(1000, 'mailbox-password-wrong', highest)).toBe(3_600_000);
  });
});
