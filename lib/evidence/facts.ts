import { cutText } from '../mail/characters.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Fact } from '../provenance/trust.ts';
import { type ReadingContext, timesOf } from './appointments.ts';
import { type CalendarEvent, eventsOf } from './calendar.ts';
import { draftFact, type Page } from './draft.ts';
import { originalsOf } from './originals.ts';
import { particularsOf } from './particulars.ts';
import { limits } from './schema.ts';
import type { CaseDocument } from './types.ts';
import { changeIn, speaksOfChange } from './wording.ts';

/**
 * The facts of documents, numbered. Invitations come first, since they say the most; the same appointment in several
 * documents is one group. Where there is too much, appointments stay and the rest is left out.
 *
 * @param subject the mail's; like the documents, attacker-controlled
 */
export function factsOf(
  documents: readonly CaseDocument[],
  subject: string,
  { circle, now }: { circle: Circle; now: number },
): Fact[] {
  const pages = searchedPages(documents);
  const letters = pages.filter(({ kind }) => kind !== 'calendar');
  const changed = [subject, ...letters.map(({ page }) => page.text)].some(speaksOfChange);
  const groups = new Groups();
  const calendars = pages.filter(({ kind }) => kind === 'calendar');
  groups.addEvents(latest(calendars.flatMap(({ page }) => eventsOf(page, { circle, now }))));
  const dates: Fact[] = [];
  for (const { page, kind } of letters) dates.push(...datesOf(page, kind, { circle, now, changed }, groups));
  const mails = letters.filter(({ kind }) => kind === 'text' || kind === 'html' || kind === 'mail');
  const originals = mails.flatMap(({ page, kind }) => originalsOf(page, kind === 'mail'));
  const particulars = letters.flatMap(({ page }) => [...changesOf(page), ...particularsOf(page, circle)]);
  return numbered([...groups.facts, ...distinct([...originals, ...dates, ...particulars])], 0, limits.facts);
}

/** That something was called off or moved, in the letter's words: of which appointment is not read out of them. */
function changesOf(page: Page): Fact[] {
  const change = changeIn(page.text);
  return change === undefined ? [] : [draftFact(page, 'appointment_change', change.value, change)];
}

/** Of several versions of one event the last holds, by its number and then by when it was written. */
function latest(events: readonly CalendarEvent[]): CalendarEvent[] {
  const holding = new Map<string, CalendarEvent>();
  for (const event of events) {
    const known = holding.get(event.identity);
    if (known === undefined || isLater(event, known)) holding.set(event.identity, event);
  }
  return events.filter((event) => !isLater(holding.get(event.identity) ?? event, event));
}

function isLater({ version: one }: CalendarEvent, { version: other }: CalendarEvent): boolean {
  return one[0] === other[0] ? one[1] > other[1] : one[0] > other[0];
}

interface KindedPage {
  readonly page: Page;
  readonly kind: CaseDocument['kind'];
}

/** How much is searched for facts; the model sees all. A letter has far less, so that only a flood is cut. */
const searched = { page: 60_000, mail: 400_000 };

function searchedPages(documents: readonly CaseDocument[]): KindedPage[] {
  let left = searched.mail;
  return documents.flatMap(({ id, kind, pages, transcribed }) =>
    pages.map((whole, index) => {
      const text = kind === 'calendar' ? whole : cutText(whole, Math.max(0, Math.min(searched.page, left)));
      left -= text.length;
      const number = index + 1;
      const read = transcribed?.includes(number) ? ({ transcribed: true } as const) : {};
      return { page: { document: id, number, text, ...read }, kind };
    }),
  );
}

/** The header lines of a forwarded mail say when it was written, and nothing about an appointment but its subject. */
function datesOf(
  page: Page,
  kind: CaseDocument['kind'],
  context: ReadingContext,
  groups: Groups,
): readonly Fact[] {
  const { appointments, dates } = timesOf(page, context);
  if (kind === 'mail') return dates;
  groups.addLetter(page, appointments);
  return dates;
}

/** Appointments as they are found, each with a group of its own. */
class Groups {
  readonly facts: Fact[] = [];
  readonly #events = new Set<string>();
  /** When invitations start, as their own clocks show it. */
  readonly #invited = new Set<string>();
  /** The group of each start, and the documents in which it was found. */
  readonly #starts = new Map<number, { group: string; documents: Set<string> }>();
  #count = 0;

  addEvents(events: readonly CalendarEvent[]): void {
    for (const { key, facts } of events) {
      if (this.#events.has(key)) continue;
      this.#events.add(key);
      const start = facts.find((fact) => fact.kind === 'appointment_start');
      this.#invited.add(wallClock(start?.value ?? ''));
      this.#add(facts, this.#newGroup(start?.value ?? '', start?.source.document ?? ''));
    }
  }

  addLetter(page: Page, appointments: readonly { start: string; facts: readonly Fact[] }[]): void {
    for (const { start, facts } of appointments) {
      const known = this.#starts.get(Date.parse(start));
      if (known?.documents.has(page.document)) continue; // said twice in one letter
      const doubtful = facts.every((fact) => fact.trust === 'UNTRUSTED');
      if (doubtful && this.#invited.has(wallClock(start))) continue; // an invitation in words, its zone spelled out
      known?.documents.add(page.document);
      this.#add(facts, known?.group ?? this.#newGroup(start, page.document));
    }
  }

  #newGroup(start: string, document: string): string {
    this.#count += 1;
    const group = `a${this.#count}`;
    const time = Date.parse(start);
    if (!this.#starts.has(time)) this.#starts.set(time, { group, documents: new Set([document]) });
    return group;
  }

  #add(facts: readonly Fact[], group: string): void {
    for (const fact of facts) this.facts.push({ ...fact, group });
  }
}

const wallClock = (start: string): string => start.slice(0, '2027-03-04T10:30'.length);

function distinct(facts: readonly Fact[]): Fact[] {
  const seen = new Set<string>();
  return facts.filter(({ kind, value, source }) => {
    const key = `${kind} ${value} ${source.document}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** The facts with their ids, from `f1` on after the facts that are there already. */
export function numbered(facts: readonly Fact[], after: number, most: number): Fact[] {
  const stated = facts.filter((fact) => fact.value.trim() !== '' && fact.source.quote !== '');
  return stated.slice(0, most).map((fact, index) => ({ ...fact, id: `f${after + index + 1}` }));
}
