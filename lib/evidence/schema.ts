import * as z from 'zod';
import { modelFailureCodes } from '../model/failure.ts';
import { parseSha256, type Sha256 } from '../provenance/digest.ts';
import { doubtNames, factKinds, validatorNames } from '../provenance/trust.ts';
import { type DropReason, documentKinds, dropReasons, type Evidence, unreadReasons } from './types.ts';

export const limits = {
  /** Documents of one mail; what a person answers comes on top. */
  documents: 60,
  /** Facts of one mail; what a person answers comes on top. */
  facts: 200,
  /** UTF-8 bytes of one page. */
  page: 200_000,
  /** UTF-8 bytes of all pages of a mail. */
  text: 2_000_000,
  pages: 200,
  /** Pictures of one mail that are shown to a model to be read. */
  pictures: 12,
  /** UTF-8 bytes of one piece of text that nobody sees, and of all of a document's together. */
  hidden: 20_000,
  /** UTF-16 code units of a quote. */
  quote: 300,
  /** Answers that a case can hold. */
  answers: 100,
} as const;

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text): Sha256 => parseSha256(text));

const pageNumbers = z.array(z.int().positive().max(limits.pages)).min(1).max(limits.pages);

const documentSchema = z.strictObject({
  id: digest,
  alias: z.string().regex(/^d[1-9][0-9]{0,3}$/),
  kind: z.enum(documentKinds),
  name: z.string().min(1).max(200),
  contentType: z.string().max(200),
  size: z.int().nonnegative(),
  pages: z.array(z.string().max(limits.page)).min(1).max(limits.pages),
  unread: z.enum(unreadReasons).optional(),
  within: digest.optional(),
  transcribed: pageNumbers.optional(),
  unseen: pageNumbers.optional(),
  hidden: z.array(z.string().max(limits.hidden)).min(1).max(limits.pages).optional(),
  truncated: z.literal(true).optional(),
});

const factSchema = z
  .strictObject({
    id: z.string().regex(/^f[1-9][0-9]{0,3}$/),
    kind: z.enum(factKinds),
    value: z.string().min(1).max(2000),
    source: z.strictObject({
      document: digest,
      page: z.int().positive(),
      quote: z.string().min(1).max(limits.quote),
      transcribed: z.literal(true).optional(),
    }),
    /** A fact is never TRUSTED: that originates in the circle. */
    trust: z.enum(['UNTRUSTED', 'CONTROLLED']),
    group: z
      .string()
      .regex(/^a[1-9][0-9]{0,3}$/)
      .optional(),
    validator: z.enum(validatorNames).optional(),
    doubt: z.enum(doubtNames).optional(),
  })
  .refine((fact) => (fact.trust === 'CONTROLLED') === (fact.validator !== undefined), 'names no validator')
  .refine((fact) => fact.trust === 'UNTRUSTED' || fact.source.transcribed !== true, 'is from a picture')
  .refine((fact) => fact.trust === 'UNTRUSTED' || fact.doubt === undefined, 'is raised and doubted');

const recordingSchema = z.strictObject({
  model: z.string().max(2048),
  attempts: z.int().nonnegative(),
  added: z.int().nonnegative(),
  dropped: z.partialRecord(
    z.enum(Object.keys(dropReasons) as [DropReason, ...DropReason[]]),
    z.int().positive(),
  ),
  failure: z.enum(modelFailureCodes).optional(),
});

/** Reads stored evidence back. Texts, names and values in it are attacker-controlled still. */
export const evidenceSchema: z.ZodType<Evidence> = z.strictObject({
  documents: z.array(documentSchema).max(limits.documents + limits.answers),
  facts: z.array(factSchema).max(limits.facts + 10 * limits.answers),
  recording: recordingSchema.optional(),
});
