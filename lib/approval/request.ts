import { layout } from '../casefile/layout.ts';
import type { ObjectStore } from '../casefile/store.ts';
import { CaregateError } from '../errors.ts';
import type { Evidence } from '../evidence/types.ts';
import type { Decision } from '../policy/decision.ts';
import type { Call } from '../proposal/call.ts';
import { callDigest } from '../proposal/call.ts';
import type { Circle, CircleRole, Person } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { digestOf } from '../provenance/digest.ts';
import type { ApprovalId } from '../provenance/identifiers.ts';
import type { Randomness } from '../provenance/randomness.ts';
import type { ApprovalEntry, RequestKind } from './entry.ts';
import type { LinkPurpose, LinkSigner } from './link.ts';
import { mailFirstCode } from './mailing.ts';
import type { Notify } from './notice.ts';
import { openEntry } from './openentry.ts';
import { type Presentation, presentCall, presentQuestion } from './presentation.ts';
import { type ApprovalRecord, keepRecord } from './record.ts';
import type { ApprovalRegister } from './register.ts';

export interface RequestParts {
  readonly store: ObjectStore;
  readonly register: ApprovalRegister;
  readonly signer: LinkSigner;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Where the pages are reached by the people of the circle, such as `https://care.example`. */
  readonly publicUrl: string;
}

export interface ApprovalRequest {
  /** The call as code resolved it, with the decision on it. */
  readonly call: Call;
  readonly decision: Pick<Decision, 'reason' | 'consent' | 'callDigest'>;
  /** The evidence that the call was resolved from. */
  readonly evidence: Evidence;
  readonly circle: Circle;
  /** The name of the execution that waits. */
  readonly execution: string;
  /** Whoever has it can end the wait: it goes into the register and nowhere else. */
  readonly taskToken: string;
  /** When the wait ends, in milliseconds since the epoch. */
  readonly expires: number;
}

/** Who was asked. Ids only: this stands in an execution history. */
export interface Requested {
  readonly approval: ApprovalId;
  readonly people: readonly string[];
}

interface Asking {
  readonly kind: RequestKind;
  readonly purpose: LinkPurpose;
  readonly presentation: Presentation;
  readonly people: readonly Person[];
  readonly need: number;
  readonly roles: readonly CircleRole[];
}

/**
 * Asks the entitled people to approve one exact call. Asking again for the same action of the same execution is the
 * same request: its token is renewed, and nobody is mailed twice.
 * @throws CaregateError `CONFIGURATION_INVALID` if the circle has too few entitled people, `APPROVAL_CLOSED` if the
 *   request has ended, `NOTICE_NOT_SENT` if too few people could be reached
 */
export async function requestApproval(parts: RequestParts, request: ApprovalRequest): Promise<Requested> {
  const { consent } = request.decision;
  if (consent === undefined || request.decision.callDigest !== callDigest(request.call)) {
    throw new CaregateError(
      'INVALID_INPUT',
      '`decision` does not ask for a person on this call; gate it again',
    );
  }
  return ask(parts, request, {
    kind: 'approval',
    purpose: 'approve',
    presentation: presentCall(request.call, request.evidence, request.circle),
    people: request.circle.people.filter(({ roles }) => roles.some((role) => consent.roles.includes(role))),
    need: consent.people,
    roles: consent.roles,
  });
}

/** Asks every person of the circle who may act one question; the first answer counts. */
export async function requestAnswer(parts: RequestParts, request: ApprovalRequest): Promise<Requested> {
  const roles = ['owner', 'caregiver'] as const;
  return ask(parts, request, {
    kind: 'question',
    purpose: 'answer',
    presentation: presentQuestion(request.call, request.evidence, request.circle),
    people: request.circle.people.filter((person) => person.roles.some((role) => role !== 'viewer')),
    need: 1,
    roles,
  });
}

