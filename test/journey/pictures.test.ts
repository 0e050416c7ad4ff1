import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { evidenceSchema } from '../../lib/evidence/schema.ts';
import type { CaseId } from '../../lib/provenance/identifiers.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { mailOf } from '../support/letters.ts';

const maya = 'maya@family.example';
const photograph = readFileSync(new URL('../evidence/photographs/letter.jpg', import.meta.url));

describe('a photographed letter', () => {
  let office: EmbeddedOffice;
  beforeAll(async () => {
    office = await embeddedOffice();
  });
  afterAll(() => office.running.close());

  it('is read on this machine, and its appointment is put before a person', async () => {
    const raw = await mailOf({
      from: `Maya <${maya}>`,
      to: 'care@inbox.example',
      subject: 'Letter from the clinic',
      text: 'This came by post this morning, see the photograph.',
      attachments: [{ filename: 'IMG_0412.jpg', contentType: 'image/jpeg', content: photograph }],
    });
    const report = await office.hand(raw, maya);
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
