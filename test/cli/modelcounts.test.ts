import { describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { looked } from '../../lib/cli/doctor/finding.ts';
import { countModels, modelCountsLine } from '../../lib/cli/modelcounts.ts';
import { CaregateError } from '../../lib/errors.ts';
import type { CaseId, CircleId } from '../../lib/provenance/identifiers.ts';

const circle = 'home' as CircleId;
const [one, two] = [`c-${'1'.repeat(32)}`, `c-${'2'.repeat(32)}`].map((id) => id as CaseId) as [
  CaseId,
  CaseId,
];
const key = (id: CaseId) => ({ circle, case: id });

/** Records as the case file has them, as far as they say who answered. */
const records: Readonly<Record<string, unknown>> = {
  [layout.triage(key(one), 1)]: { category: 'x', model: 'qwen', attempts: 1 },
  [layout.triage(key(two), 1)]: { category: 'x', model: 'offline-reader', attempts: 1 },
  [layout.evidence(key(one), 1)]: { facts: [], recording: { model: 'qwen', added: 2 } },
  [layout.evidence(key(two), 1)]: { facts: [], recording: { model: 'qwen', failure: 'MODEL_UNAVAILABLE' } },
  [layout.evidence(key(two), 2)]: { facts: [] },
  [layout.proposal(key(one), 1)]: { tool: 'file_document', model: 'qwen' },
  [layout.proposal(key(one), 2)]: { tool: 'no_further_action', model: 'qwen' },
  [layout.call(key(one), 1)]: { model: 'none of these' },
};
const source = {
  circle,
  index: { list: async () => [{ case: one }, { case: two }] },
  store: {
    list: async (prefix: string) => Object.keys(records).filter((each) => each.startsWith(prefix)),
    find: async (at: string) => ({ bytes: new TextEncoder().encode(JSON.stringify(records[at])) }),
  },
} as unknown as Parameters<typeof countModels>[0];

describe('which model answered', () => {
  it('is counted by stage from the records, and what gave no answer apart', async () => {
    const counts = await countModels(source);
    expect(counts.map(({ stage, model, answers, failures }) => [stage, model, answers, failures])).toEqual([
      ['triage', 'qwen', 1, 0],
      ['triage', 'offline-reader', 1, 0],
      ['evidence', 'qwen', 1, 1],
      ['plan', 'qwen', 2, 0],
    ]);
    expect(modelCountsLine(counts)).toBe(
      'triage: qwen 1, offline-reader 1; evidence: qwen 1 (1 without an answer); plan: qwen 2',
    );
  });

  it('is counted in the newest cases alone, where there are many', async () => {
    const counts = await countModels(source, 1);
    expect(counts.map(({ model }) => model)).toEqual(['qwen', 'qwen', 'qwen']);
  });
});

describe('a look that throws', () => {
  it('is a finding in words of ours', async () => {
    const ours = new CaregateError('NOT_FOUND', 'case `c-1` is not there');
    const throwing = (error: Error) => () => Promise.reject(error);
    expect(await looked('x', throwing(ours))).toEqual({ check: 'x', health: 'wrong', says: ours.message });
    const foreign = await looked('x', throwing(new TypeError('secret')));
    expect(foreign).toEqual({ check: 'x', health: 'wrong', says: 'cannot be examined' });
  });
});
