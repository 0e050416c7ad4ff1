import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { layout } from '../../lib/casefile/layout.ts';
import { systemTimer } from '../../lib/local/asl/timer.ts';
import { openHouseholdPickup } from '../../lib/local/householdpickup.ts';
import type { Office } from '../../lib/local/office.ts';
import type { PickupSettings } from '../../lib/local/pickup/settings.ts';
import { deliverySchema } from '../../lib/mail/delivery.ts';
import type { Circle } from '../../lib/provenance/circle.ts';
import { exampleCircle } from '../support/cases.ts';
import { ImapServer } from '../support/imapserver.ts';
import { freshData } from '../support/office.ts';
import { seededRandomness } from '../support/time.ts';

let server: ImapServer;
let office: Office | undefined;
beforeEach(async () => {
  server = await ImapServer.start();
});
afterEach(async () => {
  await office?.close();
  office = undefined;
  await server.close();
});

const settings = (more: Partial<PickupSettings> = {}): PickupSettings => ({
  ...{ host: '127.0.0.1', port: server.port, secure: false, local: true, since: 'all' },
  ...{ user: 'care', password: 'secret', folder: 'INBOX', mark: '$Caregate' },
  authserv: 'mx.home.example',
  ...more,
});

async function open(data: string, more: Partial<PickupSettings> = {}): Promise<Office> {
  const circleFile = 'rules/circle.example.yaml';
  const { openOffice } = await import('../../lib/local/office.ts'); // much to load for what the plain run leaves out
  office = await openOffice({ data, circleFile, mailbox: { settings: settings(more) } });
  await office.pickup?.looked;
  await office.idle();
  return office;
}

const mail = (from: string, subject: string, dmarc = 'none'): string =>
  [
    `Return-Path: <${from}>`,
    `Authentication-Results: mx.home.example; dmarc=${dmarc} header.from=${from.split('@')[1]}`,
    'Received: from mail.example by mx.home.example with ESMTPS id 1',
    `From: <${from}>`,
    'To: <everybody@elsewhere.example>',
    `Subject: ${subject}`,
    '',
    'Nothing needs to be done.',
    '',
  ].join('\r\n');

// It starts an office, which takes seconds: the parts are tested on their own besides.
test.runIf(process.env.CAREGATE_FULL === '1')(
  'what was picked up is judged by what the household’s server found out, and is one case for ever',
  async () => {
    const data = freshData();
    server.deliver(mail('appointments@northgate-cardiology.example', 'from a contact', 'pass'));
    server.deliver(mail('appointments@northgate-cardiology.example', 'in the name of one', 'fail'));
    const first = await open(data);
    const cases = await first.connection.index.list(first.circle.id);
    expect(cases.map(({ case: id }) => id.slice(0, 2)).sort()).toEqual(['c-', 'q-']);
    expect(cases.map(({ reason }) => reason).sort()).toContain('SENDER_UNVERIFIED');
    const deliveries = await first.connection.store.list(layout.deliveries);
    expect(deliveries).toHaveLength(2);
    const stored = await first.connection.store.read(deliveries[0] as string);
    expect(deliverySchema.parse(JSON.parse(Buffer.from(stored.bytes).toString()))).toMatchObject({
      recipients: [first.circle.inbox],
      source: 'appointments@northgate-cardiology.example',
    });
    // Numbered anew, all of it is fetched once more.
    server.manners.uidValidity += 1;
    server.deliver(mail('stranger@elsewhere.example', 'from a stranger'));
    server.cut();
    const all = async (): Promise<boolean> =>
      (await first.connection.index.list(first.circle.id)).length === 3 &&
      [...server.mails.values()].every(({ flags }) => flags.has('$Caregate'));
    await expect.poll(all, { timeout: 20_000, interval: 50 }).toBe(true);
    await first.idle();
    expect(await first.connection.index.list(first.circle.id)).toHaveLength(3);
    expect(await first.connection.store.list(layout.deliveries)).toHaveLength(3);
    expect(server.commands.filter((command) => command.startsWith('UID FETCH 1 (UID BODY'))).toHaveLength(2);
  },
);

describe('a pick-up is not begun', () => {
  const unused = { report: () => {}, clear: () => {} };
  const begin = (more: Partial<PickupSettings>, circles: readonly Circle[]) =>
    openHouseholdPickup({
      access: { settings: settings(more) },
      circles: circles as never,
      directory: freshData(),
      clock: systemTimer,
      randomness: seededRandomness(1),
      troubles: unused,
      inbox: { take: async () => {} },
      log: () => {},
    });

  test('where there is no way to sign in', async () => {
    const bare = { password: undefined } as never;
    await expect(begin(bare, [exampleCircle])).toFailWithCode('CONFIGURATION_INVALID');
  });

  test('where it is not clear whose mail it is', async () => {
    const other = { ...exampleCircle, id: 'other' } as Circle;
    await expect(begin({ circle: 'nobody' }, [exampleCircle])).toFailWithCode('CONFIGURATION_INVALID');
    await expect(begin({}, [exampleCircle, other])).toFailWithCode('CONFIGURATION_INVALID');
    const named = await begin({ circle: 'other' }, [exampleCircle, other]);
    await named.close();
  });
});
