import { approvalTable } from '../approval/table.ts';
import { caseTable } from '../casefile/caseindex.ts';
import { names } from './names.ts';

/** Every table of the office, as a deployment's template has it. */
export const tables = [caseTable(names.caseTable), approvalTable(names.approvalTable)] as const;
