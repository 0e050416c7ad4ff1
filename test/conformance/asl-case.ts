import { readdirSync, readFileSync } from 'node:fs';
import { type Engine, type Invoke, openEngine, VirtualClock } from '../../lib/local/asl/engine.ts';
import { type HistoryEvent, wireEvent } from '../../lib/local/asl/history.ts';
import { seededRandomness } from '../support/time.ts';

/** Recorded histories, beside the repository; absent in a plain clone. */
export const casesDirectory = new URL('../../../shared/asl-conformance/', import.meta.url);

interface FakeFunction {
  readonly returns?: unknown;
  readonly throws?: { errorType: string; errorMessage: string };
  readonly sleepSeconds?: number;
  readonly sequence?: readonly FakeFunction[];
}

interface Callback {
  readonly afterEvent: string;
  readonly token?: number;
  readonly delaySeconds?: number;
  readonly action: 'success' | 'failure' | 'heartbeat' | 'none';
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
  readonly times?: number;
}

export interface WireEvent extends Record<string, unknown> {
  readonly id: number;
  readonly previousEventId: number;
  readonly type: string;
}

export interface Case {
  readonly name: string;
  readonly compare: 'exact' | 'unordered-block' | 'status';
  readonly definition: unknown;
  readonly input: unknown;
  readonly functions: Readonly<Record<string, FakeFunction>>;
  readonly callbacks?: readonly Callback[];
  readonly unverified?: readonly string[];
  readonly expected: Outcome;
}

export interface Outcome {
  readonly status: string;
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: unknown;
  readonly events: readonly WireEvent[] | null;
}

export function readCases(): readonly Case[] {
  return readdirSync(casesDirectory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, casesDirectory), 'utf8')) as Case);
}

/** Runs a case on the real engine under a virtual clock, and normalises what came out. */
export async function runCase(of: Case): Promise<Outcome> {
  const clock = new VirtualClock('2026-03-01T08:00:00Z');
  const engine = await openEngine({
    journal: ':memory:',
    clock,
    randomness: seededRandomness(7),
    invoke: fakes(of.functions, clock),
  });
  const machine = await engine.createStateMachine(
    'conformance',
    JSON.stringify(of.definition),
    'arn:aws:iam::000000000000:role/conformance',
  );
  const { arn } = await engine.startExecution({
    stateMachineArn: machine.arn,
    name: 'recorded',
    input: JSON.stringify(of.input),
  });
  for (const callback of of.callbacks ?? []) await callBack(engine, clock, arn, callback);
  while (await isRunning(engine, clock, arn)) await clock.advance((clock.next ?? clock.now()) - clock.now());
  const row = await engine.execution(arn);
  const events = await engine.history(arn);
  return normalise(
    { ...row, events },
    {
      '<arn:role>': machine.roleArn,
      '<arn:execution>': arn,
      '<name:execution>': row.name,
      '<arn:state-machine>': machine.arn,
      '<name:state-machine>': machine.name,
    },
  );
}

async function isRunning(engine: Engine, clock: VirtualClock, arn: string): Promise<boolean> {
  await clock.advance(0);
  return (await engine.execution(arn)).status === 'RUNNING' && clock.next !== undefined;
}

function fakes(functions: Case['functions'], clock: VirtualClock): Invoke {
  const calls = new Map<string, number>();
  return async (functionName) => {
    const name = /^<function:(.*)>$/.exec(functionName)?.[1] ?? functionName;
    const count = calls.get(name) ?? 0;
    calls.set(name, count + 1);
    const fake = functions[name]?.sequence?.[count] ?? functions[name];
    if (fake?.sleepSeconds !== undefined) {
      const wake = clock.now() + fake.sleepSeconds * 1000;
      await new Promise<void>((resolve) => clock.at(wake, resolve));
    }
    return fake?.throws === undefined ? { payload: fake?.returns ?? null } : { error: fake.throws };
  };
}

