import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { evidenceSchema, limits } from '../../lib/evidence/schema.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { mailOf, pdfOf } from '../support/letters.ts';
import { circle, clock, evidenceOf, valuesOf } from '../support/reading.ts';

const full = process.env.CAREGATE_FULL !== undefined;
const runs = full ? 300 : 25;
vi.setConfig({ testTimeout: full ? 600_000 : 60_000 });

/** Every fact's words stand where it says, and nothing is more than it may be. */
function expectSound(evidence: Evidence): void {
  expect(evidenceSchema.parse(JSON.parse(JSON.stringify(evidence)))).toBeDefined();
  expect(new Set(evidence.facts.map(({ id }) => id)).size).toBe(evidence.facts.length);
  for (const { source, trust, validator, kind } of evidence.facts) {
    const page = evidence.documents.find(({ id }) => id === source.document)?.pages[source.page - 1];
    expect(page).toContain(source.quote);
    expect(source.quote.length).toBeLessThanOrEqual(limits.quote);
    expect(trust === 'CONTROLLED').toBe(validator !== undefined);
    if (trust === 'CONTROLLED') expect(kind).toMatch(/^(?:appointment_(?:start|end)|deadline)$/);
  }
}

async function read(raw: Uint8Array): Promise<Evidence> {
  return (await readEvidence(await parseMessage(raw), { circle, clock })).evidence;
}

const words = fc.constantFrom(
  'Your', 'appointment', 'scan', 'is', 'on', 'Thursday', '4', 'March', '2027', '03/04/2027', 'at', '10:30am', '10:30', '-', '11:15',
  'with', 'Dr', 'Singh', 'Where:', 'Time:', 'Date:', 'Room 3,', 'by', 'not', 'cancelled', '£129.99', 'NHS', '943 476 5919', '\n', '\n\n',
  'maya@family.example', '01632 960 114', 'EST', 'or', '😀', '\u202e', 'Ref: AB-12', 'noon', '31/02/2027', 'When', '> ', '. ',
); // biome-ignore format: a list of words

describe('the facts of a mail', () => {
  it('stand where they say they do, whatever the letter says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 120 }), fc.boolean(), async (letter, html) => {
        const text = letter.join(' ');
        const body = html ? { html: `<p>${text.replaceAll('\n', '<br>')}</p>` } : { text };
        expectSound(await evidenceOf({ subject: 'x', ...body }));
      }),
      { numRuns: 4 * runs },
    );
  });

  it('stand where they say they do in a PDF of several pages', async () => {
    const letter = await pdfOf([
      ['Dear Rosa, your cardiology review is on Thursday 4 March 2027', 'at 10:30am in Room 3.'],
      ['Second visit: Friday 5 March 2027 at 2:15pm', 'Total £12.50'],
    ]);
    const evidence = await evidenceOf({
      attachments: [{ filename: 'a.pdf', contentType: 'application/pdf', content: letter }],
    });
    expectSound(evidence);
    const starts = evidence.facts.filter((fact) => fact.kind === 'appointment_start');
    expect(starts.map(({ value, group, source }) => [value, group, source.page])).toEqual([
      ['2027-03-04T10:30+00:00', 'a1', 1],
      ['2027-03-05T14:15+00:00', 'a2', 2],
    ]);
  });

  it('are the same each time: of the bytes, the circle and the clock, and nothing else', async () => {
    const contents = { text: 'Your scan is on Thursday 4 March 2027 at 10:30am. Ring 01632 960 114.' };
    expect(await evidenceOf(contents)).toEqual(await evidenceOf(contents));
  });

  it('are numbered in order, appointments first, and at most 200', async () => {
    const days = Array.from(
      { length: 28 },
      (_, day) => `Scan: ${day + 1} March 2027 at 10:30am, Room ${day + 1}`,
    );
    const flood = Array.from(
      { length: 300 },
      (_, number) => `Ref: AB-${number}, £${number}.00, a${number}@b.example`,
    );
    const text = [...flood, ...days].join('\n');
    const evidence = await evidenceOf({
      text,
      attachments: [{ filename: 'b.txt', contentType: 'text/plain', content: `${text}.` }],
    });
    expectSound(evidence);
    expect(evidence.facts.length).toBe(limits.facts);
    expect(evidence.facts.map(({ id }) => id)).toEqual(evidence.facts.map((_, index) => `f${index + 1}`));
    expect(new Set(valuesOf(evidence.facts, 'appointment_start')).size).toBe(28);
  });

  it('are not checked anywhere in a mail whose subject calls something off', async () => {
    const text = 'Your scan is on Thursday 4 March 2027 at 10:30am.';
    const trusts = async (subject: string) =>
      (await evidenceOf({ subject, text })).facts.map((fact) => fact.trust);
    expect(await trusts('Your scan')).toContain('CONTROLLED');
    expect(await trusts('Cancelled: your scan')).not.toContain('CONTROLLED');
  });

  it('of a forwarded mail’s header are dates, not appointments', async () => {
    const inner = await mailOf({
      from: 'a@clinic.example',
      to: 'm@f.example',
      subject: 'Your scan on Thursday 4 March 2027 at 10:30am',
      text: 'See the subject, please do come.',
    });
    const { facts } = await evidenceOf({
      text: 'I forward what they sent me today.',
      attachments: [{ filename: 'f.eml', contentType: 'message/rfc822', content: inner }],
    });
    expect(valuesOf(facts, 'appointment_start')).toEqual([]);
    expect(valuesOf(facts, 'date')).toContain('2027-03-04T10:30+00:00');
  });

  it('of text that nobody sees are none', async () => {
    const html =
      '<p>Your scan is soon.</p><p style="display:none">Your scan is on Thursday 4 March 2027 at 10:30am.</p>';
    expect((await evidenceOf({ html })).facts).toEqual([]);
  });
});

