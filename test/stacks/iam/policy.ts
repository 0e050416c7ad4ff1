import * as z from 'zod';

const oneOrMore = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === 'string' ? [value] : value));

const conditionValue = z
  .union([z.string(), z.boolean(), z.number(), z.array(z.union([z.string(), z.boolean(), z.number()]))])
  .transform((value) => (Array.isArray(value) ? value : [value]).map(String));

const principals = z.union([
  z.literal('*'),
  z.strictObject({
    AWS: oneOrMore.optional(),
    Service: oneOrMore.optional(),
    Federated: oneOrMore.optional(),
  }),
]);

/**
 * A statement, as far as it is understood. An element that is not named here is an error: a `NotPrincipal` that was
 * passed over would turn a policy into its opposite.
 */
const statementSchema = z
  .strictObject({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Principal: principals.optional(),
    Action: oneOrMore.optional(),
    NotAction: oneOrMore.optional(),
    Resource: oneOrMore.optional(),
    NotResource: oneOrMore.optional(),
    Condition: z.record(z.string(), z.record(z.string(), conditionValue)).optional(),
  })
  .refine(
    (given) => (given.Action === undefined) !== (given.NotAction === undefined),
    'needs one of Action, NotAction',
  )
  .refine(
    (given) => given.Resource === undefined || given.NotResource === undefined,
    'has Resource and NotResource',
  );
export type Statement = z.infer<typeof statementSchema>;

const documentSchema = z.strictObject({
  Version: z.literal('2012-10-17'),
  Id: z.string().optional(),
  Statement: z.union([statementSchema, z.array(statementSchema)]),
});

/** A policy with the name that it is reported under. */
export interface Policy {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** Reads a policy document whose intrinsic functions were resolved. Whatever is not understood is an error. */
export function readPolicy(name: string, document: unknown): Policy {
  const result = documentSchema.safeParse(document);
  if (!result.success) throw new Error(`policy \`${name}\` is not understood: ${result.error.message}`);
  const { Statement: statements } = result.data;
  return { name, statements: Array.isArray(statements) ? statements : [statements] };
}
