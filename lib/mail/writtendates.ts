/**
 * The date that a mail program wrote above a mail which it forwarded or quoted, in the languages that it may be set to.
 * Where only the reader's habit could say which number is the month, or where a part is missing, there is none.
 *
 * @param text attacker-controlled; only its start is looked at
 * @returns `2027-03-04`, with a time `2027-03-04T09:30`, and with a zone that is written as well `…+01:00`
 */
export function writtenDate(text: string): string | undefined {
  const plain = text.slice(0, 200).normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');
  for (const { form, read } of forms) {
    const match = form.exec(plain);
    const day = match === null ? undefined : validDay(read(match.slice(1) as string[]));
    if (match === null || day === undefined) continue;
    const rest = `${plain.slice(0, match.index)} | ${plain.slice(match.index + match[0].length)}`;
    const time = writtenTime(rest);
    return time === undefined ? day : `${day}T${time}`;
  }
  return undefined;
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const month = String.raw`(\p{L}{3,12})\.?`;
const forms: readonly { readonly form: RegExp; readonly read: (parts: string[]) => Day | undefined }[] = [
  {
    form: /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/u,
    read: ([year, number, day]) => dayOf(year, Number(number), day),
  },
  {
    form: new RegExp(
      String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[ -](?:de |of )?${month},?[ -](?:de |del )?(\d{4})(?!\d)`,
      'u',
    ),
    read: ([day, name, year]) => dayOf(year, monthOf(name), day),
  },
  {
    form: new RegExp(String.raw`(?<!\p{L})${month} (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)`, 'u'),
    read: ([name, day, year]) => dayOf(year, monthOf(name), day),
  },
  {
    form: /(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/u,
    read: ([day, number, year]) => dayOf(year, Number(number), day),
  },
  { form: /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?!\d)/u, read: numericDay },
];

/** Day and month in numbers say which is which only where one of them is no month, or where both are the same. */
function numericDay([first = '', second = '', year]: string[]): Day | undefined {
  if (Number(first) > 12 || first === second) return dayOf(year, Number(second), first);
  return Number(second) > 12 ? dayOf(year, Number(first), second) : undefined;
}

function dayOf(
  year: string | undefined,
  number: number | undefined,
  day: string | undefined,
): Day | undefined {
  return number === undefined ? undefined : { year: Number(year), month: number, day: Number(day) };
}

/** The first letters of the months' names, accents left out: en, de, fr, es, it, nl, pt and their neighbours. */
const months =
  'jan ene gen|feb fev|mar maa mrt|apr avr abr|may mai mag mei maj|jun juin giu|jul juil lug|aug aou ago|sep set|oct okt ott out|nov|dec dez dic des'
    .split('|')
    .map((names) => names.split(' '));

function monthOf(name = ''): number | undefined {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '');
  const found = months.findIndex((starts) => starts.some((start) => plain.startsWith(start)));
  return found === -1 ? undefined : found + 1;
}

function validDay(day: Day | undefined): string | undefined {
  if (day === undefined || day.year < 1990 || day.year > 2199) return undefined;
  const date = new Date(Date.UTC(day.year, day.month - 1, day.day));
  const valid = date.getUTCMonth() === day.month - 1 && date.getUTCDate() === day.day;
  return valid ? date.toISOString().slice(0, 10) : undefined;
}

const clock =
  /(?<![\d:.])(\d{1,2}) ?[:.h] ?(\d{2})(?::(\d{2}))? ?(?:(a|p)\.? ?m\b\.?)?(?!\d) ?(?:uhr|hrs)?(?<zone>.{0,20})/u;

function writtenTime(text: string): string | undefined {
  const match = clock.exec(text);
  const [hourText = '', minute = '', , half] = match?.slice(1) ?? [];
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half === 'p' ? 12 : 0);
  const impossible = half !== undefined && (Number(hourText) < 1 || Number(hourText) > 12);
  if (match === null || hour > 23 || Number(minute) > 59 || impossible) return undefined;
  return `${String(hour).padStart(2, '0')}:${minute}${offsetOf(match.groups?.zone ?? '')}`;
}

/** Zones whose letters mean one offset wherever mail programs write them. */
const zones: Readonly<Record<string, string>> = {
  z: '+00:00', utc: '+00:00', gmt: '+00:00', wet: '+00:00', west: '+01:00', cet: '+01:00', mez: '+01:00',
  cest: '+02:00', mesz: '+02:00', eet: '+02:00', eest: '+03:00', est: '-05:00', edt: '-04:00', cdt: '-05:00',
  mst: '-07:00', mdt: '-06:00', pst: '-08:00', pdt: '-07:00', aest: '+10:00', aedt: '+11:00', nzst: '+12:00', nzdt: '+13:00',
}; // biome-ignore format: a table

function offsetOf(text: string): string {
  const numeric = /^ ?\(?(?:gmt|utc)? ?([+-])(\d{1,2}):?(\d{2})?(?!\d)/u.exec(text);
  if (numeric !== null) {
    const [, sign, hours = '', minutes = '00'] = numeric;
    return Number(hours) > 14 || Number(minutes) > 59 ? '' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
  }
  return zones[/^ ?\(?(\p{L}{1,4})(?!\p{L})/u.exec(text)?.[1] ?? ''] ?? '';
}
