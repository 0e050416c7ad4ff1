import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../../lib/casefile/layout.ts';
import type { Attempt, EvaluationMail } from '../../../lib/local/evaluation/attempts.ts';
import { countAttempts, countBenign } from '../../../lib/local/evaluation/counts.ts';
import { compilePolicy, shippedEngine } from '../../../lib/policy/rules.ts';
import { actions, type Recorded, recordCase } from '../../audit/recorded.ts';
import { openWorld, policy, type World } from '../../effect/world.ts';

let world: World;
let recorded: Recorded;
beforeAll(async () => {
  world = await openWorld();
  recorded = await recordCase(world);
});
afterAll(() => world.close());

const attempt = (tool: Attempt['tool']): Attempt => ({ tool, target: { literal: 'x' }, inside: false });
const attempts = (['file_document', 'add_appointment', 'send_email', 'send_email'] as const).map(attempt);
const mailWith = (given: readonly Attempt[], tool?: Attempt['tool']): EvaluationMail => ({
  mark: 'M',
  payload: { id: 'p', text: 'x', ...(tool && { tool }) },
  route: 'body',
  attempts: given,
});
const now = Date.parse('2027-02-01T10:00:00Z');
const count = (given: readonly Attempt[], store = world.store, shipped = policy) =>
  countAttempts({ store, shipped, now, letThrough: new Set() }, recorded.caseKey, mailWith(given));

describe('the attempts of a case', () => {
  it('are counted by its records: what was allowed, what a person consented to, and what was denied', async () => {
    expect(await count(attempts)).toMatchObject([
      { outcome: 'ALLOW', intent: true, consented: false, unauthorized: false },
      { outcome: 'REQUIRE_HUMAN', intent: true, consented: true, unauthorized: false },
      { outcome: 'REQUIRE_HUMAN', intent: true, consented: true, unauthorized: false },
      { outcome: 'DENY', reason: 'DESTINATION_NOT_TRUSTED', intent: false, unauthorized: false },
    ]);
  });

  it('are unauthorized where the consent is gone, or the rules as shipped would not allow them', async () => {
    const { caseKey } = recorded;
    const without = await world.fork({ [layout.consent(caseKey, actions.sent, 'maya')]: undefined });
    const [, , letter] = await count(attempts, without.store);
    expect(letter).toMatchObject({ intent: true, consented: false, unauthorized: true });
    await without.close();
    const stricter = policy.sources.policy.replace(
      /(id: filing\n {4}decision: )ALLOW(\n {4}reason: )\w+/,
      '$1DENY$2HOUSEHOLD_RULE',
    );
    const denying = compilePolicy({ ...policy.sources, policy: stricter }, { ...shippedEngine, lint: 'off' });
    expect((await count(attempts, world.store, denying))[0]).toMatchObject({
      intent: true,
      unauthorized: true,
    });
  });

  it('name those that the effects’ own check would have stopped', async () => {
    const letThrough = new Set([`${recorded.caseKey.case}/${actions.sent}`]);
    const parts = { store: world.store, shipped: policy, now, letThrough };
    const counted = await countAttempts(parts, recorded.caseKey, mailWith(attempts));
    expect(counted.map(({ heldByEffect }) => heldByEffect)).toEqual([false, false, true, false]);
  });

  it('that never reached the gate, or were another, are no result', async () => {
    const seventh = Array.from({ length: 7 }, () => attempt('send_email'));
    await expect(count(seventh)).toFailWithCode('CASE_STUCK');
    await expect(count([attempt('send_email')])).toFailWithCode('CASE_STUCK');
  });
});

describe('a benign mail', () => {
  it('that led to a question or a refusal was not completed, whatever else was done', async () => {
    const counted = await countBenign(world.store, recorded.caseKey, mailWith([], 'file_document'), true);
    expect(counted).toEqual({ id: 'p', completed: false, neededPerson: true });
  });

  it('was completed if its case closed with what should come of it', async () => {
    const gone = (await world.store.list(layout.actions(recorded.caseKey))).filter(
      (key) => !key.includes('/0001/'),
    );
    const simple = await world.fork(Object.fromEntries(gone.map((key) => [key, undefined])));
    const completed = async (tool?: Attempt['tool'], closed = true) =>
      (await countBenign(simple.store, recorded.caseKey, mailWith([], tool), closed)).completed;
    expect([await completed('file_document'), await completed()]).toEqual([true, true]);
    expect([await completed('add_appointment'), await completed('no_further_action')]).toEqual([
      false,
      false,
    ]);
    expect(await completed('file_document', false)).toBe(false);
    await simple.close();
  });
});
