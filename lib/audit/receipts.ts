import { layout } from '../casefile/layout.ts';
import type { EffectReceipt } from '../effect/receipt.ts';
import type { Sha256 } from '../provenance/digest.ts';
import type { ActionDossier } from './dossier.ts';
import type { Examination } from './examination.ts';

/** The receipts of the case are numbered without gaps, and each names the digest of the one before. */
export function checkChain(examination: Examination): void {
  const { key, objects, receipts } = examination.dossier;
  let previous: Sha256 | null = null;
  for (const [index, { key: at, receipt }] of receipts.entries()) {
    const inPlace = at === layout.receipt(key, index + 1) && receipt.number === index + 1;
    if (!inPlace || receipt.previous !== previous) {
      examination.found('RECEIPT_CHAIN_BROKEN', at, { action: receipt.action });
    }
    previous = objects.get(at)?.sha256 ?? null;
  }
}

/** Each receipt belongs to the intent of its action, and to what a fresh read of its key gives. */
export async function checkReceipts(examination: Examination): Promise<void> {
  for (const { key, receipt } of examination.dossier.receipts) {
    const action = examination.dossier.actions.find(({ action: number }) => number === receipt.action);
    if (action === undefined || !isOfAction(examination, receipt, action)) {
      examination.found('RECEIPT_MISMATCH', key, { action: receipt.action });
    }
    const effect = await examination.object(receipt.key);
    const about = { action: receipt.action, expected: receipt.sha256, found: effect?.sha256 };
    if (effect === undefined) examination.found('EFFECT_MISSING', receipt.key, about);
    else if (effect.sha256 !== receipt.sha256) examination.found('EFFECT_ALTERED', receipt.key, about);
    else if (effect.version !== receipt.version) examination.found('OBJECT_OVERWRITTEN', receipt.key, about);
  }
}

function isOfAction({ dossier }: Examination, receipt: EffectReceipt, action: ActionDossier): boolean {
  const { intent, sent } = action;
  const recorded = dossier.objects.get(layout.intent(dossier.key, receipt.action));
  if (intent === undefined || recorded?.sha256 !== receipt.intent) return false;
  const same =
    receipt.key === intent.key && receipt.tool === intent.tool && receipt.callDigest === intent.callDigest;
  switch (receipt.status) {
    case 'verified':
      return same && receipt.sha256 === intent.sha256 && intent.tool !== 'send_email';
    case 'sent':
      return same && receipt.sha256 === intent.sha256 && receipt.messageId === sent?.messageId;
    case 'unknown':
    case 'conflict':
      return same;
  }
}

/** What ended well has a receipt that says so, and every closing says of an action what its outcome says. */
export function checkOutcomes(examination: Examination): void {
  const { key, actions, receipts, closings } = examination.dossier;
  for (const { action, outcome } of actions) {
    if (outcome?.status !== 'verified' && outcome?.status !== 'sent') continue;
    const proof = receipts.some(
      ({ receipt }) => receipt.action === action && receipt.status === outcome.status,
    );
    if (!proof) examination.found('RECEIPT_MISSING', layout.outcome(key, action), { action });
  }
  for (const { key: at, closing } of closings) {
    for (const line of closing.actions) {
      const action = actions.find(({ action: number }) => number === line.action);
      const status = action?.outcome?.status;
      if (status !== undefined && status === line.status) continue;
      // An action that had no outcome when the case was closed may have got one since.
      if (action !== undefined && line.status === 'noted') continue;
      examination.found('OUTCOME_MISMATCH', at, { action: line.action });
    }
  }
}
