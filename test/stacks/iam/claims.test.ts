import { describe, expect, it } from 'vitest';
import { claimsOf } from './claims.ts';
import type { Context } from './condition.ts';
import { everything, principalOf } from './deployed.ts';
import { readEstate } from './estate.ts';
import { evaluate, type Principal } from './evaluate.ts';
import { gaps, judgedRoles, strays, violations } from './judge.ts';
import { looseProbes, ownProbes, strayProbes } from './probes.ts';
import { account } from './symbols.ts';

const estate = readEstate();
const { deployed } = estate;
const roles = judgedRoles(deployed);
const claims = claimsOf(estate);

describe('even if a role were given everything', () => {
  for (const claim of claims) {
    it(claim.name, () => {
      expect(violations(claim, deployed, roles)).toEqual([]);
    });
  }

  it('no role can do more than it is given', () => {
    expect(gaps([...ownProbes(estate), ...strayProbes(estate)], deployed, roles)).toEqual([]);
  });

  it('no role is given anything that none has any business with', () => {
    expect(strays([...strayProbes(estate), ...looseProbes(estate)], deployed, roles)).toEqual([]);
  });
});

describe('the role that forgets', () => {
  const role = [...deployed.others.values()].find(({ arn }) => arn.endsWith('-forget'));
  const administrator = {
    kind: 'role',
    arn: `arn:aws:iam::${account}:role/Administrator`,
    identity: [everything],
  } as const;
  const taken = (principal: Principal, context: Context) =>
    evaluate({
      principal,
      action: 'sts:AssumeRole',
      resource: role?.arn ?? '',
      context,
      resourcePolicy: role?.trust,
    }).decision;

  it('is taken on by who may in the account, signed in with a second factor', () => {
    expect(taken(administrator, { 'aws:MultiFactorAuthPresent': 'true' })).toBe('allowed');
    expect(taken({ ...administrator, identity: [] }, { 'aws:MultiFactorAuthPresent': 'true' })).toBe(
      'implicitly denied',
    );
  });

  it('is taken on without a second factor by nobody, and by no service and no function at all', () => {
    expect(taken(administrator, { 'aws:MultiFactorAuthPresent': 'false' })).toBe('implicitly denied');
    expect(taken(administrator, {})).toBe('implicitly denied');
    expect(taken({ kind: 'service', name: 'lambda.amazonaws.com' }, {})).toBe('implicitly denied');
    for (const one of deployed.functions.values()) {
      expect(taken(principalOf(one), { 'aws:MultiFactorAuthPresent': 'true' }), one.name).toBe(
        'explicitly denied',
      );
    }
  });
});
