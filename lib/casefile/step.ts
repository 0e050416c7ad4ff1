import * as z from 'zod';
import { caseIdSchema, circleIdSchema, pointerSchema, sha256Schema } from './schemas.ts';

/** What every state of the machine hands to its step: whose case it is, and which run of it. */
export const stepSchema = z.object({
  circle: circleIdSchema,
  case: caseIdSchema,
  execution: z.string().regex(/^[A-Za-z0-9_-]{1,80}$/),
});
export type StepKey = z.infer<typeof stepSchema>;

/** The same for a step that is about one action. */
export const actionStepSchema = stepSchema.extend({ action: z.int().positive() });
export type ActionStepKey = z.infer<typeof actionStepSchema>;

/** What `ingest` starts an execution with. Pointers and ids only. */
export const executionInputSchema = z.strictObject({
  circle: circleIdSchema,
  case: caseIdSchema,
  message: sha256Schema,
  delivery: pointerSchema,
  /** 0 for the first run of a case, counted up by every resumption. */
  run: z.int().nonnegative(),
});
export type ExecutionInput = z.infer<typeof executionInputSchema>;

/** The name of the execution that runs a case for the `run`th time. Names make a start idempotent. */
export function executionName(caseId: string, run: number): string {
  return run === 0 ? caseId : `${caseId}-r${run}`;
}
