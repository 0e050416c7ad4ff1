import { dispatch, dispatchInputSchema } from '../../lib/mail/dispatch.ts';
import { store } from '../parts/casefile.ts';
import { index } from '../parts/caseindex.ts';
import { circle } from '../parts/circles.ts';
import { inbox } from '../parts/inbox.ts';
import { register } from '../parts/register.ts';
import { clock } from '../parts/surroundings.ts';
import { step } from '../step.ts';

/** Judges a mail before any model is called, and makes its case. */
export const handler = step(
  dispatchInputSchema,
  { store, inbox, index, register, circle, clock },
  (parts, input) => {
    const openRequests = () => parts.register.countWaiting(input.circle);
    return dispatch({ ...parts, openRequests }, input);
  },
);
