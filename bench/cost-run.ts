import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HistoryEvent } from '../lib/audit/history.ts';
import { readHistory } from '../lib/audit/statuschange.ts';
import { runOf } from '../lib/casefile/resumption.ts';
import { executionName } from '../lib/casefile/step.ts';
import { post } from '../lib/cli/posting.ts';
import type { LocalModel } from '../lib/local/endpoints/bedrock.ts';
import { type Office, openOffice } from '../lib/local/office.ts';
import { mailedLinks } from '../lib/local/outboxcodes.ts';
import { offlineReader } from '../lib/local/reader/reader.ts';
import { systemClock } from '../lib/provenance/clock.ts';
import { samples } from '../samples/index.ts';
import { RequestCount, type Requests } from './cost-counting.ts';

/** What a real run was made of. */
export interface MeasuredRun {
  readonly mails: number;
  readonly transitions: number;
  /** Calls and milliseconds by the function's name. */
  readonly functions: ReadonlyMap<string, { readonly calls: number; readonly milliseconds: number }>;
  readonly requests: Readonly<Requests>;
  /** Begun chunks of 256 KB of all mails that came in. */
  readonly chunksIn: number;
  readonly executions: number;
  /** Bytes that the machine's events and the functions' lines would be in the log. */
  readonly logBytes: number;
  readonly tokens: { readonly input: number; readonly output: number };
}

/** Bytes of a line that a function writes for an event, and of what the runtime writes around it. */
const bytesOfLines = 900;

/**
 * Mails every sample into an office in this process, one at a time so that none waits for another, approves whatever
 * is asked for, and counts. Nothing of it is made up: the machine, the functions and the requests are those of a deployment.
 */
export async function measureRun(): Promise<MeasuredRun> {
  const data = mkdtempSync(join(tmpdir(), 'caregate-cost-'));
  const functions = new Map<string, { calls: number; milliseconds: number }>();
  const onEnd = (name: string, milliseconds: number): void => {
    const before = functions.get(name) ?? { calls: 0, milliseconds: 0 };
    functions.set(name, { calls: before.calls + 1, milliseconds: before.milliseconds + milliseconds });
  };
  const tokens = { input: 0, output: 0 };
  const model: LocalModel = async (request, id) => {
    const response = await offlineReader(request, id);
    tokens.input += tokensOf(request);
    tokens.output += tokensOf(response.output ?? '');
    return response;
  };
  const office = await openOffice({ data, onEnd, model });
  const { endpoints, web } = office.connection.file;
  const count = new RequestCount({ ...endpoints, PAGES: web });
  try {
    await office.idle();
    functions.clear(); // the sweep at the start is no part of a mail
    const mails = await samples(systemClock, office.circle);
    let chunksIn = 0;
    for (const { name, raw, from } of mails) {
      chunksIn += Math.floor(raw.length / (256 * 1024));
      count.start();
      await post(office.connection, office.circle.inbox, { name, raw, from });
      await office.idle();
      count.stop();
    }
    count.start();
    await approveAll(office);
    count.stop();
    const histories = await historiesOf(office);
    const events = histories.flat();
    const calls = [...functions.values()].reduce((sum, each) => sum + each.calls, 0);
    return {
      mails: mails.length,
      transitions: transitionsIn(events) + histories.length,
      functions,
      requests: count.counted,
      chunksIn,
      executions: histories.length,
      logBytes: events.reduce((sum, event) => sum + bytesInLog(event), 0) + calls * bytesOfLines,
      tokens,
    };
  } finally {
    count.stop();
    await office.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** As the embedded endpoint counts them: four characters are a token. */
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** Opens every link that was mailed and approves, once for each request, as a person does on her phone. */
async function approveAll(office: Office): Promise<void> {
  const links = await mailedLinks(office.data.outbox);
  const newest = new Map(links.toReversed().map((link) => [link.approval, link]));
  for (const { url, code } of newest.values()) {
    await fetch(url);
    await fetch(url, { method: 'POST', body: new URLSearchParams({ code, choice: 'approve' }) });
    await office.idle();
  }
}

async function historiesOf(office: Office): Promise<HistoryEvent[][]> {
  const { connection } = office;
  const entries = await connection.index.list(connection.circle);
  const names = entries.flatMap((entry) =>
    Array.from({ length: runOf(entry.execution) + 1 }, (_, run) => executionName(entry.case, run)),
  );
  const arn = connection.file.machine.replace(':stateMachine:', ':execution:');
  return Promise.all(names.map((name) => readHistory(connection.sfn, `${arn}:${name}`)));
}

/** Every state that was entered, and every task that was tried again. */
function transitionsIn(events: readonly HistoryEvent[]): number {
  const count = (pattern: RegExp): number => events.filter(({ type }) => pattern.test(type)).length;
  return count(/StateEntered$/) + Math.max(0, count(/^TaskScheduled$/) - count(/^TaskStateEntered$/));
}

/** An event as it is logged: without data, which the log leaves out. */
function bytesInLog({ id, previousEventId, type, timestamp }: HistoryEvent): number {
  const line = { id, previousEventId, type, timestamp, execution_arn: 'x'.repeat(110), details: {} };
  return JSON.stringify(line).length + 26; // what the service adds to a line when it counts bytes
}
