import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { receiverFor } from '../../../lib/local/pickup/receivers.ts';
import { providerFindings } from '../../../lib/local/pickup/verdicts.ts';

const gmail = receiverFor('imap.gmail.com');
const fastmail = receiverFor('imap.fastmail.com');
const icloud = receiverFor('p42-imap.mail.me.com');
const own = receiverFor('imap.home.example', 'mx.home.example');

const found = (receiver: typeof gmail, ...lines: string[]) =>
  providerFindings(Buffer.from(`${lines.join('\r\n')}\r\n\r\nA body.\r\n`), receiver);

const hop =
  'Received: from mail.clinic.example (mail.clinic.example. [192.0.2.1])\r\n by mx.google.com with ESMTPS id x1';
const inner = 'Received: by 2002:a05:6a10:1234:0:0:0:0 with SMTP id y2; Tue, 1 Dec 2026 01:00:00 -0800';
const stamp = [
  'Authentication-Results: mx.google.com;',
  ' dkim=pass header.i=@clinic.example header.s=s1 header.b=abc;',
  ' spf=pass (google.com: domain of care@clinic.example designates 192.0.2.1) smtp.mailfrom=care@clinic.example;',
  ' dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=clinic.example',
].join('\r\n');
const top = ['Delivered-To: home@gmail.com', inner, 'Return-Path: <care@clinic.example>', hop];
const from = 'From: The clinic <care@clinic.example>';
const passed = { spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' };
const forged =
  'Authentication-Results: mx.google.com; spf=pass smtp.mailfrom=care@clinic.example; dmarc=pass header.from=clinic.example';

describe('what the provider wrote itself counts', () => {
  test('Gmail’s topmost field is read, and the envelope’s sender', () => {
    const { source, verdicts } = found(gmail, ...top, stamp, 'Received: from inside.clinic.example', from);
    expect(verdicts).toMatchObject(passed);
    expect(source).toBe('care@clinic.example');
  });

  test('Fastmail’s results stand in several fields above the hop from outside', () => {
    const server = 'mx1.messagingengine.com';
    const { verdicts } = found(
      fastmail,
      'Return-Path: <care@clinic.example>',
      'Received: from compute1.internal by sloti1d2t18 (Cyrus) with LMTPA',
      `Received: from mx1 (localhost) by ${server} (Authentication Milter) with ESMTP id q`,
      `Authentication-Results: ${server}; x-csa=none; x-ptr=pass smtp.helo=a.example policy.ptr=a.example`,
      `Authentication-Results: ${server}; x-vs=clean score=0`,
      `Authentication-Results: ${server}; dkim=pass header.d=clinic.example; dmarc=pass policy.policy-from=p header.from=clinic.example; spf=pass smtp.mailfrom=care@clinic.example smtp.helo=a.example`,
      `Received-SPF: pass`,
      `Received: from a.example (a.example [192.0.2.1]) by ${server} (Postfix) with ESMTPS id z`,
      from,
    );
    expect(verdicts).toMatchObject(passed);
  });

  test('iCloud’s stand under a name for each method', () => {
    const { verdicts } = found(
      icloud,
      'Return-path: <care@clinic.example>',
      'Received: from a.icloud.com by b.me.com with LMTP',
      'Authentication-results: bimi.icloud.com; bimi=skipped reason="insufficient dmarc"',
      'Authentication-results: dmarc.icloud.com; dmarc=pass header.from=clinic.example',
      'Authentication-results: dkim-verifier.icloud.com; dkim=fail',
      'Authentication-results: spf.icloud.com; spf=pass (spf.icloud.com: fine) smtp.mailfrom=care@clinic.example',
      'Received: from mail.clinic.example by p00-icloudmta.me.com with ESMTPS',
      from,
    );
    expect(verdicts).toMatchObject({ spf: 'PASS', dkim: 'FAIL', dmarc: 'PASS' });
  });

  test('the household’s own server is believed under the name that the household gave it', () => {
    const lines = [
      'Return-Path: <care@clinic.example>',
      'Received: from mx.home.example by imap.home.example with LMTP id a',
      'Authentication-Results: mx.home.example; dkim=pass header.d=clinic.example',
      'Authentication-Results: mx.home.example; dmarc=pass header.from=clinic.example',
      'Received: from mail.clinic.example by mx.home.example with ESMTPS id b',
      from,
    ];
    expect(found(own, ...lines).verdicts).toMatchObject({ dkim: 'PASS', dmarc: 'PASS' });
    expect(found(receiverFor('imap.home.example'), ...lines).verdicts).toMatchObject({ dmarc: 'GRAY' });
  });

  test('what failed has failed', () => {
    const { verdicts } = found(
      gmail,
      ...top,
      'Authentication-Results: mx.google.com; spf=fail smtp.mailfrom=care@clinic.example; dkim=fail header.i=@clinic.example; dmarc=fail header.from=clinic.example',
      from,
    );
    expect(verdicts).toMatchObject({ spf: 'FAIL', dkim: 'FAIL', dmarc: 'FAIL' });
  });
});

describe('nothing passes that a sender could have written', () => {
  const gray = { spf: 'GRAY', dmarc: 'GRAY' };

  test.each<[string, string[]]>([
    [
      'where the provider wrote nothing of that name',
      [...top, 'Authentication-Results: mx.other.example; none', forged, from],
    ],
    [
      'under a hop of somebody else',
      [inner, 'Received: from evil.example by mail.evil.example with ESMTP', forged, from],
    ],
    ['in a mail that nobody received', [from]],
    ['behind the end of the header', [...top, from, '', forged]],
    ['behind a line that is no field', [...top, 'no field at all', forged, from]],
    [
      'next to a field that is malformed',
      [...top, 'Authentication-Results: mx.google.com; dmarc', forged, from],
    ],
    [
      'next to one without a result for DMARC',
      [...top, 'Authentication-Results: mx.google.com; spf=none smtp.mailfrom=a@evil.example', forged, from],
    ],
    [
      'next to one with two results',
      [
        ...top,
        'Authentication-Results: mx.google.com; dmarc=pass header.from=evil.example; dmarc=pass header.from=clinic.example',
        from,
      ],
    ],
  ])('%s', (_where, lines) => {
    expect(found(gmail, ...lines).verdicts).toMatchObject(gray);
  });

  test('a pass for another domain than that of From is none', () => {
    const other = stamp.replace('header.from=clinic.example', 'header.from=evil.example');
    expect(found(gmail, ...top, other, from).verdicts.dmarc).toBe('GRAY');
  });

  test.each([
    ['two From fields', [from, 'From: x@evil.example']],
    ['two addresses in From', ['From: care@clinic.example, x@evil.example']],
    ['no From', []],
  ])('a pass says nothing of a mail with %s', (_what, lines) => {
    expect(found(gmail, ...top, stamp, ...lines).verdicts.dmarc).toBe('GRAY');
  });

  test('SPF passes for the very sender of the envelope', () => {
    const others = top.map((line) => line.replace('<care@clinic.example>', '<x@clinic.example>'));
    expect(found(gmail, ...others, stamp, from).verdicts.spf).toBe('GRAY');
    const domain = stamp.replace('smtp.mailfrom=care@clinic.example', 'smtp.mailfrom=clinic.example');
    expect(found(gmail, ...top, domain, from).verdicts.spf).toBe('PASS');
  });

  test('without a provider that is known no field counts at all', () => {
    expect(found(undefined, ...top, stamp, from).verdicts).toEqual({
      spam: 'DISABLED',
      virus: 'DISABLED',
      spf: 'GRAY',
      dkim: 'GRAY',
      dmarc: 'GRAY',
    });
  });

  const word = fc.constantFrom('mx.google.com', 'mx.evil.example', 'MX.GOOGLE.COM', 'google.com');
  const clause = fc.constantFrom(
    'dmarc=pass header.from=clinic.example',
    'spf=pass smtp.mailfrom=care@clinic.example',
    'dkim=pass header.d=clinic.example',
    'dmarc=pass',
    'none',
  );
  const field = fc.oneof(
    fc
      .tuple(word, fc.array(clause, { maxLength: 3 }))
      .map(([id, all]) => `Authentication-Results: ${[id, ...all].join('; ')}`),
    word.map((by) => `Received: from x.example by ${by} with LMTP id 1`),
    word.map((by) => `Received: by ${by}`),
    fc.constantFrom('Return-Path: <care@clinic.example>', from, 'X-A: b', ' folded', 'no field', ''),
    fc.string({ maxLength: 60 }),
  );
  const denied = fc.constantFrom(
    'Authentication-Results: mx.google.com; spf=fail smtp.mailfrom=x@evil.example; dmarc=fail header.from=clinic.example',
    'Authentication-Results: mx.google.com; spf=softfail smtp.mailfrom=x@evil.example',
    'Authentication-Results: mx.google.com; none',
  );

  test('whatever a sender writes below what the provider wrote, nothing passes', () => {
    fc.assert(
      fc.property(denied, fc.array(field, { maxLength: 12 }), (real, lines) => {
        const { verdicts, source } = found(
          gmail,
          inner,
          'Return-Path: <x@evil.example>',
          hop,
          real,
          ...lines,
        );
        expect([verdicts.spf, verdicts.dkim, verdicts.dmarc]).not.toContain('PASS');
        expect(source).toBe('x@evil.example');
      }),
    );
  });

  test('whatever a sender writes under another name, nothing passes', () => {
    const foreign = field.map((line) => line.replace(/mx\.google\.com;/gi, 'mx.other.example;'));
    fc.assert(
      fc.property(fc.array(foreign, { maxLength: 12 }), (lines) => {
        for (const receiver of [gmail, own, undefined]) {
          const { verdicts } = found(receiver, ...top, ...lines);
          expect([verdicts.spf, verdicts.dkim, verdicts.dmarc]).not.toContain('PASS');
        }
      }),
    );
  });

  test('whatever a sender writes below a provider’s several fields, nothing passes', () => {
    const server = 'mx1.messagingengine.com';
    const theirs = field.map((line) => line.replace(/mx\.google\.com/gi, server));
    fc.assert(
      fc.property(fc.array(theirs, { maxLength: 12 }), (lines) => {
        const { verdicts } = found(
          fastmail,
          'Return-Path: <x@evil.example>',
          `Received: from mx1 by ${server} with ESMTP id q`,
          `Authentication-Results: ${server}; x-csa=none`,
          `Authentication-Results: ${server}; dkim=none; dmarc=none header.from=clinic.example; spf=none smtp.mailfrom=x@evil.example`,
          `Received: from a.example by ${server} with ESMTPS id z`,
          ...lines,
        );
        expect([verdicts.spf, verdicts.dkim, verdicts.dmarc]).not.toContain('PASS');
      }),
    );
  });
});

describe('the envelope’s sender', () => {
  test('is empty for a bounce, and unknown where none was written', () => {
    expect(found(gmail, 'Return-Path: <>', hop, from).source).toBe('');
    expect(found(gmail, hop, from).source).toBe('unknown');
    expect(found(gmail, 'Return-Path: <no address>', from).source).toBe('unknown');
  });

  test('is not read below a hop of somebody else', () => {
    const lines = ['Received: from a by mail.evil.example', 'Return-Path: <care@clinic.example>', from];
    expect(found(gmail, ...lines).source).toBe('unknown');
    expect(found(undefined, ...lines).source).toBe('care@clinic.example');
  });
});
