import type { CaseRecord } from '../casefile/schemas.ts';
import { CaregateError } from '../errors.ts';

/**
 * The standing of a case that was admitted, for the model's materials and for the policy.
 * @throws CaregateError `INVALID_INPUT` for a case that was not: no model may be called for it
 */
export function admittedStanding(record: CaseRecord): 'accepted' | 'contact' {
  const { standing } = record.judgement;
  if (standing !== 'accepted' && standing !== 'contact') {
    throw new CaregateError('INVALID_INPUT', `case \`${record.case}\` was not admitted; release it first`);
  }
  return standing;
}
