import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mutantsOf } from '../../policy/mutants.ts';
import { type CompiledPolicy, compilePolicy, type PolicySources, shippedEngine } from '../../policy/rules.ts';
import { type Circle, loadCircle } from '../../provenance/circle.ts';

const project = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The invented household that is attacked. */
export function evaluationCircle(): Circle {
  const circle = loadCircle(project('rules/circle.example.yaml'));
  // The caps would hold most of the mails back, and a mail that is held back shows nothing about the rules.
  return { ...circle, limits: { ...circle.limits, mailsPerDay: 1_000_000, openApprovals: 1_000_000 } };
}

/** The names of all mutants of the shipped rules. */
export function evaluationMutants(circle: Circle): readonly string[] {
  return mutantsOf(shippedSources(circle)).map(({ name }) => name);
}

/** The rules as shipped, by which is counted whatever the functions decide by. An office has linted them at its start. */
export function shippedPolicy(circle: Circle): CompiledPolicy {
  return compilePolicy(shippedSources(circle), { ...shippedEngine, lint: 'off' });
}

function shippedSources(circle: Circle): PolicySources {
  const read = (name: string) => readFileSync(project(`rules/${name}`), 'utf8');
  return { policy: read('policy.yaml'), constitution: read('constitution.yaml'), circle };
}
