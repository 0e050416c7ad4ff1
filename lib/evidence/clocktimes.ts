import type { DoubtName } from '../provenance/trust.ts';

/** A time of day as a text writes it. */
export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** Whether it can mean one time of day only: 3:15 may be in the afternoon, 15:15 and 3:15pm are not in doubt. */
  readonly certain: boolean;
  /** Why it is not certain, where that is known better than that half of the day is missing. */
  readonly doubt?: DoubtName | undefined;
}

export interface ClockSpan {
  readonly start: ClockTime;
  readonly end?: ClockTime | undefined;
  readonly index: number;
  readonly length: number;
}

const meridiem = String.raw`(?:[ap]\.?\s?m(?!\p{L})\.?)`;
const dayPart = String.raw`(?:(?:in the|de la|du|de l['’]|am)\s*)?(?:morning|afternoon|evening|(?<=la )mañana|tarde|noche|matin|après-midi|soir|vormittags?|nachmittags?|abends?|morgens)(?!\p{L})`;
const suffix = String.raw`\s*(?:${meridiem}|(?:uhr|o['’]clock|h(?:rs|ours|oras|eures?)?\b\.?)(?!\p{L})(?:\s*${dayPart})?|${dayPart})`;
const minutes = String.raw`(?:[:.]\d{2}|\s?h\s?\d{2}(?!\d)|\s?uhr\s?\d{2}(?!\d))`;
const clock = String.raw`(?:noon|midday|\d{1,2}${minutes}?(?:${suffix})?)`;
/** At least a minute or a suffix, so that a bare number is no time. */
const sure = String.raw`(?:noon|midday|\d{1,2}(?:${minutes}(?:${suffix})?|${suffix}))`;
const until = String.raw`\s*(?:[-–—]|to|until|till|bis|à|hasta(?: las)?|a(?: las)?)\s*`;
const before = String.raw`(?<![\d.,:/£$€-])`;
const after = String.raw`(?![\d:/%]|[.,]\d)`;

const span = new RegExp(
  `${before}(?<from>${clock})${until}(?<to>${sure})${after}|${before}(?<at>${sure})${after}`,
  'giu',
);
/** Words before a time that make it no exact one: about then, or some time in a span. */
const loosely =
  /(?<!\p{L})(?:about|around|approx(?:imately|\.)?|roughly|between|gegen|ca\.?|etwa|zwischen|vers|environ|entre(?: les| las)?|sobre|hacia|alrededor de)(?: (?:the|les|las|le|la))?\s*$/iu;

/** Every time or span of times of a text, in its order. */
export function clockSpans(text: string, twentyFourHours: boolean): ClockSpan[] {
  const spans: ClockSpan[] = [];
  for (const match of text.matchAll(span)) {
    const { from, to, at } = match.groups ?? {};
    const found =
      at === undefined ? rangeOf(from ?? '', to ?? '', twentyFourHours) : single(at, twentyFourHours);
    if (found === undefined) continue;
    const loose = loosely.test(text.slice(Math.max(0, match.index - 24), match.index));
    const start = loose ? { ...found.start, certain: false, doubt: 'time_unclear' as const } : found.start;
    spans.push({ ...found, start, index: match.index, length: match[0].length });
  }
  return spans;
}

type Span = Pick<ClockSpan, 'start' | 'end'>;

function single(text: string, twentyFourHours: boolean): Span | undefined {
  const start = clockTime(text, twentyFourHours);
  return start === undefined ? undefined : { start };
}

/** In `10:30–11:15am` the first time has the half of the day of the second, where that makes it earlier. */
function rangeOf(from: string, to: string, twentyFourHours: boolean): Span | undefined {
  const end = clockTime(to, twentyFourHours);
  const marked = half(from) === undefined && half(to) !== undefined;
  const choices = marked ? [`${from} am`, `${from} pm`] : [from];
  const starts = choices
    .map((choice) => clockTime(choice, twentyFourHours))
    .filter(
      (start) => start !== undefined && end !== undefined && gap(start, end) > 0 && gap(start, end) <= 360,
    );
  const [start, ...others] = starts;
  if (start === undefined || end === undefined) return undefined;
  const certain = start.certain && others.length === 0;
  return { start: { ...start, certain }, end };
}

const gap = (start: ClockTime, end: ClockTime): number =>
  (end.hour - start.hour) * 60 + end.minute - start.minute;

function half(text: string): 'am' | 'pm' | undefined {
  const match = /([ap])\.?\s?m(?!\p{L})/iu.exec(text);
  if (match !== null) return match[1]?.toLowerCase() === 'a' ? 'am' : 'pm';
  if (/morning|mañana|matin|vormittag|morgens/iu.test(text)) return 'am';
  return /afternoon|evening|tarde|noche|après-midi|soir|nachmittag|abend/iu.test(text) ? 'pm' : undefined;
}

function clockTime(text: string, twentyFourHours: boolean): ClockTime | undefined {
  if (/^(?:noon|midday)$/i.test(text)) return { hour: 12, minute: 0, certain: true };
  const [, hours = '', minutes = '0'] = /^(\d{1,2})(?:(?:[:.]|\s?h\s?|\s?uhr\s?)(\d{2}))?/i.exec(text) ?? [];
  const [written, minute] = [Number(hours), Number(minutes)];
  if (hours === '' || minute > 59 || written > 23) return undefined;
  const marked = half(text);
  if (marked !== undefined && written > 12)
    return marked === 'am' ? undefined : { hour: written, minute, certain: true };
  if (marked !== undefined) {
    if (written === 0) return undefined;
    return { hour: (written % 12) + (marked === 'pm' ? 12 : 0), minute, certain: true };
  }
  // Nobody has an appointment at 3:15 in the night: who writes that may mean the afternoon, in any country.
  const plain =
    hours.startsWith('0') || written >= 8 || (written === 7 && (twentyFourHours || /uhr|h/i.test(text)));
  return { hour: written, minute, certain: plain && written > 0 };
}
