import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gateProposal } from '../../lib/approval/gating.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord, writeRecord } from '../../lib/casefile/record.ts';
import { decisionRecordSchema, policyRecordSchema } from '../../lib/casefile/schemas.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import type { Proposal } from '../../lib/proposal/schema.ts';
import { policy } from '../effect/world.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { caseKey, openCase, sendLetter } from './casefile.ts';
import { caseId, letterEvidence } from './requests.ts';

let office: Approvals;
let action = 0;
beforeAll(async () => {
  office = await startApprovals();
  await openCase(office);
});
afterAll(async () => office[Symbol.asyncDispose]());

/** A proposal as planning leaves it, and what the gate's step is given. */
async function proposed({ tool, input }: Proposal, category = 'records_request') {
  action += 1;
  const { store } = office;
  const triage = { category, model: 'reader', attempts: 1 };
  const proposal = { action, round: 1, tool, input, model: 'reader', attempts: 1 };
  return {
    ...{ ...caseKey, execution: caseId, action },
    triage: await writeRecord(store, layout.triage(caseKey, action), triage),
    evidence: await writeRecord(store, layout.evidence(caseKey, 1), letterEvidence),
    proposal: await writeRecord(store, layout.proposal(caseKey, action), proposal),
  };
}
const parts = () => ({ ...office, policy });
const unresolvable: Proposal = {
  tool: 'send_email',
  input: { ...sendLetter.input, attachments: ['d9'] },
};

describe('the gate of a proposal', () => {
  it('records the call, the decision and all that the decision depended on', async () => {
    const input = await proposed(sendLetter);
    const gated = await gateProposal(parts(), input);
    expect(gated).toMatchObject({ action, tool: 'send_email', outcome: 'REQUIRE_HUMAN' });
    const record = await readRecord(office.store, gated.decision, decisionRecordSchema);
    expect(record).toMatchObject({
      category: 'records_request',
      standing: 'accepted',
      proposal: input.proposal,
    });
    expect(record.decision).toMatchObject({ callDigest: gated.callDigest, consent: { people: 1 } });
    const kept = await readRecord(office.store, layout.policy(policy.digest), policyRecordSchema);
    expect(compilePolicy({ ...policy.sources, policy: kept.policy }).digest).toBe(policy.digest);
  });

  it('shows the execution history classes and trusts of the arguments, and no value', async () => {
    const gated = await gateProposal(parts(), await proposed(sendLetter));
    expect(gated.arguments).toEqual({
      attachments: 'VALUE UNTRUSTED',
      body: 'VALUE UNTRUSTED',
      subject: 'VALUE UNTRUSTED',
      to: 'DESTINATION TRUSTED',
    });
    const shown = JSON.stringify(gated);
    for (const value of ['Rosa', 'referral', 'hillside', '@']) expect(shown).not.toContain(value);
  });

  it('repeated gives the same to the letter, whatever the clock or the rules say by then', async () => {
    const input = await proposed(sendLetter);
    const first = await gateProposal(parts(), input);
    office.clock.advance(3_600_000);
    const changed = compilePolicy({ ...policy.sources, policy: `${policy.sources.policy}\n# changed` });
    expect(changed.digest).not.toBe(policy.digest);
    expect(await gateProposal({ ...office, policy: changed }, input)).toEqual(first);
  });

  it('denies a proposal that no call can be made of, and records no call', async () => {
    const input = await proposed(unresolvable);
    const gated = await gateProposal(parts(), input);
    expect(gated).toMatchObject({ outcome: 'DENY', reason: 'CALL_UNRESOLVED', rules: [], arguments: {} });
    expect(await office.store.find(layout.call(caseKey, action))).toBeUndefined();
    expect(await gateProposal(parts(), input)).toEqual(gated);
    const other = await gateProposal(parts(), await proposed(unresolvable));
    expect(other.callDigest).not.toBe(gated.callDigest);
  });

  it('denies by the category that was found', async () => {
    const gated = await gateProposal(parts(), await proposed(sendLetter, 'clinical'));
    expect(gated).toMatchObject({ outcome: 'DENY', reason: 'CLINICAL_NOT_OURS' });
  });

  it('fails, and decides nothing, where a record is not what the history points to', async () => {
    const input = await proposed(sendLetter);
    const wrong = { ...input, triage: { ...input.triage, sha256: input.proposal.sha256 } };
    await expect(gateProposal(parts(), wrong)).toFailWithCode('DIGEST_MISMATCH');
    expect(await office.store.find(layout.decision(caseKey, action))).toBeUndefined();
  });
});
