import * as z from 'zod';
import { standingReasons, standings } from '../mail/standing.ts';
import { outcomes, type ReasonCode, reasonCodes } from '../policy/decision.ts';
import { categories, type QuestionId, questions, toolNames } from '../proposal/catalogue.ts';
import type { Sha256 } from '../provenance/digest.ts';
import {
  type ApprovalId,
  approvalIdPattern,
  type CaseId,
  type CircleId,
  caseIdPattern,
  circleIdPattern,
} from '../provenance/identifiers.ts';
import { circleRoles } from '../provenance/roles.ts';

/**
 * The form of every record that a case's steps write, so that what one step wrote another can read back and an
 * auditor can judge. Records hold ids, digests and codes of closed lists; `input` of a proposal and `text` of an
 * answer are the only content, and both are attacker-controlled.
 */
export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => text as Sha256);
export const circleIdSchema = z
  .string()
  .regex(circleIdPattern)
  .transform((text) => text as CircleId);
export const caseIdSchema = z
  .string()
  .regex(caseIdPattern)
  .transform((text) => text as CaseId);
export const approvalIdSchema = z
  .string()
  .regex(approvalIdPattern)
  .transform((text) => text as ApprovalId);

const at = z.iso.datetime();
const number = z.int().positive().max(9999);
const tool = z.enum(toolNames as [(typeof toolNames)[number], ...(typeof toolNames)[number][]]);
const reason = z.enum(Object.keys(reasonCodes) as [ReasonCode, ...ReasonCode[]]);
/** A code of one of the closed lists, where a record may hold one of several lists: never prose. */
const code = z.string().regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/);
/** The name of an execution: what Step Functions allows, without what would leave its place in a key. */
const execution = z.string().regex(/^[A-Za-z0-9_-]{1,80}$/);
const entryId = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);

export const pointerSchema = z.strictObject({ key: z.string().min(1).max(1024), sha256: sha256Schema });

export const judgementSchema = z.strictObject({
  standing: z.enum(standings),
  reason: z.enum(standingReasons),
  sender: z.strictObject({ list: z.enum(['people', 'contacts']), id: entryId }).optional(),
});

export const caseRecordSchema = z.strictObject({
  case: caseIdSchema,
  circle: circleIdSchema,
  message: sha256Schema,
  delivery: pointerSchema,
  mail: pointerSchema,
  judgement: judgementSchema,
  openedAt: at,
});
export type CaseRecord = z.infer<typeof caseRecordSchema>;

/** Written when a person releases a quarantined case into a case of its own. */
export const releaseRecordSchema = z.strictObject({
  case: caseIdSchema,
  at,
  /** What the person chose, where she did so by a link. */
  choice: pointerSchema.optional(),
});

/** One person's word on a mail in quarantine, with the proof that she was asked. */
export const releaseChoiceSchema = z.strictObject({
  approval: approvalIdSchema,
  callDigest: sha256Schema,
  person: entryId,
  link: z.string().max(4096),
  choice: z.enum(['approve', 'decline']),
  at,
});

/** The mails that one day's summary of the quarantine names, and how many more there were. */
export const summaryRecordSchema = z.strictObject({
  day: z.iso.date(),
  cases: z.array(caseIdSchema),
  more: z.int().nonnegative(),
  at,
});
export type SummaryRecord = z.infer<typeof summaryRecordSchema>;

export const triageRecordSchema = z.strictObject({
  category: z.enum(categories),
  /** The id of the model that answered. */
  model: z.string().max(256),
  attempts: z.int().nonnegative(),
});
export type TriageRecord = z.infer<typeof triageRecordSchema>;

export const proposalRecordSchema = z.strictObject({
  action: number,
  round: number,
  tool,
  /** As the model wrote it. Attacker-controlled. */
  input: z.record(z.string(), z.unknown()),
  model: z.string().max(256),
  attempts: z.int().nonnegative(),
});
export type ProposalRecord = z.infer<typeof proposalRecordSchema>;

export const decisionSchema = z.strictObject({
  outcome: z.enum(outcomes),
  reason,
  matched: z.array(z.string()),
  deciding: z.array(z.string()),
  warnings: z.array(z.string()),
  consent: z
    .strictObject({ people: z.int().positive(), roles: z.array(z.enum(circleRoles)).min(1) })
    .optional(),
  alert: z.boolean(),
  policyDigest: sha256Schema,
  callDigest: sha256Schema,
});

export const decisionRecordSchema = z.strictObject({
  decision: decisionSchema,
  category: z.enum(categories),
  standing: z.enum(['accepted', 'contact']),
  evidence: pointerSchema,
  proposal: pointerSchema,
  at,
});
export type DecisionRecord = z.infer<typeof decisionRecordSchema>;

/** How an action stands. Everything but `awaiting` is an end. */
export const actionStatuses = [
  'verified',
  'sent',
  'awaiting',
  'refused',
  'declined',
  'expired',
  'unknown',
  'conflict',
  'not_available',
  'answered',
  'noted',
] as const;
export type ActionStatus = (typeof actionStatuses)[number];

/** A step may add what it knows; the three fields are what every reader relies on. */
export const outcomeRecordSchema = z.looseObject({ status: z.enum(actionStatuses), reason: code, at });
export type OutcomeRecord = z.infer<typeof outcomeRecordSchema>;

export const parkedRecordSchema = z.strictObject({
  execution,
  reason: code,
  /** The state that could not go on. */
  state: z.string().max(80).optional(),
  /** What the run was started for, so that it can be taken up again even if it stopped before there was a case. */
  origin: z.strictObject({ message: sha256Schema, delivery: pointerSchema }).optional(),
  at,
});
export type ParkedRecord = z.infer<typeof parkedRecordSchema>;

export const caseStatuses = [
  'closed',
  'awaiting_approval',
  'awaiting_answer',
  'parked',
  'quarantined',
  'ignored',
  'deferred',
] as const;
export type CaseStatus = (typeof caseStatuses)[number];

export const closingRecordSchema = z.strictObject({
  execution,
  status: z.enum(caseStatuses),
  reason: code,
  actions: z.array(
    z.strictObject({
      action: number,
      tool,
      outcome: z.enum(outcomes),
      reason: code,
      status: z.enum(actionStatuses),
    }),
  ),
  at,
});
export type ClosingRecord = z.infer<typeof closingRecordSchema>;

export const answerRecordSchema = z.strictObject({
  approval: approvalIdSchema,
  person: entryId,
  question: z.enum(Object.keys(questions) as [QuestionId, ...QuestionId[]]),
  /** What the person wrote. */
  text: z.string().max(5000),
  at,
});
export type AnswerRecord = z.infer<typeof answerRecordSchema>;

/** All that a decision depended on, recorded under its policy digest so that it can be taken again. */
export const policyRecordSchema = z.looseObject({
  policy: z.string(),
  constitution: z.string(),
  circle: z.record(z.string(), z.unknown()),
});
export type PolicyRecord = z.infer<typeof policyRecordSchema>;
