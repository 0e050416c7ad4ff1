import { fetchPublicKey } from '../lib/approval/link.ts';
import type { DecisionDeps } from '../lib/web/deps.ts';
import { approvalParts } from './approvals.ts';
import type { Parts } from './parts.ts';

/** What the pages are made of. `web` gets the same, but its type and its role let it read alone. */
export function pageParts(parts: Parts): DecisionDeps {
  const approvals = approvalParts(parts);
  return {
    ...approvals,
    index: parts.index,
    circles: [parts.circle],
    listing: parts.settings.CAREGATE_LISTING === 'on',
    publicKey: () => fetchPublicKey(approvals.signer),
  };
}
