import * as oauth from 'oauth4webapi';
import { CaregateError } from '../../errors.ts';
import type { Clock } from '../../provenance/clock.ts';
import { Exchange, type Grant, refusalOf, unavailable } from './exchange.ts';
import type { SignInProvider } from './provider.ts';

/** What a person is shown, and what is asked with meanwhile (RFC 8628, section 3.2). */
export interface DeviceCode {
  /** The secret half, never shown. */
  readonly device: string;
  /** What the person types in. */
  readonly code: string;
  /** The page where. It is the provider's text. */
  readonly address: string;
  /** The same page with the code in it, where the provider has one. */
  readonly addressWithCode: string | undefined;
  /** Milliseconds since the epoch from which on the code is no good any more. */
  readonly expires: number;
  readonly intervalSeconds: number;
}

export interface WaitParts {
  readonly clock: Clock;
  /** Lets so many milliseconds pass. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** RFC 8628, sections 3.2 and 3.5. */
const usualInterval = 5;
const slowerBy = 5;
const longestInterval = 60;

/**
 * Asks for a code that a person types in on a page of the provider's.
 * @throws CaregateError `SIGN_IN_REFUSED` for a client that the provider does not take, `SIGN_IN_UNAVAILABLE`
 */
export async function requestCode(provider: SignInProvider, clock: Clock): Promise<DeviceCode> {
  const { server, client, options } = new Exchange(provider, clock);
  try {
    const answer = await oauth.deviceAuthorizationRequest(
      server,
      client,
      oauth.None(),
      { scope: provider.scope },
      options,
    );
    const given = await oauth.processDeviceAuthorizationResponse(server, client, answer);
    return {
      device: given.device_code,
      code: plain(given.user_code),
      address: plain(given.verification_uri),
      addressWithCode:
        given.verification_uri_complete === undefined ? undefined : plain(given.verification_uri_complete),
      expires: clock.now() + given.expires_in * 1000,
      intervalSeconds: given.interval ?? usualInterval,
    };
  } catch (error) {
    if (refusalOf(error) === 'unavailable') throw unavailable(error);
    throw refused('the provider refuses the client; look at `CAREGATE_OAUTH_CLIENT_ID`', error);
  }
}

/**
 * Asks, as often as the provider allows, until the person has signed in.
 * @throws CaregateError `SIGN_IN_REFUSED` if the person declined, the code ran out or nothing lasting was given
 */
export async function awaitGrant(
  provider: SignInProvider,
  code: DeviceCode,
  { clock, wait }: WaitParts,
): Promise<Grant> {
  const exchange = new Exchange(provider, clock);
  let interval = code.intervalSeconds;
  while (clock.now() < code.expires) {
    await wait(interval * 1000);
    try {
      return await exchange.redeem(code.device);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'slow_down') interval += slowerBy;
      else if (refusal === 'unavailable') interval = Math.min(interval * 2, longestInterval);
      else if (refusal === 'access_denied') throw refused('the sign-in was declined; try again', error);
      else if (refusal === 'expired_token') break;
      else if (refusal === 'other') {
        throw refused('the provider refuses the sign-in; look at `CAREGATE_OAUTH_CLIENT_ID`', error);
      }
    }
  }
  throw refused('the code ran out before anybody signed in; start `caregate sign-in` again');
}

/** A server's text goes to a terminal, where control characters would do something. */
function plain(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '');
}

function refused(message: string, cause?: unknown): CaregateError {
  return new CaregateError('SIGN_IN_REFUSED', message, { cause });
}
