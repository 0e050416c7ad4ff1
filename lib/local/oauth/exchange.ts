import * as oauth from 'oauth4webapi';
import { CaregateError } from '../../errors.ts';
import { type Clock, isoTime } from '../../provenance/clock.ts';
import { isOnThisMachine } from '../endpoints/loopback.ts';
import type { SignInProvider } from './provider.ts';

/** What a provider gave: good for one account's mail, so none of it is ever logged or shown. */
export interface Grant {
  readonly access: string;
  /** ISO instant from which on the access token is no good any more. */
  readonly expires: string;
  /** The one that is to be used next; a provider may give another each time, or none. */
  readonly refresh: string | undefined;
}

/** How a provider refused, by its code of RFC 6749 and RFC 8628. What else it says is repeated nowhere. */
export type Refusal =
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'access_denied'
  | 'other'
  /** It could not be asked, or has troubles of its own: it can be tried again. */
  | 'unavailable';

const answerMilliseconds = 30_000;
/** RFC 6749 recommends to say how long a token lives; one that does not is taken for so many seconds. */
const usualSeconds = 600;

/** A provider as the client library wants it, with one address that tokens are asked from. */
export class Exchange {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly #clock: Clock;

  constructor(provider: SignInProvider, clock: Clock) {
    this.server = {
      issuer: new URL(provider.tokenEndpoint).origin,
      token_endpoint: provider.tokenEndpoint,
      device_authorization_endpoint: provider.deviceEndpoint,
    };
    this.client = { client_id: provider.clientId };
    this.#clock = clock;
  }

  get options() {
    const insecure = isOnThisMachine(this.server.token_endpoint ?? '');
    return {
      signal: () => AbortSignal.timeout(answerMilliseconds),
      [oauth.allowInsecureRequests]: insecure,
    };
  }

  async redeem(deviceCode: string): Promise<Grant> {
    const { server, client, options } = this;
    const answer = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), deviceCode, options);
    return this.#grant(await oauth.processDeviceCodeResponse(server, client, answer));
  }

  async refresh(token: string): Promise<Grant> {
    const { server, client, options } = this;
    const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options);
    return this.#grant(await oauth.processRefreshTokenResponse(server, client, answer));
  }

  #grant({ access_token: access, expires_in: seconds, refresh_token: refresh }: oauth.TokenEndpointResponse) {
    const until = this.#clock.now() + (seconds ?? usualSeconds) * 1000;
    return { access, expires: isoTime({ now: () => until }), refresh };
  }
}

/** What an error of an exchange means. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof oauth.ResponseBodyError)) {
    return error instanceof oauth.WWWAuthenticateChallengeError ? 'other' : 'unavailable';
  }
  if (error.status >= 500 || error.status === 429 || error.error === 'temporarily_unavailable') {
    return 'unavailable';
  }
  const known = ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'] as const;
  return known.find((code) => code === error.error) ?? 'other';
}

export function unavailable(cause: unknown): CaregateError {
  return new CaregateError(
    'SIGN_IN_UNAVAILABLE',
    'the `sign-in` of the mail provider does not answer; try again later',
    { cause },
  );
}
