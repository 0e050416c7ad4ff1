import { type Subscription, subscribe, subscriptionsOf, unsubscribe } from '../casefile/subscriptions.ts';
import type { ConnectionFile } from '../local/datadirectory.ts';
import { systemClock } from '../provenance/clock.ts';
import { systemRandomness } from '../provenance/randomness.ts';
import { loadConnectionCircle } from './circlefile.ts';
import { columns, createOutput } from './output.ts';
import { usualPorts } from './ports.ts';
import { type CommonOptions, withOffice } from './session.ts';

/** Gives a person an address of her own for the calendar feed, and shows it this once. */
export async function addSubscription(person: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const circle = loadConnectionCircle(options.data);
  await withOffice(options, async ({ office, started }) => {
    const parts = { store: office.store, circle, clock: systemClock, randomness: systemRandomness };
    const { secret, id } = await subscribe(parts, person);
    const base = baseOf(office.file, started).replace(/\/+$/, '');
    const url = `${base}/calendar/${secret}.ics`;
    output.object({ id, person, url });
    output.line(url);
    output.line();
    output.line(
      'Subscribe to this address in a calendar program. It is shown once, and whoever has it reads the',
    );
    output.line(`calendars: take it back with \`caregate calendar revoke ${id.slice(0, 12)}\`.`);
    if (started) output.line('It is answered while the office runs, under the same port or public address.');
  });
}

/** Where the pages are when the office runs: one that was started for this command alone has a port of its own. */
function baseOf({ publicUrl, web }: ConnectionFile, started: boolean): string {
  if (publicUrl !== undefined && publicUrl !== web) return publicUrl;
  return started ? `http://127.0.0.1:${usualPorts.pages}` : web;
}

/** Lists who subscribes. The addresses themselves are kept nowhere. */
export async function listSubscriptions(options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const circle = loadConnectionCircle(options.data);
  await withOffice(options, async ({ office }) => {
    const all = await subscriptionsOf(office.store, circle);
    for (const subscription of all) output.object(subscription);
    if (all.length === 0) {
      output.line('Nobody subscribes yet: caregate calendar add PERSON');
      return;
    }
    for (const line of columns([['ID', 'PERSON', 'SINCE', 'STANDS'], ...all.map(rowOf)])) output.line(line);
  });
}

function rowOf({ id, person, at, revokedAt }: Subscription): string[] {
  const stands = revokedAt === undefined ? 'open' : `revoked ${revokedAt.slice(0, 10)}`;
  return [id.slice(0, 12), person, at.slice(0, 10), stands];
}

/** Takes a subscription back. Its address answers nothing from now on. */
export async function revokeSubscription(id: string, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const circle = loadConnectionCircle(options.data);
  await withOffice(options, async ({ office }) => {
    const revoked = await unsubscribe({ store: office.store, circle, clock: systemClock }, id);
    output.object(revoked);
    output.line(`Subscription ${revoked.id.slice(0, 12)} of ${revoked.person} is revoked.`);
  });
}
