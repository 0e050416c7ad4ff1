import { openDataDirectory } from '../local/datadirectory.ts';
import { isNotice, listOutbox } from '../local/endpoints/outbox.ts';
import { type Bounce, bouncesOf } from '../local/relay/bounces.ts';
import { type RelayEnd, relayEnds } from '../local/relay/ends.ts';
import { isHeld, neverSend, releaseHold } from '../local/relay/hold.ts';
import { systemClock } from '../provenance/clock.ts';
import { columns, createOutput, type Output } from './output.ts';
import { type CommonOptions, transportFromEnvironment } from './session.ts';

export interface OutboxOptions extends CommonOptions {
  readonly release?: boolean;
  /** The ids of held letters that are not to be sent. */
  readonly neverSend?: readonly string[];
}

/** Lists the mails of the outbox, the newest last, with what became of each. Subjects are left out: they may quote a mail. */
export async function outbox(options: OutboxOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const folder = openDataDirectory(options.data).outbox;
  for (const id of options.neverSend ?? []) {
    await neverSend(folder, id, systemClock);
    output.object({ id, sent: false });
    output.line(`Letter ${id} is not sent. Ask its recipient whether it arrived.`);
  }
  if (options.release === true) return release(output, folder);
  if (options.neverSend !== undefined) return;
  const held = isHeld(folder);
  const ends = await relayEnds(folder);
  const bounces = await bouncesOf(folder);
  const sends = transportFromEnvironment(options.data).transport !== undefined;
  const { mails, damaged } = await listOutbox(folder);
  const rows = mails.map((mail) => {
    const kind = isNotice(mail) ? 'notice' : 'letter';
    const waits = held && kind === 'letter' ? 'held after a restore' : 'waits';
    const bounce = bounces.get(mail.id);
    const stands = `${standOf(ends.get(mail.id), sends ? waits : 'kept here')}${reportOf(bounce)}`;
    const { id, at, source, destinations } = mail;
    output.object({ id, at, kind, source, destinations, stands, bounce });
    const row = [at.slice(0, 16).replace('T', ' '), kind, destinations.join(', '), stands];
    return held ? [...row, kind === 'letter' && !ends.has(id) ? id : ''] : row;
  });
  for (const id of damaged) {
    output.object({ id, stands: 'damaged' });
    rows.push(['?', '?', '?', `damaged: ${id}; restore it from a backup`]);
  }
  const head = ['AT (UTC)', 'KIND', 'TO', 'STANDS', ...(held ? ['ID'] : [])];
  if (rows.length === 0) output.line('Nothing was sent yet.');
  else for (const line of columns([head, ...rows])) output.line(line);
}

async function release(output: Output, folder: string): Promise<void> {
  const released = await releaseHold(folder);
  output.object({ released });
  output.line(released ? 'Letters leave again.' : 'No letter was held.');
}

/** @param otherwise how a mail stands that has no end yet */
function standOf(end: RelayEnd | undefined, otherwise: string): string {
  switch (end?.outcome) {
    case undefined:
      return otherwise;
    case 'taken':
      return `left ${end.at.slice(0, 16).replace('T', ' ')}`;
    case 'refused':
      return `refused (${end.code})`;
    case 'unknown':
      return 'unknown: ask the recipient';
  }
}

/** A report is somebody's mail, so it is said as one and decides nothing. */
function reportOf(bounce: Bounce | undefined): string {
  if (bounce === undefined) return '';
  const status = bounce.status === undefined ? '' : ` (${bounce.status})`;
  return bounce.action === 'failed'
    ? `; reported as not arrived${status}`
    : `; reported as late, still tried${status}`;
}
