import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEngine, VirtualClock } from '../../../lib/local/asl/engine.ts';
import type { HistoryEvent } from '../../../lib/local/asl/history.ts';
import { decodeRecords, RecordBatch } from '../../../lib/local/asl/journal-code.ts';
import { journalVersion } from '../../../lib/local/asl/journal-schema.ts';
import { systemRandomness } from '../../../lib/provenance/randomness.ts';
import { invoker, journalFile, look, machineOf, openBench, role, start, tokenTaskOf } from './fixture.ts';

const open = (journal: string) =>
  openEngine({ journal, clock: new VirtualClock(), randomness: systemRandomness, invoke: invoker({}) });

/** A journal with one execution that waits, closed. */
async function written(): Promise<{ journal: string; arn: string; clock: VirtualClock }> {
  const journal = journalFile();
  const bench = await openBench({}, { journal });
  const arn = await start(bench, machineOf({ W: { Type: 'Wait', Seconds: 10, End: true } }));
  await bench.engine.close();
  return { journal, arn, clock: bench.clock };
}

describe('a file that is no journal of this engine is refused by its name and left as it is', () => {
  async function refuses(journal: string, what: RegExp): Promise<void> {
    const before = readFileSync(journal);
    const opening = open(journal);
    await expect(opening).toFailWithCode('DATA_DIRECTORY_INVALID');
    await expect(opening).rejects.toThrow(journal);
    await expect(opening).rejects.toThrow(what);
    expect(readFileSync(journal).equals(before)).toBe(true);
  }

  it('text', async () => {
    const journal = journalFile();
    writeFileSync(journal, 'this is no database, but it is long enough to look like one '.repeat(200));
    await refuses(journal, /damaged/);
  });

  it('a journal with a damaged page', async () => {
    const { journal } = await written();
    const bytes = readFileSync(journal);
    bytes.fill(0xaa, 8_192, bytes.length);
    writeFileSync(journal, bytes);
    await refuses(journal, /damaged/);
  });

  it('a journal that was cut off', async () => {
    const { journal } = await written();
    writeFileSync(journal, readFileSync(journal).subarray(0, 20_000));
    await refuses(journal, /damaged/);
  });

  it('the database of another program', async () => {
    const journal = journalFile();
    const other = new DatabaseSync(journal);
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    await refuses(journal, /not a journal/);
  });

  it('a journal of a newer version', async () => {
    const { journal } = await written();
    const database = new DatabaseSync(journal);
    database.exec(`PRAGMA user_version = ${journalVersion + 1}`);
    database.close();
    await refuses(journal, /newer version/);
  });

  it('a journal whose records do not fit together', async () => {
    for (const body of [
      '[["TaskSucceeded","",9,8,0,{"output":"1"}]]',
      '[["", "7.0", {"note":"wait"}]]',
      '[[',
      '[["PassStateEntered","",9,8,0,"Nowhere","{}"]]',
      '[["TaskSubmitted","",9,8,0,{"output":"1"}]]',
      '[["MapIterationStarted","",9,8,0,{"index":0}]]',
    ]) {
      const { journal } = await written();
      const database = new DatabaseSync(journal);
      database.prepare('INSERT INTO records (execution, body) SELECT id, ? FROM executions').run(body);
      database.close();
      await refuses(journal, /journal/);
    }
  });

  it('a directory that is not there', async () => {
    const journal = `${journalFile()}/missing/journal.db`;
    await expect(open(journal)).toFailWithCode('DATA_DIRECTORY_INVALID');
    expect(existsSync(journal)).toBe(false);
  });

  it('a journal that another engine has open', async () => {
    const { journal, clock } = await written();
    await openBench({}, { journal, clock });
    await expect(open(journal)).rejects.toThrow(/another process/);
  });
});

