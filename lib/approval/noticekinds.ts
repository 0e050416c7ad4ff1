import * as z from 'zod';
import { actionStatuses, caseIdSchema } from '../casefile/schemas.ts';
import { type ReasonCode, reasonCodes } from '../policy/decision.ts';
import { type ToolName, toolNames } from '../proposal/catalogue.ts';
import { presentationSchema } from './presentation.ts';
import { type RefusalReason, refusalReasons } from './wording.ts';

const tool = z.enum(toolNames as [ToolName, ...ToolName[]]);
const rule = z.enum(Object.keys(reasonCodes) as [ReasonCode, ...ReasonCode[]]);
const refusal = z.enum(Object.keys(refusalReasons) as [RefusalReason, ...RefusalReason[]]);
/** A code of a closed list: never prose. */
const code = z.string().regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/);
const person = z.string();
const url = z.url({ protocol: /^https?$/ });
const expires = z.iso.datetime();
const digits = z.string().regex(/^\d{6}$/);
/** Words of a mail, as they are: they are quoted on their way out. Attacker-controlled. */
const words = z.string();

const asked = z.strictObject({ presentation: presentationSchema, url, code: digits, expires });
const aboutAction = z.strictObject({ case: caseIdSchema, tool, subject: words.optional() });
const aboutCase = z.strictObject({ case: caseIdSchema, reason: code, subject: words.optional() });

/**
 * Everything that Caregate ever writes to the people of a circle, with the slots of each. A notice that is not on
 * this list cannot be sent, and a slot takes a code, an id or words that will be quoted.
 */
export const noticeKinds = {
  approval_request: asked.extend({ reason: rule, need: z.int().positive() }),
  question: asked,
  reminder: asked,
  new_code: z.strictObject({ title: z.string(), url, code: digits, expires }),
  refused: aboutAction.extend({ reason: refusal, alert: z.boolean().optional() }),
  declined: aboutAction.extend({ person, words: z.string().max(500).optional() }),
  expired: aboutAction,
  not_available: aboutAction,
  conflict: aboutAction,
  unknown_delivery: aboutAction,
  parked: aboutCase,
  quarantine_summary: z.strictObject({
    mails: z.array(
      z.strictObject({
        case: caseIdSchema,
        reason: code,
        receivedAt: z.iso.datetime(),
        subject: words.optional(),
        from: words.optional(),
        /** Where it can be released; absent for a mail that cannot. */
        url: url.optional(),
      }),
    ),
    /** How many more are in quarantine that this mail does not name. */
    more: z.int().nonnegative(),
    /** One code for all links of this mail; absent where it has none. */
    code: digits.optional(),
    expires: expires.optional(),
  }),
  /** A mailbox of the circle asks to forward here: the code that its owner enters with the provider. */
  forwarding_code: z.strictObject({
    case: caseIdSchema,
    code: z.string().regex(/^\d{6,12}$/),
    person: z.string(),
  }),
  /** A person answered a notice, which decides nothing: how she decides. */
  reply: z.strictObject({ case: caseIdSchema }),
  /** A mail that left did not arrive, as a server reports. The recipient is an entry of the circle, by its name there. */
  undelivered: z.strictObject({
    what: z.enum(['letter', 'notice']),
    sentAt: z.iso.datetime(),
    recipient: z.string().optional(),
  }),
  deferred: aboutCase,
  failed_run: aboutCase.extend({ execution: z.string().regex(/^[A-Za-z0-9_-]{1,80}$/) }),
  closing: z.strictObject({
    case: caseIdSchema,
    subject: words.optional(),
    actions: z.array(
      z.strictObject({ tool, status: z.enum(actionStatuses), reason: code, what: words.optional() }),
    ),
    /** What could not be read; `why` is from a closed list. */
    unread: z.array(z.strictObject({ name: words, why: z.string().max(2000) })).optional(),
  }),
} as const;

export type NoticeKind = keyof typeof noticeKinds;
export type NoticeSlots<K extends NoticeKind> = z.infer<(typeof noticeKinds)[K]>;
export const noticeKindNames = Object.keys(noticeKinds) as readonly NoticeKind[];
