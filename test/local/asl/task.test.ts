import { describe, expect, it } from 'vitest';
import { CaregateError } from '../../../lib/errors.ts';
import { openEngine } from '../../../lib/local/asl/engine.ts';
import { seededRandomness } from '../../support/time.ts';
import {
  invoker,
  journalFile,
  look,
  machineOf,
  openBench,
  run,
  start,
  taskOf,
  tokenTaskOf,
} from './fixture.ts';

const day = 86_400_000;

function named(name: string): Error {
  return Object.assign(new Error('it broke'), { name });
}

describe('a task that fails is retried as its Retry says', () => {
  const failing = (retry: Record<string, unknown>) =>
    machineOf({ A: taskOf('f', { Retry: [{ ErrorEquals: ['States.ALL'], ...retry }] }) });

  async function callTimes(retry: Record<string, unknown>): Promise<number[]> {
    const times: number[] = [];
    const bench = await openBench({
      f: () => {
        times.push(bench.clock.now());
        throw named('E');
      },
    });
    await run(bench, failing(retry));
    return times.map((time) => (time - (times[0] ?? 0)) / 1000);
  }

  it('after 1, 2 and 4 seconds by default', async () => {
    expect(await callTimes({})).toEqual([0, 1, 3, 7]);
  });

  it('by its own interval, rate and number', async () => {
    expect(await callTimes({ IntervalSeconds: 10, BackoffRate: 3, MaxAttempts: 2 })).toEqual([0, 10, 40]);
  });

  it('with a pause that MaxDelaySeconds bounds', async () => {
    expect(
      await callTimes({ IntervalSeconds: 10, BackoffRate: 3, MaxAttempts: 3, MaxDelaySeconds: 12 }),
    ).toEqual([0, 10, 22, 34]);
  });

  it('with jitter somewhere between nothing and the whole pause', async () => {
    const times = await callTimes({
      IntervalSeconds: 100,
      BackoffRate: 1,
      MaxAttempts: 5,
      JitterStrategy: 'FULL',
    });
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.length).toBe(5);
    expect(new Set(pauses).size).toBeGreaterThan(1);
    for (const pause of pauses) expect(pause).toSatisfy((seconds: number) => seconds >= 0 && seconds <= 100);
  });

  it('counting for each retrier by itself', async () => {
    let calls = 0;
    const bench = await openBench({
      f: () => {
        calls += 1;
        throw named(calls % 2 === 0 ? 'Even' : 'Odd');
      },
    });
    const once = (name: string) => ({ ErrorEquals: [name], MaxAttempts: 1 });
    const ran = await run(bench, machineOf({ A: taskOf('f', { Retry: [once('Odd'), once('Even')] }) }));
    expect([calls, ran.error]).toEqual([3, 'Odd']);
  });
});

