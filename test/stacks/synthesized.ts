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
  if (!existsSync(said)) {
    const making = `${output}.${process.pid}`;
    const stderr = run(app, making, context);
    forget(output);
    writeFileSync(join(making, 'stderr.txt'), stderr);
    keep(making, output);
  }
  return { app, output, stderr: readFileSync(said, 'utf8') };
}

/** Synthesizes into a folder. */
export function run(app: string, output: string, context: object): string {
  mkdirSync(output, { recursive: true });
  const child = spawnSync(process.execPath, app.split(' ').slice(1), {
    env: { PATH: process.env.PATH, CDK_OUTDIR: output, CDK_CONTEXT_JSON: JSON.stringify(context) },
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(`\`${app}\` failed: ${child.stderr}`);
  return child.stderr;
}

/** Another test file may have been quicker. Its result is the same. */
function keep(making: string, output: string): void {
  try {
    renameSync(making, output);
  } catch (error) {
    if (!existsSync(output)) throw error;
    rmSync(making, { recursive: true, force: true });
  }
}

/** Results of sources that are no more. */
function forget(output: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const old = statSync(path).mtimeMs < statSync('cdk.json').mtimeMs || readdirSync(cache).length > 6;
    if (path !== output && !/\.\d+$/.test(name) && old) rmSync(path, { recursive: true, force: true });
  }
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
