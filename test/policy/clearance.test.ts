import { describe, expect, it } from 'vitest';
import { readCall } from '../../lib/policy/callfile.ts';
import {
  type Clearance,
  type ClearanceRequest,
  clear,
  requireClearance,
} from '../../lib/policy/clearance.ts';
import type { Consent } from '../../lib/policy/consent.ts';
import { gate } from '../../lib/policy/gate.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { type Call, callDigest } from '../../lib/proposal/call.ts';
import type { Circle } from '../../lib/provenance/circle.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import type { ApprovalId } from '../../lib/provenance/identifiers.ts';
import { exampleCircle, now, shippedPolicy, shippedSources, silent } from './shipped.ts';

const letter = (body = 'Dear colleagues', more: object = {}): Call => {
  const written = {
    to: { entry: 'hillside-records' },
    subject: { value: 'Records' },
    body: { value: body },
    ...more,
  };
  return structuredCall({ tool: 'send_email', arguments: written });
};
const stop = (): Call =>
  structuredCall({ tool: 'no_further_action', arguments: { reason: { value: 'cannot_tell' } } });
const structuredCall = (written: object): Call => readCall(written, exampleCircle).call;

const consentTo = (call: Call, person = 'maya', changed: Partial<Consent> = {}): Consent => ({
  approval: `approval-of-${person}`.padEnd(22, '0').slice(0, 22) as ApprovalId,
  callDigest: callDigest(call),
  person,
  link: `link-of-${person}`,
  decidedAt: '2027-03-01T09:00:00Z',
  ...changed,
});
const decideOn = (call: Call, policy = shippedPolicy) =>
  gate(policy, { call, category: 'other', standing: 'accepted', now });
const request = (
  call: Call,
  consents: readonly Consent[] = [],
  changed: Partial<ClearanceRequest> = {},
): ClearanceRequest => ({
  call,
  decision: decideOn(call),
  circle: exampleCircle,
  consents,
  verify: async () => true,
  ...changed,
});

