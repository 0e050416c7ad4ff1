import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { casesDirectory, chainsOf, readCases, runCase } from './asl-case.ts';

const present = existsSync(casesDirectory);
if (!present)
  console.warn('skipped: the recorded histories (../shared/asl-conformance) are not beside this clone');

describe.skipIf(!present)('the engine makes the history that AWS recorded', () => {
  const cases = present ? readCases() : [];

  it('of every recorded case', () => {
    expect(cases.length).toBe(60);
  });

  for (const each of cases) {
    it(`${each.name}`, async () => {
      const { events, ...outcome } = await runCase(each);
      const { events: recorded, ...expected } = each.expected;
      if (each.compare === 'status' || recorded === null) {
        expect(outcome.status).toBe(expected.status);
        return;
      }
      expect(outcome).toEqual(expected);
      if (each.compare === 'exact') expect(events).toEqual(recorded);
      else expect(chainsOf(events ?? [])).toEqual(chainsOf(recorded));
    });
  }
});
