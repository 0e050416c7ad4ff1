import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { park } from '../../lib/casefile/parking.ts';
import { resumeCase, runOf } from '../../lib/casefile/resumption.ts';
import { executionName } from '../../lib/casefile/step.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { type Intake, openIntake, started } from '../mail/intake.ts';
import { newCase, open } from './casebench.ts';

const accepted = { standing: 'accepted', reason: 'PERSON_VERIFIED' };
let intake: Intake;
beforeEach(async () => {
  intake = await openIntake();
});

describe('a resumption', () => {
  it.each(['parked', 'deferred', 'failed'] as const)(
    'runs a %s case once more, counting on',
    async (status) => {
      const key = newCase();
      await open(intake, key, accepted);
      await intake.index.note(key, { status, execution: executionName(key.case, 9) });
      const resumed = { case: key.case, execution: `${key.case}-r10` };
      expect(await resumeCase(intake, key)).toEqual(resumed);
      expect(await resumeCase(intake, key)).toEqual(resumed);
      expect(await started(intake)).toEqual([resumed.execution]);
    },
  );

  it('counts from the first run where the index names none', async () => {
    const key = newCase();
    await open(intake, key, accepted);
    await intake.index.note(key, { status: 'failed' });
    expect(await resumeCase(intake, key)).toMatchObject({ execution: `${key.case}-r1` });
  });

  it.each(['open', 'closed', 'ignored', 'released'] as const)(
    'of a case that is %s is refused',
    async (status) => {
      const key = newCase();
      await open(intake, key, accepted);
      await intake.index.note(key, { status, execution: key.execution });
      await expect(resumeCase(intake, key)).toFailWithCode('INVALID_INPUT');
      expect(await started(intake)).toEqual([]);
    },
  );

  it('of a case that has no line or no record is refused', async () => {
    const key = newCase();
    await expect(resumeCase(intake, key)).toFailWithCode('NOT_FOUND');
    await intake.index.note(key, { status: 'parked' });
    await expect(resumeCase(intake, key)).toFailWithCode('NOT_FOUND');
  });

  it('of a run that stopped before there was a case starts from what it was for', async () => {
    const key = newCase();
    const message = digestOf('mail');
    const delivery = { key: 'deliveries/a.json', sha256: digestOf('delivery') };
    await park(intake, { ...key, reason: 'STORE_UNAVAILABLE', message, delivery });
    expect(await resumeCase(intake, key)).toEqual({ case: key.case, execution: `${key.case}-r1` });
    expect(await started(intake)).toEqual([`${key.case}-r1`]);
  });

  it.each(['VIRUS_FOUND', 'SCAN_FAILED', 'NOT_A_MAIL'])(
    'releases no mail that was quarantined for %s',
    async (reason) => {
      const key = newCase(false);
      await open(intake, key, { standing: 'quarantined', reason });
      await intake.index.note(key, { status: 'quarantined', execution: key.execution });
      await expect(resumeCase(intake, key)).toFailWithCode('INVALID_INPUT');
      expect(await started(intake)).toEqual([]);
    },
  );

  it('that was cut off while it released a mail is carried on', async () => {
    const key = newCase(false);
    await open(intake, key, { standing: 'quarantined', reason: 'SPAM_FOUND' });
    await intake.index.note(key, { status: 'quarantined', execution: key.execution });
    const first = await resumeCase(intake, key);
    await intake.index.note(key, { status: 'quarantined' });
    intake.clock.advance(1000);
    expect(await resumeCase(intake, key)).toEqual(first);
    expect(await started(intake)).toEqual([first.execution]);
    const released = { ...key, case: first.case as typeof key.case };
    expect(await intake.store.find(layout.release(released))).toBeDefined();
  });
});

it('the number of a run stands in the name of its execution', () => {
  const { case: id } = newCase();
  for (const run of [0, 1, 12]) expect(runOf(executionName(id, run))).toBe(run);
  expect(runOf('')).toBe(0);
});
