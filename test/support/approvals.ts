import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { SFNClient } from '@aws-sdk/client-sfn';
import { simpleParser } from 'mailparser';
import { mailedCode } from '../../lib/approval/blocks.ts';
import { fetchPublicKey } from '../../lib/approval/link.ts';
import { createNotify } from '../../lib/approval/notice.ts';
import { ApprovalRegister, approvalTable } from '../../lib/approval/register.ts';
import { CaseIndex, caseTable } from '../../lib/casefile/caseindex.ts';
import { ObjectStore } from '../../lib/casefile/store.ts';
import { dynamodbService } from '../../lib/local/endpoints/dynamodb.ts';
import { kmsService, signingKeyAlias } from '../../lib/local/endpoints/kms.ts';
import { s3Service } from '../../lib/local/endpoints/s3.ts';
import { startEndpoint } from '../../lib/local/endpoints/server.ts';
import type { Service } from '../../lib/local/endpoints/service.ts';
import { type SendFault, sesService } from '../../lib/local/endpoints/ses.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { exampleCircle } from './cases.ts';
import { readOutbox } from './outbox.ts';
import { TaskService } from './tasks.ts';
import { ManualClock } from './time.ts';

export const publicUrl = 'https://care.example';

/** What approvals stand on, all of it real: the embedded endpoints behind the AWS SDK, and a clock of the test's own. */
export type Approvals = Awaited<ReturnType<typeof startApprovals>>;

export async function startApprovals() {
  const directory = await mkdtemp(join(tmpdir(), 'caregate-approvals-'));
  const outbox = join(directory, 'outbox');
  const clock = new ManualClock('2027-03-01T09:00:00.000Z');
  const tasks = new TaskService();
  const faults: { ses?: (mail: { destinations: readonly string[] }) => SendFault | undefined } = {};
  const tables = await dynamodbService({ directory: null });
  const servers = await Promise.all(
    (
      [
        tables,
        await s3Service({ directory: join(directory, 's3'), clock: systemClock }),
        await kmsService({ keyFile: join(directory, 'key') }),
        await sesService({
          outbox,
          clock: systemClock,
          randomness: systemRandomness,
          identities: ['inbox.example'],
          faults: (mail) => faults.ses?.(mail),
        }),
        tasks,
      ] satisfies Service[]
    ).map((service) => startEndpoint(service, { credentials, clock: systemClock })),
  );
  const [dynamodb, s3, kms, ses, sfn] = servers.map(({ url }) => ({ ...connection, endpoint: url }));
  const clients = {
    dynamodb: new DynamoDBClient(dynamodb ?? connection),
    s3: new S3Client({ ...(s3 ?? connection), forcePathStyle: true }),
    kms: new KMSClient(kms ?? connection),
    ses: new SESClient(ses ?? connection),
    sfn: new SFNClient(sfn ?? connection),
  };
  await clients.dynamodb.send(new CreateTableCommand(approvalTable('approvals')));
  await clients.dynamodb.send(new CreateTableCommand(caseTable('cases')));
  await clients.s3.send(new CreateBucketCommand({ Bucket: 'casefile' }));
  const store = new ObjectStore(clients.s3, 'casefile');
  const signer = { kms: clients.kms, keyId: signingKeyAlias };
  return {
    ...clients,
    store,
    signer,
    clock,
    tasks,
    /** No execution starts here; a test of what starts one brings a machine of its own. */
    machine: 'arn:aws:states:eu-west-1:000000000000:stateMachine:none',
    faults,
    publicUrl,
    circle: exampleCircle,
    circles: [exampleCircle],
    randomness: systemRandomness,
    register: new ApprovalRegister(clients.dynamodb, 'approvals'),
    index: new CaseIndex(clients.dynamodb, 'cases'),
    publicKey: await fetchPublicKey(signer),
    notify: createNotify({ ses: clients.ses, store, clock }),
    outbox: () => readOutbox(outbox),
    /** What people were mailed, oldest first. */
    mails: () => mailsIn(outbox),
    async [Symbol.asyncDispose]() {
      for (const client of Object.values(clients)) client.destroy();
      await Promise.all(servers.map((server) => server.close()));
      await tables.close();
      await rm(directory, { recursive: true });
    },
  };
}

const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'only-for-this-test' };
const connection = { region: 'eu-west-1', credentials, maxAttempts: 1 };

/** A notice as a person finds it, with the link and the code where there are any. */
export interface Mailed {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
  readonly link: string;
  readonly code: string;
}

async function mailsIn(outbox: string): Promise<Mailed[]> {
  const mails = await readOutbox(outbox);
  return Promise.all(
    mails.map(async ({ raw, destinations }) => {
      const {
        subject = '',
        text = '',
        html,
      } = await simpleParser(Buffer.from(raw), { skipHtmlToText: true });
      return {
        to: destinations,
        subject,
        text,
        html: typeof html === 'string' ? html : '',
        raw: Buffer.from(raw).toString(),
        link: /\/a\/(\S+)/.exec(text)?.[1] ?? '',
        code: mailedCode.exec(text)?.[1] ?? '',
      };
    }),
  );
}
