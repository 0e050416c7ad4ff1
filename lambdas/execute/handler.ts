import { actionStepSchema } from '../../lib/casefile/step.ts';
import { executeAction } from '../../lib/effect/execution.ts';
import { checkingParts } from '../checking.ts';
import { verifyConsent } from '../parts/consents.ts';
import { ses } from '../parts/letterservice.ts';
import { policy } from '../parts/policy.ts';
import { configurationSet } from '../parts/surroundings.ts';
import { step } from '../step.ts';

const parts = { ...checkingParts, policy, verifyConsent, ses, configurationSet };

/** Rebuilds the call, gates it again, and acts at most once. */
export const handler = step(actionStepSchema, parts, executeAction);
