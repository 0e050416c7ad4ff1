import type { ObjectStore } from '../../../lib/casefile/store.ts';
import { digestOf, hour } from './mails.ts';

/** A case as its objects tell it, read here by the form of their names and by nothing of the production's own. */
export interface CaseAccount {
  readonly id: string;
  /** SHA-256 of the mail as its sender handed it over. */
  readonly mail: string;
  readonly sender: string | undefined;
  readonly released: boolean;
  readonly openedAt: string;
  readonly closings: readonly Closing[];
  readonly outcomes: readonly Outcome[];
  readonly approvals: readonly Approval[];
}

interface Closing {
  readonly execution: string;
  readonly status: string;
  readonly at: string;
}

interface Outcome {
  readonly action: string;
  readonly tool: string;
  readonly status: string;
}

export interface Approval {
  readonly id: string;
  readonly kind: string;
  readonly people: readonly string[];
  readonly requestedAt: number;
  readonly expires: number;
  /** When each person chose. */
  readonly choices: Readonly<Record<string, number>>;
}

/** Every object of a circle, by its key. */
export async function readEverything(store: ObjectStore, circle: string): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const key of await store.list(`circles/${circle}/`)) found.set(key, (await store.read(key)).bytes);
  return found;
}

type Json = Record<string, unknown> & Record<'people', readonly string[]>;

export function casesIn(objects: ReadonlyMap<string, Uint8Array>, circle: string): CaseAccount[] {
  const prefix = `circles/${circle}/cases/`;
  const ids = [...objects.keys()].flatMap((key) =>
    key.startsWith(prefix) ? [key.slice(prefix.length).split('/')[0] ?? ''] : [],
  );
  return [...new Set(ids)].map((id) => accountOf(objects, `${prefix}${id}/`, id));
}

function accountOf(objects: ReadonlyMap<string, Uint8Array>, root: string, id: string): CaseAccount {
  const json = (key: string): Json => JSON.parse(Buffer.from(objects.get(key) ?? '{}').toString());
  const within = (pattern: RegExp): string[] =>
    [...objects.keys()].filter((key) => key.startsWith(root) && pattern.test(key.slice(root.length)));
  const record = json(`${root}case.json`);
  const sender = (record.judgement as { sender?: { list: string; id: string } } | undefined)?.sender;
  return {
    id,
    mail: digestOf(withoutTrace(objects.get(`${root}mail.eml`) ?? new Uint8Array())),
    sender: sender?.list === 'people' ? sender.id : undefined,
    released: objects.has(`${root}release.json`),
    openedAt: String(record.openedAt),
    closings: within(/^closings\//)
      .map((key) => json(key) as unknown as Closing)
      .sort((one, other) => Date.parse(one.at) - Date.parse(other.at)),
    outcomes: within(/^actions\/\d+\/outcome\.json$/).map((key) => {
      const folder = key.slice(0, -'outcome.json'.length);
      return {
        action: folder,
        tool: String(json(`${folder}proposal.json`).tool),
        status: String(json(key).status),
      };
    }),
    approvals: within(/^actions\/\d+\/approval\.json$/).map((key) => {
      const folder = key.slice(0, -'approval.json'.length);
      const { approval, kind, people, requestedAt, expires } = json(key);
      const choices: Record<string, number> = {};
      for (const name of objects.keys()) {
        if (!name.startsWith(folder) || !/(?:consents\/[^/]+|decline|answer)\.json$/.test(name)) continue;
        const { person, decidedAt, at } = json(name);
        choices[String(person)] = Date.parse(String(decidedAt ?? at));
      }
      const times = { requestedAt: Date.parse(String(requestedAt)), expires: Date.parse(String(expires)) };
      return { id: String(approval), kind: String(kind), people, ...times, choices };
    }),
  };
}

/** The two fields that our own receiver put in front, which are no part of the mail. */
function withoutTrace(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const [trace = ''] =
    /^Return-Path:[^\r\n]*\r\nReceived:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*\r\n/.exec(text) ?? [];
  return bytes.subarray(trace.length);
}

/** What should have been sent about cases: how often each, by kind, person and what it is about. `[least, most]` */
export function expectedNotices(
  cases: readonly CaseAccount[],
  owners: readonly string[],
): Map<string, readonly [number, number]> {
  const expected = new Map<string, readonly [number, number]>();
  const add = (key: string, least = 1, most = least): void => {
    const [before, beforeMost] = expected.get(key) ?? [0, 0];
    expected.set(key, [before + least, beforeMost + most]);
  };
  for (const each of cases) {
    for (const approval of each.approvals) {
      for (const person of approval.people) {
        add(`${approval.kind === 'question' ? 'question' : 'approval_request'} ${person} ${approval.id}`);
        const reminders = remindersOf(approval, person);
        add(`reminder ${person} ${approval.id}`, ...reminders);
      }
    }
    for (const { status } of each.outcomes) {
      if (!told.has(status)) continue;
      const kind = status === 'unknown' ? 'unknown_delivery' : status;
      for (const person of new Set([...senderOf(each), ...owners])) add(`${kind} ${person}`);
    }
    for (const { status } of each.closings) {
      if (status !== 'closed') continue;
      for (const person of each.sender === undefined ? owners : [each.sender]) add(`closing ${person}`);
    }
  }
  return expected;
}

const told: ReadonlySet<string> = new Set([
  'refused',
  'declined',
  'expired',
  'unknown',
  'conflict',
  'not_available',
]);
const senderOf = ({ sender }: CaseAccount): string[] => (sender === undefined ? [] : [sender]);

/** One past half of the time, to whoever has not chosen by then; around that moment it may be either. */
function remindersOf({ requestedAt, expires, choices }: Approval, person: string): [number, number] {
  const half = (requestedAt + expires) / 2;
  const decided = Math.min(expires, ...Object.values(choices));
  const until = Math.min(choices[person] ?? expires, decided);
  // The office is closed at night, and looks every one to three hours by day.
  const night = 12 * hour;
  if (until < half) return [0, 0];
  return until > half + night ? [1, 1] : [0, 1];
}
