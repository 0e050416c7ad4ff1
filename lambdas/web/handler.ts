import { createPages } from '../../lib/web/app.ts';
import { pages } from '../pages.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { circles } from '../parts/circles.ts';
import { register } from '../parts/register.ts';
import { publicKey } from '../parts/signing.ts';
import { clock, commit, listing, sending } from '../parts/surroundings.ts';
import { troubles } from '../parts/troubles.ts';

/** The pages that show. GET changes nothing. */
export const handler = pages(
  { store, index, commit, register, circles, publicKey, clock, listing, sending, troubles },
  createPages,
);
