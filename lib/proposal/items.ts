import * as z from 'zod';

/** The most household items that one proposal may stage. */
export const mostItems = 20;

const words = z.string().regex(/\S/).max(200);
const date = z.iso.date();
const money = {
  /** In minor units of the currency: never a fraction. */
  amount: z.int().min(-100_000_000).max(100_000_000).optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
};

/** Household items as a model stages them: plain values, a field only where the document states it. */
export const itemSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('appliance'),
      name: words,
      maker: words.optional(),
      model: words.optional(),
      serial: words.optional(),
      seller: words.optional(),
      purchased: date.optional(),
      delivered: date.optional(),
      warrantyMonths: z.int().positive().max(600).optional(),
      ...money,
    }),
    z.strictObject({
      kind: z.literal('transaction'),
      name: words,
      seller: words.optional(),
      paid: date.optional(),
      ...money,
    }),
    z.strictObject({
      kind: z.literal('subscription'),
      name: words,
      every: z.enum(['week', 'month', 'quarter', 'year']).optional(),
      renews: date.optional(),
      trialEnds: date.optional(),
      ...money,
    }),
    z.strictObject({
      kind: z.literal('utility_bill'),
      name: words,
      from: date.optional(),
      until: date.optional(),
      due: date.optional(),
      ...money,
    }),
  ])
  .refine((item) => (item.amount === undefined) === (item.currency === undefined), {
    message: 'an amount and its currency belong together',
    path: ['currency'],
  });

export type HouseholdItem = z.infer<typeof itemSchema>;

const text = (description: string) => ({ type: 'string', description });
const isoDate = text('YYYY-MM-DD, only if the document states it');

/** The same for a model: one flat object, because families differ most in how they read unions. */
export const itemJsonSchema = {
  type: 'object',
  description: 'one household item; leave out every field that the document does not state',
  properties: {
    kind: { type: 'string', enum: ['appliance', 'transaction', 'subscription', 'utility_bill'] },
    name: text('what it is called'),
    maker: text('appliance: who made it'),
    model: text('appliance: its model'),
    serial: text('appliance: its serial number'),
    seller: text('appliance, transaction: who sold it'),
    purchased: isoDate,
    delivered: isoDate,
    warrantyMonths: { type: 'integer', description: 'appliance: stated length of the warranty' },
    paid: isoDate,
    every: { type: 'string', enum: ['week', 'month', 'quarter', 'year'] },
    renews: isoDate,
    trialEnds: isoDate,
    from: isoDate,
    until: isoDate,
    due: isoDate,
    amount: { type: 'integer', description: 'in minor units, such as cents; never without currency' },
    currency: text('ISO 4217, such as EUR; never without amount'),
  },
  required: ['kind', 'name'],
} as const;
