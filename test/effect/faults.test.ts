import { describe, expect, it } from 'vitest';
import { faultPoints, faultsNamedIn, reach } from '../../lib/effect/faults.ts';

describe('a fault point', () => {
  it('does nothing without a registry, or where the registry names another', async () => {
    const reached: string[] = [];
    await reach(undefined, 'after_intent');
    await reach({ after_sent: () => void reached.push('after_sent') }, 'after_intent');
    expect(reached).toEqual([]);
  });

  it('is waited for', async () => {
    let done = false;
    const slow = async (): Promise<void> => {
      await Promise.resolve();
      done = true;
    };
    await reach({ after_intent: slow }, 'after_intent');
    expect(done).toBe(true);
  });

  it.each(faultPoints)('%s is the only one that its name selects', (point) => {
    const registry = faultsNamedIn({ CAREGATE_FAULT: point }, () => undefined);
    expect(Object.keys(registry)).toEqual([point]);
  });

  it.each([undefined, '', 'nowhere', 'toString'])('`%s` selects none', (name) => {
    expect(faultsNamedIn({ CAREGATE_FAULT: name }, () => undefined)).toEqual({});
  });
});
