import { dispatch, dispatchInputSchema } from '../../lib/mail/dispatch.ts';
import { approvalParts } from '../approvals.ts';
import { step } from '../step.ts';

/** Judges a mail before any model is called, and makes its case. */
export const handler = step(dispatchInputSchema, (parts, input) => {
  const { register } = approvalParts(parts);
  const openRequests = async () => (await register.listOpen(input.circle)).length;
  return dispatch({ ...parts, openRequests }, input);
});
