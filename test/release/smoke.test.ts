import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SESClient } from '@aws-sdk/client-ses';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consentVerifier } from '../../lib/approval/verify.ts';
import { layout } from '../../lib/casefile/layout.ts';
import { post } from '../../lib/cli/posting.ts';
import { startEndpoint } from '../../lib/local/endpoints/server.ts';
import { sesService } from '../../lib/local/endpoints/ses.ts';
import { systemClock } from '../../lib/provenance/clock.ts';
import type { Sha256 } from '../../lib/provenance/digest.ts';
import { systemRandomness } from '../../lib/provenance/randomness.ts';
import { deliverThroughMailService } from '../../lib/release/delivery.ts';
import { expectations, runSmoke, type SmokeParts } from '../../lib/release/smoke.ts';
import { connectGround, settingsOf } from '../../lib/release/smokeground.ts';
import { newestSmoke, type SmokeRecord, smokeRecordSchema } from '../../lib/release/smokerecord.ts';
import { createPages } from '../../lib/web/app.ts';
import type { PageDeps } from '../../lib/web/deps.ts';
import { healthSchema } from '../../lib/web/health.ts';
import { releasePage } from '../../lib/web/releasepage.ts';
import { samples } from '../../samples/index.ts';
import { exampleCircle } from '../support/cases.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { clientConfig, credentials, serve, temporaryDirectory } from '../support/endpoints.ts';

const commit = 'e'.repeat(40);
/** All of them in the full run; otherwise one that is filed, the attack and the stranger. */
const wanted = process.env.CAREGATE_FULL === '1' ? /./ : /receipt|referral|stranger/;
const chosen = async () =>
  (await samples(systemClock, exampleCircle)).filter(({ name }) => wanted.test(name));
let office: EmbeddedOffice;
let parts: SmokeParts;
beforeAll(async () => {
  process.env.CAREGATE_COMMIT = commit; // as a deployment sets it
  office = await embeddedOffice();
  const key = createPublicKey(readFileSync(office.running.data.signingKey));
  parts = {
    cases: office.office,
    store: office.office.store,
    verifyConsent: consentVerifier(key),
    outbox: office.outbox,
    clock: systemClock,
    say: () => {},
    deliver: ({ name, raw, from }) => post(office.office, exampleCircle.inbox, { name, raw, from }),
  };
}, 60_000);
afterAll(() => office.running.close());

describe('the smoke test of a release', () => {
  let record: SmokeRecord;
  beforeAll(async () => {
    record = await runSmoke(parts, await chosen(), commit);
  }, 120_000);

  it('mails every sample in by the way that any mail comes, audits it, and passes', async () => {
    expect(record.failures).toEqual([]);
    expect(record).toMatchObject({ commit, passed: true });
    expect(record.mails).toHaveLength((await chosen()).length);
    expect(record.mails.every(({ audit }) => audit === 'consistent')).toBe(true);
  });

  it('has the attack refused and the stranger held back', () => {
    const named = (part: string) => record.mails.find(({ name }) => name.includes(part));
    expect(named('referral')?.actions).toContainEqual({
      tool: 'send_email',
      decision: 'DENY',
      status: 'refused',
    });
    expect(named('stranger')).toMatchObject({ status: 'quarantined', actions: [] });
  });

  it('is kept by commit, where the pages show it, and nowhere for another commit', async () => {
    const { store } = office.office;
    expect(await newestSmoke(store, commit)).toEqual(record);
    expect(await newestSmoke(store, 'f'.repeat(40))).toBeUndefined();
    expect(await newestSmoke(store, '../circles')).toBeUndefined();
    expect((await store.list(layout.smokes(commit))).length).toBe(1);
  });

  it('has no person, no address and no text of a mail in its record', () => {
    const text = JSON.stringify(record);
    for (const { name, email } of exampleCircle.people) {
      expect(text).not.toContain(name);
      expect(text).not.toContain(email);
    }
    expect(text).not.toContain(exampleCircle.id);
  });
});

describe('what the pages say of a release', () => {
  const get = async (path: string, accept = '*/*') => {
    const response = await fetch(`${office.running.web}${path}`, { headers: { accept } });
    return { status: response.status, text: await response.text() };
  };

  it('is the commit, the models and the policy at /healthz, by a function of its own', async () => {
    const { status, text } = await get('/healthz?anything');
    expect(status).toBe(200);
    const health = healthSchema.parse(JSON.parse(text));
    expect(health).toMatchObject({ commit, sending: 'off', ruleSet: 'active' });
    expect(health.models).toEqual({
      triage: 'offline-reader',
      evidence: 'offline-reader',
      plan: 'offline-reader',
    });
    const decision = await office.office.store.list('policies/');
    expect(decision).toContain(layout.policy(health.policy as Sha256));
  });

  it('is how the samples ended at /release.json, and as a page', async () => {
    const { status, text } = await get('/release.json');
    expect(status).toBe(200);
    expect(smokeRecordSchema.parse(JSON.parse(text))).toEqual(await newestSmoke(office.office.store, commit));
    const page = await get('/release', 'text/html');
    expect(page.text).toContain('Every sample ended as it should');
    expect(page.text).toContain('mail-from-a-stranger');
  });

  it('is that nothing was tested, where nothing was', async () => {
    const deps = { store: office.office.store, commit: '0'.repeat(40) } as unknown as PageDeps;
    const pages = createPages(deps);
    expect((await pages.request('/release')).status).toBe(404);
    expect((await pages.request('/release.json')).status).toBe(404);
    expect((await createPages({ ...deps, commit: undefined } as never).request('/release.json')).status).toBe(
      404,
    );
  });

  it('is what failed, where something did', async () => {
    const failed = {
      version: 1 as const,
      commit,
      at: '2027-01-01T00:00:00.000Z',
      passed: false,
      mails: [],
      failures: ['a <b>'],
    };
    expect(String(await releasePage(failed))).toContain('<li>a &lt;b&gt;</li>');
  });
});

