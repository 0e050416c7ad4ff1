import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CaregateError } from '../../../lib/errors.ts';
import { VirtualClock } from '../../../lib/local/asl/timer.ts';
import { type PickedMail, Pickup, type PickupOptions } from '../../../lib/local/pickup/pickup.ts';
import type { PickupSettings } from '../../../lib/local/pickup/settings.ts';
import { ImapServer } from '../../support/imapserver.ts';
import { seededRandomness } from '../../support/time.ts';

let server: ImapServer;
let directory: string;
let clock: VirtualClock;
let pickups: Pickup[];
beforeEach(async () => {
  server = await ImapServer.start();
  directory = mkdtempSync(join(tmpdir(), 'caregate-pickup-'));
  clock = new VirtualClock('2026-12-01T09:00:00Z');
  pickups = [];
});
afterEach(async () => {
  for (const pickup of pickups) await pickup.close();
  await server.close();
  rmSync(directory, { recursive: true });
});

/** What a test sees of a pick-up: the mails it took, and what is wrong. */
class Watched {
  readonly taken: PickedMail[] = [];
  readonly lines: string[] = [];
  readonly open = new Map<string, string>();
  readonly begun: string[] = [];

  get subjects(): string[] {
    return this.taken.map(({ bytes }) => /Subject: (.*)/.exec(Buffer.from(bytes).toString())?.[1] ?? '');
  }
}

async function start(
  settings: Partial<PickupSettings> = {},
  options: Partial<PickupOptions> = {},
  looks = true,
): Promise<{ seen: Watched; pickup: Pickup }> {
  const seen = new Watched();
  const pickup = await Pickup.start({
    settings: {
      ...{ host: '127.0.0.1', port: server.port, secure: false, local: true },
      ...{ user: 'care', password: 'secret', folder: 'INBOX', mark: '$Caregate', since: 'now' },
      ...settings,
    },
    directory,
    limit: 1000,
    clock,
    randomness: seededRandomness(1),
    troubles: {
      report: (id, detail = '') => {
        seen.begun.push(id);
        seen.open.set(id, detail);
      },
      clear: (...ids) => {
        for (const id of ids) seen.open.delete(id);
      },
    },
    take: async (mail) => {
      seen.taken.push(mail);
    },
    log: (line) => seen.lines.push(line),
    ...options,
  });
  pickups.push(pickup);
  if (looks) await pickup.looked;
  return { seen, pickup };
}

/** Waits for something to hold, on the machine's own time: the wire takes some. */
async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 5000, interval: 5 }).toBe(true);
}

/** Lets the next pause pass: what is due next comes at once. */
async function later(): Promise<void> {
  await until(() => clock.next !== undefined);
  await clock.advance(Math.max(0, (clock.next ?? 0) - clock.now()));
}

const letter = (subject: string, more = ''): string => `Subject: ${subject}\r\n\r\nHello.${more}\r\n`;
const deletions = (): string[] =>
  server.commands.filter((command) => /EXPUNGE|DELETE|\\Deleted|COPY|^CLOSE/i.test(command));

