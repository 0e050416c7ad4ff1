import { describe, expect, it } from 'vitest';
import { costOf, tokenCosts } from '../../bench/cost.bench.ts';
import { mostForOneMail, prices } from '../../bench/cost-prices.ts';
import { type MeasuredRun, measureRun } from '../../bench/cost-run.ts';
import { dutyOf } from '../../lib/stacks/duties.ts';

const run: MeasuredRun = {
  mails: 2,
  transitions: 60,
  functions: new Map([
    ['gate', { calls: 3, milliseconds: 1500 }],
    ['evidence', { calls: 1, milliseconds: 500 }],
  ]),
  requests: {
    s3Writes: 10,
    s3Reads: 20,
    dynamodbWrites: 4,
    dynamodbReads: 6,
    largestItem: 1500,
    mailsOut: 2,
    kms: 1,
    models: 4,
    pages: 2,
    invocations: 1,
  },
  chunksIn: 1,
  executions: 2,
  logBytes: 2_000_000,
  tokens: { input: 2_000_000, output: 1_000_000 },
};
const sum = (parts: readonly { dollars: number }[]) =>
  parts.reduce((total, { dollars }) => total + dollars, 0);

describe('the cost of one mail', () => {
  const parts = new Map(costOf(run).map((part) => [part.name, part]));

  it('is counted by mail, each part at its price', () => {
    expect(parts.get('state transitions')).toEqual({
      name: 'state transitions',
      amount: 30,
      dollars: 30 * prices.transition,
    });
    expect(parts.get('SES, mails in')?.amount).toBe(1);
    expect(parts.get('Lambda, requests')?.amount).toBe(2);
  });

  it('takes the memory that is deployed for as long as a function ran', () => {
    const expected = (1.5 * dutyOf('gate').memory + 0.5 * dutyOf('evidence').memory) / 1024 / 2;
    expect(parts.get('Lambda, GB-seconds')?.amount).toBeCloseTo(expected, 9);
  });

  it('takes two units for each begun kilobyte that is written, one of them for the index', () => {
    expect(parts.get('DynamoDB, write units')?.amount).toBe((2 * 4 * 2) / 2);
  });

  it('names tokens beside it, by model', () => {
    expect(tokenCosts(run).find(([model]) => model === 'Claude Haiku 4.5')?.[1]).toBeCloseTo(
      (2 * 1 + 1 * 5) / 2,
      9,
    );
  });

  // The run itself takes a quarter of a minute: it is measured in the full run, and by `npm run bench cost` at any time.
  it.runIf(process.env.CAREGATE_FULL === '1')(
    'stays below what was promised, in a real run of the samples',
    async () => {
      const measured = await measureRun();
      expect(measured.mails).toBe(7);
      expect(measured.transitions).toBeGreaterThan(7 * 5);
      expect(sum(costOf(measured))).toBeLessThan(mostForOneMail);
    },
    180_000,
  );
});
