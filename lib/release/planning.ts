import type { SESClient } from '@aws-sdk/client-ses';
import { CaregateError } from '../errors.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { readAssembly, type SynthesizedStack } from './assembly.ts';
import { explainIdentity, readIdentities } from './identities.ts';
import { refusalOf } from './judgement.ts';
import type { PlannedStack, ReleasePlan } from './planfile.ts';
import { linesOf, planStack, type StackPlanningParts } from './stackplan.ts';

export interface PlanningParts extends StackPlanningParts {
  readonly ses: SESClient;
  readonly clock: Clock;
}

export interface PlanningInput {
  readonly commit: string;
  readonly region: string;
  /** The configuration's file, by whose name the plan remembers it. */
  readonly deployment: string;
  /** The folder of the synthesized stacks. */
  readonly assembly: string;
  readonly domains: readonly string[];
}

export interface Planned {
  readonly plan: ReleasePlan;
  /** Whether it may be executed as it is. */
  readonly refused: boolean;
}

/**
 * Plans a release: asks for its domains first, since a release whose mail neither comes nor goes is none; then has a
 * change set made for each stack and says in words what it would do. Deploys nothing.
 * @throws CaregateError `RELEASE_REFUSED` for a domain that is not verified; `CLOUD_UNAVAILABLE`
 */
export async function planRelease(parts: PlanningParts, input: PlanningInput): Promise<Planned> {
  const stacks = readAssembly(input.assembly);
  await checkDomains(parts, input.domains, stacks);
  const planned: PlannedStack[] = [];
  let refused = false;
  for (const stack of stacks) {
    const { entry, changes } = await planStack(parts, stack, input.commit, planned);
    planned.push(entry);
    refused ||= changes.some((change) => refusalOf(change) !== undefined);
    for (const line of linesOf(entry, changes)) parts.say(line);
  }
  const { commit, region, deployment } = input;
  const at = isoTime(parts.clock);
  const plan: ReleasePlan = { version: 1, commit, region, deployment, at, stacks: planned };
  return { plan, refused };
}

async function checkDomains(
  { ses, say }: PlanningParts,
  domains: readonly string[],
  stacks: readonly SynthesizedStack[],
): Promise<void> {
  const states = await readIdentities(
    ses,
    domains,
    stacks.flatMap(({ identities }) => identities),
  );
  for (const state of states) say(explainIdentity(state));
  const bad = states.find(({ state }) => state === 'unverified');
  if (bad === undefined) return;
  throw new CaregateError(
    'RELEASE_REFUSED',
    `domain \`${bad.domain}\` is not verified by the mail service; publish its DNS records, wait, and plan again`,
  );
}
