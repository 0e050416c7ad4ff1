import { Temporal } from '@js-temporal/polyfill';
import { simpleParser } from 'mailparser';
import { extractText } from 'unpdf';

/** All that a person could read in a mail: its text, its PDFs, and its calendar files as they are. */
export async function readable(raw: Uint8Array): Promise<string> {
  const mail = await simpleParser(Buffer.from(raw), { skipTextToHtml: true });
  const texts = [mail.subject ?? '', mail.text ?? ''];
  for (const { contentType, content } of mail.attachments) {
    if (contentType === 'application/pdf') {
      texts.push((await extractText(new Uint8Array(content), { mergePages: true })).text);
    } else {
      texts.push(content.toString('utf8'));
    }
  }
  return texts.join('\n').replace(/[ \t\r]*\n[ \t]*/g, '\n');
}

const months = 'January|February|March|April|May|June|July|August|September|October|November|December';
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The dates that a text writes with a full weekday, each with whether that weekday is the date's own. */
export function announcedDates(text: string): { day: Temporal.PlainDate; agrees: boolean }[] {
  const pattern = new RegExp(`(${weekdays.join('|')})\\s(\\d{1,2})\\s(${months})\\s(\\d{4})`, 'g');
  return [...text.matchAll(pattern)].map(([, weekday, day, month, year]) => {
    const date = plain(day, month, year);
    return { day: date, agrees: weekdays[date.dayOfWeek - 1] === weekday };
  });
}

/** The dates that a text writes without a weekday: of letters, purchases and birth. */
export function writtenDates(text: string): Temporal.PlainDate[] {
  const pattern = new RegExp(`(?<!day\\s)\\b(\\d{1,2})\\s(${months})\\s(\\d{4})`, 'g');
  return [...text.matchAll(pattern)].map(([, day, month, year]) => plain(day, month, year));
}

function plain(day = '', month = '', year = ''): Temporal.PlainDate {
  const number = months.split('|').indexOf(month) + 1;
  return Temporal.PlainDate.from(
    { year: Number(year), month: number, day: Number(day) },
    { overflow: 'reject' },
  );
}
