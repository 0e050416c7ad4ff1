import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import type { Sha256 } from '../provenance/digest.ts';

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => text as Sha256);

const stackSchema = z.discriminatedUnion('state', [
  /** Its change set was made and explained. */
  z.strictObject({ stack: z.string(), state: z.literal('planned'), changeSet: z.string(), digest }),
  z.strictObject({ stack: z.string(), state: z.literal('unchanged') }),
  /** It needs what another stack has yet to export, so it cannot be planned before that one is deployed. */
  z.strictObject({ stack: z.string(), state: z.literal('waits'), missing: z.array(z.string()) }),
]);
export type PlannedStack = z.infer<typeof stackSchema>;

const planSchema = z.strictObject({
  version: z.literal(1),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  region: z.string(),
  /** The file of the deployment's configuration. */
  deployment: z.string(),
  at: z.iso.datetime(),
  stacks: z.array(stackSchema),
});

/** What was planned and explained: the very change sets, by their ARNs, and the digest of what they would change. */
export type ReleasePlan = z.infer<typeof planSchema>;

export function writePlan(file: string, plan: ReleasePlan): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(plan, null, 2)}\n`);
}

/** @throws CaregateError `NOT_FOUND`, or `INVALID_INPUT` for a file that is not a plan */
export function readPlan(file: string): ReleasePlan {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CaregateError(
      'NOT_FOUND',
      `plan \`${file}\` does not exist; make it with \`npm run deploy:plan\``,
      {
        cause,
      },
    );
  }
  try {
    return planSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CaregateError('INVALID_INPUT', `file \`${file}\` is not a plan; plan again`, { cause });
  }
}
