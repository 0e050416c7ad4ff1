import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { fetchPublicKey } from '../approval/link.ts';
import { ApprovalRegister } from '../approval/register.ts';
import { consentVerifier } from '../approval/verify.ts';
import { CaseIndex } from '../casefile/caseindex.ts';
import { ObjectStore } from '../casefile/store.ts';
import { loadConnectionCircle } from '../cli/circlefile.ts';
import { openLinkKey } from '../cli/linkkey.ts';
import { post } from '../cli/posting.ts';
import { withOffice } from '../cli/session.ts';
import { CaregateError } from '../errors.ts';
import { type Circle, loadCircle } from '../provenance/circle.ts';
import { loadDeployment } from '../stacks/deployment.ts';
import { namesOf } from '../stacks/names.ts';
import { healthSchema } from '../web/health.ts';
import { deliverThroughMailService } from './delivery.ts';
import type { SmokeParts } from './smoke.ts';

/** Where a smoke test happens: a deployment, or the embedded office. */
export type SmokeGround = Omit<SmokeParts, 'clock' | 'say'> & {
  readonly circle: Circle;
  /** What runs there, by its own word. */
  readonly commit: string;
};

export interface GroundOptions {
  readonly circle?: string;
  readonly data?: string;
  readonly deployment?: string;
}

/** Runs `work` on the ground that the options name, and lets go of it afterwards. */
export async function withSmokeGround<T>(
  options: GroundOptions,
  work: (ground: SmokeGround) => Promise<T>,
): Promise<T> {
  const { data } = options;
  if (data === undefined) return work(await deployedGround(options));
  return withOffice({ data }, async ({ office, outbox }) => {
    const circle = loadConnectionCircle(data);
    return work({
      circle,
      commit: await commitAt(office.file.web),
      cases: office,
      store: office.store,
      verifyConsent: consentVerifier(openLinkKey(outbox)),
      outbox,
      deliver: ({ name, raw, from }) => post(office, circle.inbox, { name, raw, from }),
    });
  });
}

async function commitAt(url: string): Promise<string> {
  const answer = await fetch(new URL('/healthz', url));
  return healthSchema.parse(await answer.json()).commit;
}

/** A deployment, found by the settings of its functions: what they use is what is tested. */
async function deployedGround({
  circle: file = '',
  deployment: configuration = '',
}: GroundOptions): Promise<SmokeGround> {
  const deployment = loadDeployment(configuration);
  const circle = loadCircle(file);
  if (!deployment.circles.some((deployed) => deployed.circle.id === circle.id)) {
    throw new CaregateError(
      'INVALID_INPUT',
      `circle \`${file}\` is not one of the deployment; add it under \`circles\`, and deploy`,
    );
  }
  const { region } = deployment;
  const settings = await settingsOf(new LambdaClient({ region }), namesOf(deployment).functionOf('web'));
  return connectGround(circle, region, settings);
}

/** Connects to the resources that the functions' settings name, with the rights of whoever runs this. */
export async function connectGround(
  circle: Circle,
  region: string,
  settings: Readonly<Record<string, string>>,
): Promise<SmokeGround> {
  const setting = (name: string): string => required(settings, name);
  const store = new ObjectStore(
    new S3Client({ region, forcePathStyle: true }),
    setting('CAREGATE_CASE_BUCKET'),
  );
  const dynamodb = new DynamoDBClient({ region });
  const cases = {
    circle: circle.id,
    store,
    index: new CaseIndex(dynamodb, setting('CAREGATE_CASE_TABLE')),
    register: new ApprovalRegister(dynamodb, setting('CAREGATE_APPROVAL_TABLE')),
  };
  const publicKey: KeyObject = await fetchPublicKey({
    kms: new KMSClient({ region }),
    keyId: setting('CAREGATE_SIGNING_KEY'),
  });
  const ses = new SESClient({ region });
  return {
    circle,
    commit: setting('CAREGATE_COMMIT'),
    cases,
    store,
    verifyConsent: consentVerifier(publicKey),
    outbox: join('dist', 'no-outbox'), // on AWS a mail lies with whoever got it, and no code can be read here
    deliver: (sample) => deliverThroughMailService({ ses, cases, circle, pause: () => sleep(5000) }, sample),
  };
}

/** The settings that a deployed function runs with. */
export async function settingsOf(lambda: LambdaClient, name: string): Promise<Record<string, string>> {
  const found = await lambda
    .send(new GetFunctionConfigurationCommand({ FunctionName: name }))
    .catch((cause: unknown) => {
      throw new CaregateError(
        'CLOUD_UNAVAILABLE',
        `function \`${name}\` cannot be read; deploy first, and check your rights`,
        {
          cause,
        },
      );
    });
  return found.Environment?.Variables ?? {};
}

function required(settings: Readonly<Record<string, string>>, name: string): string {
  const value = settings[name];
  if (value !== undefined && value !== '') return value;
  throw new CaregateError(
    'NOT_FOUND',
    `setting \`${name}\` is not among those of the function; deploy this commit first`,
  );
}
