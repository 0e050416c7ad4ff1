import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../provenance/clock.ts';
import type { DataLock } from './datalock.ts';
import type { Inbox } from './mailbox/inbox.ts';
import type { Troubles } from './troubles.ts';

export interface SelfCheckOptions {
  /** The data directory. */
  readonly root: string;
  readonly lock: Pick<DataLock, 'refusedAnother'>;
  readonly troubles: Pick<Troubles, 'report' | 'clear' | 'list'>;
  readonly clock: Clock;
}

/** How long a second office that was refused is told of, in milliseconds. */
const refusalTold = 3_600_000;
/** As much as a mail takes: what is smaller than a block may fit where nothing else does. */
const probeBytes = 256 * 1024;

/** Looks whether this office can go on: whether its directory can be written, and whether another office wants it. */
export function checkSelf({ root, lock, troubles, clock }: SelfCheckOptions): void {
  if (isWritable(root)) troubles.clear('disk-full');
  else troubles.report('disk-full');
  if (lock.refusedAnother()) troubles.report('second-office');
  const told = troubles.list().find(({ id }) => id === 'second-office');
  if (told !== undefined && clock.now() - Date.parse(told.seen) > refusalTold)
    troubles.clear('second-office');
}

/** Whether as much as a mail can be written. */
export function isWritable(root: string): boolean {
  const probe = join(root, 'probe');
  try {
    writeFileSync(probe, new Uint8Array(probeBytes), { mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true, recursive: true });
  }
}

/** Whatever renews a certificate may be at it just now, or have failed: the inbox goes on with the one that it has. */
export function renewCertificate(
  inbox: Pick<Inbox, 'renew'>,
  troubles: Pick<Troubles, 'report' | 'clear'>,
): void {
  try {
    inbox.renew();
    troubles.clear('inbox-certificate');
  } catch {
    troubles.report('inbox-certificate');
  }
}
