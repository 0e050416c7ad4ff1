import { countStuck } from '../lib/approval/stuck.ts';
import { sweepApprovals } from '../lib/approval/sweep.ts';
import { workOnEach } from '../lib/casefile/rounds.ts';
import {
  type DeferredSweepParts,
  type InboxSweepParts,
  sweepDeferred,
  sweepInbox,
} from '../lib/mail/sweep.ts';
import type { Circle } from '../lib/provenance/circle.ts';

type ApprovalSweepParts = Parameters<typeof sweepApprovals>[0];
export type SweepParts = Omit<
  InboxSweepParts & ApprovalSweepParts & DeferredSweepParts,
  'circle' | 'openRequests'
>;

/** What a sweep did, over all circles. */
export type Swept = Readonly<
  Record<'started' | 'unassigned' | 'finished' | 'reminded' | 'expired' | 'deferred' | 'stuck', number>
>;

/** The rounds of a sweep: the inbox, and then what waits in each circle. One that fails does not stop the others. */
export async function sweep(parts: SweepParts): Promise<Swept> {
  const rounds: readonly (() => Promise<Partial<Swept>>)[] = [
    () => sweepInbox(parts),
    ...parts.circles.flatMap((circle) => [
      () => sweepApprovals({ ...parts, circle }),
      () => sweepDeferredOf(parts, circle),
      async () => ({ stuck: await countStuck({ ...parts, circle }) }),
    ]),
  ];
  return sum(await workOnEach(rounds, (round) => round()));
}

async function sweepDeferredOf(parts: SweepParts, circle: Circle): Promise<Partial<Swept>> {
  const openRequests = () => parts.register.countWaiting(circle.id);
  return { deferred: await sweepDeferred({ ...parts, circle, openRequests }) };
}

function sum(all: readonly Partial<Swept>[]): Swept {
  const of = (name: keyof Swept): number => all.reduce((total, each) => total + (each[name] ?? 0), 0);
  return {
    started: of('started'),
    unassigned: of('unassigned'),
    finished: of('finished'),
    reminded: of('reminded'),
    expired: of('expired'),
    deferred: of('deferred'),
    stuck: of('stuck'),
  };
}
