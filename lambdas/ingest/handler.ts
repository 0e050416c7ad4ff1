import { ingest, mailEventSchema } from '../../lib/mail/ingest.ts';
import { step } from '../step.ts';

/** The receiving rule's Lambda action: takes mails over and starts their cases. */
export const handler = step(mailEventSchema, ingest);
