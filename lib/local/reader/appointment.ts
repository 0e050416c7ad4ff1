import { answersOf, type Desk, type DeskDocument, type DeskFact, proposed, textOf } from './desk.ts';
import { occurrences } from './words.ts';

/** One appointment as the facts of one group tell it. */
export interface Appointment {
  readonly start: DeskFact;
  readonly facts: readonly DeskFact[];
  /** Whether an invitation gives it: then its date is exact, whoever may doubt it. */
  readonly invited: boolean;
  readonly change: 'new' | 'moved' | 'cancelled';
}

/** Every appointment of the mail that is still ahead, those of invitations first, since they say more than words. */
export function appointmentsOf(desk: Desk): Appointment[] {
  const groups = new Map<string, DeskFact[]>();
  for (const fact of desk.facts) {
    if (fact.group !== null) groups.set(fact.group, [...(groups.get(fact.group) ?? []), fact]);
  }
  const appointments = [...groups.values()].flatMap((facts) => appointmentOf(desk, facts));
  return appointments.sort((a, b) => Number(b.invited) - Number(a.invited));
}

function appointmentOf(desk: Desk, facts: readonly DeskFact[]): Appointment[] {
  const start = facts.find(({ kind }) => kind === 'appointment_start');
  if (start === undefined || start.value.slice(0, 10) < desk.today) return [];
  const source = desk.documents.find(({ alias }) => alias === start.document);
  const invited = source?.kind === 'calendar' || facts.some(({ kind }) => kind === 'appointment_uid');
  return [{ start, facts, invited, change: statedChange(facts) ?? changeOf(source) }];
}

/** What code says became of it, in the words of an invitation or by what stands in the calendar already. */
function statedChange(facts: readonly DeskFact[]): Appointment['change'] | undefined {
  const value = facts.find(({ kind }) => kind === 'appointment_change')?.value;
  return value === 'cancelled' || value === 'moved' ? value : undefined;
}

const cancelled =
  /method:cancel|status:cancelled|\b(?:has|have|had) been cancel?led|\bis cancel?led|\bwe have cancel?led|abgesagt|cancelada|annulé/;
const moved =
  /\b(?:has|have|had) been (?:moved|changed|rescheduled|rearranged)|\bwe have (?:moved|changed|rescheduled|rearranged)|\bnew (?:date|time) (?:is|for your)|verschoben|reprogramada|déplacé|reporté/;

function changeOf(source: DeskDocument | undefined): Appointment['change'] {
  const text = source === undefined ? '' : textOf(source).replace(/\s+/g, ' ');
  if (occurrences(text, cancelled) > 0) return 'cancelled';
  return occurrences(text, moved) > 0 ? 'moved' : 'new';
}

/** The questions about dates that were asked, in order. */
function dateQuestions(desk: Desk) {
  return proposed(desk, 'ask_person').filter(({ input }) => input.question === 'which_date');
}

/** Whether a person was asked about a fact. */
export function wasAsked(desk: Desk, fact: DeskFact): boolean {
  return dateQuestions(desk).some(({ input }) => isAbout(input.about, fact));
}

/** When it starts, if something vouches for that: code, an invitation, or a person who was asked about it. */
export function settledStart(
  desk: Desk,
  { start, facts, invited, change }: Appointment,
): DeskFact | undefined {
  const checked = facts.filter((fact) => fact.kind === 'appointment_start' && fact.trust !== 'UNTRUSTED');
  if (checked.length > 0) return checked.at(-1);
  if (invited || change === 'cancelled') return start;
  return answeredStart(desk, start);
}

/**
 * The date that a person gave when asked about a start. Only where every question about a date has its answer is it
 * known which one belongs to which: better none than the date of another appointment.
 */
function answeredStart(desk: Desk, start: DeskFact): DeskFact | undefined {
  const asked = dateQuestions(desk);
  const answers = answersOf(desk).filter(({ question }) => question === 'which_date');
  if (asked.length !== answers.length) return undefined;
  const position = asked.findIndex(({ input }) => isAbout(input.about, start));
  return answers[position]?.starts[0];
}

function isAbout(about: unknown, { id }: DeskFact): boolean {
  return Array.isArray(about) && about.includes(id);
}
