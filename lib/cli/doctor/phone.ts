import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { findConnection } from '../../local/datadirectory.ts';
import type { Finding } from './finding.ts';

const patience = 10_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}
/** Asks for a page as a phone does. @param host what to call the machine, instead of its name in the address */
export type Ask = (url: string, host?: string) => Promise<Answer>;

/**
 * Whether the pages of a running office are reached under their public address, tried as a phone would: what answers
 * there must be this office, and must not list cases, whatever name it is called by.
 */
export async function phoneFindings(data: string, ask: Ask = askOutside): Promise<Finding[]> {
  const running = findConnection(data);
  const address = running?.publicUrl;
  if (running === undefined || address === undefined || address === running.web) return [];
  const finding = (health: Finding['health'], says: string): Finding => ({ check: 'phone', health, says });
  try {
    const [home, health] = await Promise.all([ask(`${address}/`), ask(`${address}/healthz`)]);
    if (home.status === 403) {
      return [finding('wrong', `${address} is refused: have the proxy pass the Host on (docs/phone.md)`)];
    }
    if (home.status !== 200 || !/"status":"ok"/.test(health.text)) {
      return [
        finding('wrong', `${address} is answered, but not by this office: look where the proxy leads to`),
      ];
    }
    if (lists(home)) {
      return [finding('wrong', `${address} lists the cases to everybody: have the proxy pass the Host on`)];
    }
    const spoofed = await ask(`${address}/`, new URL(running.web).host).catch(() => undefined);
    if (spoofed !== undefined && lists(spoofed)) {
      const advice = 'have it pass HTTP on and not bytes, with X-Forwarded-For (docs/phone.md)';
      return [finding('wrong', `${address} lists the cases to whoever calls it by a local name: ${advice}`)];
    }
    const plain = address.startsWith('http:');
    return [
      plain
        ? finding('note', `${address} leads here, without TLS: whoever shares the network can read along`)
        : finding('ok', `${address} leads here`),
    ];
  } catch {
    return [
      finding('wrong', `${address} cannot be reached from here: look whether the proxy or tunnel runs`),
    ];
  }
}

function lists(home: Answer): boolean {
  return /<h2>Mails<\/h2>/.test(home.text);
}

const askOutside: Ask = (address, host) =>
  new Promise((resolve, reject) => {
    const url = new URL(address);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { host: host ?? url.host, accept: 'application/json' };
    const options = { headers, servername: url.hostname, signal: AbortSignal.timeout(patience) };
    const sent = send(url, options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
