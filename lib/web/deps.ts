import type { KeyObject } from 'node:crypto';
import type { DecideParts } from '../approval/decide.ts';
import type { MailingParts } from '../approval/mailing.ts';
import type { ApprovalRegister } from '../approval/register.ts';
import type { CaseIndex } from '../casefile/caseindex.ts';
import type { ObjectReader, ObjectStore } from '../casefile/store.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Clock } from '../provenance/clock.ts';
import type { Trouble } from './troubles.ts';

/** What the pages read. None of it can change anything. */
export interface PageDeps {
  readonly register: Pick<ApprovalRegister, 'view' | 'listOpen'>;
  readonly store: ObjectReader;
  readonly index: Pick<CaseIndex, 'list'>;
  /** The public half of the key that links are signed with; asked for once and kept. */
  readonly publicKey: () => Promise<KeyObject>;
  readonly circles: readonly Circle[];
  readonly clock: Clock;
  /** Whether cases are listed and shown without a link, to requests that name a loopback host. */
  readonly listing: boolean;
  /** The commit that this was built from, where somebody said; its smoke test is shown. */
  readonly commit?: string;
  /** Whether letters leave, as far as it is said; the pages say where they do not. */
  readonly sending?: 'on' | 'off';
  /** What keeps the office from working now, where it says so. */
  readonly troubles?: () => readonly Trouble[];
  /** Told of a failure by its kind alone. */
  readonly log?: (code: string) => void;
}

/** What deciding takes on top. */
export interface DecisionDeps
  extends Omit<PageDeps, 'index'>,
    Omit<DecideParts, 'store' | 'register' | 'publicKey' | 'clock'> {
  readonly register: ApprovalRegister;
  readonly store: ObjectStore;
  readonly notify: MailingParts['notify'];
  readonly publicUrl: string;
}
