import { resumeCase } from '../../lib/casefile/resumption.ts';
import { stepSchema } from '../../lib/casefile/step.ts';
import { step } from '../step.ts';

/** Takes a parked, deferred, failed or quarantined case up again, on a person's word. */
export const handler = step(stepSchema.omit({ execution: true }), resumeCase);
