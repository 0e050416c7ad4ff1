import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemTimer } from '../../../lib/local/asl/timer.ts';
import { checkMailbox } from '../../../lib/local/pickup/check.ts';
import { type PickedMail, Pickup } from '../../../lib/local/pickup/pickup.ts';
import type { PickupSettings } from '../../../lib/local/pickup/settings.ts';
import { type Dovecot, noDovecot, startDovecot, startWire, type Wire } from '../../support/dovecot.ts';
import { seededRandomness } from '../../support/time.ts';

/** The machine's clock for somebody in a hurry: pauses last a fiftieth. */
const hurried = {
  now: () => systemTimer.now(),
  at: (time: number, callback: () => void) =>
    systemTimer.at(systemTimer.now() + (time - systemTimer.now()) / 50, callback),
};

describe.skipIf(noDovecot !== undefined)(
  `against a real Dovecot${noDovecot === undefined ? '' : ` (skipped: ${noDovecot})`}`,
  () => {
    let server: Dovecot;
    let wire: Wire;
    let directory: string;
    let pickup: Pickup | undefined;
    let taken: PickedMail[];
    let troubles: Map<string, string>;
    beforeEach(async () => {
      server = await startDovecot();
      wire = await startWire(server.tlsPort);
      directory = mkdtempSync(join(tmpdir(), 'caregate-pickup-'));
      taken = [];
      troubles = new Map();
    });
    afterEach(async () => {
      await pickup?.close();
      pickup = undefined;
      await wire.close();
      await server.remove();
      rmSync(directory, { recursive: true });
    });

    const settings = (more: Partial<PickupSettings> = {}): PickupSettings => ({
      ...{ host: '127.0.0.1', port: wire.port, secure: true, local: true, since: 'now' },
      ...{ user: server.user, password: server.password, folder: 'INBOX', mark: '$Caregate' },
      ...more,
    });

    async function open(more: Partial<PickupSettings> = {}, cursors = 'cursors'): Promise<void> {
      pickup = await Pickup.start({
        settings: settings(more),
        ca: server.certificate,
        directory: join(directory, cursors),
        limit: 100_000,
        clock: hurried,
        randomness: seededRandomness(3),
        troubles: {
          report: (id, detail = '') => troubles.set(id, detail) as never,
          clear: (...ids) => {
            for (const id of ids) troubles.delete(id);
          },
        },
        take: async (mail) => {
          taken.push(mail);
        },
        log: () => {},
      });
      await pickup.looked;
    }

    const until = (holds: () => boolean) => expect.poll(holds, { timeout: 10_000, interval: 10 }).toBe(true);
    const letter = (number: number): string =>
      `From: <a@b.example>\r\nSubject: Letter ${number}\r\n\r\nHello ${'x'.repeat(number)}\r\n`;
    const different = (): number => new Set(taken.map(({ id }) => id)).size;

    test('each of 8 mails is taken, whatever ends in between, and all of them stay', async () => {
      server.deliver('Subject: what lay there before\r\n\r\n');
      await open();
      server.deliver(letter(1));
      await until(() => different() === 1);
      wire.cut();
      server.deliver(letter(2));
      await until(() => different() === 2);
      await server.stop();
      server.deliver(letter(3));
      await server.start();
      await until(() => different() === 3);
      cpSync(join(directory, 'cursors'), join(directory, 'earlier'), { recursive: true });
      server.deliver(letter(4));
      await until(() => different() === 4);
      // As if the office had been killed before it could note the fourth.
      await pickup?.close();
      server.deliver(letter(5));
      await open({}, 'earlier');
      await until(() => different() === 5);
      expect(taken.length).toBeGreaterThan(5);
      server.deliver(letter(6));
      await server.renumber();
      server.deliver(letter(7));
      await until(() => different() === 7);
      wire.cut();
      server.deliver(letter(8));
      await until(() => different() === 8);
      await until(() => server.mails().filter((path) => /:2,[A-Z]*[a-z]/.test(path)).length === 8);
      const kept = server.mails().map((path) => readFileSync(path, 'latin1'));
      expect(kept).toHaveLength(9);
      for (let number = 1; number <= 8; number += 1) expect(kept).toContain(letter(number));
      expect(taken.every(({ bytes }) => kept.includes(Buffer.from(bytes).toString('latin1')))).toBe(true);
      expect(troubles).toEqual(new Map());
    });

    test('a wrong password, a folder that vanishes and one that is not there to move to are told of', async () => {
      const wrong = { settings: settings({ password: 'guessed' }), ca: server.certificate };
      expect((await checkMailbox(wrong)).problem?.trouble).toBe('mailbox-password-wrong');
      server.makeFolder('Care');
      await open({ folder: 'Care', moveTo: 'Done', since: 'all' });
      expect((await checkMailbox({ ...wrong, settings: settings({ moveTo: 'Done' }) })).problem?.detail).toBe(
        'move-folder',
      );
      server.deliver(letter(1), 'Care');
      await until(() => troubles.get('mailbox-folder-missing') === 'move-folder');
      server.makeFolder('Done');
      server.deliver(letter(2), 'Care');
      await until(() => server.mails('Done').length === 2);
      await until(() => troubles.size === 0);
      server.removeFolder('Care');
      await until(() => troubles.get('mailbox-folder-missing') === 'folder');
      server.makeFolder('Care');
      server.deliver(letter(3), 'Care');
      await until(() => server.mails('Done').length === 3);
      expect(different()).toBe(3);
    });

    test('a mailbox that is full is told of, and what lies in it is taken all the same', async () => {
      await server.remove();
      server = await startDovecot({ quota: 2 });
      const plain = { port: server.port, secure: false };
      for (const number of [1, 2]) server.deliver(letter(number));
      await open({ ...plain, since: 'all' });
      expect(different()).toBe(2);
      expect(troubles.get('mailbox-full')).toBe('quota');
      expect((await checkMailbox({ settings: settings(plain) })).problem?.trouble).toBe('mailbox-full');
    });

    test('a password goes by STARTTLS, and to nobody whose certificate does not hold', async () => {
      const plain = { port: server.port, secure: false, local: false };
      const opened = await checkMailbox({ settings: settings(plain), ca: server.certificate });
      expect(opened.problem).toBeUndefined();
      expect(opened.says).toContain('tells of new mail at once');
      const stranger = await checkMailbox({ settings: settings(plain) });
      expect(stranger.problem?.detail).toBe('certificate');
      expect((await checkMailbox({ settings: settings() })).problem?.detail).toBe('certificate');
    });
  },
);
