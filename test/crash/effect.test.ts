import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { readRecord } from '../../lib/casefile/record.ts';
import { type FaultPoint, faultPoints } from '../../lib/effect/faults.ts';
import { receiptSchema } from '../../lib/effect/receipt.ts';
import { caseKey, circle } from '../effect/calls.ts';
import { openWorld, type World } from '../effect/world.ts';
import { type Effect, runEffect } from './effect.run.ts';

const aroundTheMail: readonly FaultPoint[] = ['after_attempt', 'after_reply', 'after_sent'];
const objectPoints = faultPoints.filter((point) => !aroundTheMail.includes(point));
/** At these, nobody can know whether the mail left. */
const unknowable: readonly FaultPoint[] = ['after_attempt', 'after_reply'];

/** Runs the effect in a process of its own, which dies at `point`; gives the points that it reached. */
function runAndKill(world: World, effect: Effect, point: FaultPoint | 'nowhere') {
  const { s3, ses } = world.endpoints;
  const env = { ...process.env, EFFECT: effect, S3: s3, SES: ses, CAREGATE_FAULT: point };
  return new Promise<{ signal: string | undefined; reached: string[] }>((resolve, reject) => {
    const child = ['--no-warnings', 'test/crash/effect.child.ts'];
    execFile(process.execPath, child, { env }, (error, stdout, stderr) => {
      if (error !== null && error.signal !== 'SIGKILL') return reject(new RangeError(stderr));
      const reached = [...stdout.matchAll(/^reached (\w+)$/gm)].map(([, name]) => name ?? '');
      resolve({ signal: error?.signal, reached });
    });
  });
}

/** What must hold of the world whatever died in it. */
async function expectOneEffect(world: World, mails: number): Promise<void> {
  expect(await world.store.list(layout.effects(circle.id))).toHaveLength(1);
  expect(await world.store.list(layout.receipts(caseKey))).toEqual([layout.receipt(caseKey, 1)]);
  const receipt = await readRecord(world.store, layout.receipt(caseKey, 1), receiptSchema);
  expect((await world.store.read(receipt.key)).sha256).toBe(receipt.sha256);
  expect(await world.store.versions('')).toHaveLength((await world.store.list('')).length);
  expect(await world.outbox()).toHaveLength(mails);
}

const suite = [
  { effect: 'file_document', points: objectPoints, status: 'verified', mails: 0 },
  { effect: 'send_email', points: faultPoints, status: 'sent', mails: 1 },
  // The same road as a document's; worth its minute only when everything is run.
  ...(process.env.CAREGATE_FULL === undefined
    ? []
    : [{ effect: 'add_appointment', points: objectPoints, status: 'verified', mails: 0 } as const]),
] as const;

describe.each(suite)(
  '$effect, killed with SIGKILL',
  ({ effect, points, status, mails }) => {
    const world = async (use: (world: World) => Promise<void>): Promise<void> => {
      const opened = await openWorld();
      await use(opened).finally(opened.close);
    };

    it('reaches every point at which it is killed below', () =>
      world(async (whole) => {
        const { signal, reached } = await runAndKill(whole, effect, 'nowhere');
        expect(signal).toBeUndefined();
        expect(reached).toEqual(points);
        await expectOneEffect(whole, mails);
      }));

    it.each(points)('%s: run again, it shows one effect, one receipt and at most one mail', (point) =>
      world(async (broken) => {
        const { signal, reached } = await runAndKill(broken, effect, point);
        expect(signal).toBe('SIGKILL');
        expect(reached).toEqual(points.slice(0, points.indexOf(point) + 1));
        const ended = unknowable.includes(point)
          ? { executed: 'unknown', reconciled: 'unknown', status: 'unknown' }
          : { executed: 'applied', reconciled: 'applied', status };
        expect(await runEffect(effect, 'second', broken.endpoints)).toEqual(ended);
        const left = point === 'after_attempt' ? 0 : mails;
        await expectOneEffect(broken, left);
        expect(await runEffect(effect, 'third', broken.endpoints)).toEqual(ended);
        await expectOneEffect(broken, left);
      }),
    );
  },
  120_000,
);
