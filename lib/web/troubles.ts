import { readFileSync } from 'node:fs';
import { html } from 'hono/html';
import * as z from 'zod';
import { dayAndTime } from '../approval/wording.ts';
import type { Circle } from '../provenance/circle.ts';
import type { Html } from './shell.ts';

/** Something that keeps the office from doing all of its work, in words of ours. No address and no name is in it. */
export const troubleSchema = z.strictObject({
  id: z.string().regex(/^[a-z]+(?:-[a-z]+)*$/),
  /** What is wrong. */
  says: z.string().min(1),
  /** What a person can do about it. */
  remedy: z.string().min(1),
  /** A code or a number, for whoever looks closer. */
  detail: z
    .string()
    .regex(/^[\w-]{1,40}$/)
    .optional(),
  /** ISO instants: when it began, and when it was last seen. */
  since: z.iso.datetime(),
  seen: z.iso.datetime(),
});
export type Trouble = z.infer<typeof troubleSchema>;

/** What the file of an office says; nothing where there is none, or where it was cut short by a crash. */
export function readTroubles(file: string): readonly Trouble[] {
  try {
    return z.array(troubleSchema).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [];
  }
}

/** What is wrong, first on a page: it may be why somebody opened it. */
export function troubleNotes(troubles: readonly Trouble[], circle: Circle | undefined): Html {
  const since = (trouble: Trouble): string =>
    circle === undefined ? trouble.since : dayAndTime(trouble.since, circle);
  return html`${troubles.map(
    (trouble) => html`<div class="warn" role="alert"><p><b>${sentence(trouble.says)}</b></p>
<p>${sentence(trouble.remedy)} Since ${since(trouble)}.</p></div>`,
  )}`;
}

/** A text of ours as a sentence; what stands in backticks is something to type. */
function sentence(text: string): Html {
  const parts = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
