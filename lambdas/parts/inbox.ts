import { ObjectStore } from '../../lib/casefile/store.ts';
import { part } from './part.ts';
import { s3 } from './s3.ts';

/** Where the receiver puts mails. */
export const inbox = part((source) => new ObjectStore(s3(source), source.setting('CAREGATE_INBOX_BUCKET')));
