import * as z from 'zod';
import type { Pointer } from '../casefile/record.ts';
import { sha256Schema } from '../casefile/schemas.ts';

/** The time of an event: a `Date` from the SDK, epoch seconds from the wire, or ISO text from a file. */
const timestamp = z.union([
  z.date().transform((date) => date.toISOString()),
  z.number().transform((seconds) => new Date(seconds * 1000).toISOString()),
  z.iso.datetime({ offset: true }).transform((text) => new Date(Date.parse(text)).toISOString()),
]);

/** One event of an execution, as `GetExecutionHistory` gives it; details stay under the names that AWS gives them. */
export const historyEventSchema = z.looseObject({
  id: z.int().positive(),
  previousEventId: z.int().nonnegative().optional(),
  type: z.string().min(1).max(80),
  timestamp,
});
export type HistoryEvent = z.infer<typeof historyEventSchema>;

/** A history as it was asked for or saved: the events, or the whole answer around them. */
export const historySchema = z.union([
  z.array(historyEventSchema),
  z.looseObject({ events: z.array(historyEventSchema) }).transform(({ events }) => events),
]);

/** Whatever names an object and its digest, alone or among other fields. */
const namedObject = z.object({ key: z.string().min(1).max(1024), sha256: sha256Schema });

const removed = '[removed]';

/**
 * The history without its task tokens. Step Functions shows a token in the arguments of the task that waits for it,
 * and whoever has it can answer in a person's place; so it goes, by name and wherever else it is repeated.
 */
export function stripHistory(events: readonly HistoryEvent[]): HistoryEvent[] {
  const tokens = new Set<string>();
  for (const event of events) collectTokens(event, tokens);
  return events.map((event) => withoutTokens(event, tokens) as HistoryEvent);
}

/** Every value in a history, the JSON texts in it opened. */
export function* valuesIn(value: unknown): Generator<unknown> {
  const opened = typeof value === 'string' ? (openJson(value) ?? value) : value;
  yield opened;
  if (typeof opened !== 'object' || opened === null) return;
  for (const member of Object.values(opened)) yield* valuesIn(member);
}

/** Every pointer in a history. */
export function pointersIn(events: readonly HistoryEvent[]): Pointer[] {
  const found = new Map<string, Pointer>();
  for (const value of valuesIn(events)) {
    const pointer = namedObject.safeParse(value);
    if (pointer.success) found.set(`${pointer.data.key} ${pointer.data.sha256}`, pointer.data);
  }
  return [...found.values()];
}

function isTokenName(name: string): boolean {
  return /^(?:task[-_]?)?token$/i.test(name);
}

function collectTokens(value: unknown, tokens: Set<string>): void {
  for (const opened of valuesIn(value)) {
    if (typeof opened !== 'object' || opened === null || Array.isArray(opened)) continue;
    for (const [name, member] of Object.entries(opened)) {
      // What is shorter is no token, and taking every occurrence of a short text out would spoil the rest.
      if (isTokenName(name) && typeof member === 'string' && member.length >= 16) tokens.add(member);
    }
  }
}

function withoutTokens(value: unknown, tokens: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return withoutTokensInText(value, tokens);
  if (Array.isArray(value)) return value.map((member) => withoutTokens(member, tokens));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    isTokenName(name) ? removed : withoutTokens(member, tokens),
  ]);
  return Object.fromEntries(members);
}

function withoutTokensInText(text: string, tokens: ReadonlySet<string>): string {
  const opened = openJson(text);
  if (opened !== undefined) return JSON.stringify(withoutTokens(opened, tokens));
  let clean = text;
  for (const token of tokens) clean = clean.replaceAll(token, removed);
  return clean;
}

/** The object or list that a text is the JSON of, or nothing. */
function openJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
