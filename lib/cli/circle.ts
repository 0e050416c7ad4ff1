import { existsSync } from 'node:fs';
import * as z from 'zod';
import { layout } from '../casefile/layout.ts';
import { findRecord } from '../casefile/record.ts';
import { CaregateError } from '../errors.ts';
import { readChanges, recordChange } from '../local/circle/changes.ts';
import { addEntry, type EditedCircle, type EditedList, removeEntry } from '../local/circle/editing.ts';
import { idFor } from '../local/circle/making.ts';
import { connect } from '../local/connection.ts';
import { findConnection, openDataDirectory } from '../local/datadirectory.ts';
import { circleRoles, loadCircle } from '../provenance/circle.ts';
import { systemClock } from '../provenance/clock.ts';
import { people } from './init.ts';
import { columns, createOutput, type Output } from './output.ts';
import type { CommonOptions } from './session.ts';

export interface EntryOptions extends CommonOptions {
  readonly id?: string;
  readonly role?: readonly string[];
}

const singular: Readonly<Record<EditedList, string>> = { people: 'person', contacts: 'contact' };

/** Lists the people or the contacts of the household's circle. */
export async function listEntries(list: EditedList, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const circle = loadCircle(ownCircle(options).file);
  const rows = circle[list].map((entry) => {
    output.object(entry);
    return [entry.id, entry.name, entry.email, 'roles' in entry ? entry.roles.join(', ') : ''];
  });
  if (rows.length === 0) output.line(`There is no ${singular[list]} yet.`);
  for (const line of columns(rows)) output.line(line);
}

/**
 * Adds a person or a contact, given as `Name <address>`.
 * @throws CaregateError `INVALID_INPUT`, `NOT_FOUND` without a circle, `CONFIGURATION_INVALID` if it would not be one
 */
export async function addEntryTo(list: EditedList, given: string, options: EntryOptions): Promise<void> {
  const { file, log } = ownCircle(options);
  const [named, ...others] = people(singular[list], given, 1);
  if (named === undefined || others.length > 0) {
    throw new CaregateError('INVALID_INPUT', `\`${singular[list]}\` is more than one; add one at a time`);
  }
  // Links, consents and calendar addresses name a person by her id: a new one never gets that of somebody before her.
  const before = readChanges(log).flatMap((known) => (known.list === list ? [known.id ?? ''] : []));
  const now = loadCircle(file)[list].map(({ id }) => id);
  const id = options.id ?? idFor(named.name, [...now, ...before], singular[list]);
  if (list === 'people' && before.includes(id) && !now.includes(id)) {
    throw new CaregateError(
      'INVALID_INPUT',
      `\`--id ${id}\` was a person's before, whose links and calendar addresses would work again; choose another`,
    );
  }
  const roles = list === 'people' ? { roles: options.role ?? ['caregiver'] } : {};
  const edited = addEntry(file, list, { id, ...named, ...roles });
  await report(edited, { list, id, change: 'added', log }, options);
}

/**
 * Removes a person or a contact by id.
 * @throws CaregateError `NOT_FOUND`; `INVALID_INPUT` for the last owner; `CONFIGURATION_INVALID` while it is granted something
 */
export async function removeEntryFrom(list: EditedList, id: string, options: CommonOptions): Promise<void> {
  const { file, log } = ownCircle(options);
  const [owner] = circleRoles;
  const owners = loadCircle(file).people.filter(({ roles }) => roles.includes(owner));
  if (list === 'people' && owners.length === 1 && owners[0]?.id === id) {
    throw new CaregateError('INVALID_INPUT', `\`${id}\` is the only owner; add another owner first`);
  }
  await report(removeEntry(file, list, id), { list, id, change: 'removed', log }, options);
}

interface Change {
  readonly list: EditedList;
  readonly id: string;
  readonly change: 'added' | 'removed';
  readonly log: string;
}

async function report(edited: EditedCircle, change: Change, options: CommonOptions): Promise<void> {
  const output = createOutput(options.json === true);
  const { list, id } = change;
  const { before, after } = edited;
  recordChange(change.log, systemClock, { change: change.change, list, id, before, after });
  const open = await openUses(options.data, list, id);
  output.object({ change: change.change, list, id, before, after, void: open });
  output.line(
    `The ${singular[list]} ${id} was ${change.change}. The circle's digest is ${after.slice(0, 12)} now.`,
  );
  sayVoid(output, id, open);
  if (findConnection(options.data) !== undefined)
    output.line('The office that is running goes by it from now on.');
  else if (change.change === 'removed')
    output.line(`Approvals that name ${id}, if any wait, are void: their pages say so when the office runs.`);
}

function sayVoid(output: Output, id: string, open: readonly string[]): void {
  if (open.length === 0) return;
  output.line(`Open approvals that name ${id} are void, and will be refused: ${open.join(', ')}`);
}

const callSchema = z.looseObject({
  arguments: z.record(
    z.string(),
    z.looseObject({ entry: z.looseObject({ list: z.string(), id: z.string() }).optional() }),
  ),
});

/** The open approvals whose call names an entry, as far as a running office can say. */
async function openUses(data: string, list: EditedList, id: string): Promise<string[]> {
  const running = findConnection(data);
  if (running === undefined) return [];
  const office = connect(running);
  try {
    const uses: string[] = [];
    for (const view of await office.register.listOpen(office.circle)) {
      const call = await findRecord(office.store, layout.call(view, view.action), callSchema);
      const entries = Object.values(call?.arguments ?? {}).map(({ entry }) => entry);
      const named = entries.some((entry) => entry?.list === list && entry.id === id);
      // Who was asked beside somebody else is not missed: the others may decide still.
      const missed = list === 'people' && id in view.people && Object.keys(view.people).length <= view.need;
      if (named || missed) uses.push(view.id);
    }
    return uses;
  } finally {
    office.close();
  }
}

/** The household's own circle. The invented example is not changed. */
function ownCircle(options: CommonOptions): { file: string; log: string } {
  const { circleFile, circleLog } = openDataDirectory(options.data);
  if (existsSync(circleFile)) return { file: circleFile, log: circleLog };
  throw new CaregateError('NOT_FOUND', `\`${circleFile}\` is not there yet; make it with \`caregate init\``);
}
