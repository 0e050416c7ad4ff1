import { afterAll, beforeAll, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { park } from '../../lib/casefile/parking.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { parkedRecordSchema } from '../../lib/casefile/schemas.ts';
import { digestOf } from '../../lib/provenance/digest.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { at, newCase } from './casebench.ts';

const message = digestOf('mail');
const delivery = { key: 'deliveries/a.json', sha256: digestOf('delivery') };

let office: Approvals;
beforeAll(async () => {
  office = await startApprovals();
});
afterAll(async () => office[Symbol.asyncDispose]());
const parkedOf = (key: ReturnType<typeof newCase>) =>
  readRecord(office.store, layout.parked(key, key.execution), parkedRecordSchema);

it('a case is parked with the code of what stopped it, and a repeated step changes nothing', async () => {
  const key = newCase();
  expect(await park(office, { ...key, message, delivery, reason: 'MODEL_UNAVAILABLE' })).toEqual({
    status: 'parked',
  });
  office.clock.advance(1000);
  await park(office, { ...key, message, delivery, reason: 'States.Timeout' });
  expect(await parkedOf(key)).toEqual({
    execution: key.execution,
    reason: 'MODEL_UNAVAILABLE',
    origin: { message, delivery },
    at,
  });
  expect(await office.index.find(key)).toMatchObject({
    ...{ status: 'parked', reason: 'MODEL_UNAVAILABLE', execution: key.execution },
  });
});

it.each(['Error: the letter of tom@family.example', '', 'two words', 'x'.repeat(65)])(
  'what is no code is not repeated: %j',
  async (reason) => {
    const key = newCase();
    await park(office, { ...key, message, delivery, reason });
    expect((await parkedOf(key)).reason).toBe('UNEXPECTED');
  },
);
