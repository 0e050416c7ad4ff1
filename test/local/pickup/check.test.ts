import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkMailbox } from '../../../lib/local/pickup/check.ts';
import { problemDetails } from '../../../lib/local/pickup/problems.ts';
import {
  mailboxProviders,
  providerOfAddress,
  providerOfHost,
  suggestedUrl,
  usualMistake,
} from '../../../lib/local/pickup/providers.ts';
import { type PickupSettings, pickupSettings } from '../../../lib/local/pickup/settings.ts';
import { ImapServer } from '../../support/imapserver.ts';

let server: ImapServer;
beforeEach(async () => {
  server = await ImapServer.start();
});
afterEach(() => server.close());

const settings = (more: Partial<PickupSettings> = {}): PickupSettings => ({
  ...{ host: '127.0.0.1', port: server.port, secure: false, local: true },
  ...{ user: 'care', password: 'secret', folder: 'INBOX', mark: '$Caregate', since: 'now' },
  ...more,
});

describe('what a real sign-in shows', () => {
  test('a mailbox that opens, with what will be done there, and nothing done', async () => {
    server.deliver('Subject: one\r\n\r\n');
    const check = await checkMailbox({ settings: settings() });
    expect(check.problem).toBeUndefined();
    expect(check.verifies).toBe(false);
    expect(check.says).toMatch(
      /^INBOX at 127\.0\.0\.1 opens; it tells of new mail at once, what is taken is marked/,
    );
    expect(check.says).toContain('waits until one of you lets it in');
    expect(server.commands.filter((command) => /FETCH|STORE|MOVE/.test(command))).toEqual([]);
  });

  test('what the server cannot do is said', async () => {
    server.manners.capabilities = 'IMAP4rev1';
    server.manners.permanentFlags = '\\Seen';
    const own = settings({ authserv: 'mx.home.example', moveTo: 'Done' });
    const check = await checkMailbox({ settings: own });
    expect(check.verifies).toBe(true);
    for (const words of ['asked every minute', 'keeps no marks', 'cannot move by itself', 'are verified'])
      expect(check.says).toContain(words);
    const bare = { ...own, mark: undefined } as never;
    expect((await checkMailbox({ settings: bare })).says).not.toContain('marks');
  });

  test('a folder to move to is looked for where the server moves', async () => {
    const check = await checkMailbox({ settings: settings({ moveTo: 'Done' }) });
    expect(check.says).toContain('and moved to Done');
    server.manners.refusals.set('STATUS', 'NO [NONEXISTENT] none');
    const missing = await checkMailbox({ settings: settings({ moveTo: 'Done' }) });
    expect(missing.problem).toEqual({ trouble: 'mailbox-folder-missing', detail: 'move-folder' });
  });

  test('a full mailbox is no good one', async () => {
    server.manners.capabilities += ' QUOTA';
    server.manners.quota = [1000, 1000];
    expect((await checkMailbox({ settings: settings() })).problem?.trouble).toBe('mailbox-full');
    server.manners.quota = [0, 0]; // no limit
    expect((await checkMailbox({ settings: settings() })).problem).toBeUndefined();
  });

  test('what is wrong comes with what usually is behind it, and nothing that the server said', async () => {
    server.manners.refusals.set('LOGIN', 'NO [AUTHENTICATIONFAILED] odd words');
    const check = await checkMailbox({ settings: settings() });
    expect(check.problem?.trouble).toBe('mailbox-password-wrong');
    expect(check.says).toContain('app password');
    expect(check.says).not.toContain('odd words');
    expect((await checkMailbox({ settings: settings({ port: 1 }) })).problem?.detail).toBe('refused');
  });

  test('without a password or a token there is nothing to try', async () => {
    const bare = pickupSettings({ CAREGATE_IMAP_URL: 'imaps://care@imap.home.example' }) as PickupSettings;
    await expect(checkMailbox({ settings: bare })).toFailWithCode('CONFIGURATION_INVALID');
  });
});

describe('providers', () => {
  test.each([
    ['mum@gmail.com', 'imaps://mum%40gmail.com:APP-PASSWORD@imap.gmail.com'],
    ['mum@ME.com', 'imaps://mum%40ME.com:APP-PASSWORD@imap.mail.me.com'],
    ['mum@hotmail.com', 'imaps://mum%40hotmail.com@outlook.office365.com'],
    ['mum@home.example', 'imaps://mum%40home.example:APP-PASSWORD@IMAP-SERVER'],
  ])('the setting for %s is suggested', (address, url) => {
    expect(suggestedUrl(address)).toBe(url);
  });

  test('a suggestion for a known one is a setting that can be read', () => {
    for (const { domains, imap } of mailboxProviders) {
      const url = suggestedUrl(`care@${domains[0]}`);
      expect(pickupSettings({ CAREGATE_IMAP_URL: url })).toMatchObject({
        host: imap,
        user: `care@${domains[0]}`,
      });
      expect(providerOfHost(imap)).toBe(providerOfAddress(`care@${domains[0]}`));
    }
    expect(providerOfHost('imap.home.example')).toBeUndefined();
  });

  test('each problem says in one line what usually is behind it', () => {
    const plain = { host: 'imap.home.example', folder: 'Care' };
    const silent = ['busy', 'closed'];
    for (const detail of Object.keys(problemDetails) as (keyof typeof problemDetails)[]) {
      const line = usualMistake(plain, detail);
      if (silent.includes(detail)) expect(line).toBeUndefined();
      else expect(line).toMatch(/^\S[^\n]{20,200}$/);
    }
    expect(usualMistake({ ...plain, host: 'imap.gmail.com' }, 'password')).toContain('app password');
    expect(usualMistake({ ...plain, host: 'imap.gmail.com' }, 'folder')).toContain('label');
    expect(usualMistake({ ...plain, host: 'outlook.office365.com' }, 'password')).toContain('no passwords');
    expect(usualMistake({ ...plain, host: 'p01-imap.mail.me.com' }, 'password')).toContain('app-specific');
  });
});
