import { expect, test } from 'vitest';
import { headerFields, hopOf } from '../../../lib/local/pickup/topfields.ts';

test('fields are read in order, unfolded, up to the end of the header', () => {
  const mail = 'A: b\r\n c\nX-D :\te \n\nF: g\r\n';
  expect(headerFields(Buffer.from(mail))).toEqual([
    { name: 'a', value: 'b c' },
    { name: 'x-d', value: 'e' },
  ]);
  expect(headerFields(Buffer.from('A: b\nno field\nC: d\n'))).toEqual([{ name: 'a', value: 'b' }]);
  expect(headerFields(Buffer.from(''))).toEqual([]);
  expect(headerFields(Buffer.from('\r\n\r\nA: b'))).toEqual([]);
});

test.each([
  ['from a.example (b (by c.example)) by MX.home.example with ESMTPS id 1; today', 'mx.home.example', false],
  ['from a.example by imap.home.example with LMTP id 1', 'imap.home.example', true],
  ['from a.example by imap.home.example (Dovecot) with LMTPS', 'imap.home.example', true],
  ['by 2002:a05::1 with SMTP id 2', '2002:a05::1', true],
  ['from a.example (with LMTP) with ESMTP', '', false],
  ['', '', true],
])('the hop %j was taken by %j, within one provider: %s', (value, by, within) => {
  expect(hopOf(value)).toEqual({ by, within });
});

test('comments that a sender nests without end keep nobody busy', () => {
  const nested = `from a ${'('.repeat(100_000)}${')'.repeat(100_000)} by mx.home.example`;
  expect(hopOf(nested).by).toBe('');
});
