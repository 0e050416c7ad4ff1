import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { verifyAction } from '../../lib/effect/checking.ts';
import { type ExecutionParts, executeAction } from '../../lib/effect/execution.ts';
import { reconcileAction } from '../../lib/effect/reconciling.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import type { Circle } from '../../lib/provenance/circle.ts';
import { actions, consent, type Recorded, recordCase, verifyConsent } from '../audit/recorded.ts';
import { ManualClock, seededRandomness } from '../support/time.ts';
import { circle } from './calls.ts';
import { openWorld, policy, type World } from './world.ts';

let world: World;
let recorded: Recorded;
beforeAll(async () => {
  world = await openWorld();
  recorded = await recordCase(world);
});
afterAll(() => world.close());

/** What an action's step does in a copy of the case in which the action is not done yet. */
async function inCopy<T>(
  action: number,
  work: (parts: ExecutionParts, step: Parameters<typeof executeAction>[1], copy: World) => Promise<T>,
  changes: Partial<ExecutionParts> = {},
  tampered: Record<string, string | undefined> = {},
): Promise<T> {
  const done = await world.store.list(`${layout.root(recorded.caseKey)}actions/000${action}/`);
  const undone = done.filter((key) => /(?:intent|attempt|sent)\.json$/.test(key));
  const effects = await world.store.list(layout.effects(circle.id));
  const gone = Object.fromEntries([...undone, ...effects].map((key) => [key, undefined]));
  const copy = await world.fork({ ...gone, ...tampered });
  const { store, ses } = copy.context();
  const clock = new ManualClock('2027-02-01T10:00:00Z');
  const parts = {
    store,
    ses,
    circle,
    clock,
    randomness: seededRandomness(5),
    policy,
    verifyConsent,
    ...changes,
  };
  const step = { ...recorded.caseKey, execution: recorded.caseKey.case, action };
  return work(parts, step, copy).finally(copy.close);
}

const withCircle = (
  changed: Circle,
  rules = readFileSync('rules/policy.yaml', 'utf8'),
): Partial<ExecutionParts> => ({
  circle: changed,
  policy: compilePolicy({
    policy: rules,
    constitution: readFileSync('rules/constitution.yaml', 'utf8'),
    circle: changed,
  }),
});
const refused = async (...given: Parameters<typeof executeAction>) => {
  const { state, reason } = await executeAction(...given);
  expect(state).toBe('refused');
  expect((await given[0].store.list(layout.effects(circle.id))).length).toBe(0);
  return reason;
};

describe('executing an action', () => {
  it.each([actions.filed, actions.added, actions.sent])(
    '%i makes its effect from what was recorded',
    async (action) => {
      const ended = await inCopy(action, async (parts, step) => [
        await executeAction(parts, step),
        await reconcileAction(parts, step),
      ]);
      expect(ended).toMatchObject([{ state: 'applied' }, { state: 'applied', reason: 'EFFECT_APPLIED' }]);
    },
  );

  it('stops when the circle no longer has what the proposal named', async () => {
    const changed = { ...circle, contacts: circle.contacts.slice(1) };
    expect(await inCopy(actions.sent, refused, withCircle(changed))).toBe('CALL_CHANGED');
  });

  it('stops when the contact has got another address since the consent', async () => {
    const contacts = circle.contacts.map((contact) => ({
      ...contact,
      email: 'other@hillside-clinic.example',
    }));
    expect(await inCopy(actions.sent, refused, withCircle({ ...circle, contacts }))).toBe('CALL_CHANGED');
  });

  it('stops when the rules of today deny', async () => {
    const rules = readFileSync('rules/policy.yaml', 'utf8').replace(
      'category: [clinical, emergency]',
      'category: [clinical, emergency, referral]',
    );
    expect(await inCopy(actions.filed, refused, withCircle(circle, rules))).toBe('CLINICAL_NOT_OURS');
  });

  it('stops at what was denied, whatever is allowed today', async () => {
    expect(await inCopy(actions.denied, refused)).toBe('DESTINATION_NOT_TRUSTED');
  });

  it('stops without a consent, and with one that does not hold', async () => {
    const key = layout.consent(recorded.caseKey, actions.sent, 'maya');
    expect(await inCopy(actions.sent, refused, {}, { [key]: undefined })).toBe('CONSENT_MISSING');
    expect(await inCopy(actions.sent, refused, { verifyConsent: async () => false })).toBe('CONSENT_MISSING');
  });

  it('stops when the person who consented may no longer', async () => {
    const people = circle.people.map((person) => ({
      ...person,
      roles: person.id === 'maya' ? ['viewer' as const] : person.roles,
    }));
    expect(await inCopy(actions.sent, refused, withCircle({ ...circle, people }))).toBe('CONSENT_MISSING');
  });

  it('stops when rules that were relaxed since ask for nobody, and nobody consented', async () => {
    const rules = readFileSync('rules/policy.yaml', 'utf8').replace(
      /- id: letter-leaves[\s\S]*?tool: send_email\n/,
      '- id: letter-leaves\n    decision: ALLOW\n    reason: FILING_IS_SAFE\n    because: a test\n    when:\n      tool: send_email\n',
    );
    const key = layout.consent(recorded.caseKey, actions.sent, 'maya');
    const relaxed = withCircle(circle, rules);
    expect(await inCopy(actions.sent, refused, relaxed, { [key]: undefined })).toBe('CONSENT_MISSING');
    expect(await inCopy(actions.sent, executeAction, relaxed)).toEqual({
      state: 'applied',
      reason: 'FILING_IS_SAFE',
    });
  });

  it('fails on a document that has other bytes', async () => {
    const [, key = ''] = await world.store.list(`${layout.root(recorded.caseKey)}documents/`);
    const all = Object.fromEntries(
      (await world.store.list(`${layout.root(recorded.caseKey)}documents/`)).map((at) => [at, 'other']),
    );
    expect(key).not.toBe('');
    await expect(inCopy(actions.filed, executeAction, {}, all)).toFailWithCode('DIGEST_MISMATCH');
  });
});

describe('verifying an action', () => {
  it('says what the receipt says, and not what was hoped for', async () => {
    const status = await inCopy(actions.filed, async (parts, step, copy) => {
      const first = await executeAction(parts, step);
      const [key = ''] = await copy.store.list(layout.folder(circle.id, 'referrals'));
      await copy.overwrite(key, 'another document');
      return [first.state, (await verifyAction(parts, step)).status];
    });
    expect(status).toEqual(['applied', 'conflict']);
  });

  it('of an effect that was not made fails', async () => {
    await expect(inCopy(actions.filed, verifyAction)).toFailWithCode('NOT_FOUND');
  });
});

describe('a consent for another action', () => {
  it('clears nothing', async () => {
    const gated = recorded.gated[actions.added - 1];
    const key = layout.consent(recorded.caseKey, actions.sent, 'maya');
    const reason = await inCopy(
      actions.sent,
      async (parts, step, copy) => {
        const foreign = { action: actions.sent, callDigest: gated?.callDigest ?? '' };
        await consent(copy, recorded.caseKey, foreign, 'maya');
        return refused(parts, step);
      },
      {},
      { [key]: undefined },
    );
    expect(reason).toBe('CONSENT_MISSING');
  });
});
