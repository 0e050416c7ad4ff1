import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { CompactSign } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  issueLink,
  type LinkClaims,
  linkUrl,
  longestLink,
  openLink,
  verifyLink,
} from '../../lib/approval/link.ts';
import { approvalIdOf } from '../../lib/approval/request.ts';
import { callDigest } from '../../lib/proposal/call.ts';
import { type Approvals, startApprovals } from '../support/approvals.ts';
import { caseId, letterCall } from './requests.ts';

const call = letterCall();
const claims: LinkClaims = {
  approval: approvalIdOf({ call, execution: caseId }),
  callDigest: callDigest(call),
  person: 'maya',
  purpose: 'approve',
  expires: '2027-03-04T09:00:00.000Z',
};
const before = Date.parse('2027-03-04T08:59:59.999Z');

let office: Approvals;
let link: string;
beforeAll(async () => {
  office = await startApprovals();
  link = await issueLink({ ...office.signer, claims });
});
afterAll(async () => office[Symbol.asyncDispose]());

const signedBy = (key: KeyObject, header: object, payload: unknown) =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader(header as { alg: string })
    .sign(key);

describe('a link', () => {
  it('is verified offline and says what it was issued with', async () => {
    expect(await verifyLink(link, office.publicKey, before)).toEqual(claims);
  });

  it('holds nothing that a mail program changes', () => {
    expect(linkUrl('https://care.example/', link)).toMatch(/^https:\/\/care\.example\/a\/[A-Za-z0-9_.-]+$/);
    expect(link.length).toBeLessThan(longestLink);
  });

  it('ends at the very instant that it names', async () => {
    await expect(verifyLink(link, office.publicKey, before + 1)).toFailWithCode('APPROVAL_LINK_INVALID');
    expect(await openLink(link, office.publicKey)).toEqual(claims);
  });

  it('is refused with any bit flipped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(link.length - 1), fc.nat(7), async (at, bit) => {
        const flipped = Buffer.from(link, 'latin1');
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        await expect(verifyLink(flipped.toString('latin1'), office.publicKey, before)).toFailWithCode(
          'APPROVAL_LINK_INVALID',
        );
      }),
      { numRuns: 300 },
    );
  });

  it('has one spelling: unused bits of the last character do not make a second link', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet].filter((character) => character !== link.at(-1));
    for (const character of others) {
      await expect(openLink(link.slice(0, -1) + character, office.publicKey)).toFailWithCode(
        'APPROVAL_LINK_INVALID',
      );
    }
  });

  it.each(['', 'a.b', 'a.b.c.d', `${'A'.repeat(longestLink)}.B.C`, 'ä.ö.ü'])(
    'is refused where it is not whole: %j',
    async (text) => {
      await expect(openLink(text, office.publicKey)).toFailWithCode('APPROVAL_LINK_INVALID');
    },
  );

  it('is refused from another key, algorithm or kind, and without one', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const header = { alg: 'ES256', typ: 'caregate-link' };
    const forged = [
      await signedBy(pair.privateKey, header, claims),
      await signedBy(
        generateKeyPairSync('ed25519').privateKey,
        { alg: 'EdDSA', typ: 'caregate-link' },
        claims,
      ),
      [encode({ alg: 'none' }), encode(claims), ''].join('.'),
      [encode({ alg: 'HS256', typ: 'caregate-link' }), encode(claims), hmac()].join('.'),
    ];
    for (const text of forged) {
      await expect(openLink(text, office.publicKey)).toFailWithCode('APPROVAL_LINK_INVALID');
    }
    const own = await signedBy(pair.privateKey, header, claims);
    expect(await openLink(own, pair.publicKey)).toEqual(claims);
    for (const [other, payload] of [
      [{ alg: 'ES256', typ: 'JWT' }, claims],
      [{ alg: 'ES256' }, claims],
      [header, { ...claims, purpose: 'execute' }],
      [header, { ...claims, extra: true }],
      [header, { ...claims, person: '../tom' }],
      [header, 'not claims'],
    ] as const) {
      const text = await signedBy(pair.privateKey, other, payload);
      await expect(openLink(text, pair.publicKey)).toFailWithCode('APPROVAL_LINK_INVALID');
    }
  });

  it('is not accepted with a signature in DER', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signed = link.slice(0, link.lastIndexOf('.'));
    const der = sign('sha256', Buffer.from(signed), pair.privateKey).toString('base64url');
    await expect(openLink(`${signed}.${der}`, pair.publicKey)).toFailWithCode('APPROVAL_LINK_INVALID');
  });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The classic confusion: the public key as the secret of an HMAC. */
function hmac(): string {
  return createHash('sha256')
    .update(office.publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url');
}
