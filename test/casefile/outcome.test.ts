import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { outcomeInputSchema, recordOutcome } from '../../lib/casefile/outcome.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { type ActionStatus, actionStatuses, outcomeRecordSchema } from '../../lib/casefile/schemas.ts';
import { ObjectStore } from '../../lib/casefile/store.ts';
import { startS3 } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';
import { at, newCase } from './casebench.ts';

const clock = new ManualClock(at);
let store: ObjectStore;
beforeEach(async () => {
  const { client } = await startS3();
  await client.send(new CreateBucketCommand({ Bucket: 'case-files' }));
  store = new ObjectStore(client, 'case-files');
});
const end = (key: ReturnType<typeof newCase>, status: ActionStatus | 'failed', reason = 'CODE') =>
  recordOutcome({ store, clock }, { ...key, action: 1, status, reason });
const kept = (key: ReturnType<typeof newCase>) =>
  readRecord(store, layout.outcome(key, 1), outcomeRecordSchema);

describe('the outcome of an action', () => {
  it('is told at once where something did not happen, and otherwise when the case closes', async () => {
    const told: string[] = [];
    for (const status of actionStatuses) {
      if ((await end(newCase(), status)).tell) told.push(status);
    }
    expect(told).toEqual(['refused', 'declined', 'expired', 'unknown', 'conflict', 'not_available']);
  });

  it('is written once: the one that is there stands, and is told as it stands', async () => {
    const key = newCase();
    expect(await end(key, 'expired', 'States.Timeout')).toEqual({ status: 'expired', tell: true });
    clock.advance(1000);
    expect(await end(key, 'sent')).toEqual({ status: 'expired', tell: true });
    expect(await kept(key)).toEqual({ status: 'expired', reason: 'States.Timeout', at });
  });

  it('of two steps at once is the one that was there first, for both', async () => {
    const key = newCase();
    const both = await Promise.all([end(key, 'sent'), end(key, 'unknown')]);
    const { status } = await kept(key);
    expect(both.map((each) => each.status)).toEqual([status, status]);
  });

  it('is open after a failure, so that the case can be resumed', async () => {
    const key = newCase();
    expect(await end(key, 'failed')).toEqual({ status: 'failed', tell: false });
    expect(await store.find(layout.outcome(key, 1))).toBeUndefined();
    expect(await end(key, 'sent')).toEqual({ status: 'sent', tell: false });
  });

  it('takes a code as its reason and no prose', () => {
    const input = { ...newCase(), action: 1, status: 'sent' };
    expect(outcomeInputSchema.safeParse({ ...input, reason: 'States.Timeout' }).success).toBe(true);
    for (const reason of ['', 'two words', '1st', 'x'.repeat(65), 'tom@family.example'])
      expect(outcomeInputSchema.safeParse({ ...input, reason }).success).toBe(false);
  });

  it('that is no outcome is not written over', async () => {
    const key = newCase();
    await store.create(layout.outcome(key, 1), '{"status":"splendid"}');
    await expect(end(key, 'sent')).toFailWithCode('INVALID_INPUT');
  });
});
