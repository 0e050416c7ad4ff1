import { describe, expect, it } from 'vitest';
import type { StatusChange } from '../../../lib/local/asl/engine.ts';
import { journalFile, look, machineOf, openBench, role, run, start, taskOf, tokenTaskOf } from './fixture.ts';

const forever = machineOf({ W: { Type: 'Wait', Seconds: 1_000, End: true } });
const pass = machineOf({ P: { Type: 'Pass', End: true } });

describe('a machine', () => {
  it('can be created again as it is, but not otherwise', async () => {
    const { engine } = await openBench();
    const { arn } = await engine.createStateMachine('m', pass, role);
    expect((await engine.createStateMachine('m', pass, role)).arn).toBe(arn);
    await expect(engine.createStateMachine('m', forever, role)).rejects.toMatchObject({
      type: 'StateMachineAlreadyExists',
    });
    await expect(engine.createStateMachine('m', pass, `${role}2`)).rejects.toMatchObject({
      type: 'StateMachineAlreadyExists',
    });
  });

  it('has a name that AWS takes', async () => {
    const { engine } = await openBench();
    for (const name of ['', 'a b', 'a/b', 'a:b', 'x'.repeat(81), 'a\u0000b']) {
      await expect(engine.createStateMachine(name, pass, role)).rejects.toMatchObject({
        type: 'InvalidName',
      });
    }
    expect((await engine.createStateMachine('Größe-1.2_x', pass, role)).name).toBe('Größe-1.2_x');
  });

  it('that is updated lets what runs end as it began, also after a restart', async () => {
    const journal = journalFile();
    const first = await openBench({}, { journal });
    const arn = await start(
      first,
      machineOf({
        W: { Type: 'Wait', Seconds: 10, Next: 'P' },
        P: { Type: 'Pass', Output: 'old', End: true },
      }),
    );
    const machine = arn.replace('execution', 'stateMachine').replace(/:run$/, '');
    await first.engine.updateStateMachine(machine, {
      definition: machineOf({ P: { Type: 'Pass', Output: 'new', End: true } }),
    });
    await first.engine.close();
    const second = await openBench({}, { journal, clock: first.clock });
    const other = await second.engine.startExecution({ stateMachineArn: machine, name: 'after' });
    await second.clock.advance(10_000);
    expect((await look(second, arn)).output).toBe('"old"');
    expect((await look(second, other.arn)).output).toBe('"new"');
    expect((await second.engine.stateMachineOf(arn)).definition).toContain('old');
    expect((await second.engine.stateMachineOf(other.arn)).definition).toContain('new');
  });

  it('that does not exist is named so, and an ARN that is none is another error', async () => {
    const { engine } = await openBench();
    const missing = 'arn:aws:states:us-east-1:000000000000:stateMachine:none';
    await expect(engine.startExecution({ stateMachineArn: missing })).rejects.toMatchObject({
      type: 'StateMachineDoesNotExist',
    });
    await expect(engine.startExecution({ stateMachineArn: 'none' })).rejects.toMatchObject({
      type: 'InvalidArn',
    });
    await expect(engine.execution('none')).rejects.toMatchObject({ type: 'InvalidArn' });
    const run = missing.replace('stateMachine', 'execution').concat(':run');
    await expect(engine.history(run)).rejects.toMatchObject({ type: 'ExecutionDoesNotExist' });
    await expect(engine.stopExecution(run)).rejects.toMatchObject({ type: 'ExecutionDoesNotExist' });
    await expect(engine.listExecutions(missing, { offset: 0, limit: 1 })).rejects.toMatchObject({
      type: 'StateMachineDoesNotExist',
    });
  });
});

