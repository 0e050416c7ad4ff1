import { store } from './parts/casefile.ts';
import { notify } from './parts/notices.ts';
import { register } from './parts/register.ts';
import { signer } from './parts/signing.ts';
import { clock, publicUrl, randomness } from './parts/surroundings.ts';

/** What asking a person takes: the register, the signing key, and the one way to people, which is `notify`. */
export const approvalParts = { store, clock, randomness, register, signer, publicUrl, notify };
