import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { Level } from 'level';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dynamodbService } from '../../lib/local/endpoints/dynamodb.ts';
import { clientConfig, credentials, serve, temporaryDirectory } from '../support/endpoints.ts';

const TableName = 'index';

async function open(directory: string | null) {
  const service = await dynamodbService({ directory });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= service.close();
    return closed;
  };
  onTestFinished(close);
  const { url } = await serve(service);
  const client = new DynamoDBClient(clientConfig(url));
  onTestFinished(() => client.destroy());
  return { client, url, close };
}

async function withTable(directory: string | null = null) {
  const opened = await open(directory);
  await opened.client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'status', AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-status',
          KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
  await expect
    .poll(async () => {
      const { Table } = await opened.client.send(new DescribeTableCommand({ TableName }));
      return Table?.TableStatus;
    })
    .toBe('ACTIVE');
  return opened;
}

const put = (pk: string, status: string, ConditionExpression?: string) =>
  new PutItemCommand({ TableName, Item: { pk: { S: pk }, status: { S: status } }, ConditionExpression });
const get = (pk: string) => new GetItemCommand({ TableName, Key: { pk: { S: pk } } });

describe('the local DynamoDB', () => {
  it('lets one of 20 racing conditional puts win', async () => {
    const { client } = await withTable();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        client.send(put('raced', String(index), 'attribute_not_exists(pk)')),
      ),
    );
    const winners = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ name: 'ConditionalCheckFailedException' });
      }
    }
    expect((await client.send(get('raced'))).Item?.status?.S).toBe(String(winners[0]));
  });

  it('updates under a condition, and queries an index', async () => {
    const { client } = await withTable();
    await client.send(put('a', 'open'));
    await client.send(put('b', 'open'));
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: 'a' } },
        UpdateExpression: 'SET #s = :done',
        ConditionExpression: '#s = :open',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':done': { S: 'done' }, ':open': { S: 'open' } },
      }),
    );
    const { Items } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'by-status',
        KeyConditionExpression: '#s = :open',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':open': { S: 'open' } },
      }),
    );
    expect(Items?.map((item) => item.pk?.S)).toEqual(['b']);
  });

  it('keeps its tables on disk', async () => {
    const directory = await temporaryDirectory();
    const before = await withTable(directory);
    await before.client.send(put('a', 'open'));
    await before.close();
    const after = await open(directory);
    expect((await after.client.send(get('a'))).Item).toMatchObject({ status: { S: 'open' } });
  });

  it('makes a table usable again whose creation was cut short', async () => {
    const directory = await temporaryDirectory();
    await (await withTable(directory)).close();
    const files = new Level<string, Record<string, unknown>>(directory, { valueEncoding: 'json' });
    const row = await files.get(`table~${TableName}`);
    await files.put(`table~${TableName}`, { ...row, TableStatus: 'CREATING' });
    await files.close();
    const { client } = await open(directory);
    await client.send(put('a', 'open'));
    expect((await client.send(get('a'))).Item).toBeDefined();
  });

  it('refuses what dynalite lacks, by its name', async () => {
    const { client } = await withTable();
    await expect(
      client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: put('a', 'b').input as never }] })),
    ).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });

  it('answers nobody who does not sign', async () => {
    const { url, client } = await withTable();
    await client.send(put('a', 'open'));
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.GetItem',
    };
    const body = JSON.stringify({ TableName, Key: { pk: { S: 'a' } } });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403);
    const wrong = new DynamoDBClient({
      ...clientConfig(url),
      credentials: { ...credentials, secretAccessKey: 'another' },
    });
    await expect(wrong.send(get('a'))).rejects.toMatchObject({ name: 'InvalidSignatureException' });
  });

  it('names a directory that another office has open, that is a file, or that is damaged', async () => {
    const directory = await temporaryDirectory();
    await withTable(directory);
    await expect(dynamodbService({ directory })).toFailWithCode('DATA_DIRECTORY_INVALID');
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, 'x');
    await expect(dynamodbService({ directory: file })).toFailWithCode('DATA_DIRECTORY_INVALID');
    const damaged = await temporaryDirectory();
    await (await withTable(damaged)).close();
    await writeFile(join(damaged, 'CURRENT'), 'nonsense');
    await expect(dynamodbService({ directory: damaged })).toFailWithCode('DATA_DIRECTORY_INVALID');
    await expect(dynamodbService({ directory: damaged })).rejects.toThrow(damaged);
  });
});
