import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Outbox } from '../../../lib/local/endpoints/outbox.ts';
import { awaitGrant, requestCode } from '../../../lib/local/oauth/device.ts';
import { signInProvider } from '../../../lib/local/oauth/provider.ts';
import { isSignedIn, keepGrant, SignIn } from '../../../lib/local/oauth/signin.ts';
import { Relay } from '../../../lib/local/relay/relay.ts';
import { openTransport } from '../../../lib/local/relay/transport.ts';
import { Troubles } from '../../../lib/local/troubles.ts';
import { temporaryDirectory } from '../../support/endpoints.ts';
import { ManualClock } from '../../support/time.ts';
import { provider as mailProvider } from '../relay/provider.ts';
import { AuthServer, refused } from './authserver.ts';

let clock: ManualClock;
let server: AuthServer;
let waited: number[];
beforeEach(async () => {
  clock = new ManualClock('2027-03-01T09:00:00.000Z');
  server = await AuthServer.start();
  waited = [];
});

/** Lets time pass at once; the person acts after so many times. */
const wait =
  (after: number, acts: () => void) =>
  async (milliseconds: number): Promise<void> => {
    waited.push(milliseconds);
    clock.advance(milliseconds);
    if (waited.length === after) acts();
  };
const signsIn = (): void => {
  server.person = 'signed in';
};

async function flow(after = 1, acts: () => void = signsIn) {
  const code = await requestCode(server.provider, clock);
  return awaitGrant(server.provider, code, { clock, wait: wait(after, acts) });
}

async function signedIn(): Promise<{ file: string; signIn: SignIn }> {
  const file = join(await temporaryDirectory(), 'sign-in.json');
  await keepGrant(file, server.provider, await flow());
  return { file, signIn: new SignIn({ file, clock }) };
}

describe('a sign-in by a code', () => {
  it('shows the code and the page, without what would act on a terminal', async () => {
    const code = await requestCode(server.provider, clock);
    expect(code).toMatchObject({ code: 'WDJB-MJHT[2J', address: `http://127.0.0.1:${server.port}/page` });
    expect(server.asked[0]?.get('scope')).toBe('mail');
  });

  it('asks at the interval that the provider names until the person has signed in', async () => {
    expect(await flow(3)).toMatchObject({ access: expect.stringMatching(/^access-/), refresh: 'refresh-1' });
    expect(waited).toEqual([5000, 5000, 5000]);
  });

  it('asks more slowly when it is told to, and when the provider does not answer', async () => {
    server.next.push(refused('slow_down'), refused('server_error', 503), 'cut');
    await flow(4);
    expect(waited).toEqual([5000, 10_000, 20_000, 40_000]);
  });

  it.each([
    ['the person declines', () => (server.person = 'declined'), []],
    ['the code ran out at the provider', () => {}, [refused('expired_token')]],
    ['the client is refused', () => {}, [refused('invalid_client', 401)]],
    ['nobody ever comes', () => {}, []],
  ])('ends as refused when %s', async (_when, acts, next) => {
    server.next.push(...next);
    await expect(flow(2, acts)).toFailWithCode('SIGN_IN_REFUSED');
    expect(waited.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(900_000);
  });

  it('says whether the client or the provider is the trouble when there is no code', async () => {
    await expect(requestCode({ ...server.provider, clientId: 'x' }, clock)).toFailWithCode('SIGN_IN_REFUSED');
    const closed = { ...server.provider, deviceEndpoint: 'http://127.0.0.1:1/device' };
    await expect(requestCode(closed, clock)).toFailWithCode('SIGN_IN_UNAVAILABLE');
  });
});

describe('a token', () => {
  it('is kept for its owner alone, and used as long as it is good', async () => {
    const { file, signIn } = await signedIn();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(isSignedIn(file)).toBe(true);
    const asked = server.asked.length;
    expect(await signIn.token()).toBe(await signIn.token());
    expect(server.asked).toHaveLength(asked);
  });

  it('is renewed before it ends, once for all who ask, and the next refresh token is on disk by then', async () => {
    const { file, signIn } = await signedIn();
    const first = await signIn.token();
    clock.advance(3_560_000 - 200_000);
    const asked = server.asked.length;
    const [one, two] = await Promise.all([signIn.token(), signIn.token()]);
    expect(one).toBe(two);
    expect(one).not.toBe(first);
    expect(server.asked).toHaveLength(asked + 1);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ access: one });
    clock.advance(3_600_000);
    expect(await new SignIn({ file, clock }).token()).not.toBe(one);
  });

  it('is renewed with the former refresh token where the provider gives no other', async () => {
    server.rotates = false;
    const { signIn } = await signedIn();
    for (const _ of [1, 2]) {
      clock.advance(3_600_000);
      await signIn.token();
    }
    expect(server.asked.at(-1)?.get('refresh_token')).toBe('refresh-1');
  });

  it('that was taken back asks a person, and is used up before', async () => {
    const { signIn } = await signedIn();
    server.revoke();
    clock.advance(3_400_000);
    expect(await signIn.token()).toMatch(/^access-/);
    clock.advance(3_600_000);
    await expect(signIn.token()).toFailWithCode('SIGN_IN_EXPIRED');
  });

  it('that another program renewed meanwhile is taken from there', async () => {
    const { file, signIn } = await signedIn();
    const old = await readFile(file, 'utf8');
    clock.advance(3_600_000);
    const theirs = await new SignIn({ file, clock }).token();
    const renewed = await readFile(file, 'utf8');
    await writeFile(file, old);
    server.meanwhile = () => writeFile(file, renewed);
    expect(await signIn.token()).toBe(theirs);
  });

  it('without a refresh token ends, and one of a provider that names no lifetime is taken for minutes', async () => {
    server.givesRefresh = false;
    server.lifetime = undefined;
    const { signIn } = await signedIn();
    clock.advance(599_000);
    expect(await signIn.token()).toMatch(/^access-/);
    clock.advance(2_000);
    await expect(signIn.token()).toFailWithCode('SIGN_IN_EXPIRED');
  });

  it('is missed by name where nobody signed in', async () => {
    const file = join(await temporaryDirectory(), 'sign-in.json');
    expect(isSignedIn(file)).toBe(false);
    await expect(new SignIn({ file, clock }).token()).toFailWithCode('SIGN_IN_EXPIRED');
  });
});

