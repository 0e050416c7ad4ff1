import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type AttributeValue,
  CreateTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { systemClock } from '../../provenance/clock.ts';
import { randomToken, systemRandomness } from '../../provenance/randomness.ts';
import { startEndpoint } from '../endpoints/server.ts';
import type { Service } from '../endpoints/service.ts';
import { names } from '../names.ts';
import { tables } from '../tables.ts';

/**
 * Writes what the tables hold as lines of JSON, a file for each: the files of the database itself change underneath
 * whoever copies them, and belong to one version of it.
 */
export async function exportTables(service: Service, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await withClient(service, async (client) => {
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    for (const name of TableNames) {
      const lines = Readable.from(linesOf(client, name));
      await pipeline(lines, createWriteStream(join(folder, `${name}.jsonl`), { mode: 0o600 }));
    }
  });
}

/** Fills a new database from those files. */
export async function importTables(service: Service, folder: string): Promise<void> {
  await withClient(service, async (client) => {
    const files = await readdir(folder).catch(() => []); // an archive keeps no folder that nothing lies in
    for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
      const name = basename(file, '.jsonl');
      const table = tables.find(({ TableName }) => TableName === name);
      if (table === undefined) continue;
      await client.send(new CreateTableCommand(table));
      for await (const line of linesIn(join(folder, file))) {
        await client.send(new PutItemCommand({ TableName: name, Item: JSON.parse(line) }));
      }
    }
  });
}

async function* linesOf(client: DynamoDBClient, name: string): AsyncGenerator<string> {
  let from: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: name, ExclusiveStartKey: from }));
    for (const item of page.Items ?? []) yield `${JSON.stringify(item)}\n`;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}

/** Only a line feed ends a line: JSON may hold what `readline` takes for the end of one, such as U+2028. */
async function* linesIn(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Speaks to the tables on an endpoint that is there for this alone. */
async function withClient<T>(service: Service, work: (client: DynamoDBClient) => Promise<T>): Promise<T> {
  const secret = () => randomToken(systemRandomness, 128);
  const credentials = { accessKeyId: secret(), secretAccessKey: secret() };
  const endpoint = await startEndpoint(service, { credentials, clock: systemClock, log: () => {} });
  const client = new DynamoDBClient({ region: names.region, credentials, endpoint: endpoint.url });
  try {
    return await work(client);
  } finally {
    client.destroy();
    await endpoint.close();
  }
}
