import { statSync } from 'node:fs';
import { isCaregateError } from '../../errors.ts';
import type { Circle } from '../../provenance/circle.ts';
import { type Circles, circleFiles, loadCircles } from '../../provenance/circles.ts';

/** What of a circle the ways in and out are bound to when an office starts. A change of it waits for the next start. */
const bound = ({ id, inbox, senders }: Circle): string => JSON.stringify([id, inbox, senders]);

/**
 * Looks whether the file of the circles changed, and hands over what stands there now: whoever was taken out of it gets
 * nothing more, while the office runs. A file that is no circle at the moment changes nothing.
 * @param file the file, or a folder of one for each circle
 * @returns what looks: cheap, to be called before every step
 */
export function watchCircles(
  file: string,
  circles: Circles,
  changed: (circles: Circles) => void,
): () => void {
  const before = circles.map(bound).join();
  let seen = stampOf(file);
  return () => {
    const stamp = stampOf(file);
    if (stamp === seen) return;
    seen = stamp;
    try {
      const now = loadCircles(file);
      if (now.map(bound).join() === before) changed(now);
    } catch (error) {
      if (!isCaregateError(error)) throw error;
    }
  };
}

function stampOf(path: string): string {
  try {
    const found = circleFiles(path).map((file) => statSync(file, { throwIfNoEntry: false }));
    return found.map((file) => `${file?.ino} ${file?.mtimeMs} ${file?.size}`).join();
  } catch (error) {
    if (isCaregateError(error)) return ''; // taken away, or not readable just now
    throw error;
  }
}
