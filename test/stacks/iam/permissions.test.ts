import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { claimsOf } from './claims.ts';
import type { Context } from './condition.ts';
import { everything, principalOf } from './deployed.ts';
import { readEstate } from './estate.ts';
import { evaluate, type Principal } from './evaluate.ts';
import {
  type InvocationClaim,
  invocationClaims,
  invocationViolations,
  widerPermissions,
  widerRoles,
} from './invocations.ts';
import { gaps, judgedRoles, strays, violations } from './judge.ts';
import { type Court, killerOf, withClaimedRights, withoutDenials, withWiderGrants } from './mutants.ts';
import { pageOf } from './page.ts';
import { permissionStatement } from './permission.ts';
import { looseProbes, ownProbes, strayProbes } from './probes.ts';
import { account } from './symbols.ts';

const estate = readEstate();
const { deployed } = estate;
const roles = judgedRoles(deployed);
const claims = claimsOf(estate);
const invocations = invocationClaims(estate);
const allFunctions = deployed.templates
  .all('AWS::Lambda::Function')
  .map((each) => deployed.templates.arn(each));
const court: Court = {
  claims,
  own: ownProbes(estate),
  stray: strayProbes(estate),
  loose: looseProbes(estate),
};

describe('even if a role were given everything', () => {
  for (const claim of claims) {
    it(claim.name, () => {
      expect(violations(claim, deployed, roles)).toEqual([]);
    });
  }

  it('no role can do more than it is given', () => {
    expect(gaps([...court.own, ...court.stray], deployed, roles)).toEqual([]);
  });

  it('no role is given anything that none has any business with', () => {
    expect(strays([...court.stray, ...court.loose], deployed, roles)).toEqual([]);
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

describe('every deny carries a claim', () => {
  it('which fails by its name without it', () => {
    const removed = withoutDenials(deployed, roles);
    expect(removed.length).toBeGreaterThan(roles.length);
    const survivors = removed.filter((mutant) => killerOf(mutant, court) === undefined);
    expect(survivors.map(({ at, sid }) => `${at} ${sid}`)).toEqual([]);
  });
});

describe('every role is as wide as the claims let it be', () => {
  it('and no grant can be made wider unseen', () => {
    const wider = withWiderGrants(deployed, roles);
    expect(wider.length).toBeGreaterThan(roles.length);
    const survivors = wider.filter((mutant) => killerOf(mutant, court) === undefined);
    expect(survivors.map(({ at, sid, change }) => `${at} ${sid} ${change}`)).toEqual([]);
  });

  it('and what a claim denies cannot be given unseen, although it is denied', () => {
    const given = withClaimedRights(deployed, roles, court.claims);
    expect(given.length).toBeGreaterThan(500);
    const survivors = given.filter((mutant) => violations(mutant.claim, deployed, mutant.roles).length === 0);
    expect(survivors.map(({ at, sid }) => `${at} ${sid}`)).toEqual([]);
  });
});

describe('a function is run', () => {
  for (const claim of invocations) {
    it(claim.name, () => {
      expect(claim.callers.length).toBeGreaterThan(0);
      expect(invocationViolations(claim, deployed, allFunctions)).toEqual([]);
    });
  }

  it('by nobody whom no claim is about: every right of a service is used by one', () => {
    const services = deployed.templates
      .all('AWS::Lambda::Permission')
      .map(({ resource }) => String(resource.Properties?.Principal));
    expect([...new Set(services)].sort()).toEqual([
      'apigateway.amazonaws.com',
      'events.amazonaws.com',
      'ses.amazonaws.com',
    ]);
  });
});

describe('every right to have a function run is as wide as the claims let it be', () => {
  const broken = (changed: typeof deployed): InvocationClaim[] =>
    invocationClaims({ ...estate, deployed: changed }).filter(
      (claim) => invocationViolations(claim, changed, allFunctions).length > 0,
    );

  it('and none of a service can be made wider unseen', () => {
    const wider = widerPermissions(deployed);
    const permissions = deployed.templates.all('AWS::Lambda::Permission');
    expect(wider.length).toBeGreaterThan(2 * permissions.length);
    const survivors = wider.filter((mutant) => broken(mutant.deployed).length === 0);
    expect(survivors.map(({ what }) => what)).toEqual([]);
  });

  it('and no other role can be given one unseen', () => {
    const wider = widerRoles(deployed);
    expect(wider).toHaveLength(deployed.others.size);
    const survivors = wider.filter((mutant) => broken(mutant.deployed).length === 0);
    expect(survivors.map(({ what }) => what)).toEqual([]);
  });
});

describe('a right that a template gives a service', () => {
  const located = { stack: 's', id: 'Tell', resource: { Type: 'AWS::Lambda::Permission' } };
  const given = { Action: 'lambda:InvokeFunction', FunctionName: 'f', Principal: 's3.amazonaws.com' };

  it('without a source is one for everybody’s', () => {
    expect(permissionStatement(located, given).Condition).toBeUndefined();
  });

  it('is refused where it says what is not understood', () => {
    expect(() => permissionStatement(located, { ...given, FunctionUrlAuthType: 'NONE' })).toThrow(
      'is not understood',
    );
    expect(() => permissionStatement(located, { ...given, Principal: '*' })).toThrow('is not understood');
  });
});

describe('policies', () => {
  it('have the size that IAM takes, with names as long as CloudFormation makes them', () => {
    for (const { name, identity } of roles) {
      for (const policy of identity) {
        const text = JSON.stringify(policy.statements);
        // What is named by its logical id here has the stack's name before it and twelve characters behind.
        const unnamed = text.match(/caregate-[a-z-]+\.\w+/g) ?? [];
        expect(text.length + 14 * unnamed.length, `${name} ${policy.name}`).toBeLessThan(6144);
      }
    }
  });
});

describe('docs/permissions.md', () => {
  it('says who may do what, as the synthesized templates have it', () => {
    const page = pageOf(estate, court, roles);
    if (process.env.CAREGATE_UPDATE === '1') writeFileSync('docs/permissions.md', page);
    expect(readFileSync('docs/permissions.md', 'utf8')).toBe(page);
  });
});
