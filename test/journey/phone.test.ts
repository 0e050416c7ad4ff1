import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersFindings } from '../../lib/cli/doctor/answers.ts';
import { type Ask, phoneFindings } from '../../lib/cli/doctor/phone.ts';
import { openAiBridge } from '../../lib/local/reader/bridge.ts';
import type { OwnModel } from '../../lib/local/reader/ownmodel.ts';
import { selfSigned } from '../support/certificate.ts';
import { type EmbeddedOffice, embeddedOffice } from '../support/embedded.ts';
import { mailOf } from '../support/letters.ts';

const maya = 'maya@family.example';
const ask = openAiBridge({ url: 'http://127.0.0.1:9', model: 'qwen' });
/** A model of the household that is not there. */
const absent: OwnModel = { id: 'qwen', where: 'home', ask, look: async () => undefined };

/** What a household puts in front: it ends TLS and passes everything on, or names this machine instead of the Host. */
async function reverseProxy(target: () => string) {
  const folder = mkdtempSync(join(tmpdir(), 'caregate-proxy-'));
  const { key, cert } = selfSigned(folder, 'DNS:care.example');
  const state = { passesHost: true };
  rmSync(folder, { recursive: true });
  const server: Server = createServer({ key, cert }, (incoming, outgoing) => {
    const { host } = new URL(target());
    const headers = {
      ...incoming.headers,
      ...(state.passesHost ? {} : { host }),
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-proto': 'https',
    };
    const onward = httpRequest(target() + incoming.url, { method: incoming.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, state, port, ca: cert, url: `https://care.example:${port}` };
}

describe('pages behind a proxy that ends TLS', () => {
  let office: EmbeddedOffice;
  let proxy: Awaited<ReturnType<typeof reverseProxy>>;
  beforeAll(async () => {
    proxy = await reverseProxy(() => office.running.web);
    // The household's own: what the functions find would be sent to whatever they ask.
    process.env.AWS_BEARER_TOKEN_BEDROCK = 'household';
    office = await embeddedOffice({ publicUrl: proxy.url, ownModel: absent });
    expect(process.env.AWS_BEARER_TOKEN_BEDROCK).toBeUndefined();
  }, 60_000);
  afterAll(async () => {
    proxy.server.closeAllConnections();
    proxy.server.close();
    await office.running.close();
  });

  /** A phone: it knows the public name, checks the certificate, and goes wherever a link leads. */
  const phone = (url: string, { form, headers = {} }: { form?: string; headers?: object } = {}) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
      (resolve, reject) => {
        const { pathname, host, hostname } = new URL(url);
        const sent = httpsRequest(
          {
            host: '127.0.0.1',
            port: proxy.port,
            servername: hostname,
            ca: proxy.ca,
            path: pathname,
            method: form === undefined ? 'GET' : 'POST',
            headers: {
              host,
              ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
              ...headers,
            },
          },
          async (response) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: await text(response),
            }),
        );
        sent.on('error', reject);
        sent.end(form);
      },
    );
  const asPhone: Ask = (url, host) => phone(url, host === undefined ? {} : { headers: { host } });

  it('are linked by their public address, decide there, and list nothing there', async () => {
    const report = await office.hand(
      await mailOf({
        from: `Maya <${maya}>`,
        to: 'care@inbox.example',
        subject: 'Fwd: records request',
        text: 'Please send us the consent form. Reply to records@hillside-clinic.example.\n\nHillside Clinic records office\n',
      }),
      maya,
    );
    expect(report.status).toBe('awaiting_approval');
    const link = await office.link(report.approvals[0]?.id);
    expect(link.url).toMatch(new RegExp(`^${proxy.url}/a/`));
    const page = await phone(link.url);
    expect(page).toMatchObject({
      status: 200,
      text: expect.stringContaining('records@hillside-clinic.example'),
    });
    expect(page.headers['set-cookie']).toBeUndefined();
    const form = new URLSearchParams({ code: link.code, choice: 'decline', reason: 'Not now' }).toString();
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await phone(link.url, { form, headers: foreign })).status).toBe(403);
    const own = { origin: proxy.url, 'sec-fetch-site': 'same-origin' };
    expect((await phone(link.url, { form, headers: own })).status).toBe(200);
    expect((await office.settled(report.case)).actions).toMatchObject([{ status: 'declined' }]);
    const home = await phone(`${proxy.url}/`);
    expect(home.status).toBe(200);
    expect(home.text).not.toContain('The model does not answer');
    expect(home.text).not.toContain('Mails</h2>');
    expect((await phone(`${proxy.url}/case/${report.case}`)).status).toBe(404);
    expect(await phone(`https://evil.example:${proxy.port}/`).catch(({ code }) => code)).toMatch(/CERT|TLS/);
    expect((await phone(`${proxy.url}/`, { headers: { host: 'evil.example' } })).status).toBe(403);
  }, 60_000);

  it('say at home that the model is away, and records name the reader that stood in', async () => {
    expect(office.running.troubles.list()).toMatchObject([{ id: 'model-unreachable' }]);
    const home = await (await fetch(office.running.web)).text();
    expect(home).toContain('The model does not answer, so the offline reader steps in.');
    expect(home).toContain('Mails</h2>');
    const [{ case: id = '' } = {}] = await office.office.index.list(office.office.circle);
    expect(await (await fetch(`${office.running.web}/case/${id}`)).text()).toContain(
      'category: offline-reader; facts: offline-reader; proposals: offline-reader',
    );
    const { root } = office.running.data;
    const says = /^triage: offline-reader 1; evidence: offline-reader \d; plan: offline-reader \d/;
    const match = expect.stringMatching(says);
    expect(await answersFindings(root, true)).toMatchObject([{ health: 'note', says: match }]);
    expect(await answersFindings(root, false)).toMatchObject([{ health: 'ok', says: match }]);
  });

  it('are found by doctor as a phone would, and a proxy that changes the Host is refused', async () => {
    const { root } = office.running.data;
    expect(await phoneFindings(root, asPhone)).toMatchObject([{ health: 'ok' }]);
    proxy.state.passesHost = false;
    expect((await phone(`${proxy.url}/`)).status).toBe(403);
    expect(await phoneFindings(root, asPhone)).toMatchObject([{ health: 'wrong', says: /Host/ }]);
    const other: Ask = async () => ({ status: 200, text: 'another page' });
    expect(await phoneFindings(root, other)).toMatchObject([{ health: 'wrong', says: /not by this office/ }]);
    const away: Ask = () => Promise.reject(new TypeError('no answer'));
    expect(await phoneFindings(root, away)).toMatchObject([{ health: 'wrong', says: /cannot be reached/ }]);
    expect(await phoneFindings(root)).toMatchObject([{ health: 'wrong', says: /cannot be reached/ }]);
  });

  it('are found by doctor to list cases where bytes are passed on as they come', async () => {
    proxy.state.passesHost = true;
    const { root } = office.running.data;
    const bytes: Ask = async (url, host) => {
      if (host === undefined) return asPhone(url);
      const home = await fetch(office.running.web); // what a forwarder of bytes lets through
      return { status: home.status, text: await home.text() };
    };
    expect(await phoneFindings(root, bytes)).toMatchObject([{ health: 'wrong', says: /passes? HTTP on/ }]);
  });
});
