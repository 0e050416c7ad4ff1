import { describe, expect, it, vi } from 'vitest';
import { systemTimer, VirtualClock } from '../../../lib/local/asl/timer.ts';

describe('a virtual clock', () => {
  it('calls back in the order of the times, at those times', async () => {
    const clock = new VirtualClock(0);
    const calls: [string, number][] = [];
    const note = (name: string) => () => calls.push([name, clock.now()]);
    clock.at(20, note('later'));
    clock.at(10, note('sooner'));
    clock.at(10, note('sooner, set after'));
    await clock.advance(15);
    expect(calls).toEqual([
      ['sooner', 10],
      ['sooner, set after', 10],
    ]);
    expect([clock.now(), clock.next]).toEqual([15, 20]);
  });

  it('lets promises go on between two callbacks', async () => {
    const clock = new VirtualClock(0);
    const times: number[] = [];
    clock.at(10, () => void Promise.resolve().then(() => clock.at(12, () => times.push(clock.now()))));
    clock.at(20, () => times.push(clock.now()));
    await clock.advance(30);
    expect(times).toEqual([12, 20]);
  });

  it('calls back what is overdue, at the time that it is', async () => {
    const clock = new VirtualClock(100);
    const times: number[] = [];
    clock.at(50, () => times.push(clock.now()));
    await clock.advance(0);
    expect(times).toEqual([100]);
  });

  it('forgets what is cancelled', async () => {
    const clock = new VirtualClock('2026-03-01T08:00:00Z');
    const callback = vi.fn();
    clock.at(clock.now() + 10, callback)();
    await clock.advance(100);
    expect(callback).not.toHaveBeenCalled();
    expect(clock.next).toBeUndefined();
  });

  it('stops where a condition holds', async () => {
    const clock = new VirtualClock(0);
    for (const time of [10, 20, 30]) clock.at(time, () => {});
    await clock.advanceUntil(() => clock.now() >= 20);
    expect(clock.now()).toBe(20);
    await clock.advanceUntil(() => false);
    expect(clock.now()).toBe(30);
  });
});

describe("the machine's own timer", () => {
  it('calls back once the time has come, also after more days than setTimeout can count', () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const callback = vi.fn();
      systemTimer.at(60 * 86_400_000, callback);
      vi.advanceTimersByTime(59 * 86_400_000);
      expect(callback).not.toHaveBeenCalled();
      vi.advanceTimersByTime(86_400_000);
      expect(callback).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not call back after it was cancelled', () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const callback = vi.fn();
      const cancel = systemTimer.at(systemTimer.now() + 5, callback);
      cancel();
      vi.advanceTimersByTime(50);
      expect(callback).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});
