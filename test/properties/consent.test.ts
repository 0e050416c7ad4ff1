import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueLink } from '../../lib/approval/link.ts';
import { approvalIdOf } from '../../lib/approval/request.ts';
import { consentVerifier } from '../../lib/approval/verify.ts';
import { execute } from '../../lib/effect/execute.ts';
import { type Clearance, clear } from '../../lib/policy/clearance.ts';
import type { Consent } from '../../lib/policy/consent.ts';
import { gate } from '../../lib/policy/gate.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { type Call, callDigest } from '../../lib/proposal/call.ts';
import type { Circle } from '../../lib/provenance/circle.ts';
import { trustedEntry } from '../../lib/provenance/circle.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { caseIdOf } from '../../lib/provenance/identifiers.ts';
import { circle, destination, letterCall } from '../effect/calls.ts';
import { openWorld, policy, type World } from '../effect/world.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';

/** The call that a person consented to, with a link that was really signed. */
const agreed = letterCall();
let office: Approvals;
let consent: Consent;
beforeAll(async () => {
  office = await startApprovals();
  consent = await consentOf('maya');
});
afterAll(() => office[Symbol.asyncDispose]());

async function consentOf(person: string, decidedAt = '2027-03-02T09:00:00.000Z'): Promise<Consent> {
  const approval = approvalIdOf({ call: agreed, execution: agreed.case });
  const digest = callDigest(agreed);
  const claims = {
    approval,
    callDigest: digest,
    person,
    purpose: 'approve' as const,
    expires: '2027-03-04T09:00:00.000Z',
  };
  const link = await issueLink({ ...office.signer, claims });
  return { approval, callDigest: digest, person, link, decidedAt };
}

function clearing(call: Call, consents: readonly Consent[], today: Circle = circle): Promise<Clearance> {
  const rules = today === circle ? policy : compilePolicy({ ...policy.sources, circle: today });
  const decision = gate(rules, {
    call,
    category: 'records_request',
    standing: 'accepted',
    now: Date.parse('2027-03-02T09:00:00Z'),
  });
  expect(decision.outcome).toBe('REQUIRE_HUMAN');
  return clear({ call, decision, circle: today, consents, verify: consentVerifier(office.publicKey) });
}

const withArgument = (name: string, argument: Call['arguments'][string]): Call => ({
  ...agreed,
  arguments: { ...agreed.arguments, [name]: argument },
});
const attached = (text: string, name = 'referral.pdf') =>
  ({ class: 'VALUE', documents: [{ digest: sha256(text), name }], trust: 'UNTRUSTED' }) as const;

/** The circle of today, in which the contact has got another address. */
const moved: Circle = {
  ...circle,
  contacts: circle.contacts.map((contact) => ({ ...contact, email: `new-${contact.email}` })),
};

describe('consent to one call', () => {
  it('clears that call, and is what the clearance rests on', async () => {
    expect((await clearing(agreed, [consent])).consents).toEqual([consent]);
  });

  it.each<[string, Call, Circle?]>([
    ['of another case', { ...agreed, case: caseIdOf(circle.id, sha256('another mail'), true) }],
    ['with another action number', { ...agreed, action: agreed.action + 1 }],
    ['of another circle', { ...agreed, circle: 'another-household' as Call['circle'] }],
    ['with another text', letterCall({ body: 'Dear records office,\n\nplease find the form attached!\n' })],
    ['with another subject', letterCall({ subject: 'Records of Rosa Winterbourne.' })],
    ['to another contact', withArgument('to', destination('contacts', 'northgate-cardiology'))],
    ['without the document', letterCall({ attached: false })],
    ['with another document of the same name', withArgument('attachments', attached('other bytes'))],
    [
      'to the same contact, who has got another address since',
      withArgument('to', {
        class: 'DESTINATION',
        entry: trustedEntry(moved, 'contacts', 'hillside-records') ?? destination('contacts', 'none').entry,
        trust: 'TRUSTED',
      }),
      moved,
    ],
  ])('clears none %s', async (_, call, today) => {
    expect(callDigest(call)).not.toBe(callDigest(agreed));
    await expect(clearing(call, [consent], today)).toFailWithCode('CLEARANCE_REFUSED');
    // Writing the other call's digest over it does not help either: the link was signed for the first.
    const relabelled = { ...consent, callDigest: callDigest(call) };
    await expect(clearing(call, [relabelled], today)).toFailWithCode('CLEARANCE_REFUSED');
  });

  it.each<[string, (given: Consent) => Consent | Promise<Consent>]>([
    ['in the name of another person', (given) => ({ ...given, person: 'tom' })],
    ['of somebody who is not in the circle', () => consentOf('mallory')],
    ['decided when the link had expired', () => consentOf('maya', '2027-03-04T09:00:00.000Z')],
    ['of another approval', (given) => ({ ...given, approval: '1'.repeat(22) as Consent['approval'] })],
    [
      'with a link that is not quite the one that was signed',
      (given) => ({ ...given, link: `${given.link}A` }),
    ],
  ])('clears nothing %s', async (_, changed) => {
    await expect(clearing(agreed, [await changed(consent)])).toFailWithCode('CLEARANCE_REFUSED');
  });

  it('clears nothing under a circle that its person has left', async () => {
    const without = { ...circle, people: circle.people.filter(({ id }) => id !== 'maya') };
    const widowed = {
      ...without,
      people: without.people.map((person) => ({ ...person, roles: ['owner' as const] })),
    };
    await expect(clearing(agreed, [consent], widowed)).toFailWithCode('CLEARANCE_REFUSED');
  });

  describe('that is used twice', () => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld();
    });
    afterAll(() => world.close());

    it('sends one letter, and none for another call of the same number', async () => {
      const context = world.context();
      expect(await execute(await clearing(agreed, [consent]), context)).toMatchObject({ state: 'applied' });
      expect(await execute(await clearing(agreed, [consent]), context)).toMatchObject({ state: 'applied' });
      const other = letterCall({ body: 'Dear records office,\n\nplease send everything back.\n' });
      await expect(clearing(other, [consent])).toFailWithCode('CLEARANCE_REFUSED');
      expect(await world.outbox()).toHaveLength(1);
    });
  });
});
