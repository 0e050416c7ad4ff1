import type { ApprovalView } from '../approval/entry.ts';
import { type ActionRecord, readActions } from '../casefile/actions.ts';
import type { CaseEntry } from '../casefile/caseindex.ts';
import { type CaseKey, layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { caseRecordSchema } from '../casefile/schemas.ts';
import { type EffectReceipt, receiptSchema } from '../effect/receipt.ts';
import type { OfficeConnection } from '../local/connection.ts';
import type { MailedLink } from '../local/outboxcodes.ts';

/** Where cases are read from: a running office, or a deployment. */
export type CaseSource = Pick<OfficeConnection, 'circle' | 'store' | 'index' | 'register'>;

export interface ActionReport {
  readonly action: number;
  readonly tool: string;
  readonly decision: string;
  readonly reason: string;
  readonly status: string;
  readonly callDigest: string;
  readonly effect?: { readonly key: string; readonly sha256: string };
}

/** One mail as the command line tells of it. */
export interface CaseReport {
  readonly message: string;
  readonly case: string;
  readonly status: string;
  readonly reason: string;
  readonly category?: string | undefined;
  readonly actions: readonly ActionReport[];
  readonly approvals: readonly { readonly id: string; readonly url?: string; readonly code?: string }[];
}

/** Reads how a case stands from its case file, the register of approvals, and the links of the local outbox. */
export async function reportCase(
  office: CaseSource,
  entry: CaseEntry,
  links: readonly MailedLink[],
): Promise<CaseReport> {
  const key: CaseKey = { circle: entry.circle, case: entry.case };
  const [record, actions, receipts, open] = await Promise.all([
    findRecord(office.store, layout.case(key), caseRecordSchema),
    readActions(office.store, key),
    readReceipts(office, key),
    office.register.listOpen(entry.circle),
  ]);
  const waiting = open.filter((view) => view.case === entry.case && isMailed(view));
  const shown = actions.filter(isShown).map((action) => actionReport(action, receipts));
  return {
    message: record?.message ?? '',
    case: entry.case,
    status: statusOf(entry, shown, waiting),
    reason: entry.reason,
    category: entry.category,
    actions: shown,
    approvals: waiting.map(({ id }) => {
      const mailed = linkOf(links, id);
      return mailed === undefined ? { id } : { id, url: mailed.url, code: mailed.code };
    }),
  };
}

async function readReceipts(office: CaseSource, key: CaseKey): Promise<EffectReceipt[]> {
  const keys = await office.store.list(layout.receipts(key));
  const found = await Promise.all(keys.map((at) => findRecord(office.store, at, receiptSchema)));
  return found.filter((receipt) => receipt !== undefined);
}

/** Stopping is not an action that anybody waits for. */
function isShown({ proposal, decision }: ActionRecord): boolean {
  return proposal !== undefined && decision !== undefined && proposal.tool !== 'no_further_action';
}

function actionReport(record: ActionRecord, receipts: readonly EffectReceipt[]): ActionReport {
  const receipt = receipts.findLast((candidate) => candidate.action === record.action);
  return {
    action: record.action,
    tool: record.proposal?.tool ?? '',
    decision: record.decision?.decision.outcome ?? '',
    reason: record.decision?.decision.reason ?? '',
    status: record.outcome?.status ?? 'awaiting',
    callDigest: record.decision?.decision.callDigest ?? '',
    ...(receipt === undefined ? {} : { effect: { key: receipt.key, sha256: receipt.sha256 } }),
  };
}

/** A case that runs waits for a person once each action has ended or has a request that is open. */
function statusOf(
  entry: CaseEntry,
  actions: readonly ActionReport[],
  waiting: readonly { readonly action: number; readonly kind: string }[],
): string {
  if (entry.status !== 'open' || waiting.length === 0) return entry.status;
  const open = actions.filter((action) => action.status === 'awaiting');
  const asked = open.every((action) => waiting.some((view) => view.action === action.action));
  if (!asked) return 'open';
  return waiting.some((view) => view.kind === 'approval') ? 'awaiting_approval' : 'awaiting_answer';
}

/** The newest link of whoever was asked first; the links are the newest first. */
export function linkOf(links: readonly MailedLink[], approval: string): MailedLink | undefined {
  const mailed = links.filter((link) => link.approval === approval);
  const first = mailed.at(-1)?.person;
  return mailed.find((link) => link.person === first);
}

/** Whether somebody was asked: a request is registered a moment before its mail leaves. */
export function isMailed(view: Pick<ApprovalView, 'people'>): boolean {
  return Object.values(view.people).some(({ mailedAt }) => mailedAt !== undefined);
}
