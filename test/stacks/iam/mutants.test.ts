import { describe, expect, it } from 'vitest';
import { claimsOf } from './claims.ts';
import { readEstate } from './estate.ts';
import { judgedRoles, violations } from './judge.ts';
import { type Court, killerOf, withClaimedRights, withoutDenials, withWiderGrants } from './mutants.ts';
import { looseProbes, ownProbes, strayProbes } from './probes.ts';

const estate = readEstate();
const { deployed } = estate;
const roles = judgedRoles(deployed);
const court: Court = {
  claims: claimsOf(estate),
  own: ownProbes(estate),
  stray: strayProbes(estate),
  loose: looseProbes(estate),
};

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
