import { workOnEach } from '../casefile/rounds.ts';
import type { Circle } from '../provenance/circle.ts';
import { type FinishParts, finishDecided } from './finish.ts';
import { type MailingParts, remind } from './mailing.ts';

/**
 * Looks after what waits for people: tells executions of decisions that they were not told of, reminds once past
 * half of the time, and marks what nobody decided as expired.
 */
export async function sweepApprovals(
  parts: FinishParts & MailingParts & { readonly circle: Circle },
): Promise<{ finished: number; reminded: number; expired: number }> {
  const { circle, register } = parts;
  const unfinished = await register.listUnfinished(circle.id);
  const waiting = await register.listOpen(circle.id);
  const results = await workOnEach(
    [
      ...unfinished.map((view) => () => finishDecided(parts, view.id)),
      ...waiting.map((view) => () => remind(parts, circle, view)),
    ],
    (task): Promise<string> => task(),
  );
  const count = (wanted: string): number => results.filter((result) => result === wanted).length;
  return { finished: unfinished.length, reminded: count('reminded'), expired: count('expired') };
}
