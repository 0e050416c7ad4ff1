import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { SFNClient } from '@aws-sdk/client-sfn';
import { CaseIndex } from '../lib/casefile/caseindex.ts';
import { ObjectStore } from '../lib/casefile/store.ts';
import { modelClient } from '../lib/model/client.ts';
import { modelSettings } from '../lib/model/models.ts';
import { loadCircle } from '../lib/provenance/circle.ts';
import { systemClock } from '../lib/provenance/clock.ts';
import { systemRandomness } from '../lib/provenance/randomness.ts';
import { readSettings } from './settings.ts';

/**
 * The parts that functions are wired from, made once for an environment. Every client finds its service by the
 * environment alone, so that nothing here knows whether it runs on AWS or at home.
 */
export function makeParts(environment: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(environment);
  const s3 = new S3Client({ forcePathStyle: true });
  return {
    settings,
    store: new ObjectStore(s3, settings.CAREGATE_CASE_BUCKET),
    inbox: new ObjectStore(s3, settings.CAREGATE_INBOX_BUCKET),
    dynamodb: new DynamoDBClient(),
    index: new CaseIndex(new DynamoDBClient(), settings.CAREGATE_CASE_TABLE),
    sfn: new SFNClient(),
    ses: new SESClient(),
    kms: new KMSClient(),
    lambda: new LambdaClient(),
    bedrock: modelClient(),
    machine: settings.CAREGATE_STATE_MACHINE,
    circle: loadCircle(settings.CAREGATE_CIRCLE_FILE),
    clock: systemClock,
    randomness: systemRandomness,
    triageModel: modelSettings(settings.CAREGATE_TRIAGE_MODEL),
    planModel: modelSettings(settings.CAREGATE_PLAN_MODEL),
  };
}
export type Parts = ReturnType<typeof makeParts>;

let current: { readonly generation: string; readonly parts: Parts } | undefined;

/** The parts for the environment as it is now. A start of the embedded office is a new generation. */
export function currentParts(): Parts {
  const generation = process.env.CAREGATE_GENERATION ?? '';
  if (current?.generation !== generation) current = { generation, parts: makeParts(process.env) };
  return current.parts;
}
