import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { approvalTable } from '../approval/table.ts';
import { caseTable } from '../casefile/caseindex.ts';
import { CaregateError } from '../errors.ts';

/** What must outlive any release: mails, the case file, its index, the register of approvals and the signing key. */
export class CaseFileStack extends Stack {
  readonly cases: Bucket;
  readonly inbox: Bucket;
  readonly caseTable: Table;
  readonly approvalTable: Table;
  readonly signingKey: Key;

  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    // Two buckets, because the receiving service refuses one with a default retention, which the case file may get.
    this.cases = this.#bucket('Cases');
    this.inbox = this.#bucket('Inbox');
    this.caseTable = this.#table('CaseTable', caseTable('cases'));
    this.approvalTable = this.#table('ApprovalTable', approvalTable('approvals'));
    this.signingKey = new Key(this, 'SigningKey', {
      description: 'signs the approval links of Caregate',
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  #bucket(id: string): Bucket {
    return new Bucket(this, id, {
      versioned: true,
      enforceSSL: true,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** The table that the code describes for the embedded office too, so that the two cannot differ. */
  #table(id: string, input: CreateTableCommandInput): Table {
    const key = (schema: CreateTableCommandInput['KeySchema'], type: 'HASH' | 'RANGE') => {
      const name = schema?.find((element) => element.KeyType === type)?.AttributeName;
      return name === undefined ? undefined : { name, type: AttributeType.STRING };
    };
    const table = new Table(this, id, {
      partitionKey: required(id, key(input.KeySchema, 'HASH')),
      ...optional('sortKey', key(input.KeySchema, 'RANGE')),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const index of input.GlobalSecondaryIndexes ?? []) {
      table.addGlobalSecondaryIndex({
        indexName: required(id, index.IndexName),
        partitionKey: required(id, key(index.KeySchema, 'HASH')),
        ...optional('sortKey', key(index.KeySchema, 'RANGE')),
        projectionType:
          index.Projection?.ProjectionType === 'ALL' ? ProjectionType.ALL : ProjectionType.KEYS_ONLY,
      });
    }
    return table;
  }
}

function required<T>(table: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new CaregateError(
    'CONFIGURATION_INVALID',
    `table \`${table}\` has no key or name; describe it whole`,
  );
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [K in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [K in Name]: T });
}
