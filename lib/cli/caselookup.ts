import type { CaseEntry } from '../casefile/caseindex.ts';
import { CaregateError } from '../errors.ts';
import type { OfficeConnection } from '../local/connection.ts';

/**
 * The case that a person names by its id or by the beginning of it.
 * @throws CaregateError `NOT_FOUND`, or `INVALID_INPUT` if several begin like that
 */
export async function findCase(office: OfficeConnection, given: string): Promise<CaseEntry> {
  const found = (await office.index.list(office.circle)).filter((entry) => entry.case.startsWith(given));
  const [first, ...others] = found;
  if (first === undefined || given === '') {
    throw new CaregateError(
      'NOT_FOUND',
      `case \`${given}\` does not exist; list the cases with \`caregate cases\``,
    );
  }
  const exact = found.find((entry) => entry.case === given);
  if (exact === undefined && others.length > 0) {
    throw new CaregateError(
      'INVALID_INPUT',
      `case \`${given}\` could be one of ${found.length}; give more of its id`,
    );
  }
  return exact ?? first;
}