describe('starting an execution', () => {
  for (const kind of ['in memory', 'on disk']) {
    it(`is idempotent while it runs with the same input, ${kind}`, async () => {
      const bench = await openBench({}, kind === 'on disk' ? { journal: journalFile() } : {});
      const { engine, clock } = bench;
      const { arn } = await engine.createStateMachine('m', forever, role);
      const begin = { stateMachineArn: arn, name: 'n', input: '{"a":1}' };
      const first = await engine.startExecution(begin);
      expect((await engine.startExecution(begin)).arn).toBe(first.arn);
      await expect(engine.startExecution({ ...begin, input: '{"a":2}' })).rejects.toMatchObject({
        type: 'ExecutionAlreadyExists',
      });
      await clock.advance(1_000_000);
      await expect(engine.startExecution(begin)).rejects.toMatchObject({ type: 'ExecutionAlreadyExists' });
      expect((await engine.listExecutions(arn, { offset: 0, limit: 9 })).length).toBe(1);
    });
  }

  it('twenty times at once starts it once', async () => {
    const { engine } = await openBench({}, { journal: journalFile() });
    const { arn } = await engine.createStateMachine('m', forever, role);
    const all = await Promise.all(
      Array.from({ length: 20 }, () => engine.startExecution({ stateMachineArn: arn, name: 'n' })),
    );
    expect(new Set(all.map((row) => row.id)).size).toBe(1);
  });

  it('needs a name that AWS takes, or makes one, and an input that is JSON of at most 256 KiB', async () => {
    const { engine } = await openBench();
    const { arn } = await engine.createStateMachine('m', pass, role);
    await expect(engine.startExecution({ stateMachineArn: arn, name: 'a b' })).rejects.toMatchObject({
      type: 'InvalidName',
    });
    for (const input of ['{', `"${'ä'.repeat(131_072)}"`]) {
      await expect(engine.startExecution({ stateMachineArn: arn, input })).rejects.toMatchObject({
        type: 'InvalidExecutionInput',
      });
    }
    const named = await engine.startExecution({ stateMachineArn: arn, input: `"${'ä'.repeat(131_071)}"` });
    expect(named.name).toMatch(/^[\da-f]{32}$/);
  });
});

describe('an execution', () => {
  it('is stopped with what it is in the middle of, once', async () => {
    let aborted = false;
    const bench = await openBench({
      f: (_payload, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
        }),
    });
    const arn = await start(bench, machineOf({ A: taskOf('f', { TimeoutSeconds: 60 }) }));
    const stopped = await bench.engine.stopExecution(arn, { error: 'Enough', cause: 'a person said so' });
    const ran = await look(bench, arn);
    expect([ran.status, ran.error, ran.cause, aborted]).toEqual([
      'ABORTED',
      'Enough',
      'a person said so',
      true,
    ]);
    expect(ran.events.at(-1)).toMatchObject({ type: 'ExecutionAborted', details: { error: 'Enough' } });
    await bench.clock.advance(99_000);
    expect(await bench.engine.stopExecution(arn, { error: 'Again' })).toBe(stopped);
    expect((await look(bench, arn)).error).toBe('Enough');
  });

  it('that takes longer than its machine allows is timed out, also across a restart', async () => {
    const journal = journalFile();
    const first = await openBench({}, { journal });
    const arn = await start(
      first,
      machineOf({ W: { Type: 'Wait', Seconds: 99, End: true } }, { TimeoutSeconds: 60 }),
    );
    await first.clock.advance(40_000);
    await first.engine.close();
    const second = await openBench({}, { journal, clock: first.clock });
    await second.clock.advance(21_000);
    const ran = await look(second, arn);
    expect([ran.status, ran.types.at(-1), ran.error]).toEqual(['TIMED_OUT', 'ExecutionTimedOut', undefined]);
    expect((ran.stopDate ?? 0) - ran.startDate).toBe(60_000);
  });

  it('ends at 25,000 events, the last of which says why', async () => {
    const loop = machineOf({ A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } });
    const ran = await run(await openBench(), loop);
    expect([ran.events.length, ran.types.at(-1), ran.error]).toEqual([
      25_000,
      'ExecutionFailed',
      'States.Runtime',
    ]);
    expect(ran.cause).toContain('(25000)');
  });

  it('whose state puts out more than 256 KiB fails beyond any Catch', async () => {
    const big = `{% $join($map([1..1000], function() { '${'x'.repeat(300)}' })) %}`;
    const states = {
      P: {
        Type: 'Parallel',
        Branches: [{ StartAt: 'A', States: { A: { Type: 'Pass', Output: big, End: true } } }],
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'C' }],
        End: true,
      },
      C: { Type: 'Pass', End: true },
    };
    const ran = await run(await openBench(), machineOf(states));
    expect([ran.status, ran.error]).toEqual(['FAILED', 'States.DataLimitExceeded']);
  });

  it('whose arguments are over 256 KiB calls nobody', async () => {
    const big = {
      FunctionName: 'f',
      Payload: `{% $join($map([1..1000], function() { '${'x'.repeat(300)}' })) %}`,
    };
    const bench = await openBench({
      f: () => {
        throw new Error('called');
      },
    });
    expect((await run(bench, machineOf({ A: taskOf('f', { Arguments: big }) }))).error).toBe(
      'States.DataLimitExceeded',
    );
  });

  it('that no rule of a Choice fits fails as on AWS', async () => {
    const ran = await run(
      await openBench(),
      machineOf({ C: { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'C' }] } }),
    );
    expect(ran.error).toBe('States.Runtime');
    expect(ran.cause).toContain('does not point to a next state');
  });

  it('whose condition is no boolean, or whose wait is no whole number of seconds, fails with the type', async () => {
    const choice = { C: { Type: 'Choice', Choices: [{ Condition: '{% "yes" %}', Next: 'C' }] } };
    expect((await run(await openBench(), machineOf(choice))).cause).toContain(
      "Expected 'boolean', but was 'string' for value: \"yes\"",
    );
    const wait = { W: { Type: 'Wait', Seconds: '{% 1.5 %}', End: true } };
    expect((await run(await openBench(), machineOf(wait))).cause).toContain("Expected 'integer'");
    const fail = { F: { Type: 'Fail', Error: '{% 5 %}' } };
    expect((await run(await openBench(), machineOf(fail))).cause).toContain("Expected 'string'");
  });

  it('waits until a moment in the future', async () => {
    const bench = await openBench();
    const ran = await run(
      bench,
      machineOf({ W: { Type: 'Wait', Timestamp: '2026-03-01T11:00:00+02:00', End: true } }),
    );
    expect((ran.stopDate ?? 0) - ran.startDate).toBe(3_600_000);
  });
});

