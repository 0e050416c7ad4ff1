import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { execute } from '../../lib/effect/execute.ts';
import { intentSchema } from '../../lib/effect/intent.ts';
import { sentSchema } from '../../lib/effect/letterrecord.ts';
import { reconcile } from '../../lib/effect/reconcile.ts';
import { verifyEffect } from '../../lib/effect/verify.ts';
import { callDigest } from '../../lib/proposal/call.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { caseIdOf } from '../../lib/provenance/identifiers.ts';
import { ManualClock, seededRandomness } from '../support/time.ts';
import { appointmentCall, caseKey, circle, filingCall, letterCall, portalCall, referral } from './calls.ts';
import { cleared, clientsOf, openWorld, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  return world.close;
});

describe('an effect is made once', () => {
  it('files the document, by an intent that says what and where', async () => {
    const call = filingCall();
    const done = await execute(await cleared(call), world.context());
    expect(done).toMatchObject({ state: 'applied', sha256: sha256(referral) });
    const intent = await readRecord(world.store, layout.intent(caseKey, 1), intentSchema);
    expect(intent).toMatchObject({ key: done.key, attempt: 'attempt-1', callDigest: callDigest(call) });
    const object = await world.store.read(intent.key);
    expect(object.sha256).toBe(sha256(referral));
    expect(object.metadata).toMatchObject({ attempt: 'attempt-1', case: caseKey.case, action: '1' });
  });

  it.each([
    ['a document', filingCall],
    ['an appointment', appointmentCall],
    ['a letter', letterCall],
  ])('%s: a second run finds the first, whatever its attempt and time', async (_, makeCall) => {
    const call = await cleared(makeCall());
    const first = await execute(call, world.context());
    const later = world.context({ attempt: 'attempt-2', clock: new ManualClock('2027-02-02T09:00:00Z') });
    expect(await execute(call, later)).toEqual(first);
    expect(await world.store.list(layout.effects(circle.id))).toEqual([first.key]);
    expect((await world.outbox()).length).toBeLessThanOrEqual(1);
  });

  it('ten runs at once make one letter, one mail and one receipt', async () => {
    const clearance = await cleared(letterCall());
    const runs = Array.from({ length: 10 }, (_, index) =>
      execute(
        clearance,
        world.context({ attempt: `attempt-${index}`, randomness: seededRandomness(index + 1) }),
      ),
    );
    const states = new Set((await Promise.all(runs)).map(({ state }) => state));
    expect(states).toContain('applied');
    expect(await world.outbox()).toHaveLength(1);
    const verified = await Promise.all(runs.map(() => verifyEffect(letterCall(), world.context())));
    expect(new Set(verified.map(({ number }) => number))).toEqual(new Set([1]));
  });

  it('a conditional conflict of S3 is tried again', async () => {
    let left = 2;
    world.putFault = (key) =>
      key.includes('/effects/') && left-- > 0 ? 'ConditionalRequestConflict' : undefined;
    const done = await execute(await cleared(filingCall()), world.context());
    expect(done.state).toBe('applied');
    expect(left).toBeLessThanOrEqual(0);
  });

  it('our own write, its reply lost, is recognised as ours', async () => {
    const lost = new Set<string>();
    world.putFault = (key) => {
      if (lost.has(key)) return undefined;
      lost.add(key);
      return 'ReplyLost';
    };
    for (const call of [filingCall(), appointmentCall(), letterCall()]) {
      expect((await execute(await cleared(call), world.context())).state).toBe('applied');
    }
    expect(await world.outbox()).toHaveLength(1);
    expect(lost.size).toBeGreaterThanOrEqual(7);
  });
});

describe('what is there already is not touched', () => {
  it('the same invitation, sent again, is the appointment that is there', async () => {
    const first = await execute(await cleared(appointmentCall({ uid: 'a' })), world.context());
    const again = appointmentCall({ uid: 'a' }, 5);
    const later = world.context({ attempt: 'attempt-2', clock: new ManualClock('2027-02-02T09:00:00Z') });
    expect(await execute(await cleared(again), later)).toEqual(first);
    expect(await execute(await cleared(again), later)).toEqual(first);
    expect((await verifyEffect(again, later)).status).toBe('verified');
    expect(await world.store.versions(layout.effects(circle.id))).toHaveLength(1);
  });

  it('something else at the key is a conflict, and stays', async () => {
    const call = appointmentCall({ uid: 'a' });
    await execute(await cleared(call), world.context());
    const other = appointmentCall({ uid: 'a', title: 'Another' }, 5);
    const done = await execute(await cleared(other), world.context());
    expect(done.state).toBe('conflict');
    expect((await reconcile(other, world.context())).state).toBe('conflict');
    expect((await verifyEffect(other, world.context())).status).toBe('conflict');
    expect((await verifyEffect(call, world.context())).status).toBe('verified');
  });

  it('an intent for another call is a conflict', async () => {
    await execute(await cleared(filingCall()), world.context());
    const other = filingCall({ title: 'Another' });
    expect(await execute(await cleared(other), world.context())).toEqual({ state: 'conflict' });
    expect((await reconcile(other, world.context())).state).toBe('conflict');
  });
});

