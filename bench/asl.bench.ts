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

/** Runs `executions` of them, `width` at once. @returns the seconds that it took */
type Run = (executions: number, width: number) => Promise<number>;

/** Transitions per second: the median of some rounds, after one to warm up. */
async function rate(run: Run, executions: number, width: number): Promise<number> {
  await run(executions, width);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.push((executions * transitions) / (await run(executions, width)));
  }
  return rates.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
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

async function own(journal: string, dialect: Dialect, executions: number, width: number): Promise<number> {
  const { run, close } = await ownEngine(journal, dialect);
  const result = await rate(run, executions, width);
  await close();
  return result;
}

function shown(label: string, perSecond: number): string {
  return `${label.padEnd(62)}${Math.round(perSecond).toLocaleString('en').padStart(10)} /s`;
}

export async function measure(): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'caregate-bench-'));
  const journal = (name: string) => join(directory, `${name}.db`);
  try {
    const other = await rate(otherEngine(), 500, 100);
    const memory = await own(':memory:', 'constant', 500, 100);
    const jsonata = await own(':memory:', 'jsonata', 200, 100);
    const durable = await own(journal('many'), 'constant', 500, 100);
    const durableJsonata = await own(journal('jsonata'), 'jsonata', 200, 100);
    const alone = await own(journal('alone'), 'constant', 30, 1);
    const events = 2 * transitions + 2 * Math.floor(transitions / 3) + 2;
    return [
      shown('aws-local-stepfunctions 3, in memory, 100 at once', other),
      shown('ours, in memory, no expressions, 100 at once', memory),
      shown('ours, in memory, JSONata in every state, 100 at once', jsonata),
      shown('ours, durable, no expressions, 100 at once', durable),
      shown('ours, durable, JSONata in every state, 100 at once', durableJsonata),
      shown('ours, durable, one execution alone', alone),
      `in memory against aws-local-stepfunctions: ${(memory / other).toFixed(2)} (must be 1 or more)`,
      `durable against in memory: ${(durable / memory).toFixed(2)} (must be 0.5 or more)`,
      `one durable execution alone: ${Math.round((1e6 * transitions) / alone / events)} µs per event`,
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}
