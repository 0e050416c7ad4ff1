import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageIdOf, traceLength } from '../../lib/mail/trace.ts';
import { sha256 } from '../../lib/provenance/digest.ts';
import { rawMail } from '../support/maildelivery.ts';

const mail = rawMail(
  'Received: from sender by first.example',
  'From: maya@family.example',
  'Subject: Letter',
  '',
  'Hello',
);

function received(id: string): string[] {
  return [
    'Return-Path: <maya@family.example>',
    `Received: from mail.family.example by inbound.example`,
    `\twith SMTP id ${id}`,
    'X-SES-Spam-Verdict: PASS',
    'X-SES-Virus-Verdict: PASS',
    'Received-SPF: pass (inbound.example: domain of family.example',
    '  designates 192.0.2.1 as permitted sender)',
    'Authentication-Results: inbound.example; dmarc=pass',
    `X-SES-RECEIPT: ${id}`,
  ];
}

function join(head: readonly string[], tail: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(head.map((line) => `${line}\r\n`).join('')), tail]);
}

describe('messageIdOf', () => {
  it('is the same for a redelivery, whose trace headers differ', () => {
    expect(messageIdOf(join(received('aaa'), mail))).toBe(messageIdOf(join(received('bbb'), mail)));
  });

  it('is the digest of what the sender sent, down to the first server behind ours', () => {
    expect(messageIdOf(join(received('aaa'), mail))).toBe(sha256(mail));
  });

  it('changes with any byte that the sender sent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: mail.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const other = mail.map((byte, index) => (index === at ? byte ^ flip : byte));
          expect(messageIdOf(join(received('aaa'), other))).not.toBe(
            messageIdOf(join(received('aaa'), mail)),
          );
        },
      ),
    );
  });

  it('leaves out one Received header only: the second is of the sender', () => {
    const own = join(['Received: ours'], mail);
    expect(traceLength(own)).toBe('Received: ours\r\n'.length);
  });

  it('keeps trace headers that stand below other headers', () => {
    const below = rawMail('From: a@b.example', 'X-SES-Spam-Verdict: PASS', '', 'x');
    expect(messageIdOf(below)).toBe(sha256(below));
  });

  it('reads lines that end in a line feed alone', () => {
    const lines = new TextEncoder().encode(
      'Return-Path: <a@b.example>\nX-SES-A: 1\n folded\nFrom: a@b.example\n\nx',
    );
    expect(messageIdOf(lines)).toBe(sha256('From: a@b.example\n\nx'));
  });

  it('is defined for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(traceLength(bytes)).toBeLessThanOrEqual(bytes.length);
        expect(messageIdOf(bytes)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });
});
