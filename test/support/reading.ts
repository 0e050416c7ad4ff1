import { timesOf } from '../../lib/evidence/appointments.ts';
import type { Page } from '../../lib/evidence/draft.ts';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import { evidenceSchema } from '../../lib/evidence/schema.ts';
import type { Evidence } from '../../lib/evidence/types.ts';
import { speaksOfChange } from '../../lib/evidence/wording.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { type Circle, loadCircle } from '../../lib/provenance/circle.ts';
import type { Clock } from '../../lib/provenance/clock.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import type { Fact, FactKind } from '../../lib/provenance/trust.ts';
import { type Attachment, mailOf } from './letters.ts';
import { ManualClock } from './time.ts';

/** The invented household, and the day on which letters are read in tests: a Monday. */
export const circle: Circle = loadCircle('rules/circle.example.yaml');
export const clock = new ManualClock('2027-02-01T09:00:00Z');

export function circleIn(locale: string, timezone: string): Circle {
  return { ...circle, locale, timezone };
}

export function pageOf(text: string): Page {
  return { document: sha256(text), number: 1, text };
}

/** What a letter's text states: each appointment's parts by kind, a checked time marked, and the other dates. */
export function understood(text: string, where: Circle = circle) {
  const context = { circle: where, now: clock.now(), changed: speaksOfChange(text) };
  const { appointments, dates } = timesOf(pageOf(text), context);
  return {
    appointments: appointments.map(({ facts }) => Object.fromEntries(facts.map(entryOf))),
    dates: dates.map(({ value }) => value),
  };
}

function entryOf({ kind, value, trust }: Fact): [string, string] {
  return [kind.replace('appointment_', ''), trust === 'CONTROLLED' ? `${value} checked` : value];
}

interface Contents {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly Attachment[];
}

/** The evidence of a mail, as it comes back from where it is stored. */
export async function evidenceOf(
  contents: Contents,
  where: Circle = circle,
  when: Clock = clock,
): Promise<Evidence> {
  const raw = await mailOf({
    from: 'maya@family.example',
    to: 'care@inbox.example',
    subject: 'Letter',
    ...contents,
  });
  const { evidence } = await readEvidence(await parseMessage(raw), { circle: where, clock: when });
  return evidenceSchema.parse(JSON.parse(JSON.stringify(evidence)));
}

export function valuesOf(facts: readonly Fact[], kind: FactKind): string[] {
  return facts.filter((fact) => fact.kind === kind).map((fact) => fact.value);
}
