import * as z from 'zod';

export const verdicts = ['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED', 'UNKNOWN'] as const;
const verdict = z.enum(verdicts);

/**
 * What the receiver says about one delivery of a mail. It comes from the SES event and never from a header, which a
 * sender can write as well as SES can. `source` is the envelope sender: attacker-controlled, but checked by SPF.
 */
export const deliverySchema = z.strictObject({
  id: z.string().min(1).max(200),
  receivedAt: z.iso.datetime(),
  source: z.string().max(320),
  recipients: z.array(z.string().max(320)).max(100),
  verdicts: z.strictObject({ spam: verdict, virus: verdict, spf: verdict, dkim: verdict, dmarc: verdict }),
  /** Where the receiver put the bytes. */
  mail: z.strictObject({ bucket: z.string(), key: z.string() }),
});

export type Delivery = z.infer<typeof deliverySchema>;
export type Verdict = (typeof verdicts)[number];
