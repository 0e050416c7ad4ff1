import { fileURLToPath } from 'node:url';
import { CaregateError } from '../errors.ts';
import { mailsOf, mutantSample, sampled } from '../local/evaluation/attempts.ts';
import { type Corpus, readCorpus } from '../local/evaluation/corpus.ts';
import { evaluate, shippedConfiguration } from '../local/evaluation/crew.ts';
import { type Details, detailsOf, type Figures, failureOf, figuresOf } from '../local/evaluation/figures.ts';
import { evaluationCircle, evaluationMutants } from '../local/evaluation/household.ts';
import { allowAll } from '../policy/mutants.ts';
import type { Circle } from '../provenance/circle.ts';
import { columns, createOutput, exitCodes, type Output } from './output.ts';
import { ProgressBar } from './progressbar.ts';

export interface EvalOptions {
  readonly json?: boolean;
  readonly corpus?: string;
  readonly mutant?: string;
  /** One in so many payloads. */
  readonly sample?: number;
}

/**
 * The counterfactual: plays attacks through the real machine, under the rules as shipped and without them.
 * @returns the exit code: 1 if the shipped rules let an attack through, or if nothing shows that it is the rules
 */
export async function evaluation(options: EvalOptions): Promise<number> {
  const output = createOutput(options.json === true);
  const circle = evaluationCircle();
  const shippedCorpus = fileURLToPath(new URL('../../rules/corpus.jsonl', import.meta.url));
  const corpus = readCorpus(options.corpus ?? shippedCorpus);
  const configurations = configurationsOf(options.mutant, evaluationMutants(circle));
  const whole = mailsOf(corpus, circle);
  const mails = chosenMails(options, corpus, circle) ?? whole;
  const bar = new ProgressBar(process.stderr, mails.length * configurations.length);
  const replays = await evaluate({ mails, configurations, onMail: (name) => bar.step(name) });
  bar.end();
  const results = [...replays].map(([name, replay]) => ({
    figures: figuresOf(name, replay, mails),
    details: detailsOf(name, replay),
  }));
  if (mails.length < whole.length) {
    output.object({ sample: { mails: mails.length, of: whole.length } });
    output.line(`a sample: ${mails.length} of ${whole.length} mails\n`);
  }
  for (const { details } of results) output.object({ details });
  if (results.length > 2) showTable(output, results);
  else for (const result of results) show(output, result);
  for (const { figures } of results) output.object(figures);
  return conclude(output, results);
}

/** A part of the corpus where one was asked for, and for so many mutants that the whole would take a day. */
function chosenMails({ sample, mutant }: EvalOptions, corpus: Corpus, circle: Circle) {
  if (sample !== undefined) return mailsOf(sampled(corpus, 1 / sample, circle), circle);
  return mutant === 'all' ? mutantSample(corpus, circle) : undefined;
}

function configurationsOf(mutant: string | undefined, mutants: readonly string[]): readonly string[] {
  if (mutant === undefined) return [shippedConfiguration, allowAll];
  if (mutant === 'all') return [shippedConfiguration, ...mutants];
  if (mutant === shippedConfiguration || mutants.includes(mutant)) return [mutant];
  throw new CaregateError(
    'INVALID_INPUT',
    `mutant \`${mutant}\` does not exist; take one of rules/MUTANTS.md, or all`,
  );
}

interface Result {
  readonly figures: Figures;
  readonly details: Details;
}

function show(output: Output, { figures, details }: Result): void {
  const { insideCircle, benign } = figures;
  const counts = (given: Readonly<Record<string, number>>) =>
    Object.entries(given)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none';
  const rows = [
    ['  unauthorized effects', `${figures.unauthorized} of ${figures.attempts} attempts`],
    [
      '',
      `${figures.payloads} payloads (${figures.uniqueTexts} unique) by ${details.routes} routes with ${details.tools} tools`,
    ],
    ['  decided', counts(details.decisions)],
    ['  held by the effect alone', `${details.heldByEffect}`],
    [
      '  inside the circle',
      `${insideCircle.effectsWithoutPerson} of ${insideCircle.attempts} took effect without a person`,
    ],
    ['', counts(details.inside)],
    ['  benign mails completed', `${benign.completed} of ${benign.mails}`],
    [
      '  needed a person',
      `${benign.neededPerson} of ${benign.mails} (${share(benign.neededPerson, benign.mails)})`,
    ],
    ['  not understood', `${details.missed.length}: ${details.missed.join(', ') || 'none'}`],
  ];
  output.line(figures.configuration);
  for (const line of columns(rows)) output.line(line);
  output.line();
}

function showTable(output: Output, results: readonly Result[]): void {
  const head = ['configuration', 'unauthorized', 'inside', 'completed', 'needed a person'];
  const rows = results.map(({ figures: { configuration, attempts, unauthorized, insideCircle, benign } }) => [
    configuration,
    `${unauthorized} of ${attempts}`,
    `${insideCircle.effectsWithoutPerson} of ${insideCircle.attempts}`,
    `${benign.completed} of ${benign.mails}`,
    share(benign.neededPerson, benign.mails),
  ]);
  for (const line of columns([head, ...rows])) output.line(line);
  output.line();
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}

function conclude(output: Output, results: readonly Result[]): number {
  const failures = results.flatMap(({ figures }) => failureOf(figures) ?? []);
  for (const failure of failures) output.progress(`caregate: ${failure}`);
  return failures.length === 0 ? 0 : exitCodes.failed;
}
