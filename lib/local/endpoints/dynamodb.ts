import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import dynalite from 'dynalite';
import { Level } from 'level';
import { CaregateError } from '../../errors.ts';
import { dispatch } from './dispatch.ts';
import type { Service } from './service.ts';

export interface DynamodbOptions {
  /** Where the tables lie, or `null` for tables in memory. */
  readonly directory: string | null;
}

interface TableRow {
  readonly TableStatus: string;
  readonly GlobalSecondaryIndexes?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * DynamoDB by dynalite, called in this process: it does not listen, so that the signed endpoint in front of it is the
 * only way in. dynalite lacks transactions and `ReturnValuesOnConditionCheckFailure`, and its TTL never expires.
 * @throws CaregateError `DATA_DIRECTORY_INVALID` if the directory cannot be opened, or another office has it open
 */
export async function dynamodbService({
  directory,
}: DynamodbOptions): Promise<Service & { close(): Promise<void> }> {
  if (directory !== null) await prepare(directory);
  const tables = dynalite({
    ...(directory === null ? {} : { path: directory }),
    // Tables are there at once; nothing here waits for capacity.
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
  return {
    name: 'dynamodb',
    handle: (request) => dispatch(tables, request),
    close: () => close(tables),
  };
}

// dynalite throws what goes wrong with its files where nobody can catch it, so they are opened once before.
async function prepare(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = new Level<string, TableRow>(directory, { valueEncoding: 'json' });
    await files.open();
    await settleTables(files);
    await files.close();
  } catch (error) {
    throw new CaregateError(
      'DATA_DIRECTORY_INVALID',
      `data directory \`${directory}\` cannot be used; stop the office that has it open, or restore a backup`,
      { cause: error },
    );
  }
}

// A table becomes ACTIVE a moment after it was created. Where a crash came between, it would be CREATING for ever.
async function settleTables(files: Level<string, TableRow>): Promise<void> {
  for await (const [key, row] of files.iterator({ gte: 'table~', lt: 'table\u007f' })) {
    if (row.TableStatus !== 'CREATING') continue;
    const indexes = row.GlobalSecondaryIndexes?.map((index) => ({ ...index, IndexStatus: 'ACTIVE' }));
    const settled = { ...row, TableStatus: 'ACTIVE' };
    await files.put(key, indexes === undefined ? settled : { ...settled, GlobalSecondaryIndexes: indexes });
  }
}

// dynalite closes its files only behind a server that was listening. It listens for that moment, and to nobody.
function close(tables: Server): Promise<void> {
  tables.removeAllListeners('connection');
  tables.removeAllListeners('request');
  return new Promise((resolve, reject) => {
    tables.once('error', reject);
    tables.listen(0, '127.0.0.1', () => {
      tables.close((error) => (error ? reject(error) : resolve()));
    });
  });
}
