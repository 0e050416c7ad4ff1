import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * The index of what is not finished: `queue` is `<circle>#open` or `<circle>#decided`, and absent for the rest, so
 * that the index holds only what somebody still has to look at. It projects keys alone: no secret is in it.
 */
export const queueIndex = 'queue';

/**
 * The register's table, for a local endpoint and for a template alike.
 * @param name the table's name
 */
export function approvalTable(name: string): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'queue', AttributeType: 'S' },
      { AttributeName: 'expires', AttributeType: 'S' },
    ],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: queueIndex,
        KeySchema: [
          { AttributeName: 'queue', KeyType: 'HASH' },
          { AttributeName: 'expires', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  };
}