async function callBack(engine: Engine, clock: VirtualClock, arn: string, callback: Callback): Promise<void> {
  if (callback.action === 'none') return;
  const token = await waitForToken(engine, clock, arn, callback);
  await clock.advance((callback.delaySeconds ?? 0) * 1000);
  if (callback.action === 'success') await engine.sendTaskSuccess(token, JSON.stringify(callback.output));
  if (callback.action === 'failure') {
    const { error, cause } = callback;
    await engine.sendTaskFailure(token, {
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
  for (let beat = 0; callback.action === 'heartbeat' && beat < (callback.times ?? 1); beat++) {
    await engine.sendTaskHeartbeat(token);
  }
}

async function waitForToken(
  engine: Engine,
  clock: VirtualClock,
  arn: string,
  callback: Callback,
): Promise<string> {
  for (;;) {
    await clock.advance(0);
    const events = await engine.history(arn);
    const scheduled = events.filter(({ type }) => type === 'TaskScheduled');
    const task = scheduled[callback.token ?? 0];
    const after = events.some(({ id, type }) => type === callback.afterEvent && id > (task?.id ?? Infinity));
    const parameters = String(task?.details?.parameters ?? '');
    const token = /"TaskToken":"([^"]+)"/.exec(parameters)?.[1];
    if (after && token !== undefined) return token;
    if (clock.next === undefined) throw new Error(`${callback.afterEvent} does not come`);
    await clock.advance(clock.next - clock.now());
  }
}

/** The README's rules 1 to 6 for one history. */
function normalise(
  ran: { status: string; output?: string; error?: string; cause?: string; events: readonly HistoryEvent[] },
  own: Readonly<Record<string, string>>,
): Outcome {
  const events = ran.events.map((event) => {
    const { timestamp, ...kept } = wireEvent(event, true);
    return parseTexts(JSON.parse(JSON.stringify(kept))) as WireEvent;
  });
  const names = { ...own, ...tokensOf(events) };
  const replaced = (value: unknown) => replace(value, names);
  return {
    status: ran.status,
    ...(ran.output === undefined ? {} : { output: replaced(parseTexts(ran.output)) }),
    ...(ran.error === undefined ? {} : { error: ran.error }),
    ...(ran.cause === undefined ? {} : { cause: replaced(parseTexts(ran.cause)) }),
    events: replaced(events) as WireEvent[],
  };
}

function parseTexts(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!/^\s*[{[]/.test(value)) return value;
    try {
      return parseTexts(JSON.parse(value));
    } catch {
      return value;
    }
  }
  if (Array.isArray(value)) return value.map(parseTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, parseTexts(member)]));
}

function tokensOf(events: unknown): Record<string, string> {
  const tokens = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === 'TaskToken' && typeof member === 'string') tokens.add(member);
      visit(member);
    }
  };
  visit(events);
  return Object.fromEntries([...tokens].map((token, index) => [`<token:${index}>`, token]));
}

const removed = new Set(['SdkHttpMetadata', 'SdkResponseMetadata', 'ExecutedVersion']);

function replace(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    for (const [placeholder, own] of Object.entries(names)) {
      if (value === own || value === JSON.stringify(own)) return placeholder;
    }
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => replace(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => !removed.has(key));
  return Object.fromEntries(members.map(([key, member]) => [key, replaceMember(key, member, names)]));
}

function replaceMember(key: string, member: unknown, names: Readonly<Record<string, string>>): unknown {
  if (key === 'StartTime' || key === 'EnteredTime') return '<timestamp>';
  if (key === 'requestId') return '<uuid>';
  if (key === 'region') return '<region>';
  return replace(member, names);
}

/** The events between a Parallel's start and success, as chains without ids: their order is not fixed. */
export function chainsOf(events: readonly WireEvent[]): {
  chains: readonly string[];
  outside: readonly WireEvent[];
} {
  const first = events.findIndex(({ type }) => type === 'ParallelStateStarted');
  const last = events.findIndex(({ type }) => type === 'ParallelStateSucceeded');
  const inside = events.slice(first + 1, last);
  const start = events[first]?.id;
  const follow = (event: WireEvent): unknown[] => {
    const { id, previousEventId, ...rest } = event;
    const next = inside.find((other) => other.previousEventId === id);
    return [rest, ...(next === undefined ? [] : follow(next))];
  };
  const chains = inside
    .filter(({ previousEventId }) => previousEventId === start)
    .map((event) => JSON.stringify(sorted(follow(event))));
  return { chains: chains.sort(), outside: [...events.slice(0, first + 1), ...events.slice(last + 2)] };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
