import { ApprovalRegister } from '../../lib/approval/register.ts';
import { dynamodb } from './dynamodb.ts';
import { part } from './part.ts';

/** The table of approvals and questions. */
export const register = part(
  (source) => new ApprovalRegister(dynamodb(source), source.setting('CAREGATE_APPROVAL_TABLE')),
);
