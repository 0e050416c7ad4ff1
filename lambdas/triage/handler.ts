import { classificationInputSchema, classify } from '../../lib/proposal/classification.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { circle } from '../parts/circles.ts';
import { bedrock, triageModel } from '../parts/models.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

const parts = { store, index, circle, clock, bedrock, triageModel };

/** Says what a mail is about. */
export const handler = step(classificationInputSchema, parts, classify);
