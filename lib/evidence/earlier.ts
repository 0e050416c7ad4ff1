import { Temporal } from '@js-temporal/polyfill';
import { appointmentName, firstVersion } from '../casefile/appointmentname.ts';
import type { ObjectStore } from '../casefile/store.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Fact } from '../provenance/trust.ts';
import { calendarsIn } from './calendarfile.ts';
import { textOf, timeOf } from './calendartimes.ts';
import { limits } from './schema.ts';
import type { Evidence } from './types.ts';

export interface EarlierContext {
  readonly store: Pick<ObjectStore, 'find'>;
  readonly circle: Circle;
  /** Who the verified sender counts as: the appointments of others are not looked for. */
  readonly sender: string;
}

/**
 * Says of each invitation whether its appointment stands in a calendar of the circle already, at another time or under
 * another title: then it is a change of that one, and no second appointment. It is found by its UID among those of the
 * same verified sender. The UID's line is the fact's quote, since it is what says so.
 */
export async function withEarlier(evidence: Evidence, context: EarlierContext): Promise<Evidence> {
  const facts = [...evidence.facts];
  const changed = new Set(facts.flatMap(({ kind, group }) => (kind === 'appointment_change' ? [group] : [])));
  for (const uid of evidence.facts.filter(({ kind }) => kind === 'appointment_uid')) {
    if (changed.has(uid.group) || facts.length >= limits.facts) continue;
    const group = evidence.facts.filter((fact) => fact.group === uid.group);
    if (!(await differs(uid.value, group, context))) continue;
    const change = {
      ...uid,
      id: `f${facts.length + 1}`,
      kind: 'appointment_change' as const,
      value: 'moved',
    };
    facts.push(change);
    changed.add(uid.group);
  }
  return { ...evidence, facts };
}

/** Whether the first version of an appointment is there and says anything else than the invitation does now. */
async function differs(uid: string, group: readonly Fact[], context: EarlierContext): Promise<boolean> {
  const { store, circle, sender } = context;
  const name = appointmentName(circle.id, sender, uid);
  for (const calendar of circle.calendars) {
    const found = await store.find(firstVersion(circle.id, calendar.id, name));
    if (found === undefined) continue;
    return !saysTheSame(new TextDecoder().decode(found.bytes), group, circle.timezone);
  }
  return false;
}

function saysTheSame(text: string, group: readonly Fact[], timezone: string): boolean {
  const calendar = calendarsIn(text)?.[0];
  const event = calendar?.getFirstSubcomponent('vevent');
  if (calendar === undefined || event === undefined || event === null) return false;
  const stated = (kind: Fact['kind']): string | undefined => group.find((fact) => fact.kind === kind)?.value;
  const instant = (name: string): number | undefined =>
    timeOf({ calendar, event, timezone }, name)?.time.epochMilliseconds;
  return (
    instant('dtstart') === instantIn(stated('appointment_start'), timezone) &&
    instant('dtend') === instantIn(stated('appointment_end'), timezone) &&
    textOf(event, 'summary') === (stated('appointment_title') ?? textOf(event, 'summary')) &&
    textOf(event, 'location') === stated('appointment_place')
  );
}

/** A day begins where the circle lives. */
function instantIn(value: string | undefined, timezone: string): number | undefined {
  if (value === undefined) return undefined;
  return value.length === '2027-03-04'.length
    ? Temporal.PlainDate.from(value).toZonedDateTime(timezone).epochMilliseconds
    : Date.parse(value);
}
