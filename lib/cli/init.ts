import { existsSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import addressparser from 'nodemailer/lib/addressparser';
import { CaregateError } from '../errors.ts';
import { recordChange } from '../local/circle/changes.ts';
import { writeCircle } from '../local/circle/editing.ts';
import { type CircleAnswers, circleText, currencyOf, type Named } from '../local/circle/making.ts';
import { openDataDirectory } from '../local/datadirectory.ts';
import { suggestedUrl } from '../local/pickup/providers.ts';
import { normaliseAddress } from '../mail/address.ts';
import { circleDigest, circleSchema } from '../provenance/circle.ts';
import { systemClock } from '../provenance/clock.ts';
import { createOutput } from './output.ts';
import type { CommonOptions } from './session.ts';

export interface InitOptions extends CommonOptions {
  readonly patient?: string;
  readonly owner?: string;
  readonly inbox?: string;
  readonly zone?: string;
  readonly locale?: string;
  readonly contacts?: string;
  readonly currency?: string;
}

interface Question {
  /** The option that answers it without being asked. */
  readonly option: 'patient' | 'owner' | 'inbox' | 'place' | 'contacts';
  readonly text: string;
  readonly preset?: string | undefined;
  /**
   * @param before what was answered already
   * @throws CaregateError `INVALID_INPUT`
   */
  readonly take: (answer: string, before: Partial<CircleAnswers>) => Partial<CircleAnswers>;
}

const questions: readonly Question[] = [
  {
    option: 'patient',
    text: 'Who is cared for? The full name',
    take: (answer) => ({ patient: named('patient', answer.trim()) }),
  },
  {
    option: 'owner',
    text: 'Who decides? Name <address>, several with commas between',
    take: (answer) => ({ owners: people('owner', answer, 1) }),
  },
  {
    option: 'inbox',
    text: 'Which address is mail forwarded to?',
    take: (answer, { owners = [] }) => ({ inbox: inboxOf(answer, owners) }),
  },
  {
    option: 'place',
    text: 'Which time zone and language?',
    preset: `${systemZone()} ${systemLocale()}`,
    take: placeOf,
  },
  {
    option: 'contacts',
    text: 'Which clinics and others may be written to? Name <address>, several with commas between, or nothing',
    preset: '',
    take: (answer) => ({ contacts: people('contacts', answer, 0) }),
  },
];

/**
 * Makes the circle of a household from five answers: asked for on a terminal, or given as options.
 * @throws CaregateError `INVALID_INPUT`, also where there is a circle: it is never written over
 */
export async function init(options: InitOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const data = openDataDirectory(options.data);
  if (existsSync(data.circleFile)) {
    throw new CaregateError(
      'INVALID_INPUT',
      `\`${data.circleFile}\` is there already; edit it, or change it with \`caregate contact\` and \`caregate person\``,
    );
  }
  const answers = await ask(options);
  const circle = writeCircle(data.circleFile, circleText(answers));
  const after = circleDigest(circle);
  recordChange(data.circleLog, systemClock, { change: 'made', after });
  output.object({ circle: circle.id, file: data.circleFile, digest: after });
  output.line(`Wrote ${data.circleFile}. Look it over: what stands there is what Caregate trusts.`);
  output.line(
    `To have its mail picked up, set CAREGATE_IMAP_URL, such as ${suggestedUrl(circle.inbox)} (docs/mailbox.md).`,
  );
  output.line(`Next: npm start, then forward a care mail from one of your people to ${circle.inbox}.`);
}

async function ask(options: InitOptions): Promise<CircleAnswers> {
  if (process.stdin.isTTY !== true || options.json === true) return askQuestions(options);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await askQuestions(options, terminal);
  } finally {
    terminal.close();
  }
}

/**
 * The answers to the five questions: from the options, else from the terminal, each asked until it is answered.
 * @throws CaregateError `INVALID_INPUT` for an option that is no answer, or one that is missing without a terminal
 */
export async function askQuestions(options: InitOptions, terminal?: Interface): Promise<CircleAnswers> {
  const place = options.zone === undefined && options.locale === undefined ? undefined : placeText(options);
  const given: Record<Question['option'], string | undefined> = { ...options, place } as never;
  let answers: Partial<CircleAnswers> = options.currency === undefined ? {} : { currency: options.currency };
  for (const question of questions) {
    const answer = given[question.option];
    const taken =
      answer === undefined ? await askOne(question, answers, terminal) : question.take(answer, answers);
    answers = { ...answers, ...taken };
  }
  return answers as CircleAnswers;
}

