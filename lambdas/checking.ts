import { store } from './parts/casefile.ts';
import { circle } from './parts/circles.ts';
import { clock, randomness } from './parts/surroundings.ts';

/** What looking at an effect takes: it is decided on nothing, and nothing leaves. */
export const checkingParts = { store, circle, clock, randomness };