async function ask(parts: RequestParts, request: ApprovalRequest, asking: Asking): Promise<Requested> {
  if (asking.people.length < asking.need) {
    throw new CaregateError(
      'CONFIGURATION_INVALID',
      `circle \`${request.circle.id}\` has fewer entitled people than have to approve; add one with the role`,
    );
  }
  const id = approvalIdOf(request);
  const { record, pointer } = await keepRecord(
    parts.store,
    layout.approval(request.call, request.call.action),
    recordOf(parts, request, asking, id),
  );
  const entry = await register(parts, request, asking, { id, record, pointer });
  const people = Object.keys(entry.people);
  if (entry.status === 'open') await mailEverybody(parts, request.circle, entry, record);
  return { approval: id, people };
}

/**
 * The id of a request: the same for the same action of the same execution, so that asking is idempotent. It is no
 * secret; a link is signed, and the code is mailed.
 */
export function approvalIdOf({ call, execution }: Pick<ApprovalRequest, 'call' | 'execution'>): ApprovalId {
  const digest = digestOf({ approval: [call.circle, call.case, call.action, callDigest(call), execution] });
  return Buffer.from(digest, 'hex').subarray(0, 16).toString('base64url') as ApprovalId;
}

/** What was put before people under an id, and where it lies. */
interface Presented {
  readonly id: ApprovalId;
  readonly record: ApprovalRecord;
  readonly pointer: ApprovalEntry['record'];
}

async function register(
  parts: RequestParts,
  request: ApprovalRequest,
  asking: Asking,
  { id, record, pointer }: Presented,
): Promise<ApprovalEntry> {
  const known = await parts.register.find(id);
  const entry = known ?? (await newEntry(parts, request, asking, { id, record, pointer }));
  if (known === undefined && (await parts.register.create(entry))) return entry;
  if (!(await parts.register.renewToken(entry, request.taskToken))) {
    const now = await parts.register.find(id);
    if (now?.token === request.taskToken) return now;
    throw new CaregateError('APPROVAL_CLOSED', `approval \`${id}\` has ended; resume the case to ask again`);
  }
  return (await parts.register.find(id)) ?? entry;
}

function newEntry(
  parts: RequestParts,
  request: ApprovalRequest,
  asking: Asking,
  { id, record, pointer }: Presented,
): Promise<ApprovalEntry> {
  const { call, execution, taskToken } = request;
  // The record of this very request says when it was made and ends: of two at once, one record stands for both.
  const { requestedAt, expires } = record.approval === id ? record : timesOf(parts, request);
  const { circle, case: of, action, tool } = call;
  const { callDigest } = asking.presentation;
  const asked = {
    id,
    circle,
    case: of,
    action,
    tool,
    execution,
    callDigest,
    record: pointer,
    requestedAt,
    expires,
  };
  return openEntry(
    parts,
    { ...asked, kind: asking.kind, need: asking.need, token: taskToken },
    asking.purpose,
    asking.people.map((person) => person.id),
  );
}

function recordOf(
  parts: RequestParts,
  request: ApprovalRequest,
  asking: Asking,
  approval: ApprovalId,
): ApprovalRecord {
  return {
    approval,
    kind: asking.kind,
    callDigest: asking.presentation.callDigest,
    reason: request.decision.reason,
    presentation: asking.presentation,
    consent: { people: asking.need, roles: [...asking.roles] },
    people: asking.people.map(({ id }) => id),
    ...timesOf(parts, request),
  };
}

function timesOf({ clock }: Pick<RequestParts, 'clock'>, request: ApprovalRequest) {
  return { requestedAt: isoTime(clock), expires: new Date(request.expires).toISOString() };
}

/** Mails a first code to everybody who has none. Whoever could not be reached is mailed by the sweep. */
async function mailEverybody(
  parts: RequestParts,
  circle: Circle,
  entry: ApprovalEntry,
  record: ApprovalRecord,
): Promise<void> {
  const failures: unknown[] = [];
  for (const [person, stand] of Object.entries(entry.people)) {
    if (stand.mailedAt !== undefined) continue;
    try {
      await mailFirstCode(parts, { circle, entry, record, person });
    } catch (error) {
      failures.push(error);
    }
  }
  if (Object.keys(entry.people).length - failures.length < entry.need) throw failures[0];
}
