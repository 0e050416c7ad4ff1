import { CaregateError } from '../errors.ts';
import { visibleText } from '../mail/characters.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import { type Sha256, sha256 } from '../provenance/digest.ts';
import type { Fact } from '../provenance/trust.ts';
import { instantOf, todayOf } from './appointments.ts';
import { draftFact, type Page } from './draft.ts';
import { numbered } from './facts.ts';
import { dateLanguage } from './languages.ts';
import { type Moment, momentsOf } from './moments.ts';
import { limits } from './schema.ts';
import type { CaseDocument, Evidence } from './types.ts';
import { isCertainMoment, personAnswer } from './validators.ts';

/** What a person of the circle answered to a question. */
export interface Answer {
  readonly text: string;
  /** The person's id in the circle. */
  readonly person: string;
  /** The question, or its id. */
  readonly question: string;
}

const longestAnswer = 2000;
const mostDates = 9;

/**
 * Adds a person's answer to the evidence: a document, a fact of it as a whole, and one of every date in it that can
 * mean one day or instant only. The same answer again changes nothing.
 *
 * @returns the new evidence, and the bytes of the document that was added
 * @throws CaregateError `INVALID_INPUT` for an answer that is empty, over 2,000 characters, or one too many
 */
export function addAnswer(
  evidence: Evidence,
  answer: Answer,
  options: { circle: Circle; clock: Clock },
): { evidence: Evidence; bytes: ReadonlyMap<Sha256, Uint8Array> } {
  const text = visibleText(answer.text).trim();
  if (text === '' || text.length > longestAnswer) {
    throw new CaregateError('INVALID_INPUT', '`answer` is empty or too long; write 1 to 2,000 characters');
  }
  if (evidence.documents.length >= limits.documents + limits.answers) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`answer` is one too many for this case; close it and start another',
    );
  }
  const whole = `Question: ${answer.question}\nAnswer of ${answer.person}:\n${text}\n`;
  const content = new TextEncoder().encode(whole);
  const document: CaseDocument = {
    id: sha256(content),
    alias: `d${evidence.documents.length + 1}`,
    kind: 'text',
    name: `Answer of ${answer.person}`.slice(0, 200),
    contentType: 'text/plain',
    size: content.length,
    pages: [whole.trimEnd()],
  };
  const bytes = new Map([[document.id, content]]);
  if (evidence.documents.some((each) => each.id === document.id)) return { evidence, bytes };
  const page = { document: document.id, number: 1, text: document.pages[0] ?? '' };
  const facts = numbered(answerFacts(page, text, options), evidence.facts.length, 1 + mostDates);
  return {
    evidence: { documents: [...evidence.documents, document], facts: [...evidence.facts, ...facts] },
    bytes,
  };
}

/** Only the answer's own words are read: the question may carry text of the mail. */
function answerFacts(page: Page, text: string, { circle, clock }: { circle: Circle; clock: Clock }): Fact[] {
  const now = clock.now();
  const offset = page.text.length - text.length;
  const moments = momentsOf(text, { language: dateLanguage(circle), today: todayOf({ circle, now }) });
  const whole = personAnswer(draftFact(page, 'answer', text, { index: offset, length: text.length }));
  return [whole, ...moments.flatMap((moment) => dateFact(page, moment, offset, circle, now))];
}

function dateFact(page: Page, moment: Moment, offset: number, circle: Circle, now: number): Fact[] {
  const stretch = { index: moment.index + offset, length: moment.length };
  const start = instantOf(moment, circle)?.start;
  if (start === undefined) {
    return moment.dateDoubt === undefined
      ? [personAnswer(draftFact(page, 'date', moment.date.toString(), stretch))]
      : [];
  }
  if (!isCertainMoment(moment, start)) return [];
  const kind = start.epochMilliseconds > now ? 'appointment_start' : 'date';
  return [personAnswer(draftFact(page, kind, start.value, stretch))];
}
