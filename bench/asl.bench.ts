import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateMachine } from 'aws-local-stepfunctions';
import { openEngine, systemTimer } from '../lib/local/asl/engine.ts';
import { systemRandomness } from '../lib/provenance/randomness.ts';
import { benchMachine, type Dialect, transitions } from './asl-machines.ts';

export const title = 'States Language engine: a machine of 20 states (Pass, Choice, Task)';

const input = { amount: 12, urgent: true };
const rounds = 5;
/** Entered and Exited of each state, three more of each of the six tasks, the start and the end. */
const eventsPerExecution = 2 * transitions + 3 * 6 + 2;

/** Runs `executions` of them, `width` at once. @returns the seconds that it took */
type Run = (executions: number, width: number) => Promise<number>;

/**
 * Transitions per second of several candidates: the medians of some rounds, after one to warm up. The rounds of the
 * candidates alternate, so that whatever else the machine does falls on all of them.
 */
async function rates(candidates: readonly Candidate[]): Promise<readonly number[]> {
  const measured: number[][] = candidates.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { run, executions, width }] of candidates.entries()) {
      const seconds = await run(executions, width);
      if (round > 0) measured[index]?.push((executions * transitions) / seconds);
    }
  }
  return measured.map((each) => each.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0);
}

interface Candidate {
  readonly run: Run;
  readonly executions: number;
  readonly width: number;
}

async function timed(
  executions: number,
  width: number,
  runOne: (index: number) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < executions) await runOne(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return (performance.now() - start) / 1000;
}

function otherEngine(): Run {
  const machine = new StateMachine(benchMachine('jsonpath') as never);
  const echo = async (value: unknown) => value;
  const handlers = Object.fromEntries(Array.from({ length: transitions }, (_, index) => [`S${index}`, echo]));
  const options = { overrides: { taskResourceLocalHandlers: handlers } } as never;
  return (executions, width) =>
    timed(executions, width, async () => {
      await machine.run(input, options).result;
    });
}

async function ownEngine(
  journal: string,
  dialect: Dialect,
): Promise<{ run: Run; close: () => Promise<void> }> {
  const waiting = new Map<string, () => void>();
  const engine = await openEngine({
    journal,
    clock: systemTimer,
    randomness: systemRandomness,
    invoke: async (_name, payload) => ({ payload }),
    onStatusChange: (change) => {
      if (change.status !== 'RUNNING') waiting.get(change.executionArn)?.();
    },
  });
  const role = 'arn:aws:iam::000000000000:role/bench';
  const { arn } = await engine.createStateMachine('bench', JSON.stringify(benchMachine(dialect)), role);
  const text = JSON.stringify(input);
  let started = 0;
  const run: Run = (executions, width) =>
    timed(executions, width, async () => {
      started += 1;
      const name = `run-${started}`;
      const ended = new Promise<void>((resolve) =>
        waiting.set(arn.replace('stateMachine', 'execution').concat(`:${name}`), resolve),
      );
      await engine.startExecution({ stateMachineArn: arn, name, input: text });
      await ended;
    });
  return { run, close: () => engine.close() };
}

function shown(label: string, perSecond: number): string {
  return `${label.padEnd(62)}${Math.round(perSecond).toLocaleString('en').padStart(10)} /s`;
}

export async function measure(): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'caregate-bench-'));
  const journal = (name: string) => join(directory, `${name}.db`);
  const engines = [
    await ownEngine(':memory:', 'constant'),
    await ownEngine(':memory:', 'jsonata'),
    await ownEngine(journal('constant'), 'constant'),
    await ownEngine(journal('jsonata'), 'jsonata'),
  ] as const;
  const [memory, jsonata, durable, durableJsonata] = engines;
  try {
    const many = { executions: 1000, width: 100 };
    const few = { executions: 200, width: 100 };
    const [other = 0, ours = 0, query = 0, disk = 0, diskQuery = 0, alone = 0] = await rates([
      { run: otherEngine(), ...many },
      { run: memory.run, ...many },
      { run: jsonata.run, ...few },
      { run: durable.run, ...many },
      { run: durableJsonata.run, ...few },
      { run: durable.run, executions: 20, width: 1 },
    ]);
    return [
      shown('aws-local-stepfunctions 3, in memory, 100 at once', other),
      shown('ours, in memory, no expressions, 100 at once', ours),
      shown('ours, in memory, JSONata in every state, 100 at once', query),
      shown('ours, durable, no expressions, 100 at once', disk),
      shown('ours, durable, JSONata in every state, 100 at once', diskQuery),
      shown('ours, durable, one execution alone', alone),
      `in memory against aws-local-stepfunctions: ${(ours / other).toFixed(2)} (must be 1 or more)`,
      `durable against in memory: ${(diskQuery / query).toFixed(2)} with JSONata in every state (must be 0.5 or more)`,
      `durable against in memory: ${(disk / ours).toFixed(2)} without expressions, where writing events down is all that costs`,
      `one durable execution alone: ${Math.round((1e6 * transitions) / alone / eventsPerExecution)} µs per event`,
    ];
  } finally {
    for (const engine of engines) await engine.close();
    rmSync(directory, { recursive: true });
  }
}
