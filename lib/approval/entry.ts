import * as z from 'zod';
import {
  approvalIdSchema,
  caseIdSchema,
  circleIdSchema,
  pointerSchema,
  sha256Schema,
} from '../casefile/schemas.ts';
import { askedSchema } from './wording.ts';

/** What a person is asked for: to approve one exact call, to answer one question, or to release one mail. */
export const requestKinds = ['approval', 'question', 'release'] as const;
export type RequestKind = (typeof requestKinds)[number];

export const choiceKinds = ['approve', 'decline', 'answer'] as const;
export type ChoiceKind = (typeof choiceKinds)[number];

export const registerStatuses = ['open', 'decided', 'expired', 'cancelled'] as const;
export type RegisterStatus = (typeof registerStatuses)[number];

export const verdicts = ['approved', 'declined', 'answered'] as const;
export type ApprovalVerdict = (typeof verdicts)[number];

export const longestReason = 500;
export const longestAnswer = 5000;

const at = z.iso.datetime();

export const choiceSchema = z.strictObject({
  choice: z.enum(choiceKinds),
  at,
  /** Why a person declined, or what she answered. Written by her. */
  text: z.string().max(longestAnswer).optional(),
  /** Random, so that a write whose reply was lost is recognised as one's own. */
  attempt: z.string(),
});
export type Choice = z.infer<typeof choiceSchema>;

/** How one asked person stands. Nothing in it is secret. */
const standSchema = z.strictObject({
  /** Codes that were mailed so far. */
  mailed: z.int().nonnegative(),
  mailedAt: at.optional(),
  reminded: z.boolean(),
  /** Well-formed wrong codes since the last lock or right code. */
  wrong: z.int().nonnegative(),
  /** When the last wrong code came, in milliseconds since the epoch. */
  wrongAt: z.number().nonnegative(),
  choice: choiceSchema.optional(),
});
export type Stand = z.infer<typeof standSchema>;

/** What may be shown and listed of a request: everything but token, links, salts and hashes. */
export const approvalViewSchema = z.strictObject({
  id: approvalIdSchema,
  kind: z.enum(requestKinds),
  circle: circleIdSchema,
  case: caseIdSchema,
  /** 0 for a release, which is no action of a case. */
  action: z.int().nonnegative(),
  execution: z.string(),
  tool: askedSchema,
  callDigest: sha256Schema,
  /** The record of the exact presentation. */
  record: pointerSchema,
  /** How many different people have to approve. */
  need: z.int().positive(),
  approvals: z.int().nonnegative(),
  status: z.enum(registerStatuses),
  verdict: z.enum(verdicts).optional(),
  requestedAt: at,
  expires: at,
  decidedAt: at.optional(),
  /** Whether the waiting execution was told of the decision: `refused` if it no longer waited. */
  callback: z.enum(['confirmed', 'refused']).optional(),
  callbackTries: z.int().nonnegative(),
  people: z.record(z.string(), standSchema),
});
export type ApprovalView = z.infer<typeof approvalViewSchema>;

/** What one person's codes are checked against, and the link that she was mailed: it decides nothing alone. */
const secretSchema = z.strictObject({ salt: z.string(), hashes: z.array(z.string()), link: z.string() });

/** A whole item of the register. The task token is kept here and nowhere else. */
export const approvalEntrySchema = approvalViewSchema.extend({
  token: z.string().min(1).max(2048),
  secrets: z.record(z.string(), secretSchema),
});
export type ApprovalEntry = z.infer<typeof approvalEntrySchema>;

/** After so many well-formed wrong codes a link is locked. */
export const mostWrong = 5;
export const lockedFor = 15 * 60_000;

/** When the link of a person opens again, in milliseconds since the epoch, if it is locked now. */
export function lockedUntil(stand: Stand, now: number): number | undefined {
  const until = stand.wrongAt + lockedFor;
  return stand.wrong >= mostWrong && now < until ? until : undefined;
}

/** The status as it is at `now`: what was not decided in time is expired, whether or not it was marked so. */
export function statusAt(view: ApprovalView, now: number): RegisterStatus {
  return view.status === 'open' && Date.parse(view.expires) <= now ? 'expired' : view.status;
}
