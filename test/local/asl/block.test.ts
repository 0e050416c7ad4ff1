import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../../lib/local/asl/history.ts';
import { journalFile, look, machineOf, openBench, run, start, taskOf, tokenTaskOf } from './fixture.ts';

const wait = (seconds: unknown) => ({ Type: 'Wait', Seconds: seconds, End: true });
const mapOf = (state: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  Type: 'Map',
  Items: [3, 1, 2],
  ItemProcessor: { StartAt: 'In', States: { In: state } },
  End: true,
  ...more,
});

/** The events of some types as `type<previousType`. */
function chain(events: readonly HistoryEvent[], types: readonly string[]): string[] {
  return events
    .filter(({ type }) => types.includes(type))
    .map(({ type, previousEventId }) => `${type}<${events[previousEventId - 1]?.type}`);
}

describe('a Map', () => {
  it('runs its items side by side and gives their outputs in their order', async () => {
    const bench = await openBench();
    const began = bench.clock.now();
    const ran = await run(bench, machineOf({ M: mapOf(wait('{% $states.input %}')) }));
    expect(ran.output).toBe('[3,1,2]');
    expect((ran.stopDate ?? 0) - began).toBe(3000);
  });

  it('runs no more of them at once than MaxConcurrency says', async () => {
    let open = 0;
    let most = 0;
    const bench = await openBench({
      f: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise<void>((resolve) => bench.clock.at(bench.clock.now() + 1000, resolve));
        open -= 1;
      },
    });
    const ran = await run(
      bench,
      machineOf({ M: mapOf(taskOf('f'), { Items: '{% [1..7] %}', MaxConcurrency: '{% 1 + 1 %}' }) }),
    );
    expect([ran.status, most]).toEqual(['SUCCEEDED', 2]);
  });

  it('runs at most 40 at once when nothing else is said', async () => {
    const bench = await openBench();
    const arn = await start(
      bench,
      machineOf({ M: mapOf(wait(1), { Items: '{% [1..50] %}', MaxConcurrency: 0 }) }),
    );
    const { types } = await look(bench, arn);
    expect(types.filter((type) => type === 'MapIterationStarted').length).toBe(40);
    await bench.clock.advance(2000);
    expect((await look(bench, arn)).status).toBe('SUCCEEDED');
  });

  it('whose item fails aborts the others, all from the event that failed', async () => {
    const bench = await openBench({
      f: async (payload) => {
        if (payload !== 1) return new Promise(() => {});
        throw Object.assign(new Error('no'), { name: 'E' });
      },
    });
    const call = taskOf('f', { Arguments: { FunctionName: 'f', Payload: '{% $states.input %}' } });
    const ran = await run(bench, machineOf({ M: mapOf(call) }));
    const ends = [
      'MapIterationFailed',
      'TaskStateAborted',
      'MapIterationAborted',
      'MapStateFailed',
      'ExecutionFailed',
    ];
    expect(chain(ran.events, ends)).toEqual([
      'MapIterationFailed<TaskFailed',
      'TaskStateAborted<TaskFailed',
      'TaskStateAborted<TaskFailed',
      'TaskStateAborted<TaskFailed',
      'MapIterationAborted<TaskFailed',
      'MapIterationAborted<TaskFailed',
      'MapStateFailed<TaskFailed',
      'ExecutionFailed<MapStateFailed',
    ]);
  });

  it('shows each item its place and its value, also in the states inside', async () => {
    const inside = { Type: 'Pass', Output: '{% $states.context.Map.Item %}', End: true };
    const ran = await run(
      await openBench(),
      machineOf({ M: mapOf(inside, { ItemSelector: { chosen: '{% $states.context.Map.Item.Index %}' } }) }),
    );
    expect(JSON.parse(ran.output ?? '')).toEqual([
      { Index: 0, Value: 3 },
      { Index: 1, Value: 1 },
      { Index: 2, Value: 2 },
    ]);
    const entered = ran.events.find(({ type }) => type === 'PassStateEntered');
    expect(entered?.details?.input).toBe('{"chosen":0}');
  });

  it('whose concurrency is no number fails before any item', async () => {
    const ran = await run(
      await openBench(),
      machineOf({ M: mapOf(wait(0), { MaxConcurrency: '{% "two" %}' }) }),
    );
    expect(ran.types).toEqual([
      'ExecutionStarted',
      'MapStateEntered',
      'EvaluationFailed',
      'MapStateFailed',
      'ExecutionFailed',
    ]);
  });

  it('in a Map keeps the items apart', async () => {
    const inner = mapOf(
      { Type: 'Pass', Output: '{% $states.context.Map.Item.Value * $factor %}', End: true },
      { Items: [1, 2] },
    );
    const outer = mapOf(inner, {
      ItemProcessor: {
        StartAt: 'Set',
        States: {
          Set: { Type: 'Pass', Assign: { factor: '{% $states.input %}' }, Next: 'Inner' },
          Inner: inner,
        },
      },
    });
    expect((await run(await openBench(), machineOf({ M: outer }))).output).toBe('[[3,6],[1,2],[2,4]]');
  });
});