describe('a relay that is signed in to by token', () => {
  const letter = {
    source: 'care@home.example',
    destinations: ['info@clinic.example'],
    raw: Buffer.from('Subject: hello\r\n\r\nHello.\r\n'),
  };
  const relayOf = async (good: string) => {
    const { port, taken } = await mailProvider({
      authMethods: ['XOAUTH2'],
      authOptional: false,
      onAuth: ({ accessToken }, _session, done) =>
        accessToken === good
          ? done(null, { user: 'care' })
          : done(null, { data: { status: '401', schemes: 'bearer', scope: 'mail' } }),
    });
    return { address: `smtp://care%40home.example@127.0.0.1:${port}`, taken };
  };

  it('takes a letter with the token that is good now', async () => {
    const { signIn } = await signedIn();
    const { address, taken } = await relayOf(await signIn.token());
    const transport = openTransport(address, () => signIn.token());
    expect(await transport.check()).toBeUndefined();
    expect(await transport.send(letter)).toEqual({ outcome: 'taken' });
    expect(taken).toHaveLength(1);
  });

  it('lets a letter wait when the token is refused, ran out or cannot be renewed', async () => {
    const { signIn } = await signedIn();
    const { address, taken } = await relayOf('another');
    const transport = openTransport(address, () => signIn.token());
    expect(await transport.send(letter)).toEqual({ outcome: 'later', why: 'sign-in' });
    expect(await transport.check()).toBe('sign-in');
    clock.advance(4_000_000);
    server.next.push('cut');
    expect(await transport.send(letter)).toEqual({ outcome: 'later', why: 'unreachable' });
    server.revoke();
    expect(await transport.send(letter)).toEqual({ outcome: 'later', why: 'sign-in' });
    expect(taken).toEqual([]);
  });

  it('has its trouble named until somebody signed in again, and sends what waited then', async () => {
    const { file, signIn } = await signedIn();
    server.revoke();
    clock.advance(4_000_000);
    const outbox = join(await temporaryDirectory(), 'outbox');
    const envelope = { id: 'one', at: '2027-03-01T09:00:00.000Z', tags: {} };
    const { source, destinations, raw } = letter;
    await (await Outbox.open(outbox)).keep({ ...envelope, source, destinations }, raw);
    const grant = await flow();
    const { address, taken } = await relayOf(grant.access);
    const troubles = new Troubles({ file: join(outbox, 'troubles.json'), clock });
    const transport = openTransport(address, () => signIn.token());
    const relay = new Relay({ outbox, transport, clock, troubles, log: () => {} });
    server.revoke();
    await relay.work();
    expect(troubles.list().map(({ id }) => id)).toEqual(['relay-sign-in-expired']);
    expect(taken).toEqual([]);
    await keepGrant(file, server.provider, grant);
    clock.advance(60_000);
    await relay.work();
    expect(troubles.list()).toEqual([]);
    expect(taken).toHaveLength(1);
    await relay.close();
  });

  it('is refused at start where neither a password nor a sign-in is there', () => {
    expect(() => openTransport('smtps://care@smtp.example')).toFailWithCode('CONFIGURATION_INVALID');
  });
});

describe('the settings of a sign-in', () => {
  const CAREGATE_OAUTH_CLIENT_ID = 'id';
  const own = {
    CAREGATE_OAUTH_CLIENT_ID,
    CAREGATE_OAUTH_DEVICE_URL: 'https://login.example/device',
    CAREGATE_OAUTH_TOKEN_URL: 'https://login.example/token',
    CAREGATE_OAUTH_SCOPE: 'mail offline_access',
  };

  it('name a client of the household, and Microsoft unless another provider is said', () => {
    expect(signInProvider({ CAREGATE_OAUTH_CLIENT_ID })).toMatchObject({
      clientId: 'id',
      deviceEndpoint: expect.stringContaining('login.microsoftonline.com'),
      scope: expect.stringContaining('offline_access'),
    });
    expect(signInProvider({ CAREGATE_OAUTH_CLIENT_ID, CAREGATE_OAUTH_SCOPE: 'mail' }).scope).toBe('mail');
    expect(signInProvider(own)).toMatchObject({ tokenEndpoint: 'https://login.example/token' });
  });

  it.each([
    ['no client', {}],
    ['half a provider', { ...own, CAREGATE_OAUTH_TOKEN_URL: '' }],
    ['no scope', { ...own, CAREGATE_OAUTH_SCOPE: '' }],
    ['an address in the clear', { ...own, CAREGATE_OAUTH_TOKEN_URL: 'http://login.example/token' }],
    ['no address', { ...own, CAREGATE_OAUTH_DEVICE_URL: 'login' }],
  ])('are refused with %s', (_what, environment) => {
    expect(() => signInProvider(environment)).toFailWithCode('CONFIGURATION_INVALID');
  });
});
