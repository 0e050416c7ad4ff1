import { type Desk, type DeskFact, type Draft, type Intent, proposed, textOf } from '../desk.ts';
import { occurrences } from '../words.ts';

const tools = ['add_appointment', 'change_appointment', 'cancel_appointment'] as const;

/** Facts of one appointment. */
interface Group {
  readonly start: DeskFact;
  readonly facts: readonly DeskFact[];
}

// In these a date is a deadline, a delivery or a period more often than an appointment.
const undated: ReadonlySet<string | null> = new Set(['receipt', 'bill', 'subscription', 'records_request']);

/** One appointment after the other, each by its facts; a question where its date could not be checked. */
export const appointments: Intent = (desk) => {
  if (undated.has(desk.category)) return undefined;
  const taken = startsTaken(desk);
  const groups = groupsOf(desk);
  for (const group of groups) {
    const start = settledStart(desk, group);
    if (start === undefined || taken.has(instant(start.value))) continue;
    return appointmentDraft(desk, { ...group, start });
  }
  return desk.category === 'appointment' ? questionAbout(desk, groups) : undefined;
};

function groupsOf(desk: Desk): Group[] {
  const starts = desk.facts.filter(({ kind, group }) => kind === 'appointment_start' && group !== null);
  const seen = new Set<string | null>();
  const groups = starts.flatMap((start) => {
    if (seen.has(start.group)) return [];
    seen.add(start.group);
    return [{ start, facts: desk.facts.filter(({ group }) => group === start.group) }];
  });
  // An invitation says more than the words around it; the sort keeps the order of the letter otherwise.
  return groups.sort((a, b) => Number(has(b, 'appointment_uid')) - Number(has(a, 'appointment_uid')));
}

const has = ({ facts }: Group, kind: string) => facts.some((fact) => fact.kind === kind);

/** The start that was checked: by code, or by a person's answer to the question about it. */
function settledStart(desk: Desk, { start, facts }: Group): DeskFact | undefined {
  const checked = facts.filter((fact) => fact.kind === 'appointment_start' && fact.trust !== 'UNTRUSTED');
  if (checked.length > 0) return checked.at(-1);
  const asked = proposed(desk, 'ask_person').filter(({ input }) => input.question === 'which_date');
  const position = asked.findIndex(({ input }) => isAbout(input, start.id));
  if (position < 0) return undefined;
  const answers = desk.facts.filter(
    ({ kind, group, trust }) => kind === 'appointment_start' && group === null && trust !== 'UNTRUSTED',
  );
  return answers[position];
}

function isAbout(input: DeskFactHolder, id: string): boolean {
  const about = input.about;
  return Array.isArray(about) && about.includes(id);
}

type DeskFactHolder = { readonly [name: string]: unknown };

/** When the appointments start that were proposed before, so that a second mention of one adds nothing. */
function startsTaken(desk: Desk): Set<number | string> {
  const values = new Map(desk.facts.map(({ id, value }) => [id, value]));
  return new Set(
    proposed(desk, ...tools).flatMap(({ input }) => {
      const start = input.start as { fact?: string; text?: string } | undefined;
      const value = start?.fact === undefined ? start?.text : values.get(start.fact);
      return value === undefined ? [] : [instant(value)];
    }),
  );
}

function instant(value: string): number | string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : time;
}

function appointmentDraft(desk: Desk, { start, facts }: Group): Draft | undefined {
  const [calendar] = desk.circle.calendars;
  const tool = toolFor(desk, start, facts);
  if (calendar === undefined || !desk.tools.has(tool)) return undefined;
  const by = (kind: string, longest: number) => {
    const fact = facts.find((candidate) => candidate.kind === kind && candidate.value.length <= longest);
    return fact === undefined ? undefined : { fact: fact.id };
  };
  const end = facts.find(({ kind, trust }) => kind === 'appointment_end' && trust !== 'UNTRUSTED');
  const input = {
    title: by('appointment_title', 200) ?? { text: 'Appointment' },
    start: { fact: start.id },
    end: end === undefined ? undefined : { fact: end.id },
    place: by('appointment_place', 300),
    uid: by('appointment_uid', 300),
    calendar: { entry: calendar.id },
  };
  return {
    tool,
    input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  };
}

const cancelled =
  /method:cancel|status:cancelled|\b(?:has|have|had) (?:been|to be) cancel?led|\bis cancel?led|abgesagt|cancelada|annulé/;
const moved =
  /\b(?:has|have) been (?:moved|changed|rescheduled|rearranged)|verschoben|reprogramada|déplacé|reporté/;

function toolFor(desk: Desk, start: DeskFact, facts: readonly DeskFact[]): (typeof tools)[number] {
  const alias = facts[0]?.document ?? start.document;
  const source = desk.documents.find((document) => document.alias === alias);
  const text = source === undefined ? '' : textOf(source).replace(/\s+/g, ' ');
  if (occurrences(text, cancelled) > 0) return 'cancel_appointment';
  return occurrences(text, moved) > 0 ? 'change_appointment' : 'add_appointment';
}

/** Asks about the first date that nothing could check, unless an invitation of the same mail says it for certain. */
function questionAbout(desk: Desk, groups: readonly Group[]): Draft | undefined {
  if (groups.some((group) => has(group, 'appointment_uid'))) return undefined;
  const asked = proposed(desk, 'ask_person');
  const open = groups.find(
    ({ start, facts }) =>
      facts.every((fact) => fact.kind !== 'appointment_start' || fact.trust === 'UNTRUSTED') &&
      !asked.some(({ input }) => isAbout(input, start.id)),
  );
  if (open === undefined) return undefined;
  return { tool: 'ask_person', input: { question: 'which_date', about: [open.start.id] } };
}
