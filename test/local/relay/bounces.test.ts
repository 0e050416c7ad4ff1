import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Outbox, type SentMail } from '../../../lib/local/endpoints/outbox.ts';
import { type Bounce, bouncesOf, noteBounce } from '../../../lib/local/relay/bounces.ts';
import { relayEnds } from '../../../lib/local/relay/ends.ts';
import { Relay } from '../../../lib/local/relay/relay.ts';
import { openTransport } from '../../../lib/local/relay/transport.ts';
import { undeliveredNotice } from '../../../lib/local/relay/undelivered.ts';
import type { Person } from '../../../lib/provenance/circle.ts';
import { exampleCircle } from '../../support/cases.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { readOutbox } from '../../support/outbox.ts';
import { ManualClock } from '../../support/time.ts';
import { provider } from './provider.ts';

const clock = new ManualClock('2027-03-01T09:00:00.000Z');
let outbox: string;
let told: [string, Bounce][];
beforeEach(async () => {
  outbox = join(await temporaryDirectory(), 'outbox');
  told = [];
});

const mailOf = (id: string): string =>
  `From: care@home.example\r\nMessage-ID: <${id}@home.example>\r\nSubject: Records\r\n\r\nHello.\r\n`;

/** Letters in the outbox, of which all but the last have left. */
async function letters(...ids: string[]): Promise<Relay> {
  const box = await Outbox.open(outbox);
  const { port } = await provider();
  const transport = openTransport(`smtp://127.0.0.1:${port}`);
  const relay = new Relay({ outbox, transport, clock, log: () => {} });
  onTestFinished(() => relay.close());
  for (const id of ids) {
    if (id === ids.at(-1)) await relay.work();
    const envelope = { id, at: '2027-03-01T09:00:00.000Z', source: 'care@home.example', tags: {} };
    await box.keep({ ...envelope, destinations: ['info@clinic.example'] }, Buffer.from(mailOf(id)));
  }
  return relay;
}

const reportOn = (id: string, action: string, status = '5.1.1'): Buffer =>
  Buffer.from(
    [
      'From: MAILER-DAEMON@smtp.example',
      'To: care@home.example',
      'Subject: Undelivered',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'It could not be delivered.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; smtp.example',
      '',
      'Final-Recipient: rfc822; info@clinic.example',
      `Action: ${action}`,
      `Status: ${status} (no such mailbox)`,
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      mailOf(id),
      '--b--',
      '',
    ].join('\r\n'),
  );

const note = (raw: Buffer): Promise<void> =>
  noteBounce({ outbox, clock, reported: ({ id }, bounce) => void told.push([id, bounce]) }, raw);

