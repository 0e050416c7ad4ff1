import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';

const cache = 'node_modules/.cache/caregate-synth';
const turn = join(cache, 'turn');
const anHour = 3_600_000;
const sources = [
  ...['lib', 'lambdas', 'statemachines', 'rules'],
  ...['cdk.json', 'package-lock.json', 'deployment.example.yaml'],
];

/**
 * The templates of the example deployment, synthesized as `cdk synth` does it: by the command of cdk.json, with its
 * context, and with nothing of this machine's settings. It takes seconds, so that all test files share one result for as
 * long as nothing that goes into it has changed.
 */
export const synthesis = synthesized();

/** The stacks, by what comes after the deployment's name. */
export const stackNames = ['case-file', 'approvals', 'workflow', 'mailbox', 'sweep', 'watch'] as const;
export type StackName = (typeof stackNames)[number];

/** A synthesized template as it stands. */
export type TemplateJson = Readonly<Record<string, unknown>>;

/** One template as JSON. */
export function templateJson(stack: StackName): TemplateJson {
  return JSON.parse(readFileSync(join(synthesis.output, `caregate-${stack}.template.json`), 'utf8'));
}

/** All of them, by the names of their stacks. */
export function templates(): Record<string, TemplateJson> {
  return Object.fromEntries(stackNames.map((stack) => [`caregate-${stack}`, templateJson(stack)]));
}

/** One template for CDK's assertions. */
export function templateOf(stack: StackName): Template {
  return Template.fromJSON({ ...templateJson(stack) });
}

/** What one synthesis left: the folder, and what the command said. */
export interface Synthesis {
  /** The command that synthesized, as cdk.json has it. */
  readonly app: string;
  readonly output: string;
  readonly stderr: string;
}

function synthesized(): Synthesis {
  const { app, context }: { app: string; context: object } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const output = join(cache, keyOf(sources));
  const said = join(output, 'stderr.txt');
  mkdirSync(cache, { recursive: true });
  while (!existsSync(said)) {
    if (!takeTurn()) continue;
    try {
      if (!existsSync(said)) synthesizeInto(output, app, context);
    } finally {
      rmSync(turn, { force: true });
    }
  }
  return { app, output, stderr: readFileSync(said, 'utf8') };
}

/** One at a time: two that synthesize side by side take twice as long as one that waits for the other. */
function takeTurn(): boolean {
  try {
    writeFileSync(turn, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = existsSync(turn) ? Number(readFileSync(turn, 'utf8')) : 0;
    if (holder > 0 && !isAlive(holder)) rmSync(turn, { force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function synthesizeInto(output: string, app: string, context: object): void {
  for (const path of readdirSync(cache).map((name) => join(cache, name))) {
    const age = statSync(turn).mtimeMs - statSync(path).mtimeMs;
    if (age > anHour) rmSync(path, { recursive: true, force: true });
  }
  const making = `${output}.made`;
  rmSync(making, { recursive: true, force: true });
  writeFileSync(join(making, 'stderr.txt'), run(app, making, context));
  renameSync(making, output);
}

/** Synthesizes into a folder. */
export function run(app: string, output: string, context: object): string {
  mkdirSync(output, { recursive: true });
  const child = spawnSync(process.execPath, app.split(' ').slice(1), {
    env: {
      PATH: process.env.PATH,
      CDK_OUTDIR: output,
      CDK_CONTEXT_JSON: JSON.stringify(context),
      CAREGATE_VALIDATION: 'on',
    },
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`\`${app}\` failed: ${child.stderr}`);
  return child.stderr;
}

function keyOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn)) hash.update(path).update('\0').update(readFileSync(path));
  return hash.digest('hex').slice(0, 32);
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
