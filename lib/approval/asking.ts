import * as z from 'zod';
import { actionStepSchema } from '../casefile/step.ts';
import { rebuildCall } from '../proposal/rebuilding.ts';
import type { Circle } from '../provenance/circle.ts';
import {
  type ApprovalRequest,
  type Requested,
  type RequestParts,
  requestAnswer,
  requestApproval,
} from './request.ts';

export const askingInputSchema = actionStepSchema.extend({
  /** The task's token, as Step Functions hands it over. It goes into the register and nowhere else. */
  token: z.string().min(1).max(2048),
});
export type AskingInput = z.infer<typeof askingInputSchema>;

export type AskingParts = RequestParts & { readonly circle: Circle };

/** Asks people to approve the call of an action, which is built anew: what they see is what would be executed. */
export async function askForApproval(parts: AskingParts, input: AskingInput): Promise<Requested> {
  return requestApproval(parts, await requestOf(parts, input));
}

/** Asks people the question of an action. */
export async function askForAnswer(parts: AskingParts, input: AskingInput): Promise<Requested> {
  return requestAnswer(parts, await requestOf(parts, input));
}

async function requestOf(parts: AskingParts, input: AskingInput): Promise<ApprovalRequest> {
  const { call, evidence, decision } = await rebuildCall(parts.store, parts.circle, input);
  return {
    call,
    decision: decision.decision,
    evidence,
    circle: parts.circle,
    execution: input.execution,
    taskToken: input.token,
    expires: parts.clock.now() + parts.circle.limits.approvalHours * 3_600_000,
  };
}
