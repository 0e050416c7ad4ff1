import { join } from 'node:path';
import { SESClient } from '@aws-sdk/client-ses';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sesService } from '../../lib/local/endpoints/ses.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { confirmRelease } from '../../lib/release/health.ts';
import { createHealth, type HealthDeps, healthSchema } from '../../lib/web/health.ts';
import { clientConfig, serve, temporaryDirectory } from '../support/endpoints.ts';
import { ManualClock } from '../support/time.ts';

const commit = 'c'.repeat(40);
const policy = 'd'.repeat(64);

async function health(given: Partial<HealthDeps> = {}, mail: { sending?: boolean; ruleSet?: string } = {}) {
  const clock = new ManualClock('2027-02-03T04:05:06.000Z');
  const outbox = join(await temporaryDirectory(), 'outbox');
  let asked = 0;
  const service = await sesService({ clock, randomness: systemRandomness, identities: [], outbox, ...mail });
  const counted = {
    ...service,
    handle: (request: Parameters<typeof service.handle>[0]) => {
      asked += 1;
      return service.handle(request);
    },
  };
  const { url } = await serve(counted);
  const ses = new SESClient(clientConfig(url));
  onTestFinished(() => ses.destroy());
  const models = { triage: 'amazon.nova-micro-v1:0', plan: 'amazon.nova-2-lite-v1:0' };
  const deps: HealthDeps = {
    ses,
    clock,
    commit,
    models,
    sending: 'on',
    ruleSet: 'ours',
    policies: [policy],
    ...given,
  };
  const app = createHealth(deps);
  const read = async (accept = '*/*') => app.request('/healthz', { headers: { accept } });
  return {
    read,
    clock,
    app,
    asked: () => asked,
    json: async () => healthSchema.parse(await (await read()).json()),
  };
}

describe('/healthz', () => {
  it('names commit, models, sending, rule set and policy', async () => {
    const { json } = await health({}, { sending: true, ruleSet: 'ours' });
    expect(await json()).toEqual({
      status: 'ok',
      commit,
      models: { triage: 'amazon.nova-micro-v1:0', plan: 'amazon.nova-2-lite-v1:0' },
      sending: 'on',
      ruleSet: 'active',
      policy,
    });
  });

  it.each([
    ['no set of rules is active', {}, {}, { sending: 'off', ruleSet: 'inactive' }],
    ["another's is active", {}, { ruleSet: 'theirs', sending: true }, { sending: 'on', ruleSet: 'inactive' }],
    ['the deployment has none', { ruleSet: undefined }, { ruleSet: 'theirs' }, { ruleSet: 'inactive' }],
    ['the deployment does not send', { sending: 'off' as const }, { sending: true }, { sending: 'off' }],
  ])('says so where %s', async (_, given, mail, expected) => {
    expect(await (await health(given, mail)).json()).toMatchObject(expected);
  });

  it('answers all the same where the mail service does not', async () => {
    const ses = new SESClient({ ...clientConfig('http://127.0.0.1:9'), maxAttempts: 1 });
    onTestFinished(() => ses.destroy());
    expect(await (await health({ ses })).json()).toMatchObject({
      commit,
      sending: 'unknown',
      ruleSet: 'unknown',
    });
  });

  it('asks the mail service once a minute, however often it is asked', async () => {
    const { json, clock, asked } = await health();
    for (let times = 0; times < 20; times += 1) await json();
    expect(asked()).toBe(2);
    clock.advance(60_000);
    await json();
    expect(asked()).toBe(4);
  });

  it('is one digest for several circles, in whatever order they are read', async () => {
    const both = ['a'.repeat(64), 'b'.repeat(64)];
    const one = await (await health({ policies: both })).json();
    const other = await (await health({ policies: [...both].reverse() })).json();
    expect(one.policy).toBe(other.policy);
    expect(both).not.toContain(one.policy);
  });

  it('is a page for a browser, with the headers that every page has', async () => {
    const { read } = await health();
    const page = await read('text/html,application/xhtml+xml');
    expect(await page.text()).toContain(`<dd>${commit}</dd>`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('has nothing else, and changes nothing', async () => {
    const { app } = await health();
    expect((await app.request('/')).status).toBe(404);
    expect((await app.request('/healthz', { method: 'POST' })).status).toBe(404);
  });
});

describe('a release is confirmed', () => {
  const answers = (...given: (Response | Error)[]) => {
    const urls: string[] = [];
    let pauses = 0;
    return {
      urls,
      pauses: () => pauses,
      parts: {
        fetch: async (url: string) => {
          urls.push(url);
          const answer = given[Math.min(urls.length, given.length) - 1];
          if (answer instanceof Response) return answer.clone();
          throw answer;
        },
        pause: async () => {
          pauses += 1;
        },
      },
    };
  };
  const page = (named: string) =>
    Response.json({ status: 'ok', commit: named, models: {}, sending: 'on', ruleSet: 'active', policy });

  it('by the page that names its commit, once it does', async () => {
    const { parts, urls, pauses } = answers(
      new TypeError('no such host'),
      page('b'.repeat(40)),
      page(commit),
    );
    expect((await confirmRelease(parts, 'https://care.example', commit)).commit).toBe(commit);
    expect(urls).toEqual(Array(3).fill('https://care.example/healthz'));
    expect(pauses()).toBe(2);
  });

  it('and refused where the page names another commit for good', async () => {
    const confirming = confirmRelease(answers(page('b'.repeat(40))).parts, 'https://care.example', commit);
    await expect(confirming).toFailWithCode('RELEASE_REFUSED');
    await expect(confirming).rejects.toThrow(/names commit `bbbbbbbbbbbb` and not `cccccccccccc`; check out/);
  });

  it.each([
    ['nothing answers', new TypeError('no such host')],
    ['it is not there', new Response('', { status: 404 })],
    ['something else answers', Response.json({ ok: true })],
    ['it is no JSON', new Response('hello')],
  ])('not where %s', async (_, answer) => {
    const confirming = confirmRelease(answers(answer).parts, 'https://care.example', commit);
    await expect(confirming).toFailWithCode('CLOUD_UNAVAILABLE');
  });
});
