import { type Appointment, appointmentsOf, settledStart, wasAsked } from '../appointment.ts';
import { answersOf, type Desk, type DeskFact, type Draft, type Intent, proposed } from '../desk.ts';

const toolFor = {
  new: 'add_appointment',
  moved: 'change_appointment',
  cancelled: 'cancel_appointment',
} as const satisfies Record<Appointment['change'], string>;

// In these a date is a deadline, a delivery or a period more often than an appointment.
const undated: ReadonlySet<string | null> = new Set(['receipt', 'bill', 'subscription', 'records_request']);

/** One appointment after the other, each by its facts; a question where its date could not be checked. */
export const appointments: Intent = (desk) => {
  if (undated.has(desk.category)) return undefined;
  const taken = startsTaken(desk);
  const found = appointmentsOf(desk);
  for (const appointment of found) {
    const start = settledStart(desk, appointment);
    if (start === undefined || taken.has(instant(start.value))) continue;
    return appointmentDraft(desk, appointment, start);
  }
  return (
    toldAppointment(desk, taken) ?? (desk.category === 'appointment' ? questionAbout(desk, found) : undefined)
  );
};

/** An appointment that only a person's answer gives, where the letter itself could not be read. */
function toldAppointment(desk: Desk, taken: ReadonlySet<number | string>): Draft | undefined {
  const told = answersOf(desk).filter(({ question }) => question === 'what_to_do');
  const start = told.flatMap(({ starts }) => starts).find(({ value }) => !taken.has(instant(value)));
  if (start === undefined) return undefined;
  return appointmentDraft(desk, { start, facts: [], invited: false, change: 'new' }, start);
}

/** When the appointments start that were proposed before, so that a second mention of one adds nothing. */
function startsTaken(desk: Desk): Set<number | string> {
  const values = new Map(desk.facts.map(({ id, value }) => [id, value]));
  return new Set(
    proposed(desk, ...Object.values(toolFor)).flatMap(({ input }) => {
      const start = input.start as { fact?: string; text?: string } | undefined;
      const value = start?.fact === undefined ? start?.text : values.get(start.fact);
      return value === undefined ? [] : [instant(value)];
    }),
  );
}

/** One moment is the same whatever offset it is written with. */
function instant(value: string): number | string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : time;
}

function appointmentDraft(desk: Desk, appointment: Appointment, start: DeskFact): Draft | undefined {
  const { facts, change } = appointment;
  const [calendar] = desk.circle.calendars;
  if (calendar === undefined) return undefined;
  const factOf = (kind: string, accept: (fact: DeskFact) => boolean = () => true) => {
    const fact = facts.find((candidate) => candidate.kind === kind && accept(candidate));
    return fact === undefined ? undefined : { fact: fact.id };
  };
  const input = {
    title: factOf('appointment_title') ?? { text: 'Appointment' },
    start: { fact: start.id },
    // The end that goes with another start would make an appointment that no document contains.
    end:
      start.group === null
        ? undefined
        : factOf('appointment_end', ({ trust }) => trust === start.trust || trust !== 'UNTRUSTED'),
    place: factOf('appointment_place'),
    uid: factOf('appointment_uid'),
    calendar: { entry: calendar.id },
  };
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { tool: toolFor[change], input: Object.fromEntries(given) };
}

/** Asks about a date that nothing could check, unless an invitation of the same mail says it for certain. */
function questionAbout(desk: Desk, found: readonly Appointment[]): Draft | undefined {
  if (found.some(({ invited }) => invited)) return undefined;
  const open = found.filter(
    (appointment) => settledStart(desk, appointment) === undefined && !wasAsked(desk, appointment.start),
  );
  // Where an appointment was moved, the letter gives the old date first.
  const next = open.some(({ change }) => change === 'moved') ? open.at(-1) : open[0];
  if (next === undefined) return undefined;
  return { tool: 'ask_person', input: { question: 'which_date', about: [next.start.id] } };
}