/** Asks until the answer is one. Without a terminal there is nobody to ask. */
async function askOne(
  question: Question,
  before: Partial<CircleAnswers>,
  terminal: Interface | undefined,
): Promise<Partial<CircleAnswers>> {
  if (terminal === undefined) {
    if (question.preset !== undefined) return question.take(question.preset, before);
    throw new CaregateError(
      'INVALID_INPUT',
      `\`--${question.option}\` is missing, and there is no terminal to ask on; give it`,
    );
  }
  for (;;) {
    const preset = question.preset ? ` [${question.preset}]` : '';
    const answer = await terminal.question(`${question.text}${preset}: `).catch(() => undefined);
    if (answer === undefined)
      throw new CaregateError('INVALID_INPUT', '`init` was stopped; nothing was written');
    try {
      return question.take(answer.trim() === '' ? (question.preset ?? '') : answer, before);
    } catch (error) {
      if (!(error instanceof CaregateError)) throw error;
      process.stderr.write(`  ${error.message}\n`);
    }
  }
}

function named(option: string, name: string): string {
  if (circleSchema.shape.patient.shape.name.safeParse(name).success && !/\p{Cc}/u.test(name)) return name;
  throw new CaregateError(
    'INVALID_INPUT',
    `\`--${option}\` is no name; give one of 1 to 120 characters on one line`,
  );
}

/** An owner's own mailbox is none: each mail that she forwards would be one of Caregate's own, and ignored. */
function inboxOf(answer: string, owners: readonly Named[]): string {
  const inbox = address('inbox', answer);
  if (!owners.some(({ email }) => email === inbox)) return inbox;
  throw new CaregateError(
    'INVALID_INPUT',
    '`--inbox` is the address of somebody who decides; give one that is used for nothing else',
  );
}

function address(option: string, text: string): string {
  const found = normaliseAddress(text);
  if (circleSchema.shape.inbox.safeParse(found).success) return found as string;
  throw new CaregateError(
    'INVALID_INPUT',
    `\`--${option}\` is not one mail address; write it like \`care@home.example\``,
  );
}

/**
 * Names with their addresses.
 * @throws CaregateError `INVALID_INPUT` for a name without an address, or fewer than `least`
 */
export function people(option: string, text: string, least: number): Named[] {
  const found = addressparser(text, { flatten: true }).map(({ name, address: written }) => {
    const email = address(option, written);
    return { name: name.trim() === '' ? email : named(option, name.trim()), email };
  });
  if (new Set(found.map(({ email }) => email)).size < found.length) {
    throw new CaregateError('INVALID_INPUT', `\`--${option}\` has one address twice; give each their own`);
  }
  if (found.length >= least) return found;
  throw new CaregateError('INVALID_INPUT', `\`--${option}\` names nobody; write \`Name <address>\``);
}

function placeText({ zone, locale }: InitOptions): string {
  return `${zone ?? systemZone()} ${locale ?? systemLocale()}`;
}

function placeOf(
  answer: string,
  { currency: said }: Partial<CircleAnswers>,
): Pick<CircleAnswers, 'timezone' | 'locale' | 'currency'> {
  const [timezone = '', locale = '', currency = said] = answer.trim().split(/[\s,]+/);
  if (!/^[a-z]{2}-[A-Z]{2}$/.test(locale) || !isTimeZone(timezone)) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`--zone` and `--locale` are not a time zone and a language; write them like `Europe/London en-GB`',
    );
  }
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) {
    throw new CaregateError('INVALID_INPUT', '`--currency` is no code of three letters, such as `GBP`');
  }
  return { timezone, locale, currency: currency ?? currencyOf(locale) };
}

/** A zone by name, as the circle takes it: an older name, or a newer one, is one as well. */
function isTimeZone(zone: string): boolean {
  try {
    return /^[A-Z]/i.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** The time zone of this machine, as far as it has a name. */
function systemZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return isTimeZone(zone) ? zone : 'UTC';
}

/** The language of this machine, as far as it says one. */
function systemLocale(): string {
  const [, language, country] = /^([a-z]{2})_([A-Z]{2})/.exec(process.env.LANG ?? '') ?? [];
  return language === undefined ? 'en-GB' : `${language}-${country}`;
}
