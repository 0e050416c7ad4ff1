import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findConnection, openDataDirectory } from '../local/datadirectory.ts';
import { isHeld } from '../local/datalock.ts';
import { checkMailbox } from '../local/pickup/check.ts';
import { compilePolicyFiles } from '../local/policyfiles.ts';
import { isModelNamed } from '../local/reader/ownmodel.ts';
import { relayEnds } from '../local/relay/ends.ts';
import { relayProblems } from '../local/relay/transport.ts';
import { isWritable } from '../local/selfcheck.ts';
import { troubleTexts } from '../local/troubles.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { answersFindings } from './doctor/answers.ts';
import { type Finding, looked } from './doctor/finding.ts';
import { inboxFindings } from './doctor/inbox.ts';
import { modelFindings } from './doctor/model.ts';
import { phoneFindings } from './doctor/phone.ts';
import { settingsFindings } from './doctor/settings.ts';
import { troubleFindings } from './doctor/troubles.ts';
import { columns, createOutput, exitCodes } from './output.ts';
import { type CommonOptions, mailboxFromEnvironment, transportFromEnvironment } from './session.ts';

/**
 * Says what is configured, which model answers, and what is missing. Changes nothing but making an empty data
 * directory.
 * @returns 1 if something is wrong
 */
export async function doctor(options: CommonOptions): Promise<number | undefined> {
  const output = createOutput(options.json === true);
  const findings = [
    runtime(),
    await looked('data', () => dataDirectory(options.data)),
    ...(await settingsFindings(options.data)),
    await looked('circle', () => circle(options.data)),
    await looked('rules', () => rules(options.data)),
    await looked('office', () => office(options.data)),
    ...(await inboxFindings()),
    await looked('mailbox', () => mailbox(options.data)),
    ...(await modelFindings()),
    ...(await answersFindings(options.data, isModelNamed(process.env))),
    await looked('sending', () => sending(options.data)),
    ...(await phoneFindings(options.data)),
    ...troubleFindings(options.data),
  ];
  for (const finding of findings) output.object(finding);
  for (const line of columns(findings.map(({ check: name, health, says }) => [name, health, says])))
    output.line(line);
  return findings.some(({ health }) => health === 'wrong') ? exitCodes.failed : undefined;
}

function runtime(): Finding {
  return {
    check: 'runtime',
    health: 'ok',
    says: `Node ${process.versions.node} on ${process.platform}-${process.arch}`,
  };
}

function circle(data: string): Omit<Finding, 'check'> {
  const { id, people, contacts, inbox, timezone } = loadConnectionCircle(data);
  const says = `${id}: ${people.length} people, ${contacts.length} contacts, ${timezone}, inbox ${inbox}`;
  return existsSync(join(data, 'circle.yaml'))
    ? { health: 'ok', says }
    : {
        health: 'note',
        says: `${says} (the invented example: make your own with \`caregate init\`)`,
      };
}

function rules(data: string): Omit<Finding, 'check'> {
  const directory = fileURLToPath(new URL('../../rules', import.meta.url));
  const { digest } = compilePolicyFiles(directory, loadConnectionCircle(data));
  return { health: 'ok', says: `compiled, policy digest ${digest.slice(0, 12)}` };
}

function dataDirectory(data: string): Omit<Finding, 'check'> {
  const { root } = openDataDirectory(data);
  if (isWritable(root)) return { health: 'ok', says: root };
  const { says, remedy } = troubleTexts['disk-full'];
  return { health: 'wrong', says: `${root}: ${says}; ${remedy}` };
}

function office(data: string): Omit<Finding, 'check'> {
  const running = findConnection(data);
  if (running !== undefined) {
    return { health: 'ok', says: `pages ${running.web}, inbox smtp://127.0.0.1:${running.smtp}` };
  }
  const says =
    'an office that cannot be reached from here holds the data directory: one in a container, perhaps';
  return isHeld(openDataDirectory(data).root)
    ? { health: 'wrong', says: `${says}; stop that one, or look there` }
    : { health: 'note', says: 'not running: start it with `npm start`' };
}

/** Whether the household's mailbox opens, tried as a pick-up does it. */
async function mailbox(data: string): Promise<Omit<Finding, 'check'>> {
  const { mailbox: access } = mailboxFromEnvironment(data);
  if (access === undefined) {
    return { health: 'note', says: 'no mail is picked up: set CAREGATE_IMAP_URL to do so (docs/mailbox.md)' };
  }
  const { problem, says, verifies } = await checkMailbox(access);
  return { health: problem === undefined ? (verifies ? 'ok' : 'note') : 'wrong', says };
}

/** Whether mail leaves, tried by signing in to the provider, and what became of what was handed over. */
async function sending(data: string): Promise<Omit<Finding, 'check'>> {
  const { transport } = transportFromEnvironment(data);
  if (transport === undefined) {
    const why = process.env.CAREGATE_SENDING === 'off' ? 'CAREGATE_SENDING is off' : 'set CAREGATE_SMTP_URL';
    const says = `off: letters and notices stay in the outbox of the data directory (${why})`;
    return { health: 'note', says };
  }
  const problem = await transport.check();
  transport.close();
  if (problem !== undefined) return { health: 'wrong', says: `the mail provider: ${relayProblems[problem]}` };
  const ends = [...(await relayEnds(openDataDirectory(data).outbox)).values()];
  const count = (outcome: string): number => ends.filter((end) => end.outcome === outcome).length;
  const [refused, unknown] = [count('refused'), count('unknown')];
  const says = `on: the provider answers; ${count('taken')} taken, ${refused} refused, ${unknown} unknown`;
  return { health: refused + unknown > 0 ? 'note' : 'ok', says: `${says}; see \`caregate outbox\`` };
}
