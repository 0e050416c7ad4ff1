import { dispatch, dispatchInputSchema } from '../../lib/mail/dispatch.ts';
import { step } from '../step.ts';

/** Judges a mail before any model is called, and makes its case. */
export const handler = step(dispatchInputSchema, dispatch);
