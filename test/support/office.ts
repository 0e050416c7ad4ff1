import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type OfficeConnection } from '../../lib/local/connection.ts';
import { findConnection } from '../../lib/local/datadirectory.ts';

const entry = fileURLToPath(new URL('../../bin/caregate.js', import.meta.url));

/** What one run of the command printed, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of standard output, where they are JSON. */
  readonly objects: readonly Record<string, never>[];
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder for one office that does not exist yet. What lies in it is gone when the tests of the file are over. */
export function freshData(): string {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-office-'));
  folders.push(folder);
  return join(folder, 'data');
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the command as a user does, in a process of its own. */
export function startCaregate(args: readonly string[], options: RunOptions = {}): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  });
}

/** Runs the command, and waits for its end. */
export async function caregate(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = startCaregate(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, stdout, stderr, objects: jsonLines(stdout) };
}

function jsonLines(text: string): Record<string, never>[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

/** An office that runs in a process of its own, so that it can be killed. */
export interface OfficeProcess {
  readonly data: string;
  readonly child: ChildProcess;
  readonly connection: OfficeConnection;
  /** What it wrote to standard error so far. */
  said(): string;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as Ctrl-C would. */
  stop(): Promise<void>;
}

/** Starts an office and waits until it can be reached. */
export async function startOffice(
  data: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<OfficeProcess> {
  const child = spawn(
    process.execPath,
    [entry, 'start', '--data', data, '--port', '0', '--smtp', '0', ...args],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    },
  );
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const closed = once(child, 'close');
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    connection.close();
    child.kill(signal);
    await closed;
  };
  const connection = connect(await reachable(data, child, () => stderr));
  return {
    data,
    child,
    connection,
    said: () => stderr,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

async function reachable(data: string, child: ChildProcess, said: () => string) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = findConnection(data);
    if (found !== undefined && found.pid === child.pid) return found;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the office did not start: ${said()}`);
}
