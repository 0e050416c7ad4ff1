import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, type NativeAttributeValue, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ApprovalId, CircleId } from '../provenance/identifiers.ts';
import {
  type ApprovalEntry,
  type ApprovalVerdict,
  type ApprovalView,
  approvalEntrySchema,
  approvalViewSchema,
  type Choice,
  lockedFor,
  mostWrong,
} from './entry.ts';
import { queueIndex } from './table.ts';

export { approvalTable } from './table.ts';

/** Codes of one person that are good at once: an older mail still works after a reminder or a new code. */
const goodCodes = 3;

/** A person's choice with the code that it was made with. */
export interface ChoiceRequest {
  readonly person: string;
  readonly choice: Choice;
  /** The hash that the typed code has. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface CodeChange {
  readonly person: string;
  /** Codes that were mailed before this one. */
  readonly mailed: number;
  readonly hashes: readonly string[];
}

interface Change {
  readonly update: string;
  readonly condition: string;
  readonly person?: string;
  readonly values?: Readonly<Record<string, NativeAttributeValue>>;
}

/**
 * The register of approvals and questions. Whatever must happen once is one conditional write to one item, so that
 * no transaction and no expiry of the database is relied on.
 */
export class ApprovalRegister {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Writes a new request. Gives whether it did: an id that is there already is left as it is. */
  async create(entry: ApprovalEntry): Promise<boolean> {
    const item = { ...approvalEntrySchema.parse(entry), queue: queueOf(entry.circle, 'open') };
    return succeeded(
      this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: marshall(item, { removeUndefinedValues: true }),
          ConditionExpression: 'attribute_not_exists(id)',
        }),
      ),
    );
  }

  /** The whole item with its secrets, for the functions that decide and remind. */
  async find(id: ApprovalId): Promise<ApprovalEntry | undefined> {
    const answer = await this.#client.send(
      new GetItemCommand({ TableName: this.#table, Key: marshall({ id }), ConsistentRead: true }),
    );
    if (answer.Item === undefined) return undefined;
    const { queue: _, ...entry } = unmarshall(answer.Item);
    return approvalEntrySchema.parse(entry);
  }

  /** What may be shown of an item. The secrets are not even read. */
  async view(id: ApprovalId): Promise<ApprovalView | undefined> {
    const fields = Object.keys(approvalViewSchema.shape).map((name) => `#${name}`);
    const answer = await this.#client.send(
      new GetItemCommand({
        TableName: this.#table,
        Key: marshall({ id }),
        ConsistentRead: true,
        ProjectionExpression: fields.join(', '),
        ExpressionAttributeNames: namesIn(fields.join(' ')),
      }),
    );
    return answer.Item === undefined ? undefined : approvalViewSchema.parse(unmarshall(answer.Item));
  }

  /** What waits for a person of this circle, the soonest to end first. */
  async listOpen(circle: CircleId): Promise<ApprovalView[]> {
    return (await this.#list(circle, 'open')).filter((view) => view.status === 'open');
  }

  /** How much of that waits for a decision on a call or for an answer. Whoever fills the quarantine cannot fill this. */
  async countWaiting(circle: CircleId): Promise<number> {
    return (await this.listOpen(circle)).filter(({ kind }) => kind !== 'release').length;
  }

  /** What was decided but not yet told to the waiting execution. */
  async listUnfinished(circle: CircleId): Promise<ApprovalView[]> {
    return (await this.#list(circle, 'decided')).filter((view) => view.callback === undefined);
  }

  /** A retried task waits under a new token: the same request answers to it. Gives whether there is one to answer. */
  async renewToken({ id, circle }: Pick<ApprovalView, 'id' | 'circle'>, token: string): Promise<boolean> {
    const open = await this.#change(id, {
      update: 'SET #token = :token',
      condition: '#status = :open',
      values: { ':token': token, ':open': 'open' },
    });
    if (open) return true;
    return this.#change(id, {
      update: 'SET #token = :token, #callbackTries = :zero, #queue = :queue REMOVE #callback',
      condition: '#status = :decided AND #token <> :token',
      values: { ':token': token, ':decided': 'decided', ':zero': 0, ':queue': queueOf(circle, 'decided') },
    });
  }

  /** Sets a person's good codes, if exactly `mailed` were mailed before: of two at once, one is mailed. */
  async addCode(id: ApprovalId, code: CodeChange): Promise<boolean> {
    return this.#setCodes(
      id,
      { ...code, hashes: code.hashes.slice(-goodCodes) },
      code.mailed,
      code.mailed + 1,
    );
  }

  /** Undoes {@link addCode} with what was there before, for a code that did not leave. */
  async takeBackCode(id: ApprovalId, code: CodeChange): Promise<boolean> {
    return this.#setCodes(id, code, code.mailed + 1, code.mailed);
  }

  #setCodes(id: ApprovalId, { person, hashes }: CodeChange, from: number, to: number): Promise<boolean> {
    return this.#change(id, {
      update: 'SET #secrets.#person.#hashes = :hashes, #people.#person.#mailed = :to',
      condition: '#status = :open AND #people.#person.#mailed = :from',
      person,
      values: { ':hashes': hashes, ':from': from, ':to': to, ':open': 'open' },
    });
  }

  /** Notes when the newest code of a person left, and whether it was the reminder. */
  async noteMailed(id: ApprovalId, person: string, note: { at: string; reminder: boolean }): Promise<void> {
    await this.#change(id, {
      update: `SET #people.#person.#mailedAt = :at${note.reminder ? ', #people.#person.#reminded = :true' : ''}`,
      condition: 'attribute_exists(id)',
      person,
      values: { ':at': note.at, ...(note.reminder ? { ':true': true } : {}) },
    });
  }

  /**
   * Counts one well-formed wrong code. Gives whether it was counted: under a lock none is, so that however many
   * come at once, no more than five are ever judged in fifteen minutes.
   */
  async countWrong(id: ApprovalId, person: string, now: number): Promise<boolean> {
    const counted = await this.#change(id, {
      update: 'SET #people.#person.#wrong = #people.#person.#wrong + :one, #people.#person.#wrongAt = :now',
      condition: '#status = :open AND #people.#person.#wrong < :most',
      person,
      values: { ':one': 1, ':now': now, ':most': mostWrong, ':open': 'open' },
    });
    if (counted) return true;
    return this.#change(id, {
      update: 'SET #people.#person.#wrong = :one, #people.#person.#wrongAt = :now',
      condition: '#status = :open AND #people.#person.#wrong >= :most AND #people.#person.#wrongAt <= :cut',
      person,
      values: { ':one': 1, ':now': now, ':most': mostWrong, ':cut': now - lockedFor, ':open': 'open' },
    });
  }

  /**
   * Takes one person's choice, and with it the decision where it is the last that was needed. One write: of any
   * number at once, one takes effect, and only on the entry as it was read.
   */
  async choose(entry: ApprovalEntry, request: ChoiceRequest): Promise<boolean> {
    const verdict = verdictOf(entry, request.choice);
    const at = request.choice.at;
    return this.#change(entry.id, {
      update:
        'SET #people.#person.#choice = :choice, #people.#person.#wrong = :zero, #approvals = :approvals' +
        (verdict === undefined
          ? ''
          : ', #status = :decided, #verdict = :verdict, #decidedAt = :at, #queue = :queue'),
      condition:
        '#status = :open AND #expires > :at AND attribute_not_exists(#people.#person.#choice)' +
        ' AND #approvals = :seen AND contains(#secrets.#person.#hashes, :hash)' +
        ' AND (#people.#person.#wrong < :most OR #people.#person.#wrongAt <= :cut)',
      person: request.person,
      values: {
        ':choice': request.choice,
        ':zero': 0,
        ':seen': entry.approvals,
        ':approvals': entry.approvals + (request.choice.choice === 'approve' ? 1 : 0),
        ':open': 'open',
        ':at': at,
        ':hash': request.hash,
        ':most': mostWrong,
        ':cut': request.now - lockedFor,
        ...(verdict === undefined
          ? {}
          : { ':decided': 'decided', ':verdict': verdict, ':queue': queueOf(entry.circle, 'decided') }),
      },
    });
  }

  /** Notes that the waiting execution is about to be told, so that a lost reply is recognised afterwards. */
  async noteTry(id: ApprovalId): Promise<void> {
    await this.#change(id, {
      update: 'SET #callbackTries = #callbackTries + :one',
      condition: '#status = :decided',
      values: { ':one': 1, ':decided': 'decided' },
    });
  }

  /** Notes how the callback ended. A token that was renewed meanwhile is still to be told. */
  async noteCallback(id: ApprovalId, token: string, callback: 'confirmed' | 'refused'): Promise<void> {
    await this.#change(id, {
      update: 'SET #callback = :callback REMOVE #queue',
      condition: '#status = :decided AND #token = :token',
      values: { ':callback': callback, ':decided': 'decided', ':token': token },
    });
  }

  /** Closes an open request without a decision. Gives whether this call did. */
  async close(id: ApprovalId, status: 'expired' | 'cancelled'): Promise<boolean> {
    return this.#change(id, {
      update: 'SET #status = :status REMOVE #queue',
      condition: '#status = :open',
      values: { ':status': status, ':open': 'open' },
    });
  }

  async #list(circle: CircleId, queue: 'open' | 'decided'): Promise<ApprovalView[]> {
    const ids: ApprovalId[] = [];
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#table,
        IndexName: queueIndex,
        KeyConditionExpression: 'queue = :queue',
        ExpressionAttributeValues: marshall({ ':queue': queueOf(circle, queue) }),
      },
    );
    for await (const page of pages) ids.push(...(page.Items ?? []).map((item) => unmarshall(item).id));
    const views = await Promise.all(ids.map((id) => this.view(id)));
    return views.filter((view) => view !== undefined);
  }

  #change(id: ApprovalId, change: Change): Promise<boolean> {
    const names = namesIn(`${change.update} ${change.condition}`);
    return succeeded(
      this.#client.send(
        new UpdateItemCommand({
          TableName: this.#table,
          Key: marshall({ id }),
          UpdateExpression: change.update,
          ConditionExpression: change.condition,
          ExpressionAttributeNames:
            change.person === undefined ? names : { ...names, '#person': change.person },
          ExpressionAttributeValues: marshall(change.values ?? {}, { removeUndefinedValues: true }),
        }),
      ),
    );
  }
}

/** What the entry is decided as by one more choice, if it is the last that was needed. */
function verdictOf(entry: ApprovalEntry, choice: Choice): ApprovalVerdict | undefined {
  switch (choice.choice) {
    case 'decline':
      return 'declined';
    case 'answer':
      return 'answered';
    case 'approve':
      return entry.approvals + 1 >= entry.need ? 'approved' : undefined;
  }
}

function queueOf(circle: CircleId, queue: 'open' | 'decided'): string {
  return `${circle}#${queue}`;
}

/** Every name is written as `#name`: many of them are reserved words of DynamoDB. */
function namesIn(expression: string): Record<string, string> {
  return Object.fromEntries([...expression.matchAll(/#(\w+)/g)].map(([name, word]) => [name, word ?? '']));
}

async function succeeded(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
