import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord, writeRecord } from '../../lib/casefile/record.ts';
import { appendReceipt, type Finding, receiptSchema } from '../../lib/effect/receipt.ts';
import { digestOf, sha256 } from '../../lib/provenance/digest.ts';
import { type CaseId, caseIdOf } from '../../lib/provenance/identifiers.ts';
import { circle } from './calls.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ofCase = (name: string): { circle: typeof circle.id; case: CaseId } => ({
  circle: circle.id,
  case: caseIdOf(circle.id, sha256(name), true),
});
const finding = (action: number, changes: Partial<Finding> = {}): Finding => ({
  action,
  tool: 'file_document',
  callDigest: sha256(`call ${action}`),
  status: 'verified',
  intent: sha256(`intent ${action}`),
  key: `effects/${action}`,
  sha256: sha256(`effect ${action}`),
  at: '2027-02-01T09:00:00.000Z',
  ...changes,
});

describe('the receipts of a case', () => {
  it('form one chain, although actions run side by side', async () => {
    const caseKey = ofCase('side by side');
    const context = world.context({ caseKey });
    const numbers = [1, 2, 3, 4, 5, 6];
    const appended = await Promise.all(numbers.map((action) => appendReceipt(finding(action), context)));
    expect(appended.map(({ number }) => number).sort()).toEqual(numbers);
    let previous = null;
    for (const number of numbers) {
      const receipt = await readRecord(world.store, layout.receipt(caseKey, number), receiptSchema);
      expect(receipt.previous).toBe(previous);
      previous = digestOf(receipt);
    }
  });

  it('say a thing once, and another thing after it', async () => {
    const context = world.context({ caseKey: ofCase('once') });
    const first = await appendReceipt(finding(1), context);
    const later = finding(1, { at: '2027-02-02T09:00:00.000Z' });
    expect(await appendReceipt(later, context)).toEqual(first);
    const changed = await appendReceipt(finding(1, { status: 'conflict', sha256: sha256('x') }), context);
    expect(changed).toMatchObject({ number: 2, previous: digestOf(first) });
  });

  it('are not continued where one does not follow the one before', async () => {
    const caseKey = ofCase('broken');
    const broken = { ...finding(1), number: 1, previous: sha256('another') };
    await writeRecord(world.store, layout.receipt(caseKey, 1), broken);
    await expect(appendReceipt(finding(2), world.context({ caseKey }))).toFailWithCode('DIGEST_MISMATCH');
  });

  it('are not written past a store that does not answer', async () => {
    world.putFault = (key) => (key.includes('/receipts/') ? 'SlowDown' : undefined);
    const context = world.context({ caseKey: ofCase('down') });
    await expect(appendReceipt(finding(1), context)).toFailWithCode('STORE_UNAVAILABLE');
    world.putFault = undefined;
  });
});
