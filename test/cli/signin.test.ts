import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { signIn } from '../../lib/cli/signin.ts';
import { AuthServer } from '../local/oauth/authserver.ts';
import { temporaryDirectory } from '../support/endpoints.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('a sign-in shows the page and the code first, and then that it is kept', async () => {
  const server = await AuthServer.start();
  server.interval = 0.05;
  server.person = 'signed in';
  const { clientId, deviceEndpoint, tokenEndpoint, scope } = server.provider;
  vi.stubEnv('CAREGATE_OAUTH_CLIENT_ID', clientId);
  vi.stubEnv('CAREGATE_OAUTH_DEVICE_URL', deviceEndpoint);
  vi.stubEnv('CAREGATE_OAUTH_TOKEN_URL', tokenEndpoint);
  vi.stubEnv('CAREGATE_OAUTH_SCOPE', scope);
  let printed = '';
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  const data = await temporaryDirectory();
  await signIn({ data, json: true });
  const [shown, kept] = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(shown).toMatchObject({ address: `http://127.0.0.1:${server.port}/page`, code: 'WDJB-MJHT[2J' });
  expect(kept).toEqual({ signedIn: true, lasting: true });
  expect((await stat(join(data, 'sign-in.json'))).mode & 0o777).toBe(0o600);
  expect(printed).not.toMatch(/access-|refresh-|device-/);

  printed = '';
  server.givesRefresh = false;
  await signIn({ data });
  expect(printed).toContain('it ends at');
});