describe('a report that a mail did not arrive', () => {
  it('is shown with the letter that it names, told once, and changes nothing else', async () => {
    const relay = await letters('one', 'two', 'three');
    const before = [await relayEnds(outbox), await readOutbox(outbox)];
    await note(reportOn('one', 'failed'));
    await note(reportOn('one', 'failed'));
    const bounce = { at: '2027-03-01T09:00:00.000Z', action: 'failed', status: '5.1.1' };
    expect(told).toEqual([['one', bounce]]);
    expect([...(await bouncesOf(outbox))]).toEqual([['one', bounce]]);
    expect([await relayEnds(outbox), await readOutbox(outbox)]).toEqual(before);
    expect((await relay.state()).waiting).toBe(1);
  });

  it('is told again where nobody was told before the office ended', async () => {
    await letters('one', 'two');
    const killed = () => Promise.reject(new Error('killed'));
    await expect(
      noteBounce({ outbox, clock, reported: killed }, reportOn('one', 'failed')),
    ).rejects.toThrow();
    await note(reportOn('one', 'failed'));
    expect(told).toHaveLength(1);
  });

  it('is found by the beginnings of the letters alone', async () => {
    const relay = await letters('one', 'two');
    const large = Buffer.concat([Buffer.from(mailOf('large')), Buffer.alloc(200_000, 'a')]);
    const envelope = { id: 'large', at: '2027-03-01T09:00:00.000Z', source: 'care@home.example', tags: {} };
    await (await Outbox.open(outbox)).keep({ ...envelope, destinations: ['info@clinic.example'] }, large);
    await relay.work();
    const sizes: number[] = [];
    const reported = ({ raw }: SentMail): void => void sizes.push(raw.length);
    await noteBounce({ outbox, clock, reported }, reportOn('large', 'failed'));
    expect(sizes).toEqual([65_536]);
  });

  it('counts more than a report of a delay, in either order', async () => {
    await letters('one', 'two', 'three');
    await note(reportOn('one', 'delayed', '4.4.1'));
    expect((await bouncesOf(outbox)).get('one')).toMatchObject({ action: 'delayed', status: '4.4.1' });
    await note(reportOn('one', 'failed'));
    await note(reportOn('two', 'failed'));
    await note(reportOn('two', 'delayed'));
    const actions = [...(await bouncesOf(outbox))].map(([id, { action }]) => [id, action]);
    expect(actions).toEqual([
      ['one', 'failed'],
      ['two', 'failed'],
    ]);
  });

  it('is nothing if it names no letter of ours, or one that never left, or is no report', async () => {
    await letters('one', 'two');
    await note(reportOn('guessed', 'failed'));
    await note(reportOn('two', 'failed'));
    await note(reportOn('one', 'delivered'));
    await note(Buffer.from(mailOf('one')));
    await note(Buffer.from('no mail at all'));
    expect(told).toEqual([]);
    expect((await bouncesOf(outbox)).size).toBe(0);
  });

  it('is none before anything was sent', async () => {
    expect((await bouncesOf(outbox)).size).toBe(0);
    await note(reportOn('one', 'failed'));
    expect(told).toEqual([]);
  });

  it('stays one where what was written of it is damaged', async () => {
    await letters('one', 'two');
    await note(reportOn('one', 'failed'));
    await writeFile(join(outbox, 'relay', 'one.failed.bounce.json'), '{}');
    expect((await bouncesOf(outbox)).get('one')).toMatchObject({ action: 'failed' });
  });
});

describe('people', () => {
  const [maya, tom] = exampleCircle.people;
  const [contact] = exampleCircle.contacts;
  const mail = (source: string, to: string | undefined, tag: string): SentMail => ({
    id: 'one',
    at: '2027-03-01T09:00:00.000Z',
    source,
    destinations: [to ?? ''],
    tags: { [tag]: 'a' },
    raw: new Uint8Array(),
  });
  const { letters: forLetters, notices } = exampleCircle.senders;

  it('who own the circle are told of a letter that did not arrive, by the name that the circle has', () => {
    expect(
      undeliveredNotice([exampleCircle], mail(forLetters, contact?.email.toUpperCase(), 'caregate-attempt')),
    ).toMatchObject({
      notice: { people: [maya?.id], slots: { what: 'letter', recipient: contact?.name } },
    });
  });

  it('who can be reached are told of a notice to somebody who cannot', () => {
    expect(undeliveredNotice([exampleCircle], mail(notices, maya?.email, 'notice'))).toMatchObject({
      notice: { people: [tom?.id], slots: { what: 'notice', recipient: maya?.name } },
    });
    const alone = { ...exampleCircle, people: [maya as Person] };
    expect(undeliveredNotice([alone], mail(notices, maya?.email, 'notice'))).toBeUndefined();
  });

  it('are not told of what tells them that something did not arrive', () => {
    const raw = Buffer.from('Subject: a\r\nX-Caregate-Notice: undelivered\r\n\r\nHello.\r\n');
    expect(
      undeliveredNotice([exampleCircle], { ...mail(notices, maya?.email, 'notice'), raw }),
    ).toBeUndefined();
    const quoted = Buffer.from('Subject: a\r\n\r\nX-Caregate-Notice: undelivered\r\n');
    expect(
      undeliveredNotice([exampleCircle], { ...mail(notices, maya?.email, 'notice'), raw: quoted }),
    ).toBeDefined();
  });

  it('hear nothing of a mail that no circle sent', () => {
    expect(
      undeliveredNotice([exampleCircle], mail('x@elsewhere.example', contact?.email, 'notice')),
    ).toBeUndefined();
  });
});
