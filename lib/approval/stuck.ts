import type { CaseIndex } from '../casefile/caseindex.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import type { ApprovalRegister } from './register.ts';

/** How long a case may be open without waiting for a person, in milliseconds: a run takes minutes. */
const patience = 60 * 60_000;

/**
 * How many cases of a circle are open, and wait for nobody: a run that goes on does not take that long, one that failed
 * is reported, and one that could not go on is parked. For a moment after a person has decided, a case that is well
 * counts too.
 */
export async function countStuck(parts: {
  readonly index: CaseIndex;
  readonly register: ApprovalRegister;
  readonly circle: Circle;
  readonly clock: Clock;
}): Promise<number> {
  const { index, register, circle, clock } = parts;
  const latest = isoTime({ now: () => clock.now() - patience });
  const old = (await index.list(circle.id)).filter(
    ({ status, openedAt }) => status === 'open' && openedAt < latest,
  );
  if (old.length === 0) return 0;
  const waiting = new Set((await register.listOpen(circle.id)).map((view) => view.case));
  return old.filter((entry) => !waiting.has(entry.case)).length;
}