describe('a letter leaves at most once', () => {
  it('exactly as it was created, from the circle to the one contact, with the attempt as tag', async () => {
    const done = await execute(await cleared(letterCall()), world.context({ configurationSet: 'letters' }));
    const [mail] = await world.outbox();
    expect(mail).toMatchObject({
      source: circle.senders.letters,
      destinations: ['records@hillside-clinic.example'],
      tags: { 'caregate-attempt': 'attempt-1' },
      configurationSet: 'letters',
    });
    expect(mail && sha256(mail.raw)).toBe(done.sha256);
    const sent = await readRecord(world.store, layout.sent(caseKey, 3), sentSchema);
    expect(sent).toMatchObject({ messageId: mail?.id, sha256: done.sha256 });
  });

  it('ends unknown when the reply was lost, and is never sent again', async () => {
    world.sendFault = () => 'ReplyLost';
    const clearance = await cleared(letterCall());
    expect((await execute(clearance, world.context())).state).toBe('unknown');
    world.sendFault = undefined;
    expect((await execute(clearance, world.context({ attempt: 'again' }))).state).toBe('unknown');
    expect((await reconcile(letterCall(), world.context())).state).toBe('unknown');
    expect((await verifyEffect(letterCall(), world.context())).status).toBe('unknown');
    expect(await world.outbox()).toHaveLength(1);
  });

  it('is handed over again while SES says that it took none', async () => {
    let asked = 0;
    world.sendFault = () => (asked++ < 2 ? 'Throttling' : undefined);
    expect((await execute(await cleared(letterCall()), world.context())).state).toBe('applied');
    expect(asked).toBe(3);
    expect(await world.outbox()).toHaveLength(1);
  });

  it('is not handed over again when the answer to the second time is lost', async () => {
    const faults = ['Throttling', 'ReplyLost'] as const;
    let asked = 0;
    world.sendFault = () => faults[asked++];
    expect((await execute(await cleared(letterCall()), world.context())).state).toBe('unknown');
    expect(asked).toBe(2);
    expect(await world.outbox()).toHaveLength(1);
  });

  it('ends unknown when SES cannot be reached, since nobody can tell', async () => {
    const { ses } = clientsOf({ ...world.endpoints, ses: 'http://127.0.0.1:9' });
    expect((await execute(await cleared(letterCall()), world.context({ ses }))).state).toBe('unknown');
  });

  it('is rejected for good when SES refuses it, and the refusal is on record', async () => {
    world.sendFault = () => 'Throttling';
    const { ses } = clientsOf(world.endpoints, 1);
    const clearance = await cleared(letterCall());
    await expect(execute(clearance, world.context({ ses }))).toFailWithCode('LETTER_REJECTED');
    world.sendFault = undefined;
    await expect(execute(clearance, world.context())).toFailWithCode('LETTER_REJECTED');
    await expect(reconcile(letterCall(), world.context())).toFailWithCode('LETTER_REJECTED');
    expect(await world.outbox()).toHaveLength(0);
  });
});

describe('no effect without a clearance', () => {
  it.each([
    ['nothing', undefined],
    ['a text', 'clearance'],
    [
      'an object that looks like one',
      { call: filingCall(), callDigest: callDigest(filingCall()), consents: [] },
    ],
    ['a call for no tool', { call: { ...filingCall(), tool: 'format_disk' } }],
  ])('%s is refused, and nothing is written', async (_, forged) => {
    await expect(execute(forged, world.context())).toFailWithCode('CLEARANCE_REFUSED');
    expect(await world.store.list('')).toEqual([]);
  });

  it('a copy of a clearance is refused', async () => {
    const copy = { ...(await cleared(filingCall())) };
    await expect(execute(copy, world.context())).toFailWithCode('CLEARANCE_REFUSED');
  });

  it('a clearance for another case is refused', async () => {
    const other = { circle: circle.id, case: caseIdOf(circle.id, sha256('another mail'), true) };
    const context = world.context({ caseKey: other });
    await expect(execute(await cleared(filingCall()), context)).toFailWithCode('CLEARANCE_REFUSED');
    await expect(reconcile(filingCall(), context)).toFailWithCode('CLEARANCE_REFUSED');
    await expect(verifyEffect(filingCall(), context)).toFailWithCode('CLEARANCE_REFUSED');
  });
});

describe('what this release cannot make', () => {
  it('ends not available, visibly, with nothing written', async () => {
    expect(await execute(await cleared(portalCall()), world.context())).toEqual({ state: 'not_available' });
    expect(await world.store.list('')).toEqual([]);
  });
});

describe('reconciling before anything was done', () => {
  it('finds the effect absent', async () => {
    for (const call of [filingCall(), appointmentCall(), letterCall(), portalCall()]) {
      expect(await reconcile(call, world.context())).toEqual({ state: 'absent' });
    }
  });

  it('finds it absent after the intent alone, and there is nothing to verify', async () => {
    world.putFault = (key) => (key.includes('/effects/') ? 'SlowDown' : undefined);
    await expect(execute(await cleared(filingCall()), world.context())).toFailWithCode('STORE_UNAVAILABLE');
    expect((await reconcile(filingCall(), world.context())).state).toBe('absent');
    await expect(verifyEffect(filingCall(), world.context())).toFailWithCode('NOT_FOUND');
    world.putFault = undefined;
    expect((await execute(await cleared(filingCall()), world.context())).state).toBe('applied');
  });

  it('says at once that an effect can never be made, so that it is not tried for ever', async () => {
    const call = appointmentCall({ end: '2026-01-01T00:00:00Z' });
    await expect(reconcile(call, world.context())).toFailWithCode('INVALID_INPUT');
  });

  it('refuses an attempt that could not stand in a key or a tag', async () => {
    const context = world.context({ attempt: 'a/b' });
    await expect(execute(await cleared(filingCall()), context)).toFailWithCode('INVALID_INPUT');
    expect(await world.store.list('')).toEqual([]);
  });
});
