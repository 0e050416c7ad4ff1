import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { CaregateError } from '../errors.ts';

export interface Toolkit {
  /** The folder of the repository. */
  readonly root: string;
  /** The folder that the stacks are synthesized into. */
  readonly assembly: string;
  /** The command line of the CDK; a test puts another in its place. */
  readonly command?: readonly string[];
}

/**
 * Synthesizes the stacks of a deployment for one commit, which becomes a setting of the functions. The templates are
 * checked by CloudFormation's own rules too.
 * @throws CaregateError `CONFIGURATION_INVALID`; the toolkit itself has said why
 */
export async function synthesize(toolkit: Toolkit, deployment: string, commit: string): Promise<void> {
  const context = ['-c', `deployment=${deployment}`, '-c', `commit=${commit}`];
  await run(toolkit, ['synth', '--quiet', '--output', toolkit.assembly, ...context], 'CONFIGURATION_INVALID');
}

/**
 * Uploads a stack's assets and has its change set made. Nothing is executed.
 * @throws CaregateError `CLOUD_UNAVAILABLE`; the toolkit itself has said why
 */
export async function prepareChangeSet(toolkit: Toolkit, stack: string, changeSet: string): Promise<void> {
  const method = ['--method', 'prepare-change-set', '--change-set-name', changeSet];
  const quiet = ['--require-approval', 'never', '--progress', 'events'];
  await run(
    toolkit,
    ['deploy', stack, '--exclusively', '--app', toolkit.assembly, ...method, ...quiet],
    'CLOUD_UNAVAILABLE',
  );
}

/** The toolkit says what it does on standard error, where it does not mix with the explanation. */
async function run(
  { root, command = [process.execPath, join(root, 'node_modules/aws-cdk/bin/cdk')] }: Toolkit,
  args: readonly string[],
  code: 'CONFIGURATION_INVALID' | 'CLOUD_UNAVAILABLE',
): Promise<void> {
  const [program = '', ...first] = command;
  const env = { ...process.env, CAREGATE_VALIDATION: 'on' };
  const child = spawn(program, [...first, ...args], { cwd: root, env, stdio: ['ignore', 2, 2] });
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  if (status === 0) return;
  throw new CaregateError(code, `\`cdk ${args[0]}\` failed; read what it says above, then try again`);
}
