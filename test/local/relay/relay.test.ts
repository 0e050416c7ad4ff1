import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Outbox, type SentMail } from '../../../lib/local/endpoints/outbox.ts';
import { relayEnds } from '../../../lib/local/relay/ends.ts';
import { Relay, type RelayOptions } from '../../../lib/local/relay/relay.ts';
import { type Handover, openTransport, type Transport } from '../../../lib/local/relay/transport.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { ManualClock } from '../../support/time.ts';
import { provider, reply } from './provider.ts';

const clock = new ManualClock('2027-03-01T09:00:00.000Z');
let outbox: string;
let box: Outbox;
let count = 0;
beforeEach(async () => {
  outbox = join(await temporaryDirectory(), 'outbox');
  box = await Outbox.open(outbox);
});

const welcome: NonNullable<SMTPServerOptions['onAuth']> = (_auth, _session, done) =>
  done(null, { user: 'care' });

function relayTo(transport: Transport, more: Partial<RelayOptions> = {}): Relay {
  const relay = new Relay({ outbox, transport, clock, log: () => {}, ...more });
  onTestFinished(() => relay.close());
  return relay;
}
const transportTo = (port: number, user = ''): Transport => openTransport(`smtp://${user}127.0.0.1:${port}`);

/** A mail that the office has accepted, as a letter or as a notice. */
async function accepted(
  tag: 'notice' | 'caregate-attempt' = 'caregate-attempt',
  to = 'info@clinic.example',
): Promise<string> {
  count += 1;
  const id = `mail-${count}`;
  const at = '2027-03-01T09:00:00.000Z';
  const envelope = { id, at, source: 'care@home.example', destinations: [to] };
  await box.keep({ ...envelope, tags: { [tag]: 'a' } }, Buffer.from(`Subject: ${id}\r\n\r\nHello.\r\n`));
  return id;
}

const ends = async () =>
  Object.fromEntries([...(await relayEnds(outbox))].map(([id, { outcome }]) => [id, outcome]));

describe('a relay', () => {
  it('hands every mail over once, in order, with its exact bytes and envelope', async () => {
    const { taken, port } = await provider();
    const ids = [await accepted(), await accepted('notice')];
    const relay = relayTo(transportTo(port));
    await Promise.all([relay.work(), relay.work()]);
    await relay.work();
    expect(taken).toEqual(
      ids.map((id) => ({
        from: 'care@home.example',
        to: ['info@clinic.example'],
        raw: `Subject: ${id}\r\n\r\nHello.\r\n`,
      })),
    );
    expect(await ends()).toEqual({ [ids[0] ?? '']: 'taken', [ids[1] ?? '']: 'taken' });
    expect(await relay.state()).toEqual({ waiting: 0, problem: undefined });
  });

  it('that cannot be reached is asked again after a while, and nothing is lost', async () => {
    const { taken, port } = await provider();
    const id = await accepted();
    let reachable = false;
    const [away, there] = [transportTo(1), transportTo(port)];
    const relay = relayTo({ ...there, send: (letter) => (reachable ? there : away).send(letter) });
    await relay.work();
    expect(await relay.state()).toEqual({ waiting: 1, problem: 'unreachable' });
    reachable = true;
    await relay.work();
    expect(taken).toEqual([]); // not yet
    clock.advance(60_000);
    await relay.work();
    expect(await ends()).toEqual({ [id]: 'taken' });
  });

  it.each([
    [
      'a wrong password',
      { authOptional: false, onAuth: (_a, _s, done) => done(new Error('no')) },
      'credentials',
    ],
    ['a greylist', { onAuth: welcome, onMailFrom: (_a, _s, done) => done(reply(450)) }, 'busy'],
  ] as const satisfies readonly (readonly [string, SMTPServerOptions, string])[])(
    'with %s keeps the mail waiting and says why',
    async (_name, options, problem) => {
      const { port } = await provider(options as SMTPServerOptions);
      await accepted();
      const relay = relayTo(transportTo(port, 'care:secret@'));
      await relay.work();
      expect(await relay.state()).toEqual({ waiting: 1, problem });
      expect(await ends()).toEqual({});
    },
  );

  it('whose outbox cannot be written notes it, and hands the mails over once it can', async () => {
    const { taken, port } = await provider();
    const id = await accepted();
    writeFileSync(join(outbox, 'relay'), ''); // a file where its folder belongs
    const said: string[] = [];
    const relay = relayTo(transportTo(port), { log: (line) => said.push(line) });
    await relay.work();
    expect([said, taken]).toEqual([['relay: mails wait: Error'], []]);
    rmSync(join(outbox, 'relay'));
    await relay.work();
    expect(await ends()).toEqual({ [id]: 'taken' });
  });

  it('that refuses one mail for good takes the others', async () => {
    const answers = [reply(550)];
    const { taken, port } = await provider({ onMailFrom: (_a, _s, done) => done(answers.pop() ?? null) });
    const [one = '', two = ''] = [await accepted(), await accepted()];
    await relayTo(transportTo(port)).work();
    expect(await ends()).toEqual({ [one]: 'refused', [two]: 'taken' });
    expect(taken).toHaveLength(1);
  });
});

