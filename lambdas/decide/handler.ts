import { createDecisions } from '../../lib/web/app.ts';
import { approvalParts } from '../approvals.ts';
import { pages } from '../pages.ts';
import { index } from '../parts/caseindex.ts';
import { circles } from '../parts/circles.ts';
import { machine, sfn } from '../parts/executions.ts';
import { publicKey } from '../parts/signing.ts';
import { listing, sending } from '../parts/surroundings.ts';

/** The pages that decide. They answer POST alone. */
export const handler = pages(
  { ...approvalParts, index, circles, sfn, machine, publicKey, listing, sending },
  createDecisions,
);
