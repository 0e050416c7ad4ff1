import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Engine,
  type EngineOptions,
  type ExecutionRow,
  type Invoke,
  openEngine,
  VirtualClock,
} from '../../../lib/local/asl/engine.ts';
import type { HistoryEvent } from '../../../lib/local/asl/history.ts';
import { seededRandomness } from '../../support/time.ts';

export const role = 'arn:aws:iam::000000000000:role/test';

/** A journal file in a directory of its own, which goes with the test. */
export function journalFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'caregate-asl-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'journal.db');
}

export type Functions = Readonly<Record<string, (payload: unknown, signal: AbortSignal) => unknown>>;

/** Functions by name; what one throws is its function error. */
export function invoker(functions: Functions): Invoke {
  return async (name, payload, context) => {
    try {
      return { payload: await functions[name]?.(payload, context.signal) };
    } catch (error) {
      const { name: errorType, message: errorMessage } = error as Error;
      return { error: { errorType, errorMessage } };
    }
  };
}

export interface Bench {
  readonly engine: Engine;
  readonly clock: VirtualClock;
}

/** An engine under a virtual clock, closed with the test. */
export async function openBench(
  functions: Functions = {},
  options: Partial<EngineOptions> = {},
): Promise<Bench> {
  const clock = (options.clock as VirtualClock | undefined) ?? new VirtualClock('2026-03-01T08:00:00Z');
  const engine = await openEngine({
    journal: ':memory:',
    clock,
    randomness: seededRandomness(11),
    invoke: invoker(functions),
    ...options,
  });
  onTestFinished(() => engine.close());
  return { engine, clock };
}

/** A JSONata machine of these states, starting at the first. */
export function machineOf(states: Record<string, unknown>, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: Object.keys(states)[0],
    States: states,
    ...more,
  });
}

export function taskOf(functionName: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const end = 'Next' in more ? {} : { End: true };
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: { FunctionName: functionName },
    ...end,
    ...more,
  };
}

/** A task that hands its token to a function as the whole payload. */
export function tokenTaskOf(
  functionName: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return taskOf(functionName, {
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: { FunctionName: functionName, Payload: '{% $states.context.Task.Token %}' },
    ...more,
  });
}

export interface Ran extends ExecutionRow {
  readonly events: readonly HistoryEvent[];
  readonly types: readonly string[];
}

export async function start(
  { engine, clock }: Bench,
  definition: string,
  input: unknown = {},
  name = 'run',
): Promise<string> {
  const { arn } = await engine.createStateMachine('machine', definition, role);
  const row = await engine.startExecution({ stateMachineArn: arn, name, input: JSON.stringify(input) });
  await clock.advance(0);
  return row.arn;
}

export async function look({ engine }: Bench, arn: string): Promise<Ran> {
  const row = await engine.execution(arn);
  const events = await engine.history(arn);
  return { ...row, events, types: events.map(({ type }) => type) };
}

/** Runs a machine until nothing is due any more. */
export async function run(bench: Bench, definition: string, input: unknown = {}): Promise<Ran> {
  const arn = await start(bench, definition, input);
  await bench.clock.advanceUntil(() => false);
  return look(bench, arn);
}

/** Runs one Pass state whose output is the expression. */
export async function evaluateIn(bench: Bench, expression: string, input: unknown = {}): Promise<Ran> {
  return run(bench, machineOf({ Only: { Type: 'Pass', Output: `{% ${expression} %}`, End: true } }), input);
}
