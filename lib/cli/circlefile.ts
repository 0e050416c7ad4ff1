import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Circle, loadCircle } from '../provenance/circle.ts';

const example = fileURLToPath(new URL('../../rules/circle.example.yaml', import.meta.url));

/** The circle of a data directory: the household's own, or the invented example as long as there is none. */
export function circleFileOf(data: string, named?: string): string {
  if (named !== undefined) return named;
  const own = join(data, 'circle.yaml');
  return existsSync(own) ? own : example;
}

/** Errors as `loadCircle`. */
export function loadConnectionCircle(data: string, named?: string): Circle {
  return loadCircle(circleFileOf(data, named));
}
