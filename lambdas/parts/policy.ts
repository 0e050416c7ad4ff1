import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { circle } from './circles.ts';
import { circlePart } from './part.ts';

/** The rules of this deployment with the event's circle, compiled once for each circle. */
export const policy = circlePart((source) => {
  const read = (name: string): string =>
    readFileSync(join(source.setting('CAREGATE_RULES_DIR'), name), 'utf8');
  return compilePolicy({
    policy: read('policy.yaml'),
    constitution: read('constitution.yaml'),
    circle: circle(source),
  });
});
