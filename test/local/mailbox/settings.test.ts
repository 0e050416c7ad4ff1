import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SignInAttempts } from '../../../lib/local/mailbox/attempts.ts';
import { daysLeft, inboxSettings } from '../../../lib/local/mailbox/settings.ts';
import { hasOpenssl, selfSigned } from '../../support/certificate.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { ManualClock } from '../../support/time.ts';

async function complete(): Promise<Record<string, string>> {
  const { keyFile, certFile } = selfSigned(await temporaryDirectory(), 'DNS:inbox.example', 30);
  return {
    CAREGATE_INBOX_HOST: '0.0.0.0',
    CAREGATE_INBOX_USER: 'forwarder',
    CAREGATE_INBOX_PASSWORD: 'a rather long password',
    CAREGATE_INBOX_CERT: certFile,
    CAREGATE_INBOX_KEY: keyFile,
  };
}

describe.skipIf(!hasOpenssl)('an inbox for other machines', () => {
  it('listens where it is told to, with a password and a certificate', async () => {
    const settings = inboxSettings(await complete());
    expect(settings).toMatchObject({ host: '0.0.0.0', port: 4587, auth: { user: 'forwarder' } });
    const clock = new ManualClock(new Date(Date.now()).toISOString());
    expect(daysLeft(settings?.tls().cert ?? '', clock)).toBeGreaterThan(27);
  });

  it('is not there unless it is asked for', async () => {
    for (const host of ['', 'localhost', '127.0.0.1', '::1']) {
      expect(inboxSettings({ ...(await complete()), CAREGATE_INBOX_HOST: host })).toBeUndefined();
    }
  });

  it.each(['USER', 'PASSWORD', 'CERT', 'KEY'])(
    'without %s is refused by the name of the setting',
    async (name) => {
      const bad = { ...(await complete()), [`CAREGATE_INBOX_${name}`]: '' };
      expect(() => inboxSettings(bad)).toFailWithCode('CONFIGURATION_INVALID');
      expect(() => inboxSettings(bad)).toThrow(`\`CAREGATE_INBOX_${name}\``);
    },
  );

  it.each([
    ['PASSWORD', 'short secret'],
    ['CERT', '/absent/certificate'],
    ['KEY', import.meta.filename],
    ['PORT', '99999'],
    ['PORT', 'smtp'],
  ])('with a bad %s is refused, and nothing of it is repeated', async (name, value) => {
    const bad = { ...(await complete()), [`CAREGATE_INBOX_${name}`]: value };
    expect(() => inboxSettings(bad)).toFailWithCode('CONFIGURATION_INVALID');
    expect(() => inboxSettings(bad)).not.toThrow(value);
  });

  it('reads its certificate anew whenever it is asked', async () => {
    const environment = await complete();
    const settings = inboxSettings(environment);
    const before = settings?.tls().cert;
    const other = await complete();
    writeFileSync(environment.CAREGATE_INBOX_CERT ?? '', readFileSync(other.CAREGATE_INBOX_CERT ?? ''));
    writeFileSync(environment.CAREGATE_INBOX_KEY ?? '', readFileSync(other.CAREGATE_INBOX_KEY ?? ''));
    expect(settings?.tls().cert).not.toBe(before);
  });
});

describe('whoever tries passwords', () => {
  it('waits after five wrong ones, and is forgiven after a right one or a while', () => {
    const clock = new ManualClock('2027-01-01T00:00:00Z');
    const attempts = new SignInAttempts(clock);
    for (let tried = 0; tried < 4; tried += 1) attempts.failed('192.0.2.1');
    attempts.succeeded('192.0.2.1');
    for (let tried = 0; tried < 5; tried += 1) {
      expect(attempts.isBlocked('192.0.2.1')).toBe(false);
      attempts.failed('192.0.2.1');
    }
    expect([attempts.isBlocked('192.0.2.1'), attempts.isBlocked('192.0.2.2')]).toEqual([true, false]);
    clock.advance(15 * 60_000);
    expect(attempts.isBlocked('192.0.2.1')).toBe(false);
  });
});