describe('what a relay says', () => {
  it.each([
    ['in place of a greeting', '554 5.7.1 blocked for now', /^never$/, '', 'busy'],
    ['to whom has not signed in', '220 here', /^MAIL/, '530 5.7.0 authentication required', 'credentials'],
    ['to every greeting of ours', '220 here', /^(?:EHLO|HELO)/, '550 go away', 'busy'],
  ] as const)('%s loses no mail', async (_name, greeting, upon, answer, problem) => {
    const port = await saying(greeting, (line) => (upon.test(line) ? answer : undefined));
    await accepted();
    await accepted('notice');
    const relay = relayTo(transportTo(port));
    await relay.work();
    expect([await ends(), await relay.state()]).toEqual([{}, { waiting: 2, problem }]);
  });

  it('of one mail keeps none of the others waiting', async () => {
    let says: string | undefined = '450 4.1.2 domain not found';
    const port = await saying('220 here', (line) => (/^RCPT.*tpyo/.test(line) ? says : undefined));
    const late = await accepted('caregate-attempt', 'info@tpyo.example');
    const notice = await accepted('notice');
    const told: string[] = [];
    const troubles = { report: (id: string) => told.push(`+${id}`), clear: () => {} };
    const relay = relayTo(transportTo(port), { troubles });
    await relay.work();
    expect([await ends(), told.at(-1)]).toEqual([{ [notice]: 'taken' }, '+relay-delays']);
    says = undefined;
    clock.advance(60_000);
    await relay.work();
    expect(await ends()).toEqual({ [notice]: 'taken', [late]: 'taken' });
  });

  it('against a mail is told for a day, though others are taken', async () => {
    const port = await saying('220 here', (line) =>
      /^RCPT.*tpyo/.test(line) ? '550 no such user' : undefined,
    );
    await accepted('caregate-attempt', 'info@tpyo.example');
    await accepted('notice');
    const { open, troubles } = board();
    const relay = relayTo(transportTo(port), { troubles });
    await relay.work();
    expect([...open.keys()]).toEqual(['relay-rejects']);
    clock.advance(86_400_001);
    await accepted('notice');
    await relay.work();
    expect([...open]).toEqual([]);
  });
});

