import { describe, expect, it } from 'vitest';
import type { Dossier } from '../../lib/audit/dossier.ts';
import { timelineEntries, timelineOf } from '../../lib/audit/timeline.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { caseKey } from '../effect/calls.ts';

const empty: Dossier = {
  key: caseKey,
  objects: new Map(),
  triages: [],
  actions: [],
  receipts: [],
  closings: [],
  unreadable: [],
};

describe('a timeline', () => {
  it('of a case without records is empty', () => {
    expect(timelineEntries(empty)).toEqual([]);
  });

  it('tells what SES refused, and an action of which little is left', () => {
    const rejected = { attempt: 'a', error: 'MessageRejected', at: '2027-02-01T09:00:00.000Z' };
    const outcome = { status: 'refused', reason: 'CALL_CHANGED', at: '2027-02-01T09:00:01.000Z' } as const;
    const entries = timelineEntries({ ...empty, actions: [{ action: 1, consents: [], rejected, outcome }] });
    expect(entries.map(({ what }) => what)).toEqual([
      'the mail service refused it: MessageRejected',
      'a tool ended refused (CALL_CHANGED)',
    ]);
  });

  it('is followed by what does not agree, with both digests', () => {
    const text = timelineOf({
      ...caseKey,
      verdict: 'inconsistent',
      findings: [
        { code: 'EFFECT_ALTERED', key: 'effects/x', action: 3, expected: sha256('a'), found: sha256('b') },
        { code: 'CASE_MISSING', key: 'case.json' },
      ],
      steps: [{ name: 'mail', findings: 1 }],
      objects: 2,
      historyRead: true,
      timeline: [{ at: '2027-02-01T09:00:00.000Z', what: 'something of no action' }],
    });
    expect(text).toContain('2027-02-01T09:00:00.000Z  something of no action');
    expect(text).toContain('effects/x, action 3');
    expect(text).toContain(`recorded ${sha256('a')}`);
    expect(text).toContain(`found    ${sha256('b')}`);
    expect(text).toContain('the execution history was read');
    expect(text).toContain('mail: 1 found');
  });
});
