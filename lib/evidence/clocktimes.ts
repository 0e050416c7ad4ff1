/** A time of day as a text writes it. */
export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** Whether it can mean one time of day only: 3:15 may be in the afternoon, 15:15 and 3:15pm are not in doubt. */
  readonly certain: boolean;
}

export interface ClockSpan {
  readonly start: ClockTime;
  readonly end?: ClockTime | undefined;
  readonly index: number;
  readonly length: number;
}

const meridiem = String.raw`(?:[ap]\.?\s?m\b\.?)`;
const suffix = String.raw`\s*(?:${meridiem}|uhr\b|o'clock\b|h(?:rs|ours)?\b)`;
const clock = String.raw`(?:noon|midday|\d{1,2}(?:[:.h]\d{2})?(?:${suffix})?)`;
/** At least a minute or a suffix, so that a bare number is no time. */
const sure = String.raw`(?:noon|midday|\d{1,2}(?:[:.h]\d{2}(?:${suffix})?|${suffix}))`;
const until = String.raw`\s*(?:[-–—]|to|until|till|bis|à|hasta|a)\s*`;
const before = String.raw`(?<![\d.,:/£$€-])`;
const after = String.raw`(?![\d:/%]|[.,]\d)`;

const span = new RegExp(
  `${before}(?<from>${clock})${until}(?<to>${sure})${after}|${before}(?<at>${sure})${after}`,
  'giu',
);

/** Every time or span of times of a text, in its order. */
export function clockSpans(text: string, twentyFourHours: boolean): ClockSpan[] {
  const spans: ClockSpan[] = [];
  for (const match of text.matchAll(span)) {
    const { from, to, at } = match.groups ?? {};
    const found =
      at === undefined ? rangeOf(from ?? '', to ?? '', twentyFourHours) : single(at, twentyFourHours);
    if (found !== undefined) spans.push({ ...found, index: match.index, length: match[0].length });
  }
  return spans;
}

function single(text: string, twentyFourHours: boolean): Pick<ClockSpan, 'start'> | undefined {
  const start = clockTime(text, twentyFourHours);
  return start === undefined ? undefined : { start };
}

/** In `10:30–11:15am` the first time has the half of the day of the second, where that makes it earlier. */
function rangeOf(
  from: string,
  to: string,
  twentyFourHours: boolean,
): Pick<ClockSpan, 'start' | 'end'> | undefined {
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
  const match = /([ap])\.?\s?m\b/i.exec(text);
  if (match === null) return undefined;
  return match[1]?.toLowerCase() === 'a' ? 'am' : 'pm';
}

function clockTime(text: string, twentyFourHours: boolean): ClockTime | undefined {
  if (/^(?:noon|midday)$/i.test(text)) return { hour: 12, minute: 0, certain: true };
  const [, hours = '', minutes = '0'] = /^(\d{1,2})(?:[:.h](\d{2}))?/i.exec(text) ?? [];
  const marked = half(text);
  const [written, minute] = [Number(hours), Number(minutes)];
  if (hours === '' || minute > 59 || written > (marked === undefined ? 23 : 12)) return undefined;
  if (marked !== undefined) {
    if (written === 0) return undefined;
    return { hour: (written % 12) + (marked === 'pm' ? 12 : 0), minute, certain: true };
  }
  const plain = twentyFourHours || /uhr|h/i.test(text) || hours.startsWith('0') || written >= 8;
  return { hour: written, minute, certain: plain && written > 0 };
}
