import { readFileSync } from 'node:fs';
import type { PolicySources } from '../../lib/policy/rules.ts';
import { compilePolicy } from '../../lib/policy/rules.ts';
import { loadCircle } from '../../lib/provenance/circle.ts';

export const exampleCircle = loadCircle('rules/circle.example.yaml');

/** The shipped rules with the invented circle. */
export const shippedSources: PolicySources = {
  policy: readFileSync('rules/policy.yaml', 'utf8'),
  constitution: readFileSync('rules/constitution.yaml', 'utf8'),
  circle: exampleCircle,
};

export const shippedPolicy = compilePolicy(shippedSources);

/** A constitution that says nothing. */
export const silent = 'version: 1\nname: silent\nrules: []\n';

/** An instant within the validity of every shipped rule. */
export const now = Date.parse('2027-03-01T09:00:00Z');
