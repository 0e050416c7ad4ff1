import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { CaregateError } from '../errors.ts';

/** The table that the code describes for the embedded office too, so that the two cannot differ. */
export function tableOf(stack: Stack, id: string, input: CreateTableCommandInput): Table {
  const key = (schema: CreateTableCommandInput['KeySchema'], type: 'HASH' | 'RANGE') => {
    const name = schema?.find((element) => element.KeyType === type)?.AttributeName;
    return name === undefined ? undefined : { name, type: AttributeType.STRING };
  };
  const table = new Table(stack, id, {
    partitionKey: required(id, key(input.KeySchema, 'HASH')),
    ...optional('sortKey', key(input.KeySchema, 'RANGE')),
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
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
