import { ObjectStore } from '../../lib/casefile/store.ts';
import { part } from './part.ts';
import { s3 } from './s3.ts';

/** The case files and the effects of all circles. */
export const store = part((source) => new ObjectStore(s3(source), source.setting('CAREGATE_CASE_BUCKET')));