describe('a deployment', () => {
  it('is found by the settings of a function, and what it uses is what is tested', async () => {
    const configuration = {
      FunctionName: 'caregate-web',
      Environment: { Variables: { CAREGATE_CASE_BUCKET: 'b' } },
    };
    const asked: string[] = [];
    const { url } = await serve({
      name: 'lambda',
      handle: async ({ path }) => {
        asked.push(path);
        return path.includes('caregate-web')
          ? {
              status: 200,
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(configuration),
            }
          : { status: 404, headers: { 'x-amzn-errortype': 'ResourceNotFoundException' }, body: '{}' };
      },
    });
    const lambda = new LambdaClient(clientConfig(url));
    expect(await settingsOf(lambda, 'caregate-web')).toEqual({ CAREGATE_CASE_BUCKET: 'b' });
    await expect(settingsOf(lambda, 'other')).toFailWithCode('CLOUD_UNAVAILABLE');
    expect(asked[0]).toContain('/functions/caregate-web/configuration');
    lambda.destroy();
  });

  it('is reached by the same clients, with whatever rights the caller has', async () => {
    const settings = Object.fromEntries(
      Object.entries(process.env).map(([name, value]) => [name, value ?? '']),
    );
    const ground = await connectGround(exampleCircle, 'us-east-1', settings);
    expect(ground.commit).toBe(commit);
    expect((await ground.cases.index.list(exampleCircle.id)).length).toBeGreaterThan(0);
    expect(await newestSmoke(ground.store, commit)).toBeDefined();
    const { CAREGATE_CASE_TABLE: _, ...less } = settings;
    await expect(connectGround(exampleCircle, 'us-east-1', less)).toFailWithCode('NOT_FOUND');
  });
});

describe('through the mail service', () => {
  it('a sample comes back in by the address that it was sent to, and its case is found', async () => {
    const later = await samples({ now: () => systemClock.now() + 86_400_000 }, exampleCircle);
    const sample = later.find(({ name }) => name.includes('receipt'));
    const transport = createTransport({ host: '127.0.0.1', port: office.running.smtp, ignoreTLS: true });
    // The service writes its own Message-ID, and hands the mail to whoever the MX record names.
    const service = await sesService({
      outbox: await temporaryDirectory(),
      clock: systemClock,
      randomness: systemRandomness,
      identities: exampleCircle.people.map(({ email }) => email),
      onSent: ({ id, raw, source, destinations }) => {
        const text = Buffer.from(raw)
          .toString('latin1')
          .replace(/^Message-ID:.*$/im, `Message-ID: <${id}@email.example>`);
        void transport.sendMail({
          envelope: { from: source, to: [...destinations] },
          raw: Buffer.from(text, 'latin1'),
        });
      },
    });
    const endpoint = await startEndpoint(service, { credentials, clock: systemClock });
    const ses = new SESClient(clientConfig(endpoint.url));
    let looks = 0;
    const delivery = {
      ses,
      cases: office.office,
      circle: exampleCircle,
      pause: async () => {
        looks += 1;
        await office.running.idle();
      },
    };
    try {
      const id = await deliverThroughMailService(delivery, sample as NonNullable<typeof sample>);
      expect((await office.settled(id)).status).not.toBe('quarantined');
      const stranger = later.at(-1);
      const refused = deliverThroughMailService(delivery, stranger as NonNullable<typeof stranger>);
      await expect(refused).toFailWithCode('LETTER_REJECTED'); // its domain is not one of the identities here
      expect(looks).toBeLessThan(60);
    } finally {
      ses.destroy();
      transport.close();
      await endpoint.close();
    }
  }, 60_000);
});

describe('what must hold', () => {
  type Mail = SmokeRecord['mails'][number];
  const filed = { tool: 'file_document', decision: 'ALLOW', status: 'verified' };
  const mail = (given: Partial<Mail> = {}): Mail => ({
    name: 'a-letter',
    status: 'closed',
    reason: 'none',
    actions: [filed],
    audit: 'consistent',
    ...given,
  });

  it('of samples that went well is nothing more', () => {
    expect(expectations([mail(), mail({ status: 'awaiting_approval', actions: [] })])).toEqual([]);
  });

  it.each([
    ['an audit that does not agree', mail({ audit: 'inconsistent' }), /audit/],
    ['a case that is parked', mail({ status: 'parked' }), /parked/],
    ['a case that is still open', mail({ status: 'open' }), /open/],
    [
      'an effect that was denied',
      mail({ actions: [filed, { ...filed, tool: 'send_email', decision: 'DENY', status: 'sent' }] }),
      /send_email happened/,
    ],
    [
      'an effect that nobody approved',
      mail({ actions: [filed, { ...filed, decision: 'REQUIRE_HUMAN' }] }),
      /happened/,
    ],
    [
      'a letter that may have left',
      mail({ actions: [filed, { ...filed, decision: 'DENY', status: 'unknown' }] }),
      /happened/,
    ],
    ['a stranger who was let in', mail({ name: 'mail-from-a-stranger' }), /not held back/],
  ])('is broken by %s', (_, given, words) => {
    const failures = expectations([mail(), given]);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(words);
  });

  it('is broken where nothing happened at all', () => {
    expect(expectations([mail({ actions: [] })])).toEqual([
      'no mail led to anything: not one effect was verified',
    ]);
  });
});
