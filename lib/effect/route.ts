import { CaregateError } from '../errors.ts';
import type { Call } from '../proposal/call.ts';
import type { Circle } from '../provenance/circle.ts';
import { entryArgument } from './arguments.ts';

/** From whom a letter comes and to whom it goes. Envelope and headers say the same. */
export interface Route {
  readonly from: string;
  readonly to: string;
}

/** @throws CaregateError `CALL_UNRESOLVED` if the letter is not for a contact of the circle with an address */
export function routeOf(call: Call, circle: Circle): Route {
  const entry = entryArgument(call, 'to', 'contacts');
  if (entry.email === undefined) {
    throw new CaregateError('CALL_UNRESOLVED', `contact \`${entry.id}\` has no address; give it one`);
  }
  return { from: circle.senders.letters, to: entry.email };
}
