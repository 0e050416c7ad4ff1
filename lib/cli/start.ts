import { samples } from '../../samples/index.ts';
import { type Office, openOffice } from '../local/office.ts';
import { systemClock } from '../provenance/clock.ts';
import type { CaseId } from '../provenance/identifiers.ts';
import type { Trouble } from '../web/troubles.ts';
import { createOutput, type Output, reportError } from './output.ts';
import { type Posting, post, readPosting } from './posting.ts';
import { Progress } from './progress.ts';
import {
  type CommonOptions,
  inboxFromEnvironment,
  mailboxFromEnvironment,
  modelFromEnvironment,
  pagesFromEnvironment,
  type Session,
  transportFromEnvironment,
} from './session.ts';
import { settle } from './settling.ts';
import { resultTable } from './table.ts';
import { version } from './version.ts';

export interface StartOptions extends CommonOptions {
  readonly once?: boolean;
  readonly port: number;
  readonly smtp: number;
  readonly circle?: string;
  readonly rules?: string;
  readonly publicUrl?: string;
  readonly host?: string;
}

/** Starts the office, hands it the mails given, or the samples on an empty case file, and stays up. */
export async function start(files: readonly string[], options: StartOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const given = await Promise.all(files.map(readPosting));
  const progress = new Progress(process.stderr, options.json === true);
  // A service manager may stop an office at any time, while it hands mails over or is still opening, too.
  const stopped = options.once === true ? undefined : signalled();
  const office = await openOffice({
    ...modelFromEnvironment(),
    ...transportFromEnvironment(options.data),
    ...mailboxFromEnvironment(options.data),
    ...inboxFromEnvironment(),
    data: options.data,
    port: options.port,
    smtp: options.smtp,
    circleFile: options.circle,
    rulesDirectory: options.rules,
    ...pagesFromEnvironment(options),
    onCall: (call) => progress.called(call),
    onTrouble: (trouble, begins) => output.progress(troubleLine(trouble, begins)),
  });
  try {
    announce(output, office);
    const session: Session = { office: office.connection, outbox: office.data.outbox, started: true };
    const postings = files.length > 0 ? given : await firstMails(office);
    if (options.once === true) await office.pickup?.looked;
    const handed = handOver(session, office.circle.inbox, postings, progress, output);
    if (stopped === undefined) {
      await handed;
      await office.idle();
    } else {
      await untilStopped(stopped, handed, output, () => sayOpen(output, office));
    }
  } finally {
    progress.end();
    await office.close();
  }
}

/** The samples, on an empty case file; nothing on one that holds cases already. */
async function firstMails(office: Office): Promise<Posting[]> {
  const cases = await office.connection.index.list(office.circle.id);
  if (cases.length > 0 || !office.example) return [];
  const mails = await samples(systemClock, office.circle);
  return mails.map(({ name, raw, from }) => ({ name, raw, from }));
}

async function handOver(
  session: Session,
  inbox: string,
  postings: readonly Posting[],
  progress: Progress,
  output: Output,
): Promise<void> {
  const cases: CaseId[] = [];
  for (const posting of postings) {
    const id = await post(session.office, inbox, posting);
    progress.expect(id, posting.name);
    cases.push(id);
  }
  const shown = cases.length > 0 ? cases : await latestCases(session);
  const reports = await settle(session, shown);
  progress.end();
  const named = reports.map((report) => ({
    name: postings[cases.indexOf(report.case as CaseId)]?.name ?? report.case,
    report,
  }));
  for (const { name, report } of named) output.object({ mail: name, ...report });
  for (const line of resultTable(named)) output.line(line);
}

/** How many cases a start without mails shows; all of them are in `caregate cases`. */
const mostShown = 20;

async function latestCases({ office }: Session): Promise<CaseId[]> {
  const known = await office.index.list(office.circle);
  return known
    .slice(0, mostShown)
    .map((entry) => entry.case)
    .reverse();
}

function announce(output: Output, office: Office): void {
  output.progress(`caregate ${version}: the office is open`);
  output.progress(`  pages    ${office.web}`);
  const { publicUrl } = office.connection.file;
  if (publicUrl !== undefined && publicUrl !== office.web) {
    const plain = publicUrl.startsWith('http:')
      ? ', without TLS: whoever shares the network can read along'
      : '';
    output.progress(`  outside  ${publicUrl}${plain}`);
  }
  output.progress(`  inbox    smtp://127.0.0.1:${office.smtp} for ${office.circle.inbox}`);
  if (office.outerSmtp !== undefined) {
    output.progress(`           port ${office.outerSmtp} for other machines, with the password and over TLS`);
  }
  if (office.pickup !== undefined) {
    const { folder, host, leaves } = office.pickup.from;
    const what = leaves ? '; what lies there now is left alone' : '';
    output.progress(`  pick-up  ${folder} at ${host}${what}`);
  }
  output.progress(`  data     ${office.data.root}`);
  output.progress(`  mail out ${office.sending ? 'to your mail provider' : 'stays in the outbox'}`);
  if (office.example)
    output.progress(`  circle   the invented example; make your own with \`caregate init\``);
}

/** @param begins whether it begins now, or is over */
function troubleLine({ says, remedy }: Trouble, begins: boolean): string {
  return begins ? `trouble: ${says}; ${remedy}` : `over: ${says}`;
}

function sayOpen(output: Output, office: Office): void {
  output.line();
  output.line(
    `The office stays open. Open ${office.web}, or stop it with Ctrl-C; what waits goes on at the next start.`,
  );
}

/** Resolves once somebody stops the office. */
async function signalled(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

/**
 * Stays up until somebody stops it. What is parked stays parked and goes on at the next start. What could not be handed
 * over or shown, a case that takes long perhaps, is said, and is no reason to end the office.
 */
async function untilStopped(
  stopped: Promise<void>,
  handed: Promise<void>,
  output: Output,
  say: () => void,
): Promise<void> {
  const keepAlive = setInterval(() => {}, 60_000);
  let ends = false;
  const told = handed.catch((error: unknown) => {
    if (!ends) reportError(error, output.json);
  });
  try {
    await Promise.race([told.then(say), stopped]);
    await stopped;
  } finally {
    ends = true;
    clearInterval(keepAlive);
  }
}
