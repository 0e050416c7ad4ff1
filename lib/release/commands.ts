import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { SESClient } from '@aws-sdk/client-ses';
import { samples } from '../../samples/index.ts';
import { createOutput, exitCodes, type Output } from '../cli/output.ts';
import { CaregateError } from '../errors.ts';
import { systemClock } from '../provenance/clock.ts';
import { loadDeployment } from '../stacks/deployment.ts';
import { exactCommit } from './commit.ts';
import { deployRelease } from './deploying.ts';
import { confirmRelease } from './health.ts';
import { domainsOf } from './identities.ts';
import { deployNewStacks } from './newstacks.ts';
import { type ReleasePlan, readPlan, writePlan } from './planfile.ts';
import { planRelease } from './planning.ts';
import { runSmoke } from './smoke.ts';
import { withSmokeGround } from './smokeground.ts';
import { publicUrlOf } from './stackoutputs.ts';
import { prepareChangeSet, synthesize, type Toolkit } from './toolkit.ts';

export interface ReleaseOptions {
  readonly plan: string;
  readonly json?: boolean;
}
export interface PlanOptions extends ReleaseOptions {
  readonly deployment: string;
  readonly assembly: string;
}
export interface DeployOptions extends ReleaseOptions {
  readonly new?: boolean;
  readonly assembly: string;
}
export type CheckOptions = ReleaseOptions;
export interface SmokeOptions extends ReleaseOptions {
  readonly circle?: string;
  readonly data?: string;
  readonly deployment?: string;
}

/** Where a release is made: the repository, and what a test puts in the place of the toolkit and of waiting. */
export interface Workshop {
  readonly root: string;
  readonly command?: readonly string[];
  readonly pause?: () => Promise<void>;
}

const here: Workshop = { root: fileURLToPath(new URL('../..', import.meta.url)) };
const tenSeconds = (): Promise<void> => sleep(10_000);

const toolkitOf = ({ root, command }: Workshop, assembly: string): Toolkit => ({
  root,
  assembly,
  ...(command === undefined ? {} : { command }),
});

/** @returns 1 if what was planned must not be executed */
export async function plan(options: PlanOptions, shop = here): Promise<number> {
  const output = createOutput(options.json === true);
  const commit = exactCommit(shop.root);
  const deployment = loadDeployment(options.deployment);
  const { region } = deployment;
  const toolkit = toolkitOf(shop, options.assembly);
  output.progress(`synthesizing commit ${commit}`);
  await synthesize(toolkit, options.deployment, commit);
  const parts = {
    cloudformation: new CloudFormationClient({ region }),
    ses: new SESClient({ region }),
    clock: systemClock,
    prepare: (stack: string, changeSet: string) => prepareChangeSet(toolkit, stack, changeSet),
    say: (line: string) => output.line(line),
  };
  const domains = domainsOf(deployment.circles.map(({ circle }) => circle));
  const planned = await planRelease(parts, {
    commit,
    region,
    domains,
    deployment: options.deployment,
    assembly: options.assembly,
  });
  writePlan(options.plan, planned.plan);
  output.object({ ...planned.plan, refused: planned.refused });
  if (!planned.refused) output.line(`\nThe plan is in ${options.plan}. Execute it with \`npm run deploy\`.`);
  else output.line('\nThis plan will not be executed: see the lines with `!`.');
  return planned.refused ? exitCodes.failed : 0;
}

/** @returns 1 if some stack could not be planned yet, so that the release is not whole */
export async function deploy(options: DeployOptions, shop = here): Promise<number> {
  const output = createOutput(options.json === true);
  const commit = exactCommit(shop.root);
  const plan = readPlan(options.plan);
  const cloudformation = new CloudFormationClient({ region: plan.region });
  const say = (line: string): void => output.progress(line);
  const parts = { cloudformation, say, pause: shop.pause ?? tenSeconds };
  const waiting = await deployRelease(parts, plan, commit);
  if (waiting.length > 0 && options.new === true) {
    const toolkit = toolkitOf(shop, options.assembly);
    await synthesize(toolkit, plan.deployment, commit);
    const prepare = (stack: string, changeSet: string) => prepareChangeSet(toolkit, stack, changeSet);
    await deployNewStacks({ ...parts, prepare }, { assembly: options.assembly, commit }, waiting);
  }
  if (waiting.length === 0 || options.new === true) return confirm(output, plan, cloudformation, shop);
  output.object({ commit, waiting });
  output.line(
    `Not deployed yet: ${waiting.join(', ')}. Run \`npm run deploy:plan\` again: they can be planned now.`,
  );
  return exitCodes.failed;
}

/** Asks what runs, and refuses a release that is not the one that was planned. */
export async function check(options: CheckOptions, shop = here): Promise<number> {
  const output = createOutput(options.json === true);
  const plan = readPlan(options.plan);
  return confirm(output, plan, new CloudFormationClient({ region: plan.region }), shop);
}

async function confirm(
  output: Output,
  { commit, stacks }: ReleasePlan,
  cloudformation: CloudFormationClient,
  { pause = tenSeconds }: Workshop,
): Promise<number> {
  const publicUrl = await publicUrlOf(
    cloudformation,
    stacks.map(({ stack }) => stack),
  );
  const health = await confirmRelease({ fetch, pause }, publicUrl, commit);
  output.object(health);
  output.line(`${publicUrl} runs commit ${commit}: sending ${health.sending}, rule set ${health.ruleSet}`);
  if (health.ruleSet === 'active') return 0;
  output.line('The receiving rules are not active: no mail comes in. See docs/deploy.md.');
  return exitCodes.failed;
}

/** @returns 1 if something did not hold */
export async function smoke(options: SmokeOptions): Promise<number> {
  const output = createOutput(options.json === true);
  if (options.data === undefined && (options.circle === undefined || options.deployment === undefined)) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`smoke` needs `--circle` and `--deployment`, or `--data` for the embedded office; see docs/deploy.md',
    );
  }
  return withSmokeGround(options, async ({ circle, commit, ...ground }) => {
    const parts = { ...ground, clock: systemClock, say: (line: string) => output.progress(line) };
    const record = await runSmoke(parts, await samples(systemClock, circle), commit);
    output.object(record);
    for (const { name, status, audit } of record.mails) output.line(`${name}: ${status}, audit ${audit}`);
    for (const failure of record.failures) output.line(`failed: ${failure}`);
    output.line(record.passed ? 'Every sample ended as it should.' : 'This release did not pass.');
    return record.passed ? 0 : exitCodes.failed;
  });
}
