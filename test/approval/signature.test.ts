import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { rawSignature } from '../../lib/approval/signature.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

it('turns every DER signature into r‖s that verifies', () => {
  for (let number = 0; number < 300; number += 1) {
    const data = Buffer.from(`message ${number}`);
    const raw = rawSignature(sign('sha256', data, privateKey));
    expect(raw).toHaveLength(64);
    expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
  }
});

it('pads short numbers from the left', () => {
  const raw = rawSignature(Uint8Array.of(0x30, 6, 2, 1, 7, 2, 1, 9));
  expect([raw[31], raw[63], raw.filter((byte) => byte !== 0).length]).toEqual([7, 9, 2]);
});

it.each([
  [],
  [0x31, 6, 2, 1, 7, 2, 1, 9],
  [0x30, 7, 2, 1, 7, 2, 1, 9],
  [0x30, 6, 3, 1, 7, 2, 1, 9],
  [0x30, 6, 2, 0, 2, 2, 1, 9],
  [0x30, 6, 2, 9, 7, 2, 1, 9],
  [0x30, 7, 2, 1, 7, 2, 1, 9, 9],
  [0x30, 38, 2, 33, ...Array<number>(33).fill(1), 2, 1, 9],
])('refuses what is not exactly one DER signature: %j', (...bytes) => {
  expect(() => rawSignature(Uint8Array.from(bytes))).toFailWithCode('INVALID_INPUT');
});
