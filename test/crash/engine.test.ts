import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../lib/local/asl/engine.ts';
import { faultPoints } from '../../lib/local/asl/fault.ts';
import type { HistoryEvent } from '../../lib/local/asl/history.ts';
import { type Randomness, systemRandomness } from '../../lib/provenance/randomness.ts';
import { seededRandomness } from '../support/time.ts';
import { expectedOutput, fastClock, World } from './engine-world.ts';

const child = fileURLToPath(new URL('./engine-child.ts', import.meta.url));
const full = process.env.CAREGATE_FULL === '1';

async function inNewWorld(use: (world: World) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'caregate-crash-'));
  try {
    await use(new World(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

type End = 'finished' | 'killed';

/** Runs the child until it ends. @param killAfter milliseconds after it is ready, when it is killed from outside */
function run(
  world: World,
  start: number,
  runs: number,
  how: { fatal?: readonly string[]; killAfter?: number },
): Promise<End> {
  const values = [world.directory, String(runs), String(start), ...(how.fatal ?? [])];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'caregate-compile-cache') };
  const process_ = spawn(process.execPath, [child, ...values], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  process_.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  process_.stdout.once('data', () => {
    if (how.killAfter !== undefined) setTimeout(() => process_.kill('SIGKILL'), how.killAfter);
  });
  return new Promise((resolve, reject) => {
    process_.once('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve('killed');
      else if (code === 0) resolve('finished');
      else reject(new Error(`the child failed: ${errors}`));
    });
  });
}

/** Opens what the children left, and checks that it is what an engine that nobody killed would have left. */
async function verify(world: World, start: number, runs: number): Promise<void> {
  const engine = await openEngine({
    journal: world.journal,
    clock: fastClock(start),
    randomness: systemRandomness,
    invoke: async () => ({ payload: null }),
  });
  try {
    const [machine] = engine.listStateMachines();
    const rows = await engine.listExecutions(machine?.arn ?? '', { offset: 0, limit: 1000 });
    expect(rows.length).toBe(runs);
    const histories = new Map<string, readonly HistoryEvent[]>();
    for (const row of rows) histories.set(row.name, await checkRun(engine, row.arn));
    checkCallbacks(world, [...histories.values()].flat());
    checkCalls(world, histories);
    const told = new Set(world.read('ends.log').map((end) => end.run));
    expect(told.size).toBe(runs);
  } finally {
    await engine.close();
  }
}

async function checkRun(engine: Engine, arn: string): Promise<readonly HistoryEvent[]> {
  const row = await engine.execution(arn);
  expect(row.status).toBe('SUCCEEDED');
  const { number } = JSON.parse(row.input) as { number: number };
  expect(JSON.parse(row.output ?? '')).toEqual(expectedOutput(number));
  const events = await engine.history(arn);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(events.every(({ id, previousEventId }) => previousEventId < id)).toBe(true);
  // A token that is out survives: no restart may fail a task whose function has answered.
  const failed = events.filter(({ type }) => type === 'TaskFailed');
  expect(failed.filter((event) => events[event.previousEventId - 1]?.type === 'TaskSubmitted')).toEqual([]);
  return events;
}

/** What was acknowledged is in a history once; what a history shows was sent; no token was taken twice. */
function checkCallbacks(world: World, events: readonly HistoryEvent[]): void {
  const taken = events.flatMap(({ type, details }) =>
    type === 'TaskSucceeded' && details?.resource === 'invoke.waitForTaskToken'
      ? [String(details.output)]
      : [],
  );
  const acknowledged = world.read('acknowledged.log');
  for (const { mark } of acknowledged) {
    expect(taken.filter((output) => output.includes(String(mark))).length).toBe(1);
  }
  const tokens = acknowledged.map(({ token }) => token);
  expect(new Set(tokens).size).toBe(tokens.length);
}

/** Nobody was called before the call was on disk. */
function checkCalls(world: World, histories: ReadonlyMap<string, readonly HistoryEvent[]>): void {
  const counts = new Map<string, number>();
  for (const { run: name, name: called } of world.read('calls.log')) {
    const key = `${name} ${called}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) {
    const [name = '', called] = key.split(' ');
    const scheduled = (histories.get(name) ?? []).filter(
      ({ type, details }) =>
        type === 'TaskScheduled' && String(details?.parameters).includes(`"FunctionName":"${called}"`),
    );
    expect(scheduled.length).toBeGreaterThanOrEqual(count);
  }
}

describe.concurrent('an engine that is killed goes on as if it had not been', () => {
  for (const point of faultPoints) {
    it(`at the point ${point}`, { timeout: 120_000 }, () =>
      inNewWorld(async (world) => {
        const start = Date.now();
        const [byte = 0] = seededRandomness(faultPoints.indexOf(point) + 1).bytes(1);
        // The first time is special (an empty journal), any other is not; `recovered` comes once for each start.
        const count = point === 'recovered' ? 1 : 1 + (byte % 8);
        const end = await run(world, start, 8, { fatal: [point, String(count)] });
        expect(end, 'the point is never reached').toBe('killed');
        expect(await run(world, start, 8, {})).toBe('finished');
        await verify(world, start, 8);
      }),
    );
  }

  const kills = full ? 200 : 10;
  const timeout = full ? 1_800_000 : 240_000;
  it(`at ${kills} random moments, with 50 executions under way`, { timeout }, async () => {
    const random = seededRandomness(20260301);
    for (let killed = 0; killed < kills; ) {
      await inNewWorld(async (world) => {
        killed += await killTimes(world, random);
      });
    }
  });
});

/** Kills a world up to five times, at seeded moments after each start; then it must end as if nothing had been. */
async function killTimes(world: World, random: Randomness): Promise<number> {
  const start = Date.now();
  let killed = 0;
  for (let end: End = 'killed'; killed < 5 && end === 'killed'; ) {
    const [high = 0, low = 0] = random.bytes(2);
    end = await run(world, start, 50, { killAfter: (high * 256 + low) % 600 });
    if (end === 'killed') killed += 1;
  }
  expect(await run(world, start, 50, {})).toBe('finished');
  await verify(world, start, 50);
  return killed;
}
