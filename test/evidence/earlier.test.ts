import { describe, expect, it } from 'vitest';
import { appointmentName, firstVersion, senderName } from '../../lib/casefile/appointmentname.ts';
import { withEarlier } from '../../lib/evidence/earlier.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { circle, evidenceOf, valuesOf } from '../support/reading.ts';

const invitation = (start: string, ...more: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    'UID:u1@clinic.example',
    'SUMMARY:Eye check',
    `DTSTART${start.includes('T') ? '' : ';VALUE=DATE'}:${start}`,
    ...more,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\n');
const written = (start: string): string =>
  `BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x@caregate\nSUMMARY:Eye check\nDTSTART${start.includes('T') ? '' : ';VALUE=DATE'}:${start}\nEND:VEVENT\nEND:VCALENDAR`;

function storeOf(sender: string, text: string) {
  const key = firstVersion(circle.id, 'family', appointmentName(circle.id, sender, 'u1@clinic.example'));
  const bytes = new TextEncoder().encode(text);
  const object = { key, bytes, sha256: sha256(bytes), metadata: {} };
  return { find: async (asked: string) => (asked === key ? object : undefined) };
}

async function changes(invited: string, there: string, sender = 'maya'): Promise<string[]> {
  const evidence = await evidenceOf({
    text: 'See the invitation please, thank you.',
    attachments: [{ filename: 'a.ics', contentType: 'text/calendar', content: invited }],
  });
  const found = await withEarlier(evidence, { store: storeOf('maya', there), circle, sender });
  for (const fact of found.facts.filter(({ kind }) => kind === 'appointment_change')) {
    expect(fact).toMatchObject({ group: 'a1', trust: 'UNTRUSTED' });
  }
  expect(new Set(found.facts.map(({ id }) => id)).size).toBe(found.facts.length);
  return valuesOf(found.facts, 'appointment_change');
}

describe('an invitation whose appointment stands in a calendar already', () => {
  it('is a change of it where it says another time', async () => {
    expect(await changes(invitation('20270305T103000Z'), written('20270304T103000Z'))).toEqual(['moved']);
    expect(await changes(invitation('20270304'), written('20270304T103000Z'))).toEqual(['moved']);
    expect(
      await changes(invitation('20270304T103000Z', 'LOCATION:Room 4'), written('20270304T103000Z')),
    ).toEqual(['moved']);
    expect(await changes(invitation('20270304T103000Z'), 'no calendar')).toEqual(['moved']);
  });

  it('is the same where it says the same', async () => {
    expect(await changes(invitation('20270304T103000Z'), written('20270304T103000Z'))).toEqual([]);
    expect(await changes(invitation('20270304'), written('20270304'))).toEqual([]);
  });

  it('is a cancellation once only', async () => {
    const cancelled = invitation('20270305T103000Z', 'STATUS:CANCELLED');
    expect(await changes(cancelled, written('20270304T103000Z'))).toEqual(['cancelled']);
  });

  it('is not found among the appointments of another sender', async () => {
    const sender = senderName({});
    expect(await changes(invitation('20270305T103000Z'), written('20270304T103000Z'), sender)).toEqual([]);
  });
});
