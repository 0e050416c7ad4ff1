import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { gateProposal } from '../../lib/approval/gating.ts';
import { consentVerifier } from '../../lib/approval/verify.ts';
import { type AuditReport, auditCase } from '../../lib/audit/verdict.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { recordOutcome } from '../../lib/casefile/outcome.ts';
import { type Pointer, writeRecord } from '../../lib/casefile/record.ts';
import type { ActionStatus } from '../../lib/casefile/schemas.ts';
import { verifyAction } from '../../lib/effect/checking.ts';
import { type ExecutionParts, executeAction } from '../../lib/effect/execution.ts';
import { gather } from '../../lib/evidence/gathering.ts';
import { parseMessage } from '../../lib/mail/message.ts';
import { judge } from '../../lib/mail/sender.ts';
import { canonicalJson } from '../../lib/provenance/canonical.ts';
import { type ApprovalId, caseIdOf } from '../../lib/provenance/identifiers.ts';
import { circle } from '../effect/calls.ts';
import { policy, type World } from '../effect/world.ts';
import { mailOf } from '../support/letters.ts';
import { ManualClock, seededRandomness } from '../support/time.ts';

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const verifyConsent = consentVerifier(keys.publicKey);
const clock = new ManualClock('2027-02-01T09:00:00Z');

/** The actions of the case below, by what they show. */
export const actions = {
  filed: 1,
  added: 2,
  sent: 3,
  denied: 4,
  unresolved: 5,
  unavailable: 6,
} as const;

const proposals = [
  {
    tool: 'file_document',
    input: { document: 'd2', title: { text: 'Referral' }, folder: { entry: 'referrals' } },
  },
  {
    tool: 'add_appointment',
    input: {
      title: { text: 'Cardiology' },
      start: { text: '2027-03-04T10:30:00+00:00' },
      calendar: { entry: 'family' },
    },
  },
  {
    tool: 'send_email',
    input: {
      subject: { text: 'Records' },
      body: { text: 'Please find the referral attached.' },
      attachments: ['d2'],
      to: { entry: 'hillside-records' },
    },
  },
  {
    tool: 'send_email',
    input: { subject: { text: 'x' }, body: { text: 'x' }, to: { literal: 'thief@evil.example' } },
  },
  { tool: 'file_document', input: { document: 'd9', title: { text: 'x' }, folder: { entry: 'records' } } },
  { tool: 'upload_to_portal', input: { document: 'd2', portal: { entry: 'hillside-portal' } } },
] as const;

/** A case whose file was written by the steps themselves, from the mail to the closing. */
export interface Recorded {
  readonly world: World;
  readonly caseKey: { readonly circle: typeof circle.id; readonly case: ReturnType<typeof caseIdOf> };
  readonly gated: readonly Awaited<ReturnType<typeof gateProposal>>[];
  /** Audits it, after some of its objects got other bytes, or vanished. */
  readonly audit: (
    tampered?: Readonly<Record<string, string | Uint8Array | undefined>>,
    changes?: Partial<Parameters<typeof auditCase>[0]>,
  ) => Promise<AuditReport>;
}

export async function recordCase(world: World, subject = 'Referral for Rosa'): Promise<Recorded> {
  const { store } = world;
  const { caseKey, parts, execution } = await openCase(world, subject);
  const step = { ...caseKey, execution };
  const { evidence } = await gather(parts, { ...step, round: 1 });
  const triage = await writeRecord(store, layout.triage(caseKey, 1), {
    category: 'referral',
    model: 'm',
    attempts: 1,
  });
  const gated: Recorded['gated'][number][] = [];
  const lines = [];
  for (const [index, { tool, input }] of proposals.entries()) {
    const action = index + 1;
    const record = { action, round: 1, tool, input, model: 'm', attempts: 1 };
    const proposal = await writeRecord(store, layout.proposal(caseKey, action), record);
    const decided = await gateProposal(parts, { ...step, action, triage, evidence, proposal });
    gated.push(decided);
    clock.advance(1000);
    if (decided.outcome === 'REQUIRE_HUMAN') await consent(world, caseKey, decided);
    const status = await act(parts, { ...step, action }, decided.outcome);
    await recordOutcome({ store, clock }, { ...step, action, status, reason: decided.reason });
    lines.push({ action, tool, outcome: decided.outcome, reason: decided.reason, status });
  }
  await writeRecord(store, layout.closing(caseKey, execution), {
    execution,
    status: 'closed',
    reason: 'EVERYTHING_DONE',
    actions: lines,
    at: new Date(clock.now()).toISOString(),
  });
  const audit: Recorded['audit'] = async (tampered = {}, changes = {}) => {
    const fork = await world.fork(tampered);
    const parts = { store: fork.store, caseKey, history: undefined, verifyConsent, ...changes };
    return auditCase(parts).finally(fork.close);
  };
  return { world, caseKey, gated, audit };
}

async function openCase({ store, context }: World, subject: string) {
  const mail = await mailOf({
    from: 'Maya <maya@family.example>',
    to: circle.inbox,
    subject,
    text: 'Please file this.',
    attachments: [{ filename: 'referral.txt', contentType: 'text/plain', content: `A referral: ${subject}` }],
  });
  const message = await parseMessage(mail);
  const caseKey = { circle: circle.id, case: caseIdOf(circle.id, message.id, true) };
  const pass = 'PASS' as const;
  const delivery = {
    id: `delivery-${message.id.slice(0, 8)}`,
    receivedAt: '2027-02-01T08:59:00.000Z',
    source: 'maya@family.example',
    recipients: [circle.inbox],
    verdicts: { spam: pass, virus: pass, spf: pass, dkim: pass, dmarc: pass },
    mail: { bucket: 'inbox', key: 'mail/1' },
  };
  const { sha256 } = await store.create(layout.mail(caseKey), mail);
  await writeRecord(store, layout.case(caseKey), {
    ...caseKey,
    message: message.id,
    delivery: await writeRecord(store, layout.delivery(delivery.id), delivery),
    mail: { key: layout.mail(caseKey), sha256 } satisfies Pointer,
    judgement: judge(message, delivery, circle),
    openedAt: new Date(clock.now()).toISOString(),
  });
  const { ses } = context();
  const parts = { store, ses, circle, clock, randomness: seededRandomness(3), policy, verifyConsent };
  return { caseKey, parts, execution: caseKey.case };
}

/** The consent that the owner gives, with a link that was really signed. */
export async function consent(
  { store }: World,
  caseKey: Recorded['caseKey'],
  { action, callDigest }: { action: number; callDigest: string },
  person = 'maya',
  key = keys.privateKey,
): Promise<void> {
  const approval = Buffer.from(`${person}-${action}`.padEnd(16)).toString('base64url') as ApprovalId;
  const claims = { approval, callDigest, person, purpose: 'approve', expires: '2027-02-04T09:00:00.000Z' };
  const link = await new CompactSign(new TextEncoder().encode(canonicalJson(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: 'caregate-link' })
    .sign(key);
  const record = { approval, callDigest, person, link, decidedAt: new Date(clock.now()).toISOString() };
  await writeRecord(store, layout.consent(caseKey, action, person), record);
}

async function act(
  parts: ExecutionParts,
  step: Parameters<typeof executeAction>[1],
  outcome: string,
): Promise<ActionStatus> {
  if (outcome === 'DENY') return 'refused';
  const { state } = await executeAction(parts, step);
  if (state === 'not_available') return state;
  if (state !== 'applied') throw new RangeError(`action ${step.action} ended ${state}`);
  clock.advance(1000);
  return (await verifyAction(parts, step)).status as ActionStatus;
}
