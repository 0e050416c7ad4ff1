import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { type ResumptionParts, resumeCase } from '../casefile/resumption.ts';
import { workOnEach } from '../casefile/rounds.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, dayIn, isoTime } from '../provenance/clock.ts';
import { type Delivery, deliverySchema } from './delivery.ts';
import { type IngestParts, mailPrefix, takeOver } from './ingest.ts';
import { receivedFor } from './trace.ts';

export type InboxSweepParts = IngestParts & { readonly clock: Clock };

export interface DeferredSweepParts extends ResumptionParts {
  readonly circle: Circle;
  /** How many approvals and questions wait for people of the circle. */
  readonly openRequests: () => Promise<number>;
}

/** What the receiver itself leaves in the bucket once, to show that it may write there. */
const setupNotification = 'AMAZON_SES_SETUP_NOTIFICATION';

/** How old a mail is before its event counts as lost, in milliseconds: an event may be on its way for minutes. */
const grace = 10 * 60_000;

/**
 * Starts what a lost event left behind, so that a mail never stays unseen. A mail whose event never came has
 * unknown verdicts, and is judged accordingly.
 * @returns how many deliveries were taken over, and how many were found now to be for none of the circles
 */
export async function sweepInbox(
  parts: InboxSweepParts,
): Promise<{ readonly started: number; readonly unassigned: number }> {
  const started = new Set(await parts.store.list(layout.startings));
  const waiting = (await parts.inbox.list(mailPrefix))
    .map((key) => key.slice(mailPrefix.length))
    .filter((id) => id !== setupNotification && !started.has(layout.starting(id)));
  const taken = await workOnEach(waiting, async (id) => {
    const delivery = await deliveryOf(parts, id);
    return delivery === undefined ? 'waiting' : takeOver(parts, delivery);
  });
  const count = (what: (typeof taken)[number]): number => taken.filter((result) => result === what).length;
  return { started: count('started'), unassigned: count('unassigned') };
}

/**
 * Runs again what a cap put off: what came over the day's cap on a later day, and what came over the cap on open
 * approvals once there is room, each time no more than there is room for.
 */
export async function sweepDeferred(parts: DeferredSweepParts): Promise<number> {
  const { timezone, limits } = parts.circle;
  const { mailsPerDay, openApprovals } = limits;
  const today = dayIn(timezone, parts.clock.now());
  const deferred = (await parts.index.list(parts.circle.id)).filter(({ status }) => status === 'deferred');
  if (deferred.length === 0) return 0;
  const room = openApprovals - (await parts.openRequests());
  // The oldest first: where there is less room than waits, nobody may wait for ever.
  const due = deferred
    .reverse()
    .filter(
      ({ reason, openedAt }) =>
        reason === 'APPROVALS_CAP_REACHED' || dayIn(timezone, Date.parse(openedAt)) !== today,
    )
    .slice(0, Math.max(0, Math.min(room, mailsPerDay)));
  await workOnEach(due, (entry) => resumeCase(parts, entry));
  return due.length;
}

/** What the receiver said of a mail, as far as it is known; nothing while its event may still be on its way. */
async function deliveryOf(parts: InboxSweepParts, id: string): Promise<Delivery | undefined> {
  const recorded = await findRecord(parts.store, layout.delivery(id), deliverySchema);
  if (recorded !== undefined) return recorded;
  const { modified, bytes } = await parts.inbox.read(`${mailPrefix}${id}`);
  const now = parts.clock.now();
  if (modified !== undefined && Date.parse(modified) > now - grace) return undefined;
  const unknown = 'UNKNOWN' as const;
  const recipient = receivedFor(bytes);
  return {
    id,
    receivedAt: isoTime(parts.clock),
    source: 'unknown', // not empty: an empty one is what a bounce has
    recipients: recipient === undefined ? [] : [recipient],
    verdicts: { spam: unknown, virus: unknown, spf: unknown, dkim: unknown, dmarc: unknown },
    mail: { bucket: parts.inbox.bucket, key: `${mailPrefix}${id}` },
  };
}
