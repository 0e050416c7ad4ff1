import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { SignInProvider } from '../../../lib/local/oauth/provider.ts';

type Answer = readonly [status: number, body: object] | 'cut';

/** An authorization server on loopback that behaves as RFC 8628 and RFC 6749 say. Gone after the test. */
export class AuthServer {
  /** What the token endpoint answers next, before it behaves by itself. */
  readonly next: Answer[] = [];
  /** Whether the person has typed the code in, or has said no. */
  person: 'away' | 'signed in' | 'declined' = 'away';
  /** What was asked, by its parameters. */
  readonly asked: URLSearchParams[] = [];
  readonly clientId = 'household-client';
  /** Happens between a question and its answer. */
  meanwhile: () => Promise<void> = async () => {};
  lifetime: number | undefined = 3600;
  /** Seconds between two questions. */
  interval = 5;
  rotates = true;
  givesRefresh = true;
  port = 0;
  #device = '';
  #refresh = '';
  #count = 0;

  static async start(): Promise<AuthServer> {
    const made = new AuthServer();
    const server = createServer((request, response) => {
      void readForm(request).then(async (form) => {
        await made.meanwhile();
        const answer = made.#answer(request.url ?? '', form);
        if (answer === 'cut') return request.socket.destroy();
        response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    made.port = (server.address() as AddressInfo).port;
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return made;
  }

  get provider(): SignInProvider {
    const base = `http://127.0.0.1:${this.port}`;
    const { clientId } = this;
    return { clientId, deviceEndpoint: `${base}/device`, tokenEndpoint: `${base}/token`, scope: 'mail' };
  }

  /** As a person does on the provider's page: what was given is good no longer. */
  revoke(): void {
    this.#refresh = 'none';
  }

  #answer(path: string, form: URLSearchParams): Answer {
    this.asked.push(form);
    const scripted = path === '/token' ? this.next.shift() : undefined;
    if (scripted !== undefined) return scripted;
    if (form.get('client_id') !== this.clientId) return refused('invalid_client');
    if (path === '/device') return this.#start();
    return form.get('grant_type') === 'refresh_token' ? this.#renewed(form) : this.#redeemed(form);
  }

  #start(): Answer {
    this.#device = `device-${++this.#count}`;
    const page = `http://127.0.0.1:${this.port}/page`;
    return [
      200,
      {
        device_code: this.#device,
        user_code: 'WDJB-MJHT\u001b[2J',
        verification_uri: page,
        verification_uri_complete: `${page}?code=WDJB-MJHT`,
        expires_in: 900,
        interval: this.interval,
      },
    ];
  }

  #redeemed(form: URLSearchParams): Answer {
    if (form.get('device_code') !== this.#device) return refused('invalid_grant');
    if (this.person === 'declined') return refused('access_denied');
    if (this.person === 'away') return refused('authorization_pending');
    this.#refresh = 'refresh-1';
    return this.#granted(true);
  }

  #renewed(form: URLSearchParams): Answer {
    if (form.get('refresh_token') !== this.#refresh) return refused('invalid_grant');
    if (this.rotates) this.#refresh = `refresh-${++this.#count}`;
    return this.#granted(this.rotates);
  }

  #granted(withRefresh: boolean): Answer {
    return [
      200,
      {
        access_token: `access-${++this.#count}`,
        token_type: 'Bearer',
        ...(this.lifetime === undefined ? {} : { expires_in: this.lifetime }),
        ...(withRefresh && this.givesRefresh ? { refresh_token: this.#refresh } : {}),
      },
    ];
  }
}

export const refused = (error: string, status = 400): Answer => [status, { error }];

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}