describe('an error is matched by', () => {
  async function caughtBy(errorEquals: string, error: unknown): Promise<boolean> {
    const bench = await openBench({
      f: () => {
        throw error;
      },
    });
    const states = {
      A: taskOf('f', { Catch: [{ ErrorEquals: [errorEquals], Next: 'B' }] }),
      B: { Type: 'Pass', End: true },
    };
    return (await run(bench, machineOf(states))).status === 'SUCCEEDED';
  }

  it('its own name, States.TaskFailed and States.ALL, and by nothing else', async () => {
    const error = named('E');
    const answers = await Promise.all(
      ['E', 'States.TaskFailed', 'States.ALL', 'F', 'States.Timeout', 'States.Runtime'].map((name) =>
        caughtBy(name, error),
      ),
    );
    expect(answers).toEqual([true, true, true, false, false, false]);
  });

  it('a function that does not exist is Lambda.ResourceNotFoundException, one that cannot be reached a client error', async () => {
    const codes = [
      [new CaregateError('NOT_FOUND', 'no function `f`'), 'Lambda.ResourceNotFoundException'],
      [named('ECONNREFUSED'), 'Lambda.SdkClientException'],
    ] as const;
    for (const [thrown, error] of codes) {
      const bench = await openBench({}, { invoke: () => Promise.reject(thrown) });
      expect((await run(bench, machineOf({ A: taskOf('f') }))).error).toBe(error);
    }
  });

  it('a function error without a type is Lambda.Unknown', async () => {
    const bench = await openBench({}, { invoke: async () => ({ error: { errorMessage: 'exit 1' } }) });
    const ran = await run(bench, machineOf({ A: taskOf('f') }));
    expect([ran.error, ran.cause]).toEqual(['Lambda.Unknown', '{"errorMessage":"exit 1"}']);
  });

  it('an error in a Catch clause is not caught by the same state', async () => {
    const bench = await openBench({
      f: () => {
        throw named('E');
      },
    });
    const states = {
      A: taskOf('f', { Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $nothing %}', Next: 'B' }] }),
      B: { Type: 'Pass', End: true },
    };
    const ran = await run(bench, machineOf(states));
    expect(ran.error).toBe('States.QueryEvaluationError');
    expect(ran.types.filter((type) => type === 'EvaluationFailed').length).toBe(1);
  });

  it('an evaluation error of a Task is caught as any other', async () => {
    const states = {
      A: taskOf('f', {
        Output: '{% $nothing %}',
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }],
      }),
      B: { Type: 'Pass', Output: 'caught', End: true },
    };
    expect((await run(await openBench({ f: () => 1 }), machineOf(states))).output).toBe('"caught"');
  });
});

describe('a call', () => {
  it('gets the bare name out of a name, a version, or an ARN', async () => {
    const called: string[] = [];
    const bench = await openBench(
      {},
      {
        invoke: async (name) => {
          called.push(name);
          return { payload: null };
        },
      },
    );
    const names = [
      'plan',
      'plan:7',
      'arn:aws:lambda:eu-central-1:123456789012:function:plan',
      'arn:aws:lambda:eu-central-1:123456789012:function:plan:$LATEST',
      '123456789012:function:plan',
    ];
    const states = names.map((name, index) => [
      `S${index}`,
      taskOf(name, index === names.length - 1 ? {} : { End: undefined, Next: `S${index + 1}` }),
    ]);
    await run(bench, machineOf(Object.fromEntries(states)));
    expect(called).toEqual(['plan', 'plan', 'plan', 'plan', 'plan']);
  });

  it('whose arguments are one expression is checked when it is known', async () => {
    const bench = await openBench({ f: (payload) => payload });
    const argument = (value: string) => machineOf({ A: taskOf('f', { Arguments: `{% ${value} %}` }) });
    const { arn } = await bench.engine.createStateMachine(
      'other',
      argument('{"FunctionName": "f", "LogType": "Tail"}'),
      'arn:aws:iam::000000000000:role/r',
    );
    const started = await bench.engine.startExecution({ stateMachineArn: arn });
    await bench.clock.advance(0);
    expect((await bench.engine.execution(started.arn)).cause).toContain('LogType');
    expect((await run(bench, argument('{"Payload": 1}'))).cause).toContain('FunctionName');
  });

  it('is told when its time is over, and what it answers then is ignored', async () => {
    let aborted = false;
    const bench = await openBench({
      f: (_payload, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve('late');
          });
        }),
    });
    const ran = await run(bench, machineOf({ A: taskOf('f', { TimeoutSeconds: 60 }) }));
    expect([aborted, ran.error, ran.types.at(-1)]).toEqual([true, 'States.Timeout', 'ExecutionFailed']);
  });

  it('with a result over 256 KiB fails so that States.ALL catches it', async () => {
    const bench = await openBench({ f: () => 'x'.repeat(262_145) });
    const states = {
      A: taskOf('f', {
        Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput.Error %}', Next: 'B' }],
      }),
      B: { Type: 'Pass', End: true },
    };
    expect((await run(bench, machineOf(states))).output).toBe('"States.DataLimitExceeded"');
  });
});

