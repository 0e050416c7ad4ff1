import type { KeyObject } from 'node:crypto';
import { CaregateError } from '../errors.ts';
import { isoTime } from '../provenance/clock.ts';
import type { ApprovalId } from '../provenance/identifiers.ts';
import { type Randomness, randomToken } from '../provenance/randomness.ts';
import { matchingHash, parseCode } from './code.ts';
import {
  type ApprovalEntry,
  type ApprovalVerdict,
  type ChoiceKind,
  lockedUntil,
  longestAnswer,
  longestReason,
  type RequestKind,
  statusAt,
} from './entry.ts';
import { type FinishParts, finishDecided } from './finish.ts';
import { type LinkClaims, type LinkPurpose, openLink } from './link.ts';

export interface DecideParts extends FinishParts {
  readonly publicKey: KeyObject;
  readonly randomness: Randomness;
}

/** What a page or the command line hands over. All of it is attacker-controlled. */
export interface DecideRequest {
  readonly link: string;
  readonly code: string;
  readonly choice: 'approve' | 'decline';
  /** Why a person declines, in her words. */
  readonly reason?: string | undefined;
}

export interface AnswerRequest {
  readonly link: string;
  readonly code: string;
  readonly text: string;
}

/** What a choice led to: `pending` if more people have to approve, `expired` if the case no longer waited. */
export interface Decided {
  readonly approval: ApprovalId;
  readonly kind: RequestKind;
  readonly status: ApprovalVerdict | 'pending' | 'expired';
}

/** How often a choice is tried again when another person's came in between. */
const attempts = 4;

/**
 * Decides on one exact call, or on one mail in quarantine: link, open, locked, code, and then the choice as one conditional write, so that of any
 * number at once one takes effect. The consent and the callback follow from what was written; whatever breaks after
 * that is finished by the next request or by the sweep.
 * @throws CaregateError `APPROVAL_LINK_INVALID`, `APPROVAL_CLOSED`, `APPROVAL_LOCKED`, `APPROVAL_CODE_WRONG`,
 *   `INVALID_INPUT` for a code that is not six digits or a reason that is too long
 */
export async function decide(parts: DecideParts, request: DecideRequest): Promise<Decided> {
  const claims = await openLink(request.link, parts.publicKey);
  requirePurpose(claims, 'approve', 'release');
  const text = shortened('reason', request.reason?.trim() ?? '', longestReason);
  return choose(parts, { claims, code: request.code, choice: request.choice, text });
}

/** Answers a question, under the same conditions as {@link decide}. The first answer counts. */
export async function answer(parts: DecideParts, request: AnswerRequest): Promise<Decided> {
  const claims = await openLink(request.link, parts.publicKey);
  requirePurpose(claims, 'answer');
  const text = shortened('answer', request.text.trim(), longestAnswer);
  if (text === '') throw new CaregateError('INVALID_INPUT', '`answer` is empty; write an answer');
  return choose(parts, { claims, code: request.code, choice: 'answer', text });
}

interface Choosing {
  readonly claims: LinkClaims;
  readonly code: string;
  readonly choice: ChoiceKind;
  readonly text: string;
}

async function choose(parts: DecideParts, choosing: Choosing): Promise<Decided> {
  const { claims } = choosing;
  const code = parseCode(choosing.code);
  const attempt = randomToken(parts.randomness);
  for (let tried = 0; tried < attempts; tried += 1) {
    const entry = await requireEntry(parts, claims);
    if (entry.people[claims.person]?.choice?.attempt === attempt) return finish(parts, entry);
    if (entry.status === 'decided') await finishDecided(parts, entry.id);
    requireOpen(parts, entry, claims.person);
    const hash = await requireCode(parts, entry, claims.person, code);
    await parts.register.choose(entry, {
      person: claims.person,
      hash,
      now: parts.clock.now(),
      choice: {
        choice: choosing.choice,
        at: isoTime(parts.clock),
        attempt,
        ...(choosing.text === '' || choosing.choice === 'approve' ? {} : { text: choosing.text }),
      },
    });
  }
  throw new CaregateError(
    'APPROVAL_CLOSED',
    `approval \`${claims.approval}\` changed too often meanwhile; try again`,
  );
}

