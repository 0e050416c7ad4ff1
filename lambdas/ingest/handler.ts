import { ingest, mailEventSchema } from '../../lib/mail/ingest.ts';
import { store } from '../parts/casefile.ts';
import { circles } from '../parts/circles.ts';
import { machine, sfn } from '../parts/executions.ts';
import { inbox } from '../parts/inbox.ts';
import { step } from '../step.ts';

/** The receiving rule's Lambda action: takes mails over and starts their cases. */
export const handler = step(mailEventSchema, { store, inbox, sfn, machine, circles }, ingest);
