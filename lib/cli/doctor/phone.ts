import { findConnection } from '../../local/datadirectory.ts';
import type { Finding } from './finding.ts';

const patience = 10_000;

/**
 * Whether the pages of a running office are reached under their public address, tried as a phone would: what answers
 * there must be this office, and must not list cases.
 */
export async function phoneFindings(data: string, send: typeof fetch = fetch): Promise<Finding[]> {
  const running = findConnection(data);
  const address = running?.publicUrl;
  if (running === undefined || address === undefined || address === running.web) return [];
  const finding = (health: Finding['health'], says: string): Finding => ({ check: 'phone', health, says });
  try {
    const [home, health] = await Promise.all([get(send, `${address}/`), get(send, `${address}/healthz`)]);
    if (home.status === 403) {
      return [finding('wrong', `${address} is refused: have the proxy pass the Host on (docs/phone.md)`)];
    }
    if (home.status !== 200 || !/"status":"ok"/.test(health.text)) {
      return [
        finding('wrong', `${address} is answered, but not by this office: look where the proxy leads to`),
      ];
    }
    if (/<h2>Mails<\/h2>/.test(home.text)) {
      return [finding('wrong', `${address} lists the cases to everybody: have the proxy pass the Host on`)];
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

async function get(send: typeof fetch, url: string): Promise<{ status: number; text: string }> {
  const headers = { accept: 'application/json' };
  const response = await send(url, { headers, redirect: 'error', signal: AbortSignal.timeout(patience) });
  return { status: response.status, text: await response.text() };
}
