import { type CaseKey, layout } from '../../lib/casefile/layout.ts';
import { type Pointer, writeRecord } from '../../lib/casefile/record.ts';
import { executionName } from '../../lib/casefile/step.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { type CaseId, caseIdOf } from '../../lib/provenance/identifiers.ts';
import type { Approvals } from '../support/approvals.ts';
import { exampleCircle } from '../support/cases.ts';

export const at = '2027-03-01T09:00:00.000Z';
const elsewhere: Pointer = { key: 'somewhere', sha256: digestOf('something') };
let cases = 0;

/** The key of a case that no other test has. */
export function newCase(admitted = true): CaseKey & { readonly execution: CaseId } {
  cases += 1;
  const id = caseIdOf(exampleCircle.id, digestOf(`mail ${cases}`), admitted);
  return { circle: exampleCircle.id, case: id, execution: executionName(id, 0) as CaseId };
}

/** Writes the record of a case, judged as given. */
export async function open(
  { store }: Pick<Approvals, 'store'>,
  key: CaseKey,
  judgement: object,
): Promise<void> {
  const { circle, case: id } = key;
  const pointers = { delivery: elsewhere, mail: elsewhere };
  const message = digestOf(`mail ${cases}`);
  await writeRecord(store, layout.case(key), {
    circle,
    case: id,
    message,
    ...pointers,
    judgement,
    openedAt: at,
  });
}

/** Writes what was proposed and decided for one action. */
export async function decided(
  { store }: Pick<Approvals, 'store'>,
  key: CaseKey,
  action: number,
  tool: string,
) {
  const proposal = { action, round: 1, tool, input: {}, model: 'reader', attempts: 1 };
  const pointer = await writeRecord(store, layout.proposal(key, action), proposal);
  const decision = {
    ...{ outcome: 'ALLOW', reason: 'FILING_IS_SAFE', matched: [], deciding: [], warnings: [] },
    ...{ alert: false, policyDigest: digestOf('policy'), callDigest: digestOf('call') },
  };
  const record = {
    decision,
    category: 'other',
    standing: 'accepted',
    evidence: elsewhere,
    proposal: pointer,
    at,
  };
  await writeRecord(store, layout.decision(key, action), record);
}
