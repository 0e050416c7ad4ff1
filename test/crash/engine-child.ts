import { isCaregateError } from '../../lib/errors.ts';
import { openEngine } from '../../lib/local/asl/engine.ts';
import type { FaultPoint } from '../../lib/local/asl/fault.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { crashMachine, fastClock, World } from './engine-world.ts';

/** The program that is killed: directory, number of executions, clock's start, and where to die by itself. */
const [directory = '', runs = '0', start = '0', fatalPoint = '', fatalCount = '1'] = process.argv.slice(2);
const world = new World(directory);
const clock = fastClock(Number(start));
let reached = 0;

/** SIGKILL, as from outside: no handler runs, nothing is flushed. */
function fault(point: FaultPoint): void {
  if (point !== fatalPoint) return;
  reached += 1;
  if (reached === Number(fatalCount)) process.kill(process.pid, 'SIGKILL');
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

async function invoke(name: string, payload: unknown) {
  const { run, number, attempt, token } = payload as {
    run: string;
    number: number;
    attempt?: number;
    token?: string;
  };
  world.write('calls.log', { name, run });
  await pause(number === undefined ? 1 : number % 7);
  if (name === 'ask') {
    world.write('tokens.log', { run, token });
    void answer(String(token));
    return { payload: null };
  }
  if (name === 'square') return { payload: { squared: number * number } };
  if (attempt === 0) return { error: { errorType: 'Flaky', errorMessage: 'the first attempt fails' } };
  return { payload: { doubled: 2 * number } };
}

/** The person: sends the token back until somebody took it, then once more, which must not be taken. */
async function answer(token: string): Promise<void> {
  await pause(10);
  for (const nonce of [systemRandomness.bytes(8), systemRandomness.bytes(8)]) {
    const mark = Buffer.from(nonce).toString('hex');
    try {
      await engine.sendTaskSuccess(token, JSON.stringify({ approved: true, mark }));
      world.write('acknowledged.log', { token, mark });
    } catch (error) {
      if (!isCaregateError(error, 'STATES_REFUSED')) throw error;
    }
  }
}

const engine = await openEngine({
  journal: world.journal,
  clock,
  randomness: systemRandomness,
  invoke,
  fault,
  onStatusChange: (change) => {
    if (change.status !== 'RUNNING') world.write('ends.log', { run: change.name, status: change.status });
  },
});
const { arn } = await engine.createStateMachine(
  'crash',
  crashMachine,
  'arn:aws:iam::000000000000:role/crash',
);
process.stdout.write('ready\n');
const acknowledged = new Set(world.read('acknowledged.log').map(({ token }) => token));
for (const { token } of world.read('tokens.log')) {
  if (!acknowledged.has(token)) void answer(String(token));
}
const started = Array.from({ length: Number(runs) }, async (_, index) => {
  try {
    await engine.startExecution({
      stateMachineArn: arn,
      name: `run-${index}`,
      input: JSON.stringify({ number: index }),
    });
  } catch (error) {
    if (!isCaregateError(error, 'STATES_REFUSED')) throw error;
  }
});
await Promise.all(started);
const query = { status: 'RUNNING' as const, offset: 0, limit: 1 };
while ((await engine.listExecutions(arn, query)).length > 0) await pause(20);
await pause(30);
await engine.close();
