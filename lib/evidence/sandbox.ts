import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { CaregateError } from '../errors.ts';
import { readPdfFile, readPdfPicture } from './pdffile.ts';
import { preparePhoto } from './photo.ts';
import { readRichText } from './richtext.ts';
import { readWordFile } from './wordfile.ts';

/**
 * What is read apart from everything else. A hostile file can make any of these use all the time and memory there is,
 * so they run in a thread of their own that is ended when it uses more than it may.
 */
const tasks = {
  pdf: readPdfFile,
  picture: readPdfPicture,
  word: readWordFile,
  rtf: readRichText,
  photo: preparePhoto,
};
type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>;
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** How a task ended: with what it gave, by an error of its own, or because it used more time or memory than it may. */
export type SandboxResult<T> = SandboxEnd<T> & {
  /** The processor time that it took, in milliseconds. */
  readonly used: number;
};

type SandboxEnd<T> =
  | { readonly ended: 'done'; readonly value: T }
  | { readonly ended: 'failed'; readonly error: string }
  | { readonly ended: 'stopped'; readonly by: 'time' | 'memory' };

export interface SandboxLimits {
  /** Milliseconds for one task, from when the thread is ready for it. */
  readonly time: number;
  /** Bytes by which this process may grow meanwhile. */
  readonly memory: number;
}

/** How often the memory is looked at, in milliseconds: between two looks a thread fills some 50 MB. */
const look = 20;
const role = 'caregate-sandbox';

/** Runs one task apart. */
export async function runApart<Name extends TaskName>(
  name: Name,
  input: TaskInput<Name>,
  limits: SandboxLimits,
): Promise<SandboxResult<TaskOutput<Name>>> {
  const thread = idle.pop() ?? (await startThread());
  thread.ref();
  const before = await timeUsed(thread);
  const end = await supervised<TaskOutput<Name>>(thread, { name, input }, { ...limits, before });
  const used = end.ended === 'stopped' ? limits.time : Math.max(0, (await timeUsed(thread)) - before);
  const result = { ...end, used: Number.isFinite(used) ? used : 0 };
  if (result.ended === 'stopped' || idle.length >= mostIdle || dead.has(thread)) await thread.terminate();
  else idle.push(thread);
  thread.unref();
  return result;
}

/** Threads that wait for the next file. They hold nothing of the last one, and do not keep the process alive. */
const idle: Worker[] = [];
const mostIdle = 2;
const dead = new WeakSet<Worker>();

/**
 * Starts a thread of this very module, which in a bundle is the bundle: so there is no second file to be found, here
 * or in a deployment.
 */
async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { role },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  await new Promise<void>((resolve, reject) => {
    thread.once('message', () => resolve());
    thread.once('error', reject);
    thread.once('exit', () => {
      reject(new CaregateError('UNEXPECTED', 'the `thread` that reads files ended before it began'));
    });
  });
  thread.removeAllListeners('error').removeAllListeners('exit');
  listen(thread);
  return thread;
}

/** An error between two tasks ends the thread, and nothing else. */
function listen(thread: Worker): void {
  thread.on('error', () => undefined);
  thread.on('exit', () => {
    dead.add(thread);
    const index = idle.indexOf(thread);
    if (index >= 0) idle.splice(index, 1);
  });
}

interface Watching extends SandboxLimits {
  /** The processor time that the thread had used before. */
  readonly before: number;
}

async function supervised<T>(
  thread: Worker,
  task: { name: TaskName; input: readonly unknown[] },
  limits: Watching,
): Promise<SandboxEnd<T>> {
  const stop = new AbortController();
  const result = new Promise<SandboxEnd<T>>((resolve) => {
    thread.once('message', resolve);
    thread.once('error', (error: { code?: unknown }) => {
      dead.add(thread);
      const spent = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      resolve(spent ? { ended: 'stopped', by: 'memory' } : { ended: 'failed', error: 'Error' });
    });
    thread.once('exit', () => resolve({ ended: 'failed', error: 'Exit' }));
    void watched(thread, limits, stop.signal).then((by) => by && resolve({ ended: 'stopped', by }));
  });
  thread.postMessage(task);
  try {
    return await result;
  } finally {
    stop.abort();
    thread.removeAllListeners('message').removeAllListeners('exit').removeAllListeners('error');
    listen(thread);
  }
}

/** Looks after a thread until it is told to stop, or the thread has used what it may. */
async function watched(
  thread: Worker,
  { time, memory, before }: Watching,
  signal: AbortSignal,
): Promise<'time' | 'memory' | undefined> {
  const rss = process.memoryUsage.rss();
  const started = performance.now();
  let judged = started + time;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, look));
    if (signal.aborted) return undefined;
    if (process.memoryUsage.rss() - rss > memory) return 'memory';
    const now = performance.now();
    if (now < judged) continue;
    // A thread that hardly ran, because the machine is busy with other things, has not had its time yet.
    const used = (await timeUsed(thread)) - before;
    if (used >= time * 0.9 || now - started >= mostWaits * time) return 'time';
    judged = now + Math.max(100, time - used);
  }
}

/** How many times its time a thread may take by the clock on the wall. */
const mostWaits = 4;

/** The processor time that a thread has used, in milliseconds; endless for one that does not even say so. */
async function timeUsed(thread: Worker): Promise<number> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined));
  const usage = await Promise.race([thread.cpuUsage().catch(() => undefined), late]);
  return usage === undefined ? Number.POSITIVE_INFINITY : (usage.user + usage.system) / 1000;
}

/** The name of an error, and nothing of its text, which can quote the file. */
function nameOf(error: unknown): string {
  return error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'Error';
}

function serve(port: NonNullable<typeof parentPort>): void {
  port.on('message', ({ name, input }: { name: TaskName; input: never }) => {
    const work = tasks[name] as (...given: readonly unknown[]) => Promise<unknown>;
    work(...(input as readonly unknown[])).then(
      (value) => port.postMessage({ ended: 'done', value }),
      (error: unknown) => port.postMessage({ ended: 'failed', error: nameOf(error) }),
    );
  });
  port.postMessage('ready');
}

const given: unknown = workerData;
if (!isMainThread && parentPort !== null && (given as { role?: unknown } | null)?.role === role)
  serve(parentPort);