describe('what is picked up', () => {
  test('tells when it was received, and which came last while the folder was watched', async () => {
    const told: [string, boolean][] = [];
    const received = (time: number, watched: boolean): void => {
      told.push([new Date(time).toISOString().slice(11, 16), watched]);
    };
    server.deliver(letter('before'), '01-Dec-2026 07:00:00 +0000');
    await start({ since: 'all' }, { received });
    server.deliver(letter('one'), '01-Dec-2026 08:58:00 +0000');
    await until(() => told.length === 2);
    server.deliver(letter('two'), '01-Dec-2026 08:59:00 +0000');
    await until(() => told.length === 3);
    expect(told).toEqual([
      ['07:00', false],
      ['08:58', true],
      ['08:59', true],
    ]);
  });

  test('what lay there before is left alone, what comes is taken, marked and kept', async () => {
    server.deliver(letter('old'));
    const { seen } = await start();
    server.deliver(letter('one'));
    await until(() => seen.taken.length === 1);
    server.deliver(letter('two'));
    await until(() => server.mails.get(3)?.flags.has('$Caregate') === true);
    expect(seen.subjects).toEqual(['one', 'two']);
    expect([...server.mails].map(([, { flags }]) => [...flags])).toEqual([[], ['$Caregate'], ['$Caregate']]);
    expect(deletions()).toEqual([]);
    expect(server.commands.filter((command) => /BODY\[/.test(command))).toEqual([]); // it would mark as read
  });

  test('all that lay there is taken where that is asked for, and nothing twice after a restart', async () => {
    server.deliver(letter('one'));
    server.deliver(letter('two'));
    const first = await start({ since: 'all' });
    expect(first.seen.subjects).toEqual(['one', 'two']);
    await first.pickup.close();
    server.deliver(letter('three'));
    const second = await start({ since: 'all' });
    expect(second.seen.subjects).toEqual(['three']);
  });

  test('a day tells what is old', async () => {
    server.deliver(letter('old'), '30-Nov-2026 23:00:00 +0000');
    server.deliver(letter('new'), '01-Dec-2026 00:00:00 +0000');
    const { seen } = await start({ since: { day: '2026-12-01' } });
    expect(seen.subjects).toEqual(['new']);
  });

  test('a server that does not say its next UID is asked for the last one', async () => {
    server.manners.saysUidNext = false;
    server.deliver(letter('old'));
    const { seen } = await start();
    server.deliver(letter('one'));
    await until(() => seen.taken.length === 1);
    expect(seen.subjects).toEqual(['one']);
  });

  test('a mailbox that was numbered anew gives the same mails under the same ids, and nothing older', async () => {
    server.deliver(letter('old'), '30-Nov-2026 23:00:00 +0000');
    const first = await start();
    server.deliver(letter('one'));
    await until(() => first.seen.taken.length === 1);
    await first.pickup.close();
    server.manners.uidValidity = 8;
    server.deliver(letter('two'));
    const second = await start();
    expect(second.seen.subjects).toEqual(['one', 'two']);
    expect(second.seen.taken[0]?.id).toBe(first.seen.taken[0]?.id);
    expect(second.seen.taken[0]?.id).not.toBe(second.seen.taken[1]?.id);
  });

  test('a mail that was taken but not noted comes again under its id', async () => {
    const ids: string[] = [];
    const take = async ({ id }: PickedMail): Promise<void> => {
      ids.push(id);
      if (ids.length === 1) throw new CaregateError('STORE_UNAVAILABLE', 'killed');
    };
    await start({}, { take });
    server.deliver(letter('one'));
    await until(() => ids.length === 1);
    await later();
    await until(() => server.mails.get(1)?.flags.has('$Caregate') === true);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  test('what a provider that is not known wrote proves nothing, and the sender of the envelope is told', async () => {
    server.deliver(
      `Return-Path: <a@b.example>\r\nAuthentication-Results: b.example; dmarc=pass\r\n${letter('one')}`,
    );
    const { seen } = await start({ since: 'all' });
    expect(seen.taken[0]).toMatchObject({
      source: 'a@b.example',
      host: '127.0.0.1',
      verdicts: { dmarc: 'GRAY' },
    });
  });

  test('an empty mail and one that ends while it is looked at hold nothing up', async () => {
    server.deliver('');
    server.deliver(letter('two'));
    const { seen } = await start({ since: 'all' });
    expect(seen.taken.map(({ bytes }) => bytes.length)).toEqual([0, letter('two').length]);
  });
});

test('what comes between the first start and the first time that the mailbox opens is taken', async () => {
  server.manners.refusals.set('LOGIN', 'NO [AUTHENTICATIONFAILED] no');
  server.deliver(letter('old'), '30-Nov-2026 08:00:00 +0000');
  const { pickup } = await start();
  server.deliver(letter('meanwhile'), '01-Dec-2026 09:30:00 +0000');
  await pickup.close();
  server.manners.refusals.clear();
  const { seen } = await start();
  server.deliver(letter('later'), '01-Dec-2026 10:00:00 +0000');
  await until(() => seen.taken.length === 2);
  expect(seen.subjects).toEqual(['meanwhile', 'later']);
});

describe('what is put away', () => {
  test('what was taken is moved where the server moves by itself', async () => {
    server.deliver(letter('one'));
    const { seen } = await start({ since: 'all', moveTo: 'Done' });
    expect(seen.subjects).toEqual(['one']);
    expect(server.moved).toEqual([1]);
    expect(deletions()).toEqual([]);
  });

  test('where it does not, what was taken is marked and stays', async () => {
    server.manners.capabilities = 'IMAP4rev1 IDLE UIDPLUS';
    server.deliver(letter('one'));
    await start({ since: 'all', moveTo: 'Done' });
    expect(server.mails.get(1)?.flags.has('$Caregate')).toBe(true);
    expect(server.commands.filter((command) => /MOVE|COPY|EXPUNGE/.test(command))).toEqual([]);
  });

  test('a server that keeps no marks is given none', async () => {
    server.manners.permanentFlags = '\\Seen';
    server.deliver(letter('one'));
    const { seen } = await start({ since: 'all' });
    expect(seen.subjects).toEqual(['one']);
    expect(server.commands.filter((command) => command.includes('STORE'))).toEqual([]);
  });

  test('nothing is marked where that is asked for', async () => {
    server.deliver(letter('one'));
    const { pickup } = await start({ since: 'all', mark: undefined as never });
    await pickup.close();
    expect(server.commands.filter((command) => command.includes('STORE'))).toEqual([]);
    expect((await start({ since: 'all' })).seen.taken).toEqual([]);
  });

  test('a full mailbox is told of, takes nothing from anybody, and is marked once there is room', async () => {
    server.manners.refusals.set('MOVE', 'NO [OVERQUOTA] full');
    server.deliver(letter('one'));
    const { seen } = await start({ since: 'all', moveTo: 'Done' });
    expect(seen.open.get('mailbox-full')).toBe('quota');
    server.deliver(letter('two'));
    await until(() => seen.taken.length === 2);
    server.manners.refusals.delete('MOVE');
    server.deliver(letter('three'));
    await until(() => server.moved.length === 3);
    expect(seen.subjects).toEqual(['one', 'two', 'three']);
    await until(() => !seen.open.has('mailbox-full'));
  });

  test('a mailbox that is next to full is told of, before mail is turned away', async () => {
    server.manners.capabilities += ' QUOTA';
    server.manners.quota = [995, 1000];
    const { seen } = await start();
    expect(seen.open.get('mailbox-full')).toBe('quota');
    server.manners.quota = [900, 1000];
    server.deliver(letter('one'));
    await until(() => !seen.open.has('mailbox-full'));
    expect(seen.subjects).toEqual(['one']);
  });

  test('what an earlier office could not put away is put away by the next', async () => {
    server.manners.refusals.set('STORE', 'NO [OVERQUOTA] full');
    server.deliver(letter('one'));
    const { pickup } = await start({ since: 'all' });
    await pickup.close();
    server.manners.refusals.clear();
    const { seen } = await start({ since: 'all' });
    expect(seen.taken).toEqual([]);
    expect(server.mails.get(1)?.flags.has('$Caregate')).toBe(true);
  });

  test('a mailbox that cannot be written is not said to be unreachable, and no longer once it can be', async () => {
    server.manners.refusals.set('STORE', 'NO [NOPERM] no');
    server.deliver(letter('one'));
    const { seen } = await start({ since: 'all' });
    expect([seen.subjects, [...seen.open]]).toEqual([['one'], [['mailbox-not-writable', 'mark']]]);
    server.manners.refusals.clear();
    server.deliver(letter('two'));
    await until(() => seen.taken.length === 2 && seen.open.size === 0);
  });

  test('a folder to move to that is not there is told of', async () => {
    server.manners.refusals.set('MOVE', 'NO [TRYCREATE] no such folder');
    server.deliver(letter('one'));
    const { seen } = await start({ since: 'all', moveTo: 'Done' });
    expect(seen.open.get('mailbox-folder-missing')).toBe('move-folder');
  });
});

describe('mails that cannot be taken', () => {
  test('what the server says of others meanwhile is none of them', async () => {
    server.manners.broken.add(1);
    server.manners.besides.push('* 2 FETCH (FLAGS (\\Seen))', '* 1 FETCH (UID 1 FLAGS (\\Seen))');
    server.deliver(letter('broken'));
    server.deliver(letter('two'));
    const { seen, pickup } = await start({ since: 'all' });
    for (const [count, subject] of [
      [2, 'three'],
      [3, 'four'],
    ] as const) {
      server.deliver(letter(subject));
      await until(() => seen.taken.length === count);
    }
    expect(seen.subjects).toEqual(['two', 'three', 'four']);
    await pickup.close();
    expect((await start({ since: 'all' })).seen.taken).toEqual([]);
  });

  test('a server that says nothing more does not keep the office from closing', async () => {
    server.manners.silent = true;
    server.deliver(letter('one'));
    const { pickup } = await start({ since: 'all' }, {}, false);
    await until(() => server.commands.some((command) => command.includes('BODY')));
    await pickup.close();
    server.manners.silent = false;
    expect((await start({ since: 'all' })).seen.subjects).toEqual(['one']);
  }, 20_000);

  test('a large one is not fetched, but named and marked, until it is gone', async () => {
    server.deliver(letter('large', 'x'.repeat(2000)));
    server.deliver(letter('two'));
    const { seen, pickup } = await start({ since: 'all' });
    expect(seen.subjects).toEqual(['two']);
    expect(seen.open.get('mailbox-mail-unreadable')).toBe('1');
    expect([...(server.mails.get(1)?.flags ?? [])]).toEqual(['$CaregateTooLarge']);
    expect(seen.lines.join()).toContain('too large and stays');
    expect(server.commands.filter((command) => /UID FETCH 1 .*BODY/.test(command))).toEqual([]);
    await pickup.close();
    expect((await start({ since: 'all' })).seen.open.get('mailbox-mail-unreadable')).toBe('1');
    await pickups.at(-1)?.close();
    server.mails.delete(1);
    expect((await start({ since: 'all' })).seen.open.has('mailbox-mail-unreadable')).toBe(false);
  });

  test('one that is larger than the server says is not taken either', async () => {
    server.deliver(letter('large', 'x'.repeat(2000)));
    server.manners.sizes.set(1, 10);
    const { seen } = await start({ since: 'all' });
    expect(seen.taken).toEqual([]);
    expect(seen.open.get('mailbox-mail-unreadable')).toBe('1');
  });

  test('one that the server does not give holds up no other, and is asked for again', async () => {
    server.manners.broken.add(1);
    server.deliver(letter('one'));
    server.deliver(letter('two'));
    const { seen } = await start({ since: 'all' });
    expect(seen.subjects).toEqual(['two']);
    expect(seen.open.get('mailbox-mail-unreadable')).toBe('1');
    server.manners.broken.clear();
    server.deliver(letter('three'));
    await until(() => seen.taken.length === 3);
    expect(seen.subjects).toEqual(['two', 'one', 'three']);
    await until(() => !seen.open.has('mailbox-mail-unreadable'));
  });

  test('one that somebody removed in the meantime is owed no longer', async () => {
    server.manners.broken.add(1);
    server.deliver(letter('one'));
    const { seen } = await start({ since: 'all' });
    await until(() => server.commands.at(-1) === 'IDLE');
    server.remove(1);
    server.deliver(letter('two'));
    await until(() => seen.taken.length === 1);
    await until(() => !seen.open.has('mailbox-mail-unreadable'));
  });
});

describe('the connection', () => {
  test('one that is cut is made anew, and nothing is missed', async () => {
    const { seen } = await start();
    server.deliver(letter('one'));
    await until(() => seen.taken.length === 1);
    server.cut();
    server.deliver(letter('two'));
    await later();
    await until(() => seen.taken.length === 2);
    expect(seen.subjects).toEqual(['one', 'two']);
    expect(seen.begun).toEqual([]); // one that ends and is back is no trouble
  });

  test('one that is cut again and again, and brings a mail each time, is soon made anew', async () => {
    const ids: string[] = [];
    const take = async ({ id }: PickedMail): Promise<void> => {
      ids.push(id);
      server.cut();
    };
    for (let number = 1; number <= 6; number += 1) server.deliver(letter(`${number}`));
    await start({ since: 'all' }, { take });
    const before = clock.now();
    for (let number = 2; number <= 6; number += 1) {
      await later();
      await until(() => new Set(ids).size === number);
    }
    expect(clock.now() - before).toBeLessThanOrEqual(5 * 2000);
  });

  test('a wrong password is told of, seldom tried, and forgotten once it is right', async () => {
    server.manners.refusals.set('LOGIN', 'NO [AUTHENTICATIONFAILED] wrong');
    const { seen } = await start();
    expect(seen.open.get('mailbox-password-wrong')).toBe('password');
    const before = clock.now();
    server.manners.refusals.clear();
    await later();
    await until(() => seen.open.size === 0);
    expect(clock.now() - before).toBeGreaterThanOrEqual(30_000);
    expect(seen.lines.join()).not.toContain('wrong');
  });

  test('a sign-in by token that ran out is told of as such', async () => {
    const tokens: string[] = [];
    const token = async (): Promise<string> => {
      tokens.push('asked');
      throw new CaregateError('CONFIGURATION_INVALID', 'sign in anew');
    };
    const { seen } = await start({ password: undefined as never }, { token });
    expect(seen.open.get('mailbox-sign-in-expired')).toBe('token');
    expect(tokens).toEqual(['asked']);
  });

  test('a token is asked for at each sign-in, and one that is refused has run out', async () => {
    server.manners.capabilities = 'IMAP4rev1 IDLE SASL-IR AUTH=XOAUTH2';
    server.manners.refusals.set('AUTHENTICATE', 'NO [AUTHENTICATIONFAILED] expired');
    let asked = 0;
    const token = async (): Promise<string> => `token-${++asked}`;
    const { seen } = await start({ password: undefined as never, since: 'all' }, { token });
    expect(seen.open.get('mailbox-sign-in-expired')).toBe('token');
    server.manners.refusals.clear();
    server.deliver(letter('one'));
    await later();
    await until(() => seen.taken.length === 1);
    await until(() => seen.open.size === 0);
    const given = server.commands
      .filter((command) => command.startsWith('AUTHENTICATE XOAUTH2 '))
      .map((command) => Buffer.from(command.split(' ')[2] ?? '', 'base64').toString());
    expect(given).toEqual([1, 2].map((number) => `user=care\u0001auth=Bearer token-${number}\u0001\u0001`));
  });

  test('a folder that vanished is told of, and looked for again', async () => {
    server.manners.refusals.set('SELECT', 'NO [NONEXISTENT] gone');
    const { seen } = await start();
    expect(seen.open.get('mailbox-folder-missing')).toBe('folder');
    server.manners.refusals.clear();
    await later();
    await until(() => seen.open.size === 0);
  });

  test('a server that is not there is told of, and a password goes out only under TLS', async () => {
    const gone = await start({ port: 1 });
    expect(gone.seen.open.get('mailbox-unreachable')).toBe('refused');
    const plain = await start({ local: false, folder: 'Care' });
    expect(plain.seen.open.get('mailbox-unreachable')).toBe('no-tls');
    expect(server.commands.filter((command) => command.startsWith('LOGIN'))).toEqual([]);
  });

  test('without IDLE the server is asked again every minute', async () => {
    server.manners.capabilities = 'IMAP4rev1';
    const { seen } = await start();
    server.deliver(letter('one'));
    const before = clock.now();
    await later();
    await until(() => seen.taken.length === 1);
    expect(clock.now() - before).toBe(60_000);
    expect(server.commands).not.toContain('IDLE');
  });

  test('IDLE is issued anew long before half an hour', async () => {
    await start();
    const idles = (): number => server.commands.filter((command) => command === 'IDLE').length;
    await until(() => idles() === 1);
    const before = clock.now();
    await later();
    await until(() => idles() === 2);
    expect(clock.now() - before).toBeLessThan(29 * 60_000);
  });

  test('closing waits for nothing', async () => {
    const { pickup, seen } = await start();
    expect(pickup.from).toEqual({ folder: 'INBOX', host: '127.0.0.1', leaves: true });
    await pickup.close();
    server.deliver(letter('one'));
    expect(seen.taken).toEqual([]);
  });
});
