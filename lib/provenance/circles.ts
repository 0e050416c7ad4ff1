import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CaregateError } from '../errors.ts';
import { type Circle, parseCircle, parseDeployedCircle, readCircleFile } from './circle.ts';

/** The circles of one deployment. No two have the same id or the same inbox. */
export type Circles = readonly Circle[];

/**
 * Reads the circles of a deployment.
 * @param path a circle's YAML file, or a directory of which every `*.yaml` is one
 * @throws CaregateError `CONFIGURATION_INVALID` as `loadCircle`, and where two circles could be taken for each other
 */
export function loadCircles(path: string): Circles {
  return readCircles(path, parseCircle);
}

/** The same for files that were checked when they were deployed, or when the office started. */
export function loadDeployedCircles(path: string): Circles {
  return readCircles(path, parseDeployedCircle);
}

function readCircles(path: string, parse: typeof parseCircle): Circles {
  const files = circleFiles(path);
  const circles = files.map((file) => readCircleFile(file, parse));
  for (const same of ['id', 'inbox'] as const) {
    const values = circles.map((circle) => circle[same]);
    const index = values.findIndex((value, position) => values.indexOf(value) !== position);
    if (index === -1) continue;
    const first = files[values.indexOf(values[index] as string)];
    throw invalid(files[index] ?? path, `has the \`${same}\` of \`${first}\`; give each circle its own`);
  }
  return circles;
}

/** The files of a deployment's circles: the path itself, or every `*.yaml` of a directory. */
export function circleFiles(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw invalid(path, 'cannot be read; name a readable file or directory');
  if (!found.isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith('.yaml'));
  if (names.length === 0) throw invalid(path, 'has no `*.yaml` in it; put one file for each circle there');
  return names.sort().map((name) => join(path, name));
}

function invalid(path: string, what: string): CaregateError {
  return new CaregateError('CONFIGURATION_INVALID', `circle \`${path}\` ${what}`);
}

/**
 * The circle of an id.
 * @throws CaregateError `CIRCLE_UNKNOWN`
 */
export function circleNamed(circles: Circles, id: string): Circle {
  const found = circles.find((circle) => circle.id === id);
  if (found !== undefined) return found;
  throw new CaregateError(
    'CIRCLE_UNKNOWN',
    `circle \`${id.slice(0, 60)}\` is not one of this deployment; add its file to \`CAREGATE_CIRCLES\``,
  );
}

/**
 * The addresses that mail for a circle comes in by: its inbox, and the addresses that it writes from, since a clinic
 * answers the letter that it got. One that several circles write from is nobody's: an answer would reach another household.
 */
export function addressesOf(circle: Circle, circles: Circles): readonly string[] {
  const others = circles.filter(({ id }) => id !== circle.id);
  const taken = new Set(others.flatMap(({ inbox, senders }) => [inbox, ...Object.values(senders)]));
  const written = Object.values(circle.senders).filter((sender) => !taken.has(sender));
  return [...new Set([circle.inbox, ...written])];
}

/**
 * The circles that a mail was sent to: those of which one address *is* one of the envelope's recipients, apart from case.
 * Where the recipients are not known, a mail can only be for the one circle that there is.
 * @param recipients attacker-controlled
 */
export function circlesAddressed(circles: Circles, recipients: readonly string[]): Circles {
  if (recipients.length === 0) return circles.length === 1 ? circles : [];
  const addressed = new Set(recipients.map((recipient) => recipient.replace(/[A-Z]/g, toLower)));
  return circles.filter((circle) => addressesOf(circle, circles).some((address) => addressed.has(address)));
}

// Of ASCII letters alone: lower-casing more would make one address of two.
const toLower = (letter: string): string => letter.toLowerCase();
