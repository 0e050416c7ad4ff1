import { reportFailure, statusChangeSchema } from '../../lib/audit/statuschange.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { tell } from '../parts/notices.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** The event rule for runs that failed, timed out or were aborted: a person is told, through `notify`. */
export const handler = step(statusChangeSchema, { store, index, tell, clock }, reportFailure);
