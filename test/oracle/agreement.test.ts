import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../lib/policy/decide.ts';
import { domain, domainSize } from '../../lib/policy/domain.ts';
import { matchedRules } from '../../lib/policy/gate.ts';
import type { AbstractRequest } from '../../lib/policy/request.ts';
import { type CompiledPolicy, compilePolicy, shippedEngine } from '../../lib/policy/rules.ts';
import { catalogue } from '../../lib/proposal/catalogue.ts';
import { anyRequest, policyText } from '../policy/policies.ts';
import { shippedPolicy, shippedSources, silent } from '../policy/shipped.ts';
import { type OracleRuling, oracle } from './evaluator.ts';

const limit = shippedSources.circle.limits.actionsPerMail;

function engine(policy: CompiledPolicy, request: AbstractRequest): OracleRuling {
  const matched = matchedRules(policy, request);
  const { outcome, deciding, consent } = decide(matched);
  const roles = consent === undefined ? undefined : [...consent.roles].sort();
  return { outcome, matched: matched.map((rule) => rule.id), deciding, people: consent?.people, roles };
}

describe('the engine and the oracle', () => {
  it('agree on every member of the abstract domain, for the shipped policy', () => {
    const options = { catalogue, conditions: [{ action: { above: 'limit' as const } }], limit, whole: true };
    const naive = oracle(shippedSources.policy, limit);
    let members = 0;
    for (const request of domain(options)) {
      members += 1;
      const one = engine(shippedPolicy, request);
      const other = naive(request);
      if (JSON.stringify(one) !== JSON.stringify(sorted(other))) expect(one).toEqual(other);
    }
    expect(members).toBe(domainSize(options));
    expect(members).toBeGreaterThan(300_000);
  });

  it('agree on any request under any policy', () => {
    fc.assert(
      fc.property(policyText, fc.array(anyRequest, { minLength: 1, maxLength: 20 }), (text, requests) => {
        const policy = compilePolicy(
          { ...shippedSources, policy: text, constitution: silent },
          { ...shippedEngine, lint: 'off' },
        );
        const naive = oracle(text, limit);
        for (const request of requests) expect(engine(policy, request)).toEqual(sorted(naive(request)));
      }),
      { numRuns: 300 },
    );
  });
});

/** The engine sorts ids by code units from the start; the oracle sorts them at the end. */
function sorted({ outcome, matched, deciding, people, roles }: OracleRuling): OracleRuling {
  return { outcome, matched, deciding, people, roles };
}
