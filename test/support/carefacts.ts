import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { readEvidence } from '../../lib/evidence/evidence.ts';
import type { Transcriber } from '../../lib/evidence/transcripts.ts';
import { pictureReader } from '../../lib/local/reader/pictures.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import type { Circle } from '../../lib/provenance/circle.ts';
import { type Fact, type FactKind, factKinds } from '../../lib/provenance/trust.ts';
import { circle, clock } from './reading.ts';

const folder = new URL('../evidence/letters/', import.meta.url);
const expectationSchema = z.strictObject({
  circle: z.strictObject({ locale: z.string(), timezone: z.string(), currency: z.string() }),
  /** Whether it came as a picture, which takes seconds to read. */
  photographed: z.literal(true).optional(),
  facts: z.array(
    z.union([
      z.tuple([z.enum(factKinds), z.string()]),
      z.tuple([z.enum(factKinds), z.string(), z.literal('CONTROLLED')]),
    ]),
  ),
});

/** An invented care mail, and what a person reads out of it. */
export interface CareLetter {
  readonly name: string;
  readonly raw: Uint8Array;
  readonly circle: Circle;
  readonly photographed: boolean;
  /** Each as kind and value, with CONTROLLED where the letter leaves no doubt. */
  readonly expected: readonly ExpectedFact[];
}

export interface ExpectedFact {
  readonly kind: FactKind;
  readonly value: string;
  readonly controlled: boolean;
}

/** Every care mail of test/evidence/letters, with the facts that its JSON file lists. */
export function careLetters(): CareLetter[] {
  const names = readdirSync(folder).filter((file) => file.endsWith('.eml'));
  return names.sort().map((file) => {
    const name = file.slice(0, -'.eml'.length);
    const text = readFileSync(new URL(`${name}.json`, folder), 'utf8');
    const { circle: where, facts, photographed = false } = expectationSchema.parse(JSON.parse(text));
    const expected = facts.map(([kind, value, trust]) => ({ kind, value, controlled: trust !== undefined }));
    const raw = new Uint8Array(readFileSync(new URL(file, folder)));
    return { name, raw, circle: { ...circle, ...where }, photographed, expected };
  });
}

/** The care mail that is a photograph of a letter. */
export function photographedLetter(): CareLetter {
  const letter = careLetters().find(({ photographed }) => photographed);
  if (letter === undefined) throw new Error('no letter in test/evidence/letters is a photograph');
  return letter;
}

/** The photograph itself, as it was attached. */
export async function photograph(): Promise<Uint8Array> {
  const { parts } = await parseMessage(photographedLetter().raw);
  const picture = parts.find(({ contentType }) => contentType === 'image/jpeg');
  if (picture === undefined) throw new Error('the photographed letter has no photograph');
  return picture.bytes;
}

const offline: Transcriber = { read: ({ bytes }) => pictureReader.read([bytes]) };

/** The facts that code reads out of a care mail on the day of the tests, pictures read on this machine. */
export async function factsOfLetter(letter: CareLetter): Promise<readonly Fact[]> {
  const message = await parseMessage(letter.raw);
  const { evidence } = await readEvidence(message, { circle: letter.circle, clock, transcriber: offline });
  return evidence.facts;
}

export interface Comparison {
  readonly found: readonly ExpectedFact[];
  readonly missed: readonly ExpectedFact[];
  /** Facts that no person listed. */
  readonly extra: readonly Fact[];
  /** Those of them that are raised, and those that are raised where a person was in doubt. */
  readonly wronglyRaised: readonly Fact[];
  /** Expected to be raised, and found, but not raised. */
  readonly notRaised: readonly ExpectedFact[];
}

/** Compares the facts of a letter with those that a person listed: kind and value to the letter. */
export function compare(expected: readonly ExpectedFact[], facts: readonly Fact[]): Comparison {
  const key = ({ kind, value }: { kind: string; value: string }): string => `${kind} ${value}`;
  const read = new Set(facts.map(key));
  const listed = new Set(expected.map(key));
  const raised = facts.filter(({ trust }) => trust === 'CONTROLLED');
  const certain = new Set(expected.filter(({ controlled }) => controlled).map(key));
  const found = expected.filter((each) => read.has(key(each)));
  return {
    found,
    missed: expected.filter((each) => !read.has(key(each))),
    extra: facts.filter((fact) => !listed.has(key(fact))),
    wronglyRaised: raised.filter((fact) => !certain.has(key(fact))),
    notRaised: found.filter((each) => each.controlled && !raised.some((fact) => key(fact) === key(each))),
  };
}