describe('any attachment', () => {
  const types = fc.constantFrom(
    'application/pdf',
    'text/calendar',
    'text/html',
    'text/plain',
    'image/png',
    'message/rfc822',
  );

  it('of any bytes is a document', async () => {
    await fc.assert(
      fc.asyncProperty(types, fc.uint8Array({ maxLength: 300 }), async (contentType, content) => {
        const evidence = await evidenceOf({
          text: 'see what I attached to this mail',
          attachments: [{ filename: 'x', contentType, content }],
        });
        expectSound(evidence);
        expect(evidence.documents.length).toBeGreaterThan(1);
      }),
      { numRuns: runs },
    );
  });

  it('that was damaged on the way is a document still', async () => {
    const pdf = await pdfOf([['Your scan is on Thursday 4 March 2027 at 10:30am.']]);
    const ics = Buffer.from(
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSUMMARY:Scan\nDTSTART:20270304T103000Z\nDURATION:PT30M\nEND:VEVENT\nEND:VCALENDAR\n',
    );
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), damage, fc.nat(), async (calendar, places, cut) => {
        const content = Uint8Array.from(calendar ? ics : pdf);
        for (const [at, flip] of places)
          content[at % content.length] = (content[at % content.length] ?? 0) ^ flip;
        const kept = content.subarray(0, content.length - (cut % content.length));
        const contentType = calendar ? 'text/calendar' : 'application/pdf';
        expectSound(
          await evidenceOf({
            text: 'see what I attached to this mail',
            attachments: [{ filename: 'x', contentType, content: kept }],
          }),
        );
      }),
      { numRuns: runs },
    );
  });
});

describe('a whole mail that was damaged on the way', () => {
  it('is evidence, or refused by name', async () => {
    const raw = await mailOf({
      from: 'maya@family.example',
      to: 'care@inbox.example',
      subject: 'Fwd: scan',
      html: '<table><tr><td>When</td><td>Thursday 4 March 2027 at 10:30am</td></tr></table>',
      attachments: [
        { filename: 'a.pdf', contentType: 'application/pdf', content: await pdfOf([['Your scan']]) },
      ],
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(raw.length - 1), fc.nat(255)), { maxLength: 12 }),
        async (places) => {
          const damaged = Uint8Array.from(raw);
          for (const [at, byte] of places) damaged[at] = byte;
          const outcome = await read(damaged).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(isCaregateError(outcome)).toBe(true);
          else expectSound(outcome as Evidence);
        },
      ),
      { numRuns: runs },
    );
  });
});

describe('stored evidence', () => {
  const stored = async () =>
    JSON.parse(
      JSON.stringify(await evidenceOf({ text: 'Your scan is on Thursday 4 March 2027 at 10:30am.' })),
    );

  it('comes back as it was', async () => {
    const evidence = await stored();
    expect(evidenceSchema.parse(evidence)).toEqual(evidence);
  });

  it.each([
    ['is trusted', { trust: 'TRUSTED' }],
    ['is raised by nobody', { trust: 'CONTROLLED', validator: undefined }],
    ['names a validator and is not raised', { trust: 'UNTRUSTED', validator: 'certain-date' }],
    ['has an id of another kind', { id: 'x1' }],
    ['says nothing', { value: '' }],
  ])('is refused when a fact %s', async (_, change) => {
    const evidence = await stored();
    Object.assign(evidence.facts[0], change);
    expect(evidenceSchema.safeParse(evidence).success).toBe(false);
  });
});
