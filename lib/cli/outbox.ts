import { openDataDirectory } from '../local/datadirectory.ts';
import { readOutbox, type SentMail } from '../local/endpoints/outbox.ts';
import { type RelayEnd, relayEnds } from '../local/relay/relay.ts';
import { columns, createOutput } from './output.ts';
import { type CommonOptions, transportFromEnvironment } from './session.ts';

/** Lists the mails of the outbox, the newest last, with what became of each. Subjects are left out: they may quote a mail. */
export async function outbox(options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const folder = openDataDirectory(options.data).outbox;
  const ends = await relayEnds(folder);
  const sends = transportFromEnvironment().transport !== undefined;
  const mails = await readOutbox(folder);
  const rows = mails.map((mail) => {
    const stands = standOf(ends.get(mail.id), sends);
    const { id, at, source, destinations } = mail;
    output.object({ id, at, kind: kindOf(mail), source, destinations, stands });
    return [at.slice(0, 16).replace('T', ' '), kindOf(mail), destinations.join(', '), stands];
  });
  if (rows.length === 0) output.line('Nothing was sent yet.');
  else for (const line of columns([['AT (UTC)', 'KIND', 'TO', 'STANDS'], ...rows])) output.line(line);
}

function kindOf({ tags }: SentMail): 'notice' | 'letter' {
  return Object.hasOwn(tags, 'notice') ? 'notice' : 'letter';
}

function standOf(end: RelayEnd | undefined, sends: boolean): string {
  switch (end?.outcome) {
    case undefined:
      return sends ? 'waits' : 'kept here';
    case 'taken':
      return `left ${end.at.slice(0, 16).replace('T', ' ')}`;
    case 'refused':
      return `refused (${end.code})`;
    case 'unknown':
      return 'unknown: ask the recipient';
  }
}