describe('a full disk', () => {
  it('stops everything before anybody can see it, and lets it go on when there is space again', async () => {
    const journal = journalFile();
    let token = '';
    const functions = {
      ask: (given: unknown) => {
        token = String(given);
      },
    };
    const bench = await openBench(functions, { journal, maxPages: 40 });
    const { engine, clock } = bench;
    const { arn } = await engine.createStateMachine('m', machineOf({ A: tokenTaskOf('ask') }), role);
    const big = JSON.stringify('x'.repeat(30_000));
    const started = [(await engine.startExecution({ stateMachineArn: arn, input: big })).arn];
    await clock.advance(0);
    const waiting = token;
    const fill = async () => {
      for (;;) started.push((await engine.startExecution({ stateMachineArn: arn, input: big })).arn);
    };
    await expect(fill()).toFailWithCode('JOURNAL_UNAVAILABLE');
    const called = token;
    await expect(engine.startExecution({ stateMachineArn: arn, name: 'refused' })).toFailWithCode(
      'JOURNAL_UNAVAILABLE',
    );
    await expect(engine.sendTaskSuccess(waiting, '1')).toFailWithCode('JOURNAL_UNAVAILABLE');
    await expect(engine.stopExecution(started[0] ?? '')).toFailWithCode('JOURNAL_UNAVAILABLE');
    await expect(engine.listExecutions(arn, { offset: 0, limit: 1 })).toFailWithCode('JOURNAL_UNAVAILABLE');
    await clock.advance(10_000);
    expect(token).toBe(called);
    await engine.close();

    const again = await openBench(functions, { journal, clock });
    await again.engine.sendTaskSuccess(waiting, '1');
    await clock.advance(0);
    expect((await look(again, started[0] ?? '')).status).toBe('SUCCEEDED');
  });
});

describe('closed executions', () => {
  it('keep their history after a restart, and go after ninety days with their name', async () => {
    const { journal, arn, clock } = await written();
    const first = await openBench({}, { journal, clock });
    await clock.advance(10_000);
    const ran = await look(first, arn);
    await first.engine.close();
    await clock.advance(89 * 86_400_000);
    const second = await openBench({}, { journal, clock });
    expect(await look(second, arn)).toEqual(ran);
    await second.engine.close();
    await clock.advance(2 * 86_400_000);
    const third = await openBench({}, { journal, clock });
    await expect(third.engine.execution(arn)).rejects.toMatchObject({ type: 'ExecutionDoesNotExist' });
    const machine = arn.replace('execution', 'stateMachine').replace(/:run$/, '');
    expect((await third.engine.startExecution({ stateMachineArn: machine, name: 'run' })).status).toBe(
      'RUNNING',
    );
  });
});

describe('records', () => {
  const text = fc.jsonValue().map((value) => JSON.stringify(value));
  const number = fc.nat();
  const state = fc.record({
    type: fc.constantFrom('PassStateEntered', 'PassStateExited', 'TaskStateEntered', 'MapStateExited'),
    previous: number,
    timestamp: number,
    name: fc.string({ minLength: 1 }),
    text: fc.oneof(fc.constant('{}'), text),
  });
  const details = fc.option(fc.record({ error: fc.string(), output: text }), { nil: undefined });

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), state, details, number)), (entries) => {
        const batch = new RecordBatch();
        const expected: unknown[] = [];
        for (const [scope, each, given, due] of entries) {
          const { previous, timestamp, type, name, text: data } = each;
          const member = type.endsWith('Entered') ? 'input' : 'output';
          const head = { id: expected.length, previousEventId: previous, timestamp };
          batch.addState(scope, expected.length, each);
          expected.push({
            scope,
            event: {
              ...head,
              type,
              details: { name, [member]: data, [`${member}Details`]: { truncated: false } },
            },
          });
          const event: HistoryEvent = { ...head, id: expected.length, type: 'TaskFailed', details: given };
          const extra = due % 2 === 0 ? undefined : { deadline: due };
          batch.addEvent(scope, event, extra);
          expected.push({ scope, event, extra });
          batch.addNote(scope, { note: 'heartbeat', due });
          expected.push({ scope, note: { note: 'heartbeat', due } });
        }
        expect(decodeRecords(batch.encode())).toEqual(expected);
      }),
    );
  });
});
