import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { decide } from '../../lib/policy/decide.ts';
import { type DomainOptions, domain, domainSize } from '../../lib/policy/domain.ts';
import { matchedRules } from '../../lib/policy/gate.ts';
import type { AbstractRequest } from '../../lib/policy/request.ts';
import {
  type CompiledPolicy,
  compilePolicy,
  policyFileSchema,
  shippedEngine,
} from '../../lib/policy/rules.ts';
import { catalogue } from '../../lib/proposal/catalogue.ts';
import { anyRequest, policyText } from './policies.ts';
import { shippedPolicy, shippedSources, silent } from './shipped.ts';

const limit = shippedSources.circle.limits.actionsPerMail;
const optionsFor = (text: string): DomainOptions => ({
  catalogue,
  limit,
  conditions: policyFileSchema.parse(parse(text)).rules.map((rule) => rule.when),
});
const decider = (policy: CompiledPolicy) => (request: AbstractRequest) =>
  `${request.tool}: ${decide(matchedRules(policy, request)).deciding.join()}`;
const rulingsOver = (policy: CompiledPolicy, options: DomainOptions): Set<string> => {
  const found = new Set<string>();
  const decided = decider(policy);
  for (const request of domain(options)) found.add(decided(request));
  return found;
};

describe('the domain that a policy is checked on', () => {
  it('shows every ruling of the shipped policy that the whole domain shows, in a few members', () => {
    const options = optionsFor(shippedSources.policy);
    expect(rulingsOver(shippedPolicy, options)).toEqual(
      rulingsOver(shippedPolicy, { ...options, whole: true }),
    );
    expect(domainSize(options)).toBeLessThan(2000);
  });

  it('has as many members as it says, each of them once', () => {
    const options = optionsFor(shippedSources.policy);
    const members = [...domain(options)].map((request) => JSON.stringify(request));
    expect(members).toHaveLength(domainSize(options));
    expect(new Set(members).size).toBe(members.length);
  });

  it('holds trusts that no call has, and every tool', () => {
    const members = [...domain(optionsFor(shippedSources.policy))];
    const trusts = members.flatMap((request) =>
      request.arguments.filter(({ class: kind }) => kind === 'DESTINATION'),
    );
    expect(new Set(trusts.map(({ trust }) => trust))).toEqual(
      new Set(['UNTRUSTED', 'CONTROLLED', 'TRUSTED']),
    );
    expect(new Set(members.map(({ tool }) => tool))).toEqual(new Set(Object.keys(catalogue)));
  });

  it('shows for any policy the rulings that sensible requests get', () => {
    fc.assert(
      fc.property(policyText, fc.array(anyRequest, { minLength: 5, maxLength: 20 }), (text, requests) => {
        const options = optionsFor(text);
        fc.pre(domainSize(options) < 20_000);
        const policy = compilePolicy(
          { ...shippedSources, policy: text, constitution: silent },
          { ...shippedEngine, lint: 'off' },
        );
        const shown = rulingsOver(policy, options);
        const decided = decider(policy);
        for (const request of requests.filter(isSensible)) expect(shown).toContain(decided(request));
      }),
      { numRuns: 60 },
    );
  });
});

/** Trusts and origins as they go together, nothing required left out, a role only where one is granted. */
function isSensible(request: AbstractRequest): boolean {
  const { arguments: specs } = catalogue[request.tool as keyof typeof catalogue];
  const complete = Object.entries(specs).every(
    ([name, spec]) => 'optional' in spec || request.arguments.some((argument) => argument.name === name),
  );
  return (
    complete &&
    request.arguments.every(({ class: kind, form, trust, origin }) => {
      if (kind !== 'VALUE')
        return (trust === 'TRUSTED') === (origin === 'circle') && origin !== 'fact' && origin !== 'case';
      if (form === 'document' || form === 'documents') return trust === 'UNTRUSTED' && origin === 'case';
      if (form === 'text' || form === 'time')
        return origin === 'fact' ? trust !== 'TRUSTED' : origin === 'model' && trust === 'UNTRUSTED';
      return trust === 'UNTRUSTED' && origin === 'model';
    })
  );
}
