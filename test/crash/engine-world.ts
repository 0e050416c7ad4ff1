import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineClock } from '../../lib/local/asl/timer.ts';

/** Where a crashing engine and whoever watches it meet: files, which outlive a killed process. */
export class World {
  readonly directory: string;
  readonly journal: string;

  constructor(directory: string) {
    this.directory = directory;
    this.journal = join(directory, 'journal.db');
  }

  write(log: Log, entry: Record<string, unknown>): void {
    appendFileSync(join(this.directory, log), `${JSON.stringify(entry)}\n`);
  }

  read(log: Log): Record<string, unknown>[] {
    const file = join(this.directory, log);
    if (!existsSync(file)) return [];
    // A kill may have cut the last line short: what it would have said has not happened for anybody.
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

/** What functions were called; what tokens went out; what callbacks were acknowledged; what ends were told. */
type Log = 'calls.log' | 'tokens.log' | 'acknowledged.log' | 'ends.log';

/** Fifty times as fast as the real time, and the same after a restart. */
export function fastClock(start: number): EngineClock {
  const speed = 50;
  const now = () => start + (Date.now() - start) * speed;
  return {
    now,
    at(time, callback) {
      const timeout = setTimeout(callback, Math.max(0, (time - now()) / speed));
      return () => clearTimeout(timeout);
    },
  };
}

const retry = [
  {
    ErrorEquals: ['States.ALL'],
    IntervalSeconds: 1,
    BackoffRate: 1.1,
    MaxAttempts: 60,
    JitterStrategy: 'FULL',
  },
];

function call(
  name: string,
  payload: Record<string, unknown>,
  more: Record<string, unknown>,
): Record<string, unknown> {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: { FunctionName: name, Payload: { run: '{% $states.context.Execution.Name %}', ...payload } },
    TimeoutSeconds: 3000,
    Retry: retry,
    ...more,
  };
}

/** A retry, waits, a Map side by side, a token that a person sends back, and branches. */
export const crashMachine = JSON.stringify({
  QueryLanguage: 'JSONata',
  StartAt: 'Begin',
  States: {
    Begin: { Type: 'Pass', Assign: { number: '{% $states.input.number %}' }, Next: 'Flaky' },
    Flaky: call(
      'flaky',
      { attempt: '{% $states.context.State.RetryCount %}', number: '{% $number %}' },
      { Assign: { doubled: '{% $states.result.Payload.doubled %}' }, Next: 'Pause' },
    ),
    Pause: { Type: 'Wait', Seconds: '{% 1 + $number % 5 %}', Next: 'Each' },
    Each: {
      Type: 'Map',
      Items: '{% [1..3] %}',
      MaxConcurrency: 2,
      ItemProcessor: {
        StartAt: 'Square',
        States: {
          Square: call(
            'square',
            { number: '{% $states.input %}' },
            { Output: '{% $states.result.Payload.squared %}', End: true },
          ),
        },
      },
      Assign: { squares: '{% $states.result %}' },
      Next: 'Approve',
    },
    Approve: {
      ...call('ask', { token: '{% $states.context.Task.Token %}' }, {}),
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      TimeoutSeconds: 300000,
      Output: '{% $states.result.approved %}',
      Next: 'Both',
    },
    Both: {
      Type: 'Parallel',
      Branches: [
        { StartAt: 'Short', States: { Short: { Type: 'Wait', Seconds: 1, End: true } } },
        {
          StartAt: 'Long',
          States: { Long: { Type: 'Wait', Seconds: 3, Next: 'After' }, After: { Type: 'Pass', End: true } },
        },
      ],
      Output: { doubled: '{% $doubled %}', squares: '{% $squares %}', approved: '{% $states.result %}' },
      End: true,
    },
  },
});

/** What the machine makes of a number, worked out without it. */
export function expectedOutput(number: number): unknown {
  return { doubled: 2 * number, squares: [1, 4, 9], approved: [true, true] };
}