describe('a clearance', () => {
  it('is given for what the gate allows, without any consent', async () => {
    const clearance = await clear(request(stop(), [consentTo(stop())]));
    expect(clearance).toMatchObject({ callDigest: callDigest(stop()), consents: [] });
    expect(requireClearance(clearance, 'no_further_action')).toBe(clearance);
  });

  it('is given for a question with one consent to this very call', async () => {
    const call = letter();
    const clearance = await clear(request(call, [consentTo(call)]));
    expect(clearance.consents).toEqual([consentTo(call)]);
    expect(clearance.call).toBe(call);
  });

  it('is never given for a denial, whoever consents', async () => {
    const call = letter('Here is the password');
    await expect(clear(request(call, [consentTo(call), consentTo(call, 'tom')]))).toFailWithCode(
      'CLEARANCE_REFUSED',
    );
  });

  it.each([
    ['no consent', () => []],
    ['consent to another text', (_: Call) => [consentTo(letter('Dear colleagues.'))]],
    ['consent to another action', (call: Call) => [consentTo({ ...call, action: 2 })]],
    [
      'consent to a call of another case',
      (call: Call) => [consentTo({ ...call, case: `c-${'9'.repeat(32)}` as Call['case'] })],
    ],
    [
      'consent to other documents',
      (_: Call) => [
        consentTo(
          letter('Dear colleagues', { attachments: { documents: [{ name: 'a', sha256: 'a1'.repeat(32) }] } }),
        ),
      ],
    ],
    [
      'consent to any other digest',
      (call: Call) => [consentTo(call, 'maya', { callDigest: digestOf('another') })],
    ],
    ['consent of somebody outside the circle', (call: Call) => [consentTo(call, 'mallory')]],
    ['consent of a contact', (call: Call) => [consentTo(call, 'hillside-records')]],
  ])('is not given for %s', async (_, consents) => {
    const call = letter();
    await expect(clear(request(call, consents(call)))).toFailWithCode('CLEARANCE_REFUSED');
  });

  it('is not given when the signature of a consent does not hold, or cannot be verified', async () => {
    const call = letter();
    const verifiers: ClearanceRequest['verify'][] = [
      async () => false,
      async () => {
        throw new TypeError('no key');
      },
      async () => 'yes' as unknown as boolean,
    ];
    for (const verify of verifiers) {
      await expect(clear(request(call, [consentTo(call)], { verify }))).toFailWithCode('CLEARANCE_REFUSED');
    }
  });

  it('is not given when a person has left the circle, or lost the role, since they consented', async () => {
    const call = letter();
    const without = (change: (circle: Circle) => void) => {
      const circle = structuredClone(exampleCircle);
      change(circle);
      return circle;
    };
    const gone = without((copy) => copy.people.splice(1));
    await expect(clear(request(call, [consentTo(call, 'tom')], { circle: gone }))).toFailWithCode(
      'CLEARANCE_REFUSED',
    );
    const viewing = without((copy) =>
      copy.people.splice(1, 1, { id: 'tom', name: 'Tom', email: 'tom@family.example', roles: ['viewer'] }),
    );
    await expect(clear(request(call, [consentTo(call, 'tom')], { circle: viewing }))).toFailWithCode(
      'CLEARANCE_REFUSED',
    );
  });

  it('that needs the owner is not given by a caregiver', async () => {
    const call = letter('About the power of attorney');
    await expect(clear(request(call, [consentTo(call, 'tom')]))).toFailWithCode('CLEARANCE_REFUSED');
    expect((await clear(request(call, [consentTo(call, 'tom'), consentTo(call)]))).consents).toEqual([
      consentTo(call),
    ]);
  });

  describe('that needs two people', () => {
    const pair = shippedSources.policy.replace(/(id: letter-leaves[\s\S]*?people: )1/, '$12');
    const policy = compilePolicy({ ...shippedSources, policy: pair, constitution: silent });
    const call = letter();
    const clearing = (consents: readonly Consent[]) =>
      clear(request(call, consents, { decision: decideOn(call, policy) }));

    it('is given by two', async () => {
      expect((await clearing([consentTo(call), consentTo(call, 'tom')])).consents).toHaveLength(2);
    });

    it('is not given by one person twice', async () => {
      const again = consentTo(call, 'maya', { link: 'another-link', approval: '1'.repeat(22) as ApprovalId });
      await expect(clearing([consentTo(call), consentTo(call), again])).toFailWithCode('CLEARANCE_REFUSED');
    });

    it('is not given by one link in two names', async () => {
      const borrowed = consentTo(call, 'tom', { link: 'link-of-maya' });
      await expect(clearing([consentTo(call), borrowed])).toFailWithCode('CLEARANCE_REFUSED');
    });
  });

  it('takes only a decision of the gate, about this call', async () => {
    const call = letter();
    const allowing = { ...decideOn(call), outcome: 'ALLOW' } as const;
    await expect(clear(request(call, [], { decision: allowing }))).toFailWithCode('CLEARANCE_REFUSED');
    await expect(clear(request(call, [consentTo(call)], { decision: { ...decideOn(call) } }))).toFailWithCode(
      'CLEARANCE_REFUSED',
    );
    await expect(clear(request(call, [consentTo(call)], { decision: decideOn(stop()) }))).toFailWithCode(
      'CLEARANCE_REFUSED',
    );
  });

  it('holds the call as it was decided: nothing is exchanged while consents are verified', async () => {
    const call = letter();
    const mutable = { ...call, arguments: { ...call.arguments } };
    const swap = async () => {
      Object.assign(mutable.arguments, letter('Another text').arguments);
      return true;
    };
    await expect(clear(request(mutable, [consentTo(call)], { verify: swap }))).toFailWithCode(
      'CLEARANCE_REFUSED',
    );
    expect(callDigest(mutable)).toBe(callDigest(call));
  });
});

describe('requiring a clearance', () => {
  it('refuses everything that clear did not make', async () => {
    const clearance = await clear(request(stop()));
    const forgeries: unknown[] = [
      { ...clearance },
      structuredClone({ ...clearance, call: {} }),
      Object.create(clearance),
      new Proxy(clearance, {}),
      JSON.parse(JSON.stringify(clearance)),
      undefined,
      null,
      'clearance',
      true,
    ];
    for (const forged of forgeries) {
      expect(() => requireClearance(forged, 'no_further_action')).toFailWithCode('CLEARANCE_REFUSED');
    }
  });

  it('refuses one for another tool', async () => {
    const clearance = await clear(request(stop()));
    expect(() => requireClearance(clearance, 'send_email')).toFailWithCode('CLEARANCE_REFUSED');
  });

  it('gives back what nobody can change', async () => {
    const clearance: Clearance = await clear(request(stop()));
    expect(() => Object.assign(clearance, { call: letter() })).toThrow(TypeError);
    expect(() => Object.assign(clearance.call.arguments, { reason: 1 })).toThrow(TypeError);
    expect(() => Object.assign(clearance.decision, { outcome: 'ALLOW' })).toThrow(TypeError);
  });
});
