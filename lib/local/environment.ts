import type { Credentials } from './endpoints/server.ts';
import { names } from './names.ts';

export interface EnvironmentOptions {
  readonly credentials: Credentials;
  /** URLs by the SDK's name of the service: `S3`, `SFN`, `BEDROCK_RUNTIME`… */
  readonly endpoints: Readonly<Record<string, string>>;
  /** A circle's file, or a directory of them. */
  readonly circles: string;
  readonly rulesDirectory: string;
  readonly signingKey: string;
  readonly machine: string;
  readonly publicUrl: string;
  /** Whether letters leave this machine. */
  readonly sending: boolean;
  /** The file that says what keeps the office from working. */
  readonly troubles: string;
  /** How long one answer of a model may take. */
  readonly modelSeconds: number;
  readonly models: { readonly triage: string; readonly evidence: string; readonly plan: string };
  /** Tells one start of an office from the next in the same process. */
  readonly generation: string;
}

/** What a deployment would put into the environment of its functions, and the AWS SDK's own settings. */
export function functionEnvironment(options: EnvironmentOptions): Record<string, string> {
  const endpoints = Object.entries(options.endpoints).map(([name, url]) => [`AWS_ENDPOINT_URL_${name}`, url]);
  return {
    ...Object.fromEntries(endpoints),
    AWS_REGION: names.region,
    AWS_ACCESS_KEY_ID: options.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: options.credentials.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    CAREGATE_CIRCLES: options.circles,
    CAREGATE_RULES_DIR: options.rulesDirectory,
    CAREGATE_CASE_BUCKET: names.caseBucket,
    CAREGATE_INBOX_BUCKET: names.inboxBucket,
    CAREGATE_CASE_TABLE: names.caseTable,
    CAREGATE_APPROVAL_TABLE: names.approvalTable,
    CAREGATE_SIGNING_KEY: options.signingKey,
    CAREGATE_STATE_MACHINE: options.machine,
    CAREGATE_NOTIFY_FUNCTION: 'notify',
    CAREGATE_PUBLIC_URL: options.publicUrl,
    CAREGATE_TRIAGE_MODEL: options.models.triage,
    CAREGATE_EVIDENCE_MODEL: options.models.evidence,
    CAREGATE_PLAN_MODEL: options.models.plan,
    CAREGATE_MODEL_SECONDS: String(options.modelSeconds),
    CAREGATE_LISTING: 'on',
    CAREGATE_SENDING: options.sending ? 'on' : 'off',
    CAREGATE_TROUBLES: options.troubles,
    CAREGATE_RULE_SET: names.ruleSet,
    CAREGATE_GENERATION: options.generation,
  };
}

/** Settings of the user's own AWS account, which nothing here may use or reach. */
export const foreignSettings = [
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_ENDPOINT_URL',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_ROLE_ARN',
] as const;
