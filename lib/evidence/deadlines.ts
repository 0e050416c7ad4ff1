import { Temporal } from '@js-temporal/polyfill';
import type { Circle } from '../provenance/circle.ts';
import type { DoubtName, Fact } from '../provenance/trust.ts';
import { draftFact, type Page } from './draft.ts';
import type { Moment } from './moments.ts';
import { certainDeadline, momentDoubt } from './validators.ts';
import type { ZonedTime } from './zones.ts';

/** Words that end right before a last day. What is merely open or valid until a day is no deadline of the reader. */
const before = [
  String.raw`(?:(?:by|before|on or before|no later than|not later than|at the latest by|closing date|deadline|due(?: date| by| on)?|respond by|must reach us by)(?: is| was|:| for [\p{L} ]{3,40}(?: is|:))?)`,
  `(?:bis(?: spätestens)?(?: zum| am)?|spätestens(?: bis)?(?: zum| am)?|vor dem|fällig(?: am)?|(?:frist|einsendeschluss|abgabetermin)(?: ist(?: der)?|:)?)`,
  String.raw`(?:antes del(?: día)?|hasta el(?: día)?|a más tardar el(?: día)?|(?:fecha límite|plazo|vencimiento|vence)(?: [\p{L} ]{3,40})?(?: es| el| hasta el|:)+)`,
  String.raw`(?:avant le|jusqu['’]au|au plus tard le|d['’]ici(?: le| au)?|(?:date limite|échéance)(?: [\p{L} ]{3,40})?(?: est(?: fixée)?(?: au| le)?| le|\s?:))`,
];
const limit = new RegExp(
  String.raw`(?<!\p{L})(?:${before.join('|')})[\s:]*(?:(?:the|den|dem|el|le|noon|midnight|close of business|end of (?:the )?day)(?: on)?[\s,]*)?$`,
  'iu',
);
const after =
  /^\s*(?:at the latest|is the (?:deadline|last day)|spätestens|au plus tard|como máximo)(?!\p{L})/iu;
const noLimit =
  /(?<!\p{L})(?:open|closed|valid|away|leave|geöffnet|geschlossen|gültig|abierto|cerrado|válid[oa]|ouverte?|fermée?|valable)(?!\p{L})[^.!?\n]{0,30}$/iu;

/** Whether a moment is the last on which something may be done. */
export function isDeadline(text: string, { index, length }: Pick<Moment, 'index' | 'length'>): boolean {
  const words = text.slice(Math.max(0, index - 120), index);
  if (noLimit.test(words)) return false;
  return limit.test(words.replace(/\n/g, ' ')) || after.test(text.slice(index + length, index + length + 40));
}

export interface DeadlineContext {
  readonly circle: Circle;
  readonly now: number;
}

/** The last day or time, raised where its words can mean that one only and it is not over. */
export function deadlineOf(
  page: Page,
  moment: Moment,
  start: ZonedTime | undefined,
  context: DeadlineContext,
): Fact {
  const fact = draftFact(page, 'deadline', start?.value ?? moment.date.toString(), moment);
  return certainDeadline(fact, deadlineDoubt(moment, start, context));
}

function deadlineDoubt(
  moment: Moment,
  start: ZonedTime | undefined,
  { circle, now }: DeadlineContext,
): DoubtName | undefined {
  const doubt = start === undefined ? moment.dateDoubt : momentDoubt(moment, start);
  if (doubt !== undefined) return doubt;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(circle.timezone).toPlainDate();
  return Temporal.PlainDate.compare(moment.date, today) < 0 ? 'past' : undefined;
}