describe('status changes are told', () => {
  it('when an execution starts and when it ends, with its output or error', async () => {
    const changes: StatusChange[] = [];
    const bench = await openBench({}, { onStatusChange: (change) => void changes.push(change) });
    const { executionArn } = { executionArn: await start(bench, pass, { a: 1 }) };
    expect(changes).toMatchObject([
      { executionArn, status: 'RUNNING', input: '{"a":1}' },
      { executionArn, status: 'SUCCEEDED', output: '{"a":1}', name: 'run' },
    ]);
  });

  it('again until somebody takes them', async () => {
    let refused = 0;
    const bench = await openBench(
      {},
      {
        onStatusChange: async ({ status }) => {
          if (status === 'RUNNING') return;
          refused += 1;
          if (refused < 3) throw new Error('not now');
        },
      },
    );
    await run(bench, machineOf({ F: { Type: 'Fail', Error: 'E' } }));
    expect(refused).toBe(3);
  });

  it('after a restart, if they could not be told before', async () => {
    const journal = journalFile();
    const first = await openBench({}, { journal, onStatusChange: () => Promise.reject(new Error('down')) });
    await start(first, pass);
    await first.engine.close();
    const told: string[] = [];
    const onStatusChange = ({ status }: StatusChange) => void told.push(status);
    const second = await openBench({}, { journal, clock: first.clock, onStatusChange });
    await second.clock.advance(0);
    expect(told).toEqual(['RUNNING', 'SUCCEEDED']);
    await second.engine.close();
    const third = await openBench({}, { journal, clock: first.clock, onStatusChange });
    await third.clock.advance(0);
    expect(told.length).toBe(2);
  });
});

it('nothing goes on after the engine was closed', async () => {
  let calls = 0;
  const bench = await openBench({
    ask: () => {
      calls += 1;
    },
  });
  const retry = [{ ErrorEquals: ['States.ALL'] }];
  await start(bench, machineOf({ A: tokenTaskOf('ask', { TimeoutSeconds: 5, Retry: retry }) }));
  await bench.engine.close();
  await bench.clock.advance(100_000);
  expect([calls, bench.clock.next]).toEqual([1, undefined]);
});
