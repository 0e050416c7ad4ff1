import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { claimsOf } from './claims.ts';
import { readEstate } from './estate.ts';
import { judgedRoles } from './judge.ts';
import { pageOf } from './page.ts';
import { looseProbes, ownProbes, strayProbes } from './probes.ts';

describe('docs/permissions.md', () => {
  it('says who may do what, as the synthesized templates have it', () => {
    const estate = readEstate();
    const court = {
      claims: claimsOf(estate),
      own: ownProbes(estate),
      stray: strayProbes(estate),
      loose: looseProbes(estate),
    };
    const page = pageOf(estate, court, judgedRoles(estate.deployed));
    if (process.env.CAREGATE_UPDATE === '1') writeFileSync('docs/permissions.md', page);
    expect(readFileSync('docs/permissions.md', 'utf8')).toBe(page);
  });
});
