import { resumeCase } from '../../lib/casefile/resumption.ts';
import { stepSchema } from '../../lib/casefile/step.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { machine, sfn } from '../parts/executions.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

const inputSchema = stepSchema.omit({ execution: true });

/** Takes a parked, deferred, failed or quarantined case up again, on a person's word. */
export const handler = step(inputSchema, { store, index, sfn, machine, clock }, resumeCase);
