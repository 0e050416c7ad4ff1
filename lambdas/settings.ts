import * as z from 'zod';
import { CaregateError } from '../lib/errors.ts';

const settingsSchema = z.object({
  /** A circle's YAML file, or a directory of them. */
  CAREGATE_CIRCLES: z.string().min(1),
  CAREGATE_RULES_DIR: z.string().min(1),
  CAREGATE_CASE_BUCKET: z.string().min(1),
  CAREGATE_INBOX_BUCKET: z.string().min(1),
  CAREGATE_CASE_TABLE: z.string().min(1),
  CAREGATE_APPROVAL_TABLE: z.string().min(1),
  CAREGATE_SIGNING_KEY: z.string().min(1),
  CAREGATE_STATE_MACHINE: z.string().min(1),
  CAREGATE_NOTIFY_FUNCTION: z.string().min(1),
  CAREGATE_PUBLIC_URL: z.url(),
  CAREGATE_TRIAGE_MODEL: z.string().min(1),
  CAREGATE_EVIDENCE_MODEL: z.string().min(1),
  CAREGATE_PLAN_MODEL: z.string().min(1),
  /** How long one answer of a model may take: 5 to 240. */
  CAREGATE_MODEL_SECONDS: z
    .string()
    .regex(/^(?:[5-9]|[1-9]\d|1\d\d|2[0-3]\d|240)$/)
    .default('60')
    .transform(Number),
  CAREGATE_LISTING: z.enum(['on', 'off']).default('off'),
  CAREGATE_CONFIGURATION_SET: z.string().optional(),
  CAREGATE_RULE_SET: z.string().optional(),
  CAREGATE_SENDING: z.enum(['on', 'off']).default('on'),
  CAREGATE_COMMIT: z.string().default('none'),
  CAREGATE_TROUBLES: z.string().optional(),
});

/** What a deployment configures, from the environment of its functions. The same names on AWS and at home. */
export type Settings = z.infer<typeof settingsSchema>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Every setting at once, for a deployment that hands them out. Errors as {@link readSetting}. */
export function readSettings(environment: Environment): Settings {
  const names = Object.keys(settingsSchema.shape) as (keyof Settings)[];
  const read = names.map((name) => [name, readSetting(environment, name)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Settings;
}

/**
 * One setting: a function is asked for those alone that its parts read.
 * @throws CaregateError `CONFIGURATION_INVALID` naming the variable that is missing or wrong
 */
export function readSetting<Name extends keyof Settings>(
  environment: Environment,
  name: Name,
): Settings[Name] {
  const result = settingsSchema.shape[name].safeParse(environment[name]);
  if (result.success) return result.data as Settings[Name];
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `setting \`${name}\` is missing or wrong; see docs/settings.md`,
  );
}
