import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueLink, type LinkClaims } from '../../lib/approval/link.ts';
import { approvalIdOf } from '../../lib/approval/request.ts';
import { type ConsentCheck, consentVerifier, failedCheck } from '../../lib/approval/verify.ts';
import type { Consent } from '../../lib/policy/consent.ts';
import { callDigest } from '../../lib/proposal/call.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { caseId, letterCall } from './requests.ts';

const call = letterCall();
const claims: LinkClaims = {
  approval: approvalIdOf({ call, execution: caseId }),
  callDigest: callDigest(call),
  person: 'maya',
  purpose: 'approve',
  expires: '2027-03-04T09:00:00.000Z',
};

let office: Approvals;
let consent: Consent;
beforeAll(async () => {
  office = await startApprovals();
  const { approval, callDigest: digest, person } = claims;
  const link = await issueLink({ ...office.signer, claims });
  consent = { approval, callDigest: digest, person, link, decidedAt: '2027-03-02T09:00:00.000Z' };
});
afterAll(async () => office[Symbol.asyncDispose]());

it('a consent holds by its own link', async () => {
  expect(await failedCheck(consent, office.publicKey)).toBeUndefined();
  expect(await consentVerifier(office.publicKey)(consent)).toBe(true);
});

it.each<[ConsentCheck, (held: Consent) => Consent]>([
  ['signature', (held) => ({ ...held, link: `${held.link.slice(0, -3)}AAA` })],
  ['approval', (held) => ({ ...held, approval: approvalIdOf({ call, execution: 'another-run' }) })],
  ['callDigest', (held) => ({ ...held, callDigest: callDigest(letterCall(2)) })],
  ['person', (held) => ({ ...held, person: 'tom' })],
  ['decidedInTime', (held) => ({ ...held, decidedAt: claims.expires })],
])('a consent fails by its %s', async (check, change) => {
  expect(await failedCheck(change(consent), office.publicKey)).toBe(check);
  expect(await consentVerifier(office.publicKey)(change(consent))).toBe(false);
});

it('a link to answer is no consent', async () => {
  const link = await issueLink({ ...office.signer, claims: { ...claims, purpose: 'answer' } });
  expect(await failedCheck({ ...consent, link }, office.publicKey)).toBe('purpose');
});

it('consent to a changed letter is consent to another call', () => {
  expect(callDigest(letterCall(1, 'Please find it attached.'))).not.toBe(callDigest(letterCall(1)));
});
