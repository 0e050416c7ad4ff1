import { describe, expect, it } from 'vitest';
import { ConversationGuard, refusals, todayIn, withToday } from '../../lib/model/guard.ts';
import { ManualClock } from '../support/time.ts';

const clock = () => new ManualClock('2027-03-04T12:00:00Z');

describe('the guard of a conversation', () => {
  it('refuses the third identical call after two failures', () => {
    const guard = new ConversationGuard({ calls: 10, clock: clock() });
    for (let time = 0; time < 2; time += 1) {
      expect(guard.admit('look', { where: 'here', when: 1 })).toBeUndefined();
      guard.note('look', { when: 1, where: 'here' }, 'failed');
    }
    expect(guard.admit('look', { when: 1, where: 'here' })).toBe('REPEATED_FAILURE');
    expect(guard.admit('look', { when: 2, where: 'here' })).toBeUndefined();
    expect(guard.admit('see', { when: 1, where: 'here' })).toBeUndefined();
  });

  it('forgives failures when the call succeeds', () => {
    const guard = new ConversationGuard({ calls: 10, clock: clock() });
    for (const ended of ['failed', 'succeeded', 'failed'] as const) guard.note('look', {}, ended);
    expect(guard.admit('look', {})).toBeUndefined();
    guard.note('look', {}, 'failed');
    expect(guard.admit('look', {})).toBe('REPEATED_FAILURE');
  });

  it('knows an input again that has no canonical JSON form', () => {
    const guard = new ConversationGuard({ calls: 10, clock: clock() });
    for (let time = 0; time < 2; time += 1) guard.note('look', { at: '\ud800' }, 'failed');
    expect(guard.admit('look', { at: '\ud800' })).toBe('REPEATED_FAILURE');
    expect(guard.admit('look', undefined)).toBeUndefined();
  });

  it('stops at the ceiling of calls, and does not count refused ones', () => {
    const guard = new ConversationGuard({ calls: 2, clock: clock() });
    guard.note('look', 1, 'failed');
    guard.note('look', 1, 'failed');
    expect(guard.admit('look', 1)).toBe('REPEATED_FAILURE');
    expect(guard.admit('look', 2)).toBeUndefined();
    expect(guard.admit('look', 3)).toBeUndefined();
    expect(guard.admit('look', 4)).toBe('TOO_MANY_CALLS');
  });

  it('stops at the very moment at which the sign-in expires', () => {
    const now = clock();
    const guard = new ConversationGuard({ calls: 2, clock: now, expires: now.now() + 1000 });
    now.advance(999);
    expect([guard.expired, guard.admit('look', 1)]).toEqual([false, undefined]);
    now.advance(1);
    expect([guard.expired, guard.admit('look', 2)]).toEqual([true, 'SIGN_IN_EXPIRED']);
  });

  it('has words for the model for each refusal', () => {
    for (const words of Object.values(refusals)) expect(words).toMatch(/^[A-Z].*\.$/);
  });
});

describe("today's date", () => {
  it('is that of the time zone, not of the machine', () => {
    const evening = new ManualClock('2027-03-04T12:30:00Z');
    expect(todayIn('Pacific/Auckland', evening)).toBe('2027-03-05');
    expect(todayIn('Pacific/Honolulu', evening)).toBe('2027-03-04');
  });

  it('stands in the prompt with its weekday', () => {
    expect(withToday('Work.', 'Pacific/Auckland', clock())).toBe(
      'Work.\n\nToday is Friday, 2027-03-05 in the time zone Pacific/Auckland.',
    );
  });
});
