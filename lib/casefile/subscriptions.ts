import * as z from 'zod';
import { CaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import { type Clock, isoTime } from '../provenance/clock.ts';
import { type Sha256, sha256 } from '../provenance/digest.ts';
import { type Randomness, randomToken } from '../provenance/randomness.ts';
import { layout } from './layout.ts';
import { findRecord, readRecord, writeRecord } from './record.ts';
import { sha256Schema } from './schemas.ts';
import type { ObjectReader, ObjectStore } from './store.ts';

const at = z.iso.datetime();
const subscriptionSchema = z.strictObject({ person: z.string(), at });
const revocationSchema = z.strictObject({ at });

/** One address that a person's calendar program asks for the feed. The secret in it is kept nowhere. */
export interface Subscription {
  /** The digest of the secret: what the subscription is called, and no way to read anything. */
  readonly id: Sha256;
  readonly person: string;
  readonly at: string;
  readonly revokedAt?: string | undefined;
}

/** Bits of the secret in a feed's address. */
const secretBits = 128;
const secretPattern = /^[A-Za-z0-9_-]{22}$/;

interface SubscriptionParts {
  readonly store: ObjectStore;
  readonly circle: Circle;
  readonly clock: Clock;
}

/**
 * Gives a person of the circle an address of her own to read its calendars.
 * @returns the secret of the address, which is shown once
 * @throws CaregateError `NOT_FOUND` for somebody who is not one of the circle's people
 */
export async function subscribe(
  { store, circle, clock, randomness }: SubscriptionParts & { readonly randomness: Randomness },
  person: string,
): Promise<{ secret: string; id: Sha256 }> {
  if (!circle.people.some(({ id }) => id === person)) {
    throw new CaregateError(
      'NOT_FOUND',
      `\`${person}\` is not one of the people of the circle; list them with \`caregate person list\``,
    );
  }
  const secret = randomToken(randomness, secretBits);
  const id = sha256(secret);
  await writeRecord(store, layout.subscription(circle.id, id), { person, at: isoTime(clock) });
  return { secret, id };
}

/**
 * Takes a subscription back, for ever. Taking it back again changes nothing.
 * @param given its id, or the beginning of it
 * @throws CaregateError `NOT_FOUND`, or `INVALID_INPUT` if several begin like that
 */
export async function unsubscribe(parts: SubscriptionParts, given: string): Promise<Subscription> {
  const { store, circle, clock } = parts;
  const known = (await subscriptionsOf(store, circle)).filter(({ id }) => id.startsWith(given));
  const [found, ...others] = known;
  if (found === undefined || given === '') {
    throw new CaregateError(
      'NOT_FOUND',
      `subscription \`${given}\` does not exist; list them with \`caregate calendar list\``,
    );
  }
  if (others.length > 0) {
    throw new CaregateError(
      'INVALID_INPUT',
      `subscription \`${given}\` could be one of ${known.length}; give more of its id`,
    );
  }
  if (found.revokedAt !== undefined) return found;
  const revokedAt = isoTime(clock);
  await writeRecord(store, layout.revocation(circle.id, found.id), { at: revokedAt });
  return { ...found, revokedAt };
}

/** Every subscription that was ever given, the oldest first. */
export async function subscriptionsOf(store: ObjectReader, circle: Circle): Promise<Subscription[]> {
  const keys = await store.list(layout.subscriptions(circle.id));
  const all = await Promise.all(
    keys.map(async (key): Promise<Subscription> => {
      const id = sha256Schema.parse(/([0-9a-f]{64})\.json$/.exec(key)?.[1]);
      const revoked = await findRecord(store, layout.revocation(circle.id, id), revocationSchema);
      const subscription = await readRecord(store, key, subscriptionSchema);
      return { id, ...subscription, revokedAt: revoked?.at };
    }),
  );
  return all.sort((one, other) => one.at.localeCompare(other.at) || one.id.localeCompare(other.id));
}

/**
 * The circle that a secret opens the calendars of, if it still does: it was given, not taken back, and its person is
 * still one of the people.
 * @param secret attacker-controlled
 */
export async function circleOfSecret(
  store: Pick<ObjectReader, 'find'>,
  circles: readonly Circle[],
  secret: string,
): Promise<Circle | undefined> {
  if (!secretPattern.test(secret)) return undefined;
  const id = sha256(secret);
  for (const circle of circles) {
    const given = await findRecord(store, layout.subscription(circle.id, id), subscriptionSchema);
    if (given === undefined || !circle.people.some((person) => person.id === given.person)) continue;
    const revoked = await findRecord(store, layout.revocation(circle.id, id), revocationSchema);
    return revoked === undefined ? circle : undefined;
  }
  return undefined;
}
