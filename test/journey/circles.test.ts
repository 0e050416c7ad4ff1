import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import type { CaseReport } from '../../lib/cli/casereport.ts';
import { post } from '../../lib/cli/posting.ts';
import { settle } from '../../lib/cli/settling.ts';
import type { CircleId } from '../../lib/provenance/identifiers.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { mailOf } from '../support/letters.ts';
import { readOutbox } from '../support/outbox.ts';

const north = readFileSync('rules/circle.example.yaml', 'utf8');
/** Another household: nobody and nothing of the first one. */
const south = `id: south
patient: { name: Otto Brandt }
timezone: Europe/Berlin
locale: en-GB
currency: EUR
inbox: south@inbox.example
senders: { notices: south-notices@inbox.example, letters: south-letters@inbox.example }
people:
  - { id: ida, name: Ida Brandt, email: ida@brandt.example, roles: [owner] }
contacts:
  - { id: riverside-records, name: Riverside Records, email: records@riverside.example }
folders:
  - { id: letters, name: Letters }
calendars:
  - { id: otto, name: Otto }
`;
const request = (from: string, to: string, office: string, contact: string) =>
  mailOf({
    from,
    to,
    subject: 'Fwd: records request',
    text: `Please send us the consent form. Reply to ${contact}.\n\n${office} records office\n`,
  });

describe('two circles in one office', () => {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-two-circles-'));
  let office: EmbeddedOffice;
  let ours: CaseReport;
  let theirs: CaseReport;

  /** Hands a mail to the second circle and waits until its case came to rest. */
  async function handSouth(raw: Uint8Array, from: string): Promise<CaseReport> {
    const connection = { ...office.office, circle: 'south' as CircleId };
    const id = await post(connection, 'south@inbox.example', { name: 'a mail', raw, from });
    const [report] = await settle({ office: connection, outbox: office.outbox }, [id]);
    return report as CaseReport;
  }

  beforeAll(async () => {
    writeFileSync(join(folder, 'a.yaml'), north);
    writeFileSync(join(folder, 'b.yaml'), south);
    office = await embeddedOffice({ circleFile: folder });
    ours = await office.hand(
      await request(
        'Maya <maya@family.example>',
        'care@inbox.example',
        'Hillside Clinic',
        'records@hillside-clinic.example',
      ),
      'maya@family.example',
    );
    theirs = await handSouth(
      await request(
        'Ida <ida@brandt.example>',
        'south@inbox.example',
        'Riverside',
        'records@riverside.example',
      ),
      'ida@brandt.example',
    );
  }, 120_000);
  afterAll(async () => {
    await office?.running.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('each has its own case, and asks its own people', async () => {
    expect([ours.status, theirs.status]).toEqual(['awaiting_approval', 'awaiting_approval']);
    const cases = async (circle: string) =>
      (await office.office.index.list(circle as CircleId)).map((entry) => entry.case);
    expect(await cases(office.running.circle.id)).toEqual([ours.case]);
    expect(await cases('south')).toEqual([theirs.case]);
    const mails = await readOutbox(office.outbox);
    const asked = (address: string) =>
      mails
        .filter(({ destinations }) => destinations.includes(address))
        .map(({ raw }) =>
          Buffer.from(raw)
            .toString()
            .replace(/=\r?\n/g, ''),
        );
    expect(asked('ida@brandt.example').length).toBeGreaterThan(0);
    for (const raw of asked('ida@brandt.example'))
      expect(raw).not.toMatch(/Maya|Rosa Winterbourne|hillside/i);
    for (const raw of asked('maya@family.example'))
      expect(raw).not.toMatch(/Ida Brandt|Otto Brandt|riverside/i);
  });

  it('nothing of the one lies in the case file of the other', async () => {
    const { store } = office.office;
    for (const [circle, strangers] of [
      ['south', /maya@family|hillside|Rosa Winterbourne/i],
      [office.running.circle.id, /ida@brandt|riverside|Otto Brandt/i],
    ] as const) {
      const keys = await store.list(`circles/${circle}/`);
      expect(keys.length).toBeGreaterThan(5);
      for (const key of keys) {
        expect(Buffer.from((await store.read(key)).bytes).toString(), key).not.toMatch(strangers);
      }
    }
  });

  it('an approval is given to the people of its circle alone, and the letter leaves in its name', async () => {
    const link = await office.link(theirs.approvals[0]?.id);
    const page = await (await fetch(link.url)).text();
    expect(page).toContain('records@riverside.example');
    expect(page).not.toMatch(/hillside|Maya/i);
    expect(await office.submit(link, { code: link.code, choice: 'approve' })).toBe(200);
    await office.running.idle();
    const sent = (await readOutbox(office.outbox)).filter(({ destinations }) =>
      destinations.includes('records@riverside.example'),
    );
    expect(sent).toHaveLength(1);
    expect(Buffer.from(sent[0]?.raw ?? '').toString()).toContain('south-letters@inbox.example');
    expect(await office.office.store.list(layout.effects(office.running.circle.id))).toEqual([]);
  }, 60_000);

  it('a mail from a person of the other circle is from a stranger', async () => {
    const report = await handSouth(
      await request(
        'Maya <maya@family.example>',
        'south@inbox.example',
        'Riverside',
        'records@riverside.example',
      ),
      'maya@family.example',
    );
    expect(report).toMatchObject({ status: 'quarantined', reason: 'SENDER_UNKNOWN', actions: [] });
  }, 60_000);
});