describe('a task token', () => {
  const tokens: string[] = [];
  const take = {
    ask: (token: unknown) => {
      tokens.push(String(token));
    },
  };
  const lastToken = () => tokens.at(-1) ?? '';

  it('is accepted after three days, once', async () => {
    const bench = await openBench(take);
    const arn = await start(bench, machineOf({ A: tokenTaskOf('ask', { TimeoutSeconds: 7 * 86_400 }) }));
    await bench.clock.advance(3 * day);
    await bench.engine.sendTaskSuccess(lastToken(), '{"decision":"yes"}');
    await bench.clock.advance(0);
    expect((await look(bench, arn)).output).toBe('{"decision":"yes"}');
    await expect(bench.engine.sendTaskSuccess(lastToken(), '{}')).rejects.toMatchObject({
      type: 'TaskTimedOut',
    });
    await expect(bench.engine.sendTaskFailure(lastToken(), {})).rejects.toMatchObject({
      type: 'TaskTimedOut',
    });
    await expect(bench.engine.sendTaskHeartbeat(lastToken())).rejects.toMatchObject({ type: 'TaskTimedOut' });
  });

  it('is refused after its task has timed out, and the retry has a new one', async () => {
    const bench = await openBench(take);
    const retry = [{ ErrorEquals: ['States.Timeout'], MaxAttempts: 1 }];
    await start(bench, machineOf({ A: tokenTaskOf('ask', { TimeoutSeconds: 10, Retry: retry }) }));
    const first = lastToken();
    await bench.clock.advance(12_000);
    expect(lastToken()).not.toBe(first);
    await expect(bench.engine.sendTaskSuccess(first, '1')).rejects.toMatchObject({ type: 'TaskTimedOut' });
    await bench.engine.sendTaskSuccess(lastToken(), '1');
  });

  it('may come back while its function still runs, which is then left alone', async () => {
    let aborted = false;
    const bench = await openBench({
      ask: async (token, signal) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        await bench.engine.sendTaskSuccess(String(token), '"early"');
        return 'ignored';
      },
    });
    const ran = await run(bench, machineOf({ A: tokenTaskOf('ask') }));
    expect([ran.output, aborted]).toEqual(['"early"', false]);
    expect(ran.types).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      'TaskScheduled',
      'TaskStarted',
      'TaskSucceeded',
      'TaskStateExited',
      'ExecutionSucceeded',
    ]);
  });

  it('that is garbage is told apart from one that is over', async () => {
    const { engine } = await openBench();
    for (const garbage of ['x', 'a'.repeat(51), 'a'.repeat(3000)]) {
      await expect(engine.sendTaskSuccess(garbage, '1')).rejects.toMatchObject({ type: 'InvalidToken' });
    }
  });

  it('takes no output that is not JSON or is too long', async () => {
    const bench = await openBench(take);
    await start(bench, machineOf({ A: tokenTaskOf('ask') }));
    for (const output of ['{', '', `"${'x'.repeat(262_143)}"`]) {
      await expect(bench.engine.sendTaskSuccess(lastToken(), output)).rejects.toMatchObject({
        type: 'InvalidOutput',
      });
    }
    await bench.engine.sendTaskSuccess(lastToken(), `"${'x'.repeat(262_142)}"`);
  });

  it('lives as long as its heartbeats come, and a Catch can name their absence', async () => {
    const bench = await openBench(take);
    const states = {
      A: tokenTaskOf('ask', {
        HeartbeatSeconds: 10,
        Catch: [{ ErrorEquals: ['States.HeartbeatTimeout'], Next: 'B' }],
      }),
      B: { Type: 'Pass', Output: 'silent', End: true },
    };
    const arn = await start(bench, machineOf(states));
    for (let beat = 0; beat < 5; beat++) {
      await bench.clock.advance(9_000);
      await bench.engine.sendTaskHeartbeat(lastToken());
    }
    expect((await look(bench, arn)).status).toBe('RUNNING');
    await bench.clock.advance(11_000);
    expect((await look(bench, arn)).output).toBe('"silent"');
  });

  it('without heartbeats in its definition takes them without effect', async () => {
    const bench = await openBench(take);
    const arn = await start(bench, machineOf({ A: tokenTaskOf('ask') }));
    await bench.engine.sendTaskHeartbeat(lastToken());
    expect((await look(bench, arn)).types.length).toBe(5);
  });
});

