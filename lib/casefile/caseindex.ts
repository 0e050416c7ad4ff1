import {
  type AttributeValue,
  type CreateTableCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CaseId, CircleId } from '../provenance/identifiers.ts';
import type { CaseKey } from './layout.ts';

export const caseStatuses = [
  'open',
  'closed',
  'parked',
  'quarantined',
  'ignored',
  'deferred',
  'released',
  'failed',
] as const;
export type CaseStatus = (typeof caseStatuses)[number];

/** One line of the list of cases. The case file decides; this is where one looks first. */
export interface CaseEntry {
  readonly circle: CircleId;
  readonly case: CaseId;
  readonly status: CaseStatus;
  readonly reason: string;
  readonly category?: string | undefined;
  /** ISO instant. */
  readonly openedAt: string;
  /** The newest run of the case: an execution name. */
  readonly execution: string;
}

/** The table that the index lives in: one item a case. */
export function caseTable(name: string): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'circle', AttributeType: 'S' },
      { AttributeName: 'case', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'circle', KeyType: 'HASH' },
      { AttributeName: 'case', KeyType: 'RANGE' },
    ],
  };
}

/** The index of the cases of all circles. */
export class CaseIndex {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Writes what is given of a case's line and leaves the rest of it as it was. */
  async note(key: CaseKey, change: Partial<Omit<CaseEntry, 'circle' | 'case'>>): Promise<void> {
    const fields = Object.entries(change).filter(
      (field): field is [string, string] => field[1] !== undefined,
    );
    if (fields.length === 0) return;
    await this.#client.send(
      new UpdateItemCommand({
        TableName: this.#table,
        Key: { circle: { S: key.circle }, case: { S: key.case } },
        UpdateExpression: `SET ${fields.map((_, at) => `#f${at} = :v${at}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(fields.map(([name], at) => [`#f${at}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          fields.map(([, value], at) => [`:v${at}`, { S: value }]),
        ),
      }),
    );
  }

  /** The line of one case, or nothing. */
  async find(key: CaseKey): Promise<CaseEntry | undefined> {
    const found = await this.#client.send(
      new GetItemCommand({
        TableName: this.#table,
        Key: { circle: { S: key.circle }, case: { S: key.case } },
        ConsistentRead: true,
      }),
    );
    return found.Item === undefined ? undefined : entryOf(found.Item);
  }

  /** All cases of a circle, the newest first. */
  async list(circle: CircleId): Promise<CaseEntry[]> {
    const entries: CaseEntry[] = [];
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#table,
        KeyConditionExpression: 'circle = :circle',
        ExpressionAttributeValues: { ':circle': { S: circle } },
        ConsistentRead: true,
      },
    );
    for await (const page of pages) entries.push(...(page.Items ?? []).map(entryOf));
    return entries.sort((a, b) => b.openedAt.localeCompare(a.openedAt) || a.case.localeCompare(b.case));
  }
}

function entryOf(item: Record<string, AttributeValue>): CaseEntry {
  const text = (name: string): string => item[name]?.S ?? '';
  return {
    circle: text('circle') as CircleId,
    case: text('case') as CaseId,
    status: text('status') as CaseStatus,
    reason: text('reason'),
    category: item.category?.S,
    openedAt: text('openedAt'),
    execution: text('execution'),
  };
}