/** The entry that a link is for. A link for another call than the one in the register is for nothing. */
export async function requireEntry(
  parts: Pick<DecideParts, 'register'>,
  claims: LinkClaims,
): Promise<ApprovalEntry> {
  const entry = await parts.register.find(claims.approval);
  const known = entry !== undefined && Object.hasOwn(entry.people, claims.person);
  if (!known || entry.callDigest !== claims.callDigest) {
    throw new CaregateError(
      'APPROVAL_LINK_INVALID',
      '`link` is for nothing that is known here; use the newest mail',
    );
  }
  return entry;
}

function requirePurpose(claims: LinkClaims, ...purposes: readonly [LinkPurpose, ...LinkPurpose[]]): void {
  if (!purposes.includes(claims.purpose)) {
    throw new CaregateError(
      'APPROVAL_LINK_INVALID',
      `\`link\` is not one to ${purposes[0]}; use the one from the mail`,
    );
  }
}

/** An open request, not yet chosen by this person, whose link is not locked. */
function requireOpen(parts: DecideParts, entry: ApprovalEntry, person: string): void {
  const now = parts.clock.now();
  const status = statusAt(entry, now);
  const stand = entry.people[person];
  if (status !== 'open' || stand === undefined || stand.choice !== undefined) {
    const why = status === 'expired' || status === 'cancelled' ? status : 'already decided';
    throw new CaregateError('APPROVAL_CLOSED', `approval \`${entry.id}\` is ${why}`);
  }
  if (lockedUntil(stand, now) !== undefined) throw locked(entry);
}

/**
 * The hash of the typed code. A wrong code is counted before it is called wrong: what could not be counted, because
 * others were faster, is not judged at all.
 */
async function requireCode(
  parts: DecideParts,
  entry: ApprovalEntry,
  person: string,
  code: string,
): Promise<string> {
  const secret = entry.secrets[person];
  const hash = secret === undefined ? undefined : matchingHash(code, secret.salt, secret.hashes);
  if (hash !== undefined) return hash;
  const counted = await parts.register.countWrong(entry.id, person, parts.clock.now());
  const after = await parts.register.find(entry.id);
  if (after !== undefined) requireStillOpen(parts, after);
  if (!counted) throw locked(entry);
  throw new CaregateError(
    'APPROVAL_CODE_WRONG',
    '`code` is not the one of this link; copy it from the newest mail',
  );
}

function requireStillOpen(parts: DecideParts, entry: ApprovalEntry): void {
  const status = statusAt(entry, parts.clock.now());
  if (status === 'open') return;
  const why = status === 'decided' ? 'already decided' : status;
  throw new CaregateError('APPROVAL_CLOSED', `approval \`${entry.id}\` is ${why}`);
}

/** Finishes what was decided; if the case cannot be told now, the decision stands and is told later. */
async function finish(parts: DecideParts, entry: ApprovalEntry): Promise<Decided> {
  const { id: approval, kind } = entry;
  if (entry.verdict === undefined) return { approval, kind, status: 'pending' };
  const callback = await finishDecided(parts, approval);
  return { approval, kind, status: callback === 'refused' ? 'expired' : entry.verdict };
}

function shortened(name: string, text: string, longest: number): string {
  if (text.length <= longest && text.isWellFormed()) return text;
  throw new CaregateError('INVALID_INPUT', `\`${name}\` is longer than ${longest} characters; shorten it`);
}

function locked(entry: ApprovalEntry): CaregateError {
  return new CaregateError(
    'APPROVAL_LOCKED',
    `approval \`${entry.id}\` is locked for a while; try again later`,
  );
}
