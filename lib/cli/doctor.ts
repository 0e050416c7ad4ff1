import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CaregateError } from '../errors.ts';
import { findConnection, openDataDirectory } from '../local/datadirectory.ts';
import { checkMailbox } from '../local/pickup/check.ts';
import { compilePolicyFiles } from '../local/policyfiles.ts';
import { openAiBridge } from '../local/reader/bridge.ts';
import { relayEnds } from '../local/relay/relay.ts';
import { relayProblems } from '../local/relay/transport.ts';
import { readTroubles } from '../web/troubles.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { columns, createOutput, exitCodes } from './output.ts';
import { type CommonOptions, mailboxFromEnvironment, transportFromEnvironment } from './session.ts';

type Health = 'ok' | 'note' | 'wrong';

interface Finding {
  readonly check: string;
  readonly health: Health;
  readonly says: string;
}

/**
 * Says what is configured, which model answers, and what is missing. Changes nothing but making an empty data
 * directory.
 * @returns 1 if something is wrong
 */
export async function doctor(options: CommonOptions): Promise<number | undefined> {
  const output = createOutput(options.json === true);
  const findings = [
    runtime(),
    check('data', () => ({ health: 'ok', says: openDataDirectory(options.data).root })),
    check('circle', () => circle(options.data)),
    check('rules', () => rules(options.data)),
    office(options.data),
    await mailbox(),
    await model(),
    await sending(options.data),
    ...troubles(options.data),
  ];
  for (const finding of findings) output.object(finding);
  for (const line of columns(findings.map(({ check: name, health, says }) => [name, health, says])))
    output.line(line);
  return findings.some(({ health }) => health === 'wrong') ? exitCodes.failed : undefined;
}

function check(name: string, look: () => Omit<Finding, 'check'>): Finding {
  try {
    return { check: name, ...look() };
  } catch (error) {
    const says = error instanceof CaregateError ? error.message : 'cannot be examined';
    return { check: name, health: 'wrong', says };
  }
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
        says: `${says} (the invented example: put your own into ${join(data, 'circle.yaml')})`,
      };
}

function rules(data: string): Omit<Finding, 'check'> {
  const directory = fileURLToPath(new URL('../../rules', import.meta.url));
  const { digest } = compilePolicyFiles(directory, loadConnectionCircle(data));
  return { health: 'ok', says: `compiled, policy digest ${digest.slice(0, 12)}` };
}

function office(data: string): Finding {
  const running = findConnection(data);
  if (running === undefined)
    return { check: 'office', health: 'note', says: 'not running: start it with `npm start`' };
  return {
    check: 'office',
    health: 'ok',
    says: `pages ${running.web}, inbox smtp://127.0.0.1:${running.smtp}`,
  };
}

/** What the running office itself found wrong. */
function troubles(data: string): Finding[] {
  if (findConnection(data) === undefined) return [];
  return readTroubles(openDataDirectory(data).troubles).map(({ id, says, remedy, since }) => ({
    check: id,
    health: 'wrong',
    says: `${says}; ${remedy} (since ${since})`,
  }));
}

/** Whether the household's mailbox opens, tried as a pick-up does it. */
async function mailbox(): Promise<Finding> {
  const finding = (health: Health, says: string): Finding => ({ check: 'mailbox', health, says });
  try {
    const { mailbox: access } = mailboxFromEnvironment();
    if (access === undefined) {
      return finding('note', 'no mail is picked up: set CAREGATE_IMAP_URL to do so (docs/mailbox.md)');
    }
    const { problem, says, verifies } = await checkMailbox(access);
    return finding(problem === undefined ? (verifies ? 'ok' : 'note') : 'wrong', says);
  } catch (error) {
    return finding('wrong', error instanceof CaregateError ? error.message : 'cannot be examined');
  }
}

async function model(): Promise<Finding> {
  const url = process.env.CAREGATE_MODEL_URL;
  if (url === undefined || url === '') {
    return {
      check: 'model',
      health: 'note',
      says: 'the offline reader: set CAREGATE_MODEL_URL to use a server of your own',
    };
  }
  const name = process.env.CAREGATE_MODEL_NAME ?? 'default';
  const report = await openAiBridge({ url, model: name }).describe();
  const says = report.problem ?? `${report.url} answers, model ${name}`;
  return { check: 'model', health: report.reachable && report.problem === undefined ? 'ok' : 'wrong', says };
}

/** Whether mail leaves, tried by signing in to the provider, and what became of what was handed over. */
async function sending(data: string): Promise<Finding> {
  const finding = (health: Health, says: string): Finding => ({ check: 'sending', health, says });
  try {
    const { transport } = transportFromEnvironment();
    if (transport === undefined) {
      const why =
        process.env.CAREGATE_SENDING === 'off' ? 'CAREGATE_SENDING is off' : 'set CAREGATE_SMTP_URL';
      return finding('note', `off: letters and notices stay in the outbox of the data directory (${why})`);
    }
    const problem = await transport.check();
    transport.close();
    if (problem !== undefined) return finding('wrong', `the mail provider: ${relayProblems[problem]}`);
    const ends = [...(await relayEnds(openDataDirectory(data).outbox)).values()];
    const count = (outcome: string): number => ends.filter((end) => end.outcome === outcome).length;
    const [refused, unknown] = [count('refused'), count('unknown')];
    const says = `on: the provider answers; ${count('taken')} taken, ${refused} refused, ${unknown} unknown`;
    return finding(refused + unknown > 0 ? 'note' : 'ok', `${says}; see \`caregate outbox\``);
  } catch (error) {
    return finding('wrong', error instanceof CaregateError ? error.message : 'cannot be examined');
  }
}