describe('a Parallel', () => {
  const branch = (name: string, state: Record<string, unknown>) => ({
    StartAt: name,
    States: { [name]: state },
  });

  it('gives every branch its arguments, and their outputs in their order', async () => {
    const states = {
      P: {
        Type: 'Parallel',
        Arguments: { half: '{% $states.input.n / 2 %}' },
        Branches: [
          branch('Slow', { Type: 'Wait', Seconds: 5, End: true }),
          branch('Quick', { Type: 'Pass', Output: '{% $states.input.half + 1 %}', End: true }),
        ],
        Assign: { second: '{% $states.result[1] %}' },
        Next: 'Q',
      },
      Q: { Type: 'Pass', Output: ['{% $states.input %}', '{% $second %}'], End: true },
    };
    expect((await run(await openBench(), machineOf(states), { n: 8 })).output).toBe('[[{"half":4},5],5]');
  });

  it('whose branch fails aborts what the others are in', async () => {
    const branches = [
      branch('Broken', { Type: 'Wait', Seconds: 1, Next: 'End' }),
      branch('Waiting', { Type: 'Wait', Seconds: 9, End: true }),
      branch('Nested', mapOf(wait(9), { Items: [1] })),
    ];
    Object.assign(branches[0]?.States ?? {}, { End: { Type: 'Fail', Error: 'E' } });
    const bench = await openBench();
    const ran = await run(bench, machineOf({ P: { Type: 'Parallel', Branches: branches, End: true } }));
    expect(
      chain(
        ran.events,
        ran.types.filter((type) => /Aborted|Failed/.test(type)),
      ),
    ).toEqual([
      'WaitStateAborted<FailStateEntered',
      'WaitStateAborted<FailStateEntered',
      'MapStateAborted<FailStateEntered',
      'ParallelStateFailed<FailStateEntered',
      'ExecutionFailed<ParallelStateFailed',
    ]);
    expect(bench.clock.next).toBeUndefined();
  });

  it('that is aborted takes its tokens along', async () => {
    let token = '';
    const bench = await openBench({
      ask: (given) => {
        token = String(given);
      },
    });
    const failing = {
      StartAt: 'W',
      States: { W: { Type: 'Wait', Seconds: 1, Next: 'F' }, F: { Type: 'Fail' } },
    };
    await run(
      bench,
      machineOf({
        P: { Type: 'Parallel', Branches: [branch('Ask', tokenTaskOf('ask')), failing], End: true },
      }),
    );
    await expect(bench.engine.sendTaskSuccess(token, '1')).rejects.toMatchObject({ type: 'TaskTimedOut' });
  });
});

describe('a restart in the middle of a block', () => {
  it('repeats nothing that has ended and goes on with the rest', async () => {
    const journal = journalFile();
    const calls: unknown[] = [];
    const f = (payload: unknown) => {
      calls.push(payload);
    };
    const inside = {
      StartAt: 'Call',
      States: {
        Call: taskOf('f', {
          Arguments: { FunctionName: 'f', Payload: '{% $states.input %}' },
          Output: '{% $states.input %}',
          End: undefined,
          Next: 'Rest',
        }),
        Rest: wait(10),
      },
    };
    const states = {
      P: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'M',
            States: {
              M: { Type: 'Map', Items: '{% [1..5] %}', MaxConcurrency: 2, ItemProcessor: inside, End: true },
            },
          },
          { StartAt: 'Done', States: { Done: { Type: 'Pass', Output: 'done', End: true } } },
        ],
        End: true,
      },
    };
    let bench = await openBench({ f }, { journal });
    const { clock } = bench;
    const arn = await start(bench, machineOf(states));
    for (let restart = 0; restart < 6; restart++) {
      await clock.advance(5_000);
      await bench.engine.close();
      bench = await openBench({ f }, { journal, clock });
      await clock.advance(0);
    }
    const ran = await look(bench, arn);
    expect([ran.status, ran.output]).toEqual(['SUCCEEDED', '[[1,2,3,4,5],"done"]']);
    expect(calls.length).toBe(5);
    expect(ran.events.map(({ id }) => id)).toEqual(ran.events.map((_, index) => index + 1));
  });
});
