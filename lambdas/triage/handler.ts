import { classificationInputSchema, classify } from '../../lib/proposal/classification.ts';
import { step } from '../step.ts';

/** Says what a mail is about. */
export const handler = step(classificationInputSchema, classify);
