import { readFile, stat } from 'node:fs/promises';
import { CaregateError, isCaregateError } from '../errors.ts';
import { readEvidence } from '../evidence/evidence.ts';
import { type Dropped, recordFacts } from '../evidence/recording.ts';
import { dropReasons, type Evidence } from '../evidence/types.ts';
import { startInProcessReader } from '../local/reader/inprocess.ts';
import { parseMessage } from '../mail/message.ts';
import type { Message } from '../mail/types.ts';
import { modelSettings } from '../model/models.ts';
import { systemClock } from '../provenance/clock.ts';
import type { Fact } from '../provenance/trust.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { enclosed } from './enclosure.ts';
import { createOutput, type Output } from './output.ts';
import { documentLines, factLines, wrapped } from './reading.ts';
import { PictureCopyist } from './readpictures.ts';
import type { CommonOptions } from './session.ts';

export interface ReadOptions extends CommonOptions {
  readonly circle?: string;
  /** Whether pictures and scans are read too, which takes seconds each. */
  readonly pictures?: boolean;
}

const largest = 40 * 1024 * 1024;

/** Prints what is understood of a mail or of one document. Nothing is started, recorded or sent. */
export async function read(file: string, options: ReadOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const circle = loadConnectionCircle(options.data, options.circle);
  const { message, isMail } = await messageIn(file);
  await using reader = await startInProcessReader();
  const parts = { bedrock: reader.client, evidenceModel: modelSettings('caregate.offline-reader') };
  const transcriber = options.pictures === false ? undefined : new PictureCopyist(parts, output);
  const read = await readEvidence(message, { circle, clock: systemClock, transcriber });
  const { evidence, dropped } = await recordFacts(parts, read.evidence, { circle, clock: systemClock });
  if (isMail) printMessage(output, message);
  for (const document of evidence.documents) {
    const { pages, hidden, ...about } = document;
    output.object({ document: { ...about, characters: pages.join('').length, hidden: hidden?.length ?? 0 } });
  }
  for (const line of documentLines(evidence.documents)) output.line(line);
  printFacts(output, evidence);
  printDropped(output, evidence, dropped);
}

function printMessage(output: Output, { from, subject, date, automatic }: Message): void {
  const sender = from.map(({ address }) => address).join(', ');
  output.object({ mail: { from: sender, subject, date: date ?? null, automatic: automatic ?? null } });
  for (const line of wrapped(`from     ${sender || 'unknown'}`)) output.line(line);
  for (const line of wrapped(`subject  ${subject || 'none'}`)) output.line(line);
  if (date !== undefined) output.line(`date     ${date}`);
  if (automatic !== undefined) output.line(`         an automatic mail: ${automatic}`);
}

function printFacts(output: Output, { documents, facts }: Evidence): void {
  const aliases = new Map(documents.map(({ id, alias }) => [id, alias]));
  const alias = (fact: Fact): string => aliases.get(fact.source.document) ?? '';
  for (const fact of facts) {
    const { source, ...rest } = fact;
    output.object({ fact: { ...rest, document: alias(fact), page: source.page, quote: source.quote } });
  }
  output.line(`\n${facts.length} facts`);
  for (const fact of facts) for (const line of factLines(fact, alias(fact))) output.line(line);
}

function printDropped(output: Output, { recording }: Evidence, dropped: readonly Dropped[]): void {
  for (const { claim, reason } of dropped) output.object({ dropped: { ...claim, reason } });
  if (recording === undefined) return;
  output.object({ recording });
  output.line(`\nthe offline reader added ${recording.added} of these facts; ${dropped.length} were dropped`);
  if (recording.failure !== undefined) output.line(`it gave no valid answer: ${recording.failure}`);
  for (const { claim, reason } of dropped) {
    for (const line of wrapped(`  ${claim.kind}  ${reason}: ${dropReasons[reason]}`)) output.line(line);
  }
}

/** The mail in a file, or a mail around a file that is none. */
async function messageIn(file: string): Promise<{ message: Message; isMail: boolean }> {
  const found = await stat(file).catch((cause: unknown) => {
    throw new CaregateError('NOT_FOUND', `file \`${file}\` does not exist; check the path`, { cause });
  });
  if (!found.isFile())
    throw new CaregateError('INVALID_INPUT', `\`${file}\` is not a file; name a mail or a document`);
  if (found.size > largest) {
    throw new CaregateError(
      'MAIL_TOO_LARGE',
      `file \`${file}\` is over 40 MB, which no inbox takes; give a smaller one`,
    );
  }
  const bytes = new Uint8Array(await readFile(file));
  const wrap = /\.(?:pdf|ics|txt|html?|rtf|docx|png|jpe?g|tiff?|gif|webp|dat)$/i.test(file);
  const document = async () => ({ message: await parseMessage(await enclosed(bytes, file)), isMail: false });
  if (wrap) return document();
  try {
    return { message: await parseMessage(bytes), isMail: true };
  } catch (cause) {
    if (!isCaregateError(cause, 'MAIL_UNREADABLE')) throw cause;
    return document();
  }
}
