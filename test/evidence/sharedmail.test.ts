import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { circle, evidenceOf, valuesOf } from '../support/reading.ts';
import { hasSharedMail, sharedMail } from '../support/sharedmail.ts';
import { ManualClock } from '../support/time.ts';

/** A clock before all of them, so that none is refused for being past. */
const clock = new ManualClock('2005-01-01T00:00:00Z');

async function read(file: string): Promise<Evidence> {
  if (file.endsWith('.eml')) {
    return (await readEvidence(await parseMessage(sharedMail(file)), { circle, clock })).evidence;
  }
  const contentType = file.endsWith('.ics') ? 'text/calendar' : 'text/plain';
  const attachments = [{ filename: file, contentType, content: sharedMail(file) }];
  return evidenceOf({ text: 'I attach what they sent to me.', attachments }, circle, clock);
}

const starts = ({ facts }: Evidence) => valuesOf(facts, 'appointment_start');
const checked = ({ facts }: Evidence) =>
  facts.filter((fact) => fact.trust === 'CONTROLLED').map((fact) => fact.value);

/** What each of the files must give, by the manifest of the collection; what is deepened later is not here. */
const expectations: readonly [file: string, says: string, check: (evidence: Evidence) => void][] = [
  ['pm__calendar-event.eml', 'one event, in its zone', (evidence) => {
    expect(starts(evidence)).toEqual(['2024-04-11T11:00+03:00']);
    expect(checked(evidence)).toEqual(['2024-04-11T11:00+03:00', '2024-04-11T12:00+03:00']);
  }],
  ['icalendar__issue_218_bad_tzid.ics', '23:00 at +11:00', (evidence) => {
    expect(starts(evidence)).toEqual(['2017-02-28T23:00+11:00']);
  }],
  ['icalendar__issue_722_missing_VTIMEZONE_custom.ics', 'a time that must be asked for', (evidence) => {
    expect(starts(evidence)).toHaveLength(1);
    expect(checked(evidence)).toEqual([]);
  }],
  ['nodeical__bad_custom_ms_tz.ics', 'its first time in doubt', (evidence) => {
    expect(checked(evidence)).not.toContain('2021-03-25T10:35+00:00');
  }],
  ['nodeical__floating-dtstart-custom-vtimezone.ics', 'the time of the household, in doubt', (evidence) => {
    expect(starts(evidence)).toEqual(['2025-06-10T14:00+01:00']);
    expect(checked(evidence)).toEqual([]);
  }],
  ['nodeical__ms_timezones.ics', 'a file that is called damaged, and its events without the broken one', ({ documents, facts }) => {
    expect(documents[1]).toMatchObject({ kind: 'calendar', unread: 'damaged' });
    const titles = ['test', 'Not the actual summary 1', 'Not the actual summary either'];
    expect(valuesOf(facts, 'appointment_title')).toEqual(titles);
    expect(valuesOf(facts, 'appointment_start')[0]).toBe('2020-09-10T09:00+02:00');
  }],
  ['nodeical__Office-2012-owa.ics', 'events in the zones that Outlook shows, each with a UID made for it', ({ facts }) => {
    const shown = ['2020-10-28T13:30+11:00', '2020-10-28T13:30-04:00', '2020-11-02T13:30-05:00', '2020-11-02T13:30-05:00'];
    expect(valuesOf(facts, 'appointment_start')).toEqual(shown);
    const uids = valuesOf(facts, 'appointment_uid');
    expect(new Set(uids).size).toBe(4);
    for (const uid of uids) expect(uid).toMatch(/^derived-[0-9a-f]{40}$/);
    expect(valuesOf(facts, 'appointment_repeats')).toHaveLength(1);
  }],
  ['nodeical__exchange_whole_day_moved_recurrence.ics', 'a series and the day that moved, neither checked', (evidence) => {
    expect(starts(evidence)).toEqual(['2026-02-19', '2026-02-27']);
    expect(checked(evidence)).toEqual([]);
    expect(valuesOf(evidence.facts, 'appointment_repeats')).toHaveLength(1);
    const moved = evidence.facts.filter(({ kind }) => kind === 'appointment_change');
    expect(moved.map(({ value, group, source }) => [value, group, source.quote])).toEqual([
      ['moved', 'a2', 'RECURRENCE-ID;TZID=W. Europe Standard Time:20260226T000000'],
    ]);
  }],
  ['nodeical__whole_day_moved_over_dst_change_berlin.ics', 'days without an hour', (evidence) => {
    expect(starts(evidence)).toEqual(['2024-10-27', '2024-10-30']);
  }],
  ['kde__canceled.ics', 'an event that its title calls off', (evidence) => {
    expect(checked(evidence)).toEqual([]);
    expect(valuesOf(evidence.facts, 'appointment_change')).toEqual(['cancelled']);
  }],
  ['kde__GLC-KGX.ics', 'a time without a zone, in doubt', (evidence) => {
    expect(starts(evidence)).toEqual(['2023-02-20T12:40+00:00']);
    expect(checked(evidence)).toEqual([]);
  }],
  ['mikel__attachment_message_rfc822.eml', 'a mail in a mail, and its broken PDF', ({ documents }) => {
    expect(documents.map(({ kind, unread }) => [kind, unread])).toEqual([
      ['text', undefined], ['mail', undefined], ['text', undefined], ['pdf', 'damaged'],
    ]);
  }],
  ['mimekit__ukr.eml', 'the text, and the letter that Outlook packed', ({ documents }) => {
    expect(documents.map(({ kind, unread }) => [kind, unread])).toEqual([
      ['text', undefined], ['mail', undefined], ['html', undefined],
    ]);
    expect(documents.at(-1)?.pages[0]).toContain('шостий');
  }],
  ['spamscope__mail_test_14.eml', 'both bodies', ({ documents }) => {
    expect(documents.flatMap(({ pages }) => pages)).toEqual(expect.arrayContaining(['HTML here', 'Plaintext here.']));
  }],
  ['kde__flight-booking.eml', 'one rendering of its body', ({ documents }) => expect(documents).toHaveLength(1)],
  ['fwd__thunderbird_en_body.txt', 'the date of the forwarded mail as a date', ({ facts }) => {
    expect(valuesOf(facts, 'date')).toEqual(['2021-11-03T15:51+01:00']);
    expect(valuesOf(facts, 'appointment_start')).toEqual([]);
  }],
]; // biome-ignore format: a table

describe.skipIf(!hasSharedMail)(
  'the collected peculiar mails (skipped where the collection is absent)',
  () => {
    it.each(expectations)('%s gives %s', async (file, _, check) => {
      check(await read(file));
    });
  },
);