describe('after a restart', () => {
  it('a parked token is accepted, a heartbeat and a timeout keep their times', async () => {
    const journal = journalFile();
    let token = '';
    const ask = (given: unknown) => {
      token = String(given);
    };
    const first = await openBench({ ask }, { journal });
    const definition = machineOf({ A: tokenTaskOf('ask', { TimeoutSeconds: 100, HeartbeatSeconds: 60 }) });
    const kept = await start(first, definition);
    const keptToken = token;
    const silent = await first.engine.startExecution({
      stateMachineArn: kept.replace('execution', 'stateMachine').replace(/:run$/, ''),
      name: 'silent',
    });
    await first.clock.advance(50_000);
    await first.engine.sendTaskHeartbeat(keptToken);
    await first.engine.close();

    const second = await openBench({ ask }, { journal, clock: first.clock });
    await second.clock.advance(20_000);
    expect((await look(second, silent.arn)).error).toBe('States.Timeout');
    expect((await look(second, kept)).status).toBe('RUNNING');
    await second.engine.sendTaskSuccess(keptToken, '1');
    await second.clock.advance(0);
    expect((await look(second, kept)).status).toBe('SUCCEEDED');
  });

  it('a call whose answer got lost fails as a broken connection does', async () => {
    const journal = journalFile();
    const first = await openBench({ f: () => new Promise(() => {}) }, { journal });
    const arn = await start(
      first,
      machineOf({ A: taskOf('f', { Retry: [{ ErrorEquals: ['Lambda.SdkClientException'] }] }) }),
    );
    await first.engine.close();
    const second = await openBench({ f: () => 'again' }, { journal, clock: first.clock });
    await second.clock.advance(1_000);
    const { types, output } = await look(second, arn);
    expect(JSON.parse(output ?? '')).toMatchObject({ Payload: 'again' });
    expect(types.filter((type) => type === 'TaskFailed').length).toBe(1);
  });

  it('a wait and a retry end when they would have ended', async () => {
    const journal = journalFile();
    let calls = 0;
    const f = () => {
      calls += 1;
      if (calls === 1) throw named('E');
      return calls;
    };
    const first = await openBench({ f }, { journal });
    const retry = [{ ErrorEquals: ['E'], IntervalSeconds: 100 }];
    const states = { W: { Type: 'Wait', Seconds: 100, Next: 'A' }, A: taskOf('f', { Retry: retry }) };
    const arn = await start(first, machineOf(states));
    await first.clock.advance(40_000);
    await first.engine.close();
    const second = await openBench({ f }, { journal, clock: first.clock });
    await second.clock.advance(59_000);
    expect(calls).toBe(0);
    await second.clock.advance(41_000);
    expect(calls).toBe(1);
    await second.engine.close();
    const third = await openBench({ f }, { journal, clock: first.clock });
    await third.clock.advance(59_000);
    expect(calls).toBe(1);
    await third.clock.advance(2_000);
    expect((await look(third, arn)).status).toBe('SUCCEEDED');
  });

  it('what became due meanwhile happens at once', async () => {
    const journal = journalFile();
    const first = await openBench({}, { journal });
    const arn = await start(
      first,
      machineOf({ W: { Type: 'Wait', Seconds: 100, End: true } }, { TimeoutSeconds: 500 }),
    );
    await first.engine.close();
    await first.clock.advance(200_000);
    const engine = await openEngine({
      journal,
      clock: first.clock,
      randomness: seededRandomness(1),
      invoke: invoker({}),
    });
    await first.clock.advance(0);
    expect((await engine.execution(arn)).status).toBe('SUCCEEDED');
    await engine.close();
  });
});
