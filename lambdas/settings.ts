import * as z from 'zod';
import { CaregateError } from '../lib/errors.ts';

const settingsSchema = z.object({
  CAREGATE_CIRCLE_FILE: z.string().min(1),
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
  CAREGATE_PLAN_MODEL: z.string().min(1),
  CAREGATE_LISTING: z.enum(['on', 'off']).default('off'),
  CAREGATE_CONFIGURATION_SET: z.string().optional(),
});

/** What a deployment configures, from the environment of its functions. The same names on AWS and at home. */
export type Settings = z.infer<typeof settingsSchema>;

/** @throws CaregateError `CONFIGURATION_INVALID` naming the variable that is missing or wrong */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const result = settingsSchema.safeParse(environment);
  if (result.success) return result.data;
  const name = result.error.issues[0]?.path.join('.') ?? 'environment';
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `setting \`${name}\` is missing or wrong; see docs/settings.md`,
  );
}
