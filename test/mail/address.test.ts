import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseAddress, sameAddress } from '../../lib/mail/address.ts';

describe('normaliseAddress', () => {
  it('folds the case of ASCII letters, and nothing else', () => {
    expect(normaliseAddress(' Maya.W@Family.EXAMPLE ')).toBe('maya.w@family.example');
  });

  it('writes an internationalised domain in its ASCII form', () => {
    expect(normaliseAddress('info@praxis-müller.example')).toBe('info@xn--praxis-mller-klb.example');
  });

  it.each([
    ['a display name', 'Maya <maya@family.example>'],
    ['two addresses', 'maya@family.example,tom@family.example'],
    ['two at signs', 'maya@family.example@evil.example'],
    ['a quoted local part', '"maya@family.example"@evil.example'],
    ['a letter that lower-cases to k', 'ma\u212Aa@family.example'],
    ['full-width letters in the domain', 'maya@ｆamily.example'],
    ['no domain', 'maya@'],
    ['nothing', ''],
  ])('is nothing for %s', (_, text) => {
    expect(normaliseAddress(text)).toBeUndefined();
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const once = normaliseAddress(address);
        expect(normaliseAddress(once ?? 'none')).toBe(once);
      }),
    );
  });
});

describe('sameAddress', () => {
  it.each([
    ['a sub-address', 'maya+care@family.example'],
    ['a dot in the local part', 'ma.ya@family.example'],
    ['a look-alike letter', 'mаya@family.example'],
    ['a look-alike domain', 'maya@fаmily.example'],
    ['a longer domain', 'maya@family.example.evil.example'],
    ['a subdomain', 'maya@mail.family.example'],
  ])('tells %s from the address', (_, other) => {
    expect(sameAddress(other, 'maya@family.example')).toBe(false);
  });

  it('is false for what is no address, even compared with itself', () => {
    expect(sameAddress('', '')).toBe(false);
  });
});
