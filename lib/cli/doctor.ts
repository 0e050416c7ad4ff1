import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CaregateError } from '../errors.ts';
import { findConnection, openDataDirectory } from '../local/datadirectory.ts';
import { compilePolicyFiles } from '../local/policyfiles.ts';
import { openAiBridge } from '../local/reader/bridge.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { columns, createOutput, exitCodes } from './output.ts';
import type { CommonOptions } from './session.ts';

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
    await model(),
    sending(),
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

function sending(): Finding {
  return {
    check: 'sending',
    health: 'note',
    says: 'letters stay in the outbox of the data directory; nothing leaves this machine',
  };
}