describe('a damaged outbox', () => {
  async function fileOf(id: string, ending: 'json' | 'eml'): Promise<string> {
    const names = await readdir(outbox);
    return join(outbox, names.find((name) => name.endsWith(`${id}.${ending}`)) ?? '');
  }

  it('keeps no other mail from leaving, and is told of until it is whole again', async () => {
    const { port } = await provider();
    const [torn, gone, whole] = [await accepted(), await accepted(), await accepted()];
    const envelope = await fileOf(torn, 'json');
    const before = readFileSync(envelope);
    writeFileSync(envelope, '{');
    renameSync(await fileOf(gone, 'eml'), join(outbox, 'elsewhere'));
    const { open, troubles } = board();
    const relay = relayTo(transportTo(port), { troubles });
    await relay.work();
    expect([await ends(), [...open]]).toEqual([{ [whole]: 'taken' }, [['outbox-damaged', '2']]]);
    writeFileSync(envelope, before);
    renameSync(join(outbox, 'elsewhere'), (await fileOf(gone, 'json')).replace(/json$/, 'eml'));
    await relay.work();
    expect([await ends(), [...open]]).toEqual([{ [whole]: 'taken', [torn]: 'taken', [gone]: 'taken' }, []]);
  });

  it('does not send again what has an end that nobody can read', async () => {
    const { taken, port } = await provider();
    const id = await accepted();
    await mkdir(join(outbox, 'relay'));
    writeFileSync(join(outbox, 'relay', `${id}.end.json`), '');
    await relayTo(transportTo(port)).work();
    expect([taken, await ends()]).toEqual([[], { [id]: 'unknown' }]);
  });
});

describe('a mail that the provider refused', () => {
  it('is told of by each office until it was told, for a week, and no longer', async () => {
    const port = await saying('220 here', (line) => (/^RCPT/.test(line) ? '550 no such user' : undefined));
    const id = await accepted();
    const told: string[] = [];
    let fails = true;
    const office = () => {
      const refused = async (mail: SentMail): Promise<void> => {
        if (fails) throw new TypeError('not now');
        told.push(mail.id);
      };
      return relayTo(transportTo(port), { refused });
    };
    const first = office();
    await first.work();
    expect([await ends(), told]).toEqual([{ [id]: 'refused' }, []]);
    fails = false;
    await first.work();
    await first.work();
    expect(told).toEqual([id]);
    await office().work(); // it cannot know; telling twice reaches nobody twice
    expect(told).toEqual([id, id]);
    clock.advance(7 * 86_400_000 + 1);
    await office().work();
    expect(told).toEqual([id, id]);
  });

  it('and one that came back are shown by an office that is started anew, for a while', async () => {
    const port = await saying('220 here', (line) => (/^RCPT/.test(line) ? '550 no such user' : undefined));
    const id = await accepted();
    await relayTo(transportTo(port)).work();
    const bounce = { at: new Date(clock.now()).toISOString(), action: 'failed' };
    writeFileSync(join(outbox, 'relay', `${id}.failed.bounce.json`), JSON.stringify(bounce));
    const { open, troubles } = board();
    const again = relayTo(transportTo(port), { troubles });
    await again.work();
    expect([...open]).toEqual([
      ['relay-rejects', '550'],
      ['relay-bounced', undefined],
    ]);
    clock.advance(86_400_001);
    await again.work();
    expect([...open.keys()]).toEqual(['relay-bounced']);
    clock.advance(6 * 86_400_000);
    await again.work();
    expect([...open.keys()]).toEqual([]);
  });
});

