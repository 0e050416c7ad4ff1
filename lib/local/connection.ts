import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { ApprovalRegister } from '../approval/register.ts';
import { CaseIndex } from '../casefile/caseindex.ts';
import { ObjectStore } from '../casefile/store.ts';
import type { CircleId } from '../provenance/identifiers.ts';
import type { ConnectionFile } from './datadirectory.ts';
import { names } from './names.ts';

/** A running office as a program of its household sees it: the same signed endpoints that the functions use. */
export interface OfficeConnection {
  readonly file: ConnectionFile;
  readonly circle: CircleId;
  readonly store: ObjectStore;
  readonly index: CaseIndex;
  readonly register: ApprovalRegister;
  readonly sfn: SFNClient;
  readonly lambda: LambdaClient;
  close(): void;
}

/** Connects to the office that a connection file describes. Nothing is asked of it yet. */
export function connect(file: ConnectionFile): OfficeConnection {
  const at = (service: string) => ({
    region: file.region,
    credentials: file.credentials,
    endpoint: file.endpoints[service] ?? '',
  });
  const s3 = new S3Client({ ...at('S3'), forcePathStyle: true });
  const dynamodb = new DynamoDBClient(at('DYNAMODB'));
  const sfn = new SFNClient(at('SFN'));
  const lambda = new LambdaClient(at('LAMBDA'));
  return {
    file,
    circle: file.circle as CircleId,
    store: new ObjectStore(s3, names.caseBucket),
    index: new CaseIndex(dynamodb, names.caseTable),
    register: new ApprovalRegister(dynamodb, names.approvalTable),
    sfn,
    lambda,
    close: () => {
      for (const client of [s3, dynamodb, sfn, lambda]) client.destroy();
    },
  };
}
