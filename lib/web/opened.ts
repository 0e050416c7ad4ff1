import type { ApprovalView } from '../approval/entry.ts';
import { type LinkClaims, openLink } from '../approval/link.ts';
import { type ApprovalRecord, approvalRecordSchema } from '../approval/record.ts';
import { readRecord } from '../casefile/record.ts';
import { CaregateError } from '../errors.ts';
import type { Circle } from '../provenance/circle.ts';
import type { PageDeps } from './deps.ts';

/** What a link leads to, after its signature was checked and everything it names was found to agree. */
export interface Opened {
  readonly link: string;
  readonly claims: LinkClaims;
  readonly view: ApprovalView;
  readonly circle: Circle;
}

/**
 * Opens a link for reading. It may be expired or decided: the page then says so.
 * @param link attacker-controlled
 * @throws CaregateError `APPROVAL_LINK_INVALID`
 */
export async function open(deps: PageDeps, link: string): Promise<Opened> {
  const claims = await openLink(link, await deps.publicKey());
  const view = await deps.register.view(claims.approval);
  const circle = deps.circles.find(({ id }) => id === view?.circle);
  const known = view !== undefined && circle !== undefined && Object.hasOwn(view.people, claims.person);
  // Somebody who was taken out of the circle since has no say, and reads nothing more.
  const belongs = circle?.people.some(({ id }) => id === claims.person) === true;
  if (!known || !belongs || view.callDigest !== claims.callDigest) {
    throw new CaregateError(
      'APPROVAL_LINK_INVALID',
      '`link` is for nothing that is known here; use the newest mail',
    );
  }
  return { link, claims, view, circle };
}

/** What was put before the person, read back and checked by its digest. */
export async function presentedRecord(deps: PageDeps, { view }: Opened): Promise<ApprovalRecord> {
  return readRecord(deps.store, view.record, approvalRecordSchema);
}
