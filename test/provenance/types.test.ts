import { describe, expect, it } from 'vitest';
import { isCaregateError } from '../../lib/errors.ts';
import type { Clearance } from '../../lib/policy/clearance.ts';
import type { AuthorityArgument, DestinationArgument, ValueArgument } from '../../lib/proposal/call.ts';
import { type TrustedEntry, trustedEntry } from '../../lib/provenance/circle.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import type { CaseId, CircleId } from '../../lib/provenance/identifiers.ts';
import { type Fact, promote } from '../../lib/provenance/trust.ts';
import { exampleCircle } from '../policy/shipped.ts';

/** What the compiler refuses. Each line that it would accept makes `tsc` fail, since the error is expected. */
describe('the types', () => {
  const entry = trustedEntry(exampleCircle, 'contacts', 'hillside-records') as TrustedEntry;
  const source = { document: sha256('letter'), page: 1, quote: '' };

  it('raise only what is UNTRUSTED, and only to CONTROLLED', () => {
    const controlled: Fact<'CONTROLLED'> = {
      id: 'f1',
      kind: 'date',
      value: '2027-03-04',
      source,
      trust: 'CONTROLLED',
    };
    // @ts-expect-error a fact is raised once
    const again = () => promote(controlled, 'certain-date');
    // @ts-expect-error the validators have names
    const unnamed = () => promote({ ...controlled, trust: 'UNTRUSTED' }, 'the-model');
    // @ts-expect-error nothing is raised to TRUSTED
    const trusted: Fact<'TRUSTED'> = promote({ ...controlled, trust: 'UNTRUSTED' }, 'certain-date');
    expect(again).toFailWithCode('TRUST_REFUSED');
    expect(unnamed).toFailWithCode('TRUST_REFUSED');
    expect(trusted.trust).toBe('CONTROLLED');
  });

  it('know no TRUSTED value, no trusted literal and no half-trusted destination or role', () => {
    // @ts-expect-error a value is never TRUSTED
    const value: ValueArgument = { class: 'VALUE', value: 'a', trust: 'TRUSTED', origin: { model: true } };
    // @ts-expect-error a literal stays UNTRUSTED
    const literal: DestinationArgument = { class: 'DESTINATION', literal: 'a', trust: 'TRUSTED' };
    // @ts-expect-error an entry is TRUSTED or it is none
    const half: DestinationArgument = { class: 'DESTINATION', entry, trust: 'CONTROLLED' };
    // @ts-expect-error nothing raises a role
    const role: AuthorityArgument = { class: 'AUTHORITY', role: 'owner', trust: 'CONTROLLED' };
    expect([value, literal, half, role]).toHaveLength(4);
  });

  it('let nobody write an entry, a clearance, a digest or an id', () => {
    // @ts-expect-error only the circle makes entries
    const forged: TrustedEntry = { list: 'contacts', id: 'a', name: 'a', trust: 'TRUSTED' };
    // @ts-expect-error only the gate makes clearances
    const clearance: Clearance = { call: {}, callDigest: sha256(''), decision: {}, consents: [] };
    // @ts-expect-error a text is no digest
    const digest: typeof source.document = 'a1'.repeat(32);
    // @ts-expect-error the id of a circle is none of a case
    const id: CaseId = 'example-household' as CircleId;
    expect([forged, clearance, digest, id]).toHaveLength(4);
  });

  it('give errors a code to switch on', () => {
    // @ts-expect-error the codes are closed
    expect(isCaregateError(new TypeError('other'), 'SOMETHING_ELSE')).toBe(false);
  });
});
