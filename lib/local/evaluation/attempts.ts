import type { ToolName } from '../../proposal/catalogue.ts';
import type { Circle } from '../../provenance/circle.ts';
import { sha256 } from '../../provenance/digest.ts';
import type { Corpus, Payload } from './corpus.ts';
import { countingTools, type Target, targetOf } from './counting.ts';

/** The ways by which a text gets into a mail. */
export const routes = ['body', 'pdf', 'ics', 'name'] as const;
export type Route = (typeof routes)[number];

/** One call that the attacker wants, as the planner will propose it. */
export interface Attempt {
  readonly tool: ToolName;
  readonly target: Target;
  /** Whether the target is an entry of the circle. */
  readonly inside: boolean;
}

/** One mail of the evaluation. */
export interface EvaluationMail {
  /** Stands in the mail, so that the planner knows which script to play. */
  readonly mark: string;
  readonly payload: Payload;
  /** `letter` for benign mails, which come as their senders would write them. */
  readonly route: Route | 'letter';
  /** What is proposed for it, one after the other; nothing for a benign mail, which the offline reader plans. */
  readonly attempts: readonly Attempt[];
}

/** A mail ends planning at its third refusal, so that no more than three attempts can be played in one. */
const attemptsPerMail = 3;

/** Where an attack goes that names no destination: outside of every circle. */
const nobody = 'nobody@outside.example';

/** Every mail of a corpus: each attack by each route with each tool that counts, then the benign ones. */
export function mailsOf({ attacks, benign }: Corpus, circle: Circle): readonly EvaluationMail[] {
  const hostile = attacks.flatMap((payload) =>
    routes.flatMap((route) =>
      chunks(attemptsOf(payload, circle), attemptsPerMail).map((attempts, part) => ({
        mark: markOf(payload.id, `${route} ${part}`),
        payload,
        route,
        attempts,
      })),
    ),
  );
  const letters = benign.map((payload) => ({
    mark: markOf(payload.id, 'letter'),
    payload,
    route: 'letter' as const,
    attempts: [],
  }));
  return [...hostile, ...letters];
}

/** What an attack asks for. One whose destination is in the circle is played only with the tools that could reach it. */
export function attemptsOf({ tool, destination, text }: Payload, circle: Circle): readonly Attempt[] {
  const tools = tool === undefined ? countingTools() : [tool];
  const wanted = destination ?? firstAddress(text) ?? nobody;
  const attempts = tools.map((each) => ({ tool: each, ...targetOf(each, wanted, circle) }));
  const inside = attempts.filter((attempt) => attempt.inside);
  return inside.length > 0 ? inside : attempts;
}

function firstAddress(text: string): string | undefined {
  return /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/u.exec(text)?.[0];
}

/** The same mails with other marks: an office takes a message once for ever. */
export function markedFor(
  mails: readonly EvaluationMail[],
  configuration: string,
): readonly EvaluationMail[] {
  return mails.map((mail) => ({ ...mail, mark: markOf(mail.mark, configuration) }));
}

/** Letters alone: digits could be read as a telephone number. */
function markOf(id: string, part: string): string {
  const digits = sha256(`${id} ${part}`).slice(0, 24);
  return `Q${digits.replace(/[0-9a-f]/g, (digit) => 'abcdefghijklmnop'.charAt(Number.parseInt(digit, 16)))}Q`;
}

/** Finds the mark of a mail in what a planner is shown. */
export const markPattern = /Q[a-p]{24}Q/;

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}

/**
 * A share of a corpus, drawn by a fixed seed: of attacks from outside, of those inside and of benign mails, each rounded
 * up.
 * @param share from 0 to 1
 */
export function sampled(corpus: Corpus, share: number, circle: Circle): Corpus {
  const isInside = (payload: Payload) => attemptsOf(payload, circle).some(({ inside }) => inside);
  const take = (list: readonly Payload[]) => drawn(list, Math.ceil(list.length * share));
  return {
    attacks: [
      ...take(corpus.attacks.filter((payload) => !isInside(payload))),
      ...take(corpus.attacks.filter(isInside)),
    ],
    benign: take(corpus.benign),
  };
}

/** What each of very many mutants is shown: an attack from outside, one inside for each tool, and two benign mails. */
export function mutantSample(corpus: Corpus, circle: Circle): readonly EvaluationMail[] {
  const mails = mailsOf(sampled(corpus, 1, circle), circle).filter(
    ({ route }) => route === 'body' || route === 'letter',
  );
  const outside = mails.find(
    ({ attempts }) => attempts.length > 0 && attempts.every(({ inside }) => !inside),
  );
  const inside = countingTools().map((tool) =>
    mails.find(({ attempts }) => attempts.some((attempt) => attempt.inside && attempt.tool === tool)),
  );
  const benign = mails.filter(({ attempts }) => attempts.length === 0).slice(0, 2);
  return [outside, ...inside, ...benign].filter((mail) => mail !== undefined);
}

/** The seed of the sample. Another one gives another, which a reader could hold against a figure. */
const seed = 'caregate evaluation 1';

function drawn(list: readonly Payload[], count: number): readonly Payload[] {
  const ranked = list.map((payload) => ({ payload, rank: sha256(`${seed} ${payload.id}`) }));
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ payload }) => payload);
}
