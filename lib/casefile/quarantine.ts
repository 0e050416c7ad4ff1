import { CaregateError } from '../errors.ts';
import type { CaseRecord } from './schemas.ts';

/** Whether a mail in quarantine could be read at all, and may be opened. */
export function isReleasable({ judgement }: Pick<CaseRecord, 'judgement'>): boolean {
  return !['NOT_A_MAIL', 'VIRUS_FOUND', 'SCAN_FAILED'].includes(judgement.reason);
}

/** @throws CaregateError `INVALID_INPUT` for a mail in quarantine that must not be opened */
export function requireReleasable(record: CaseRecord): void {
  if (isReleasable(record)) return;
  if (record.judgement.reason === 'NOT_A_MAIL') {
    throw new CaregateError(
      'INVALID_INPUT',
      `case \`${record.case}\` could not be read as a mail, so there is nothing to release; have it sent anew`,
    );
  }
  throw new CaregateError(
    'INVALID_INPUT',
    `case \`${record.case}\` holds a virus, or could not be searched for one, and is never opened; have the mail sent anew`,
  );
}
