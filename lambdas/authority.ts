import { store } from './parts/casefile.ts';
import { circle } from './parts/circles.ts';
import { verifyConsent } from './parts/consents.ts';
import { configurationSet, ses } from './parts/mailservice.ts';
import { policy } from './parts/policy.ts';
import { clock, randomness } from './parts/surroundings.ts';

/** What acting takes: the rules and the circle of today, and the verifier of consents. */
export const authorityParts = {
  store,
  circle,
  clock,
  randomness,
  policy,
  verifyConsent,
  ses,
  configurationSet,
};
