import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { evidenceSchema } from '../../lib/evidence/schema.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { photographedLetter } from '../support/carefacts.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';

const maya = 'maya@family.example';

describe('a photographed letter', () => {
  let office: EmbeddedOffice;
  beforeAll(async () => {
    office = await embeddedOffice();
  });
  afterAll(() => office.running.close());

  it('is read on this machine, and its appointment is put before a person', async () => {
    const report = await office.hand(photographedLetter().raw, maya);
    expect(report.status).not.toBe('parked');
    const { store, circle } = office.office;
    const key = { circle, case: report.case as CaseId };
    const { documents, facts } = await readRecord(store, layout.evidence(key, 1), evidenceSchema);
    expect(documents[1]).toMatchObject({ kind: 'image', transcribed: [1] });
    expect(documents[1]?.pages[0]).toContain('Your cardiology review has been arranged.');
    const read = facts.filter(({ source }) => source.document === documents[1]?.id);
    expect(read.length).toBeGreaterThan(0);
    expect(read.every(({ source, trust }) => source.transcribed === true && trust === 'UNTRUSTED')).toBe(
      true,
    );
    expect(await store.list(`${layout.root(key)}transcripts/`)).toHaveLength(1);
    const entered = report.actions.filter(({ tool }) => tool === 'add_appointment');
    expect(entered.every(({ decision }) => decision === 'REQUIRE_HUMAN')).toBe(true);
  }, 120_000);
});