describe('a relay that says a little from time to time', () => {
  const drips = (upon: RegExp) => {
    const drip = (socket: Socket): void => {
      const timer = setInterval(() => socket.write('250-a little more\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    };
    return saying('220 here', (line, socket) => {
      if (!upon.test(line)) return undefined;
      drip(socket);
      return '250-a little';
    });
  };

  it.each([
    ['before a mail', /^EHLO/, {}, 'unreachable'],
    ['after its text', /^\.$/, { ends: 'unknown' }, undefined],
  ] as const)(
    '%s keeps the others waiting for so long, and not for ever',
    async (_name, upon, end, problem) => {
      const id = await accepted();
      const relay = relayTo(openTransport(`smtp://127.0.0.1:${await drips(upon)}`, undefined, 300));
      await relay.work();
      const expected = Object.values(end).map((outcome) => [id, outcome]);
      expect([await ends(), (await relay.state()).problem]).toEqual([Object.fromEntries(expected), problem]);
    },
  );

  it('is broken off when the office closes, which waits a moment for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await accepted();
    const second = await accepted();
    const { promise, resolve } = Promise.withResolvers<Handover>();
    const send = vi.fn(() => promise);
    const close = vi.fn(() => resolve({ outcome: 'unknown' }));
    const relay = new Relay({
      outbox,
      transport: { send, check: async () => undefined, close },
      clock,
      log: () => {},
    });
    void relay.work();
    await vi.waitFor(() => expect(send).toHaveBeenCalled());
    const closed = relay.close();
    await vi.advanceTimersByTimeAsync(7900);
    expect(close).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    await closed;
    expect(send).toHaveBeenCalledTimes(1);
    expect(await ends()).not.toHaveProperty(second);
  });
});

describe('a mail that was under way when the office ended', () => {
  async function underWay(id: string): Promise<void> {
    await mkdir(join(outbox, 'relay'), { recursive: true });
    await writeFile(join(outbox, 'relay', `${id}.attempt.json`), '{}');
  }

  it('is not sent again where it is a letter: it may have left', async () => {
    const { taken, port } = await provider();
    const id = await accepted();
    await underWay(id);
    await relayTo(transportTo(port)).work();
    expect([taken, await ends()]).toEqual([[], { [id]: 'unknown' }]);
  });

  it('is sent again where it is a notice: none may be lost', async () => {
    const { taken, port } = await provider();
    const id = await accepted('notice');
    await underWay(id);
    await relayTo(transportTo(port)).work();
    expect([taken.length, await ends()]).toEqual([1, { [id]: 'taken' }]);
  });

  it('is unknown where the connection breaks after its text', async () => {
    const port = await breaking();
    const id = await accepted();
    await relayTo(transportTo(port)).work();
    expect(await ends()).toEqual({ [id]: 'unknown' });
  });

  it('is sent again where it is a notice and the connection breaks after its text, a few times', async () => {
    let texts = 0;
    const port = await saying('220 here', (line) => {
      if (line !== '.') return undefined;
      texts += 1;
      return 'gone';
    });
    const id = await accepted('notice');
    const relay = relayTo(transportTo(port));
    for (let hour = 0; hour < 10; hour += 1) {
      await relay.work();
      clock.advance(3_600_000);
    }
    expect([texts, await ends()]).toEqual([5, { [id]: 'unknown' }]);
  });
});

describe('the address of a relay', () => {
  it.each([
    '',
    'smtp.example',
    'http://smtp.example',
    'smtp://',
    'smtps://maya:50%off@smtp.example',
    'smtps://maya:12#3@smtp.example',
    'smtps://maya:12/3@smtp.example',
  ])('`%s` is refused', (address) => {
    expect(() => openTransport(address)).toFailWithCode('CONFIGURATION_INVALID');
  });

  it('is examined without sending anything', async () => {
    const { taken, port } = await provider();
    expect(await transportTo(port).check()).toBeUndefined();
    expect(await transportTo(1).check()).toBe('unreachable');
    expect(taken).toEqual([]);
  });
});

/** What is told of at the moment, by its id, with the detail of each. */
function board() {
  const open = new Map<string, string | undefined>();
  const troubles = {
    report: (id: string, detail?: string) => void open.set(id, detail),
    clear: (...ids: string[]) => {
      for (const id of ids) open.delete(id);
    },
  };
  return { open, troubles };
}

/** A relay that takes a mail's text and then is gone. */
function breaking(): Promise<number> {
  return saying('220 here', (line) => (line === '.' ? 'gone' : undefined));
}

/** A relay that takes every mail, unless it is said what it answers to a line: `gone` ends the connection. */
async function saying(
  greeting: string,
  says: (line: string, socket: Socket) => string | undefined,
): Promise<number> {
  const answer = (socket: Socket, line: string): void => {
    const own = says(line, socket);
    if (own === 'gone') socket.destroy();
    else if (own !== undefined) socket.write(`${own}\r\n`);
    else if (line.startsWith('DATA')) socket.write('354 go on\r\n');
    else if (/^(?:EHLO|HELO|MAIL|RCPT|QUIT)|^\.$/.test(line)) socket.write('250 ok\r\n');
  };
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(`${greeting}\r\n`);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) answer(socket, line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}
