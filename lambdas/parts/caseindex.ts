import { CaseIndex } from '../../lib/casefile/caseindex.ts';
import { dynamodb } from './dynamodb.ts';
import { part } from './part.ts';

/** The table of cases. */
export const index = part((source) => new CaseIndex(dynamodb(source), source.setting('CAREGATE_CASE_TABLE')));
