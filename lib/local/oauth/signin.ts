import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { CaregateError } from '../../errors.ts';
import type { Clock } from '../../provenance/clock.ts';
import { replaceSynced } from '../endpoints/durable.ts';
import { Exchange, type Grant, refusalOf, unavailable } from './exchange.ts';
import type { SignInProvider } from './provider.ts';

const signInSchema = z.strictObject({
  /** Where the tokens came from: they are never shown to anybody else, whatever the settings say later. */
  provider: z.strictObject({
    clientId: z.string(),
    deviceEndpoint: z.url(),
    tokenEndpoint: z.url(),
    scope: z.string(),
  }),
  access: z.string(),
  expires: z.iso.datetime(),
  refresh: z.string().optional(),
});
type Kept = z.infer<typeof signInSchema>;

/** A token is renewed so many milliseconds before it ends, and used up to its end if it cannot be. */
const early = 5 * 60_000;

/** Whether somebody signed in here once; it may have run out since. */
export const isSignedIn = (file: string): boolean => existsSync(file);

/**
 * Keeps what a provider gave, readable by the owner of the file alone. It is on disk when this returns, and until then
 * the former stands: a refresh token that is used up is never the only one there is.
 */
export async function keepGrant(file: string, provider: SignInProvider, grant: Grant): Promise<void> {
  await keep(file, signInSchema.parse({ provider, ...grant }));
}

async function keep(file: string, content: Kept): Promise<void> {
  await replaceSynced(file, `${JSON.stringify(content)}\n`);
}

/** The household's sign-in with its provider: gives access tokens, and renews them in time. */
export class SignIn {
  readonly #file: string;
  readonly #clock: Clock;
  #renewing: Promise<string> | undefined;

  constructor({ file, clock }: { file: string; clock: Clock }) {
    this.#file = file;
    this.#clock = clock;
  }

  /**
   * An access token that is good now. All who ask while one is renewed get the same.
   * @throws CaregateError `SIGN_IN_EXPIRED` if a person has to sign in again, `SIGN_IN_UNAVAILABLE`
   */
  async token(): Promise<string> {
    const kept = await this.#read();
    if (Date.parse(kept.expires) - early > this.#clock.now()) return kept.access;
    this.#renewing ??= this.#renew(kept).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(kept: Kept): Promise<string> {
    const isGood = Date.parse(kept.expires) > this.#clock.now();
    if (kept.refresh === undefined) {
      if (isGood) return kept.access;
      throw expired();
    }
    try {
      const grant = await new Exchange(kept.provider, this.#clock).refresh(kept.refresh);
      // A provider that gives no new refresh token lets the former be used again (RFC 6749, section 6).
      await keep(this.#file, { ...kept, ...grant, refresh: grant.refresh ?? kept.refresh });
      return grant.access;
    } catch (error) {
      if (isGood) return kept.access;
      if (error instanceof CaregateError) throw error;
      if (refusalOf(error) === 'unavailable') throw unavailable(error);
      // Another program of this household, `caregate doctor` perhaps, may have used the same refresh token a moment ago.
      const now = await this.#read();
      if (now.access !== kept.access && Date.parse(now.expires) > this.#clock.now()) return now.access;
      throw expired(error);
    }
  }

  async #read(): Promise<Kept> {
    try {
      return signInSchema.parse(JSON.parse(await readFile(this.#file, 'utf8')));
    } catch (error) {
      throw expired(error);
    }
  }
}

function expired(cause?: unknown): CaregateError {
  return new CaregateError(
    'SIGN_IN_EXPIRED',
    'the sign-in with the mail provider is missing, has run out or was taken back; sign in with `caregate sign-in`',
    { cause },
  );
}
