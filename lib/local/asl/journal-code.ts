import { stateDetails } from './event-log.ts';
import { type Details, type HistoryEvent, stateData } from './history.ts';
import type { Extra, JournalRecord, Note } from './record.ts';

/** A record as a row of plain values. */
type Row = readonly unknown[];

/**
 * The records of one execution that are committed together, without what can be told from the rest: a state's
 * own events shrink to name and data, and data that equals the data before it (one state's output is the next
 * one's input) to a 0.
 */
export class RecordBatch {
  readonly #rows: Row[] = [];
  #lastText: string | undefined;

  addState(
    scope: string,
    id: number,
    event: { previous: number; timestamp: number; type: string; name: string; text: string },
  ): void {
    const { previous, timestamp, type, name, text } = event;
    this.#rows.push([type, scope, id, previous, timestamp, name, text === this.#lastText ? 0 : text]);
    this.#lastText = text;
  }

  addEvent(scope: string, event: HistoryEvent, extra: Extra | undefined): void {
    const { type, id, previousEventId, timestamp, details } = event;
    const row = [type, scope, id, previousEventId, timestamp, details ?? 0];
    this.#rows.push(extra === undefined ? row : [...row, extra]);
  }

  addNote(scope: string, note: Note): void {
    this.#rows.push(['', scope, note]);
  }

  encode(): string {
    return JSON.stringify(this.#rows);
  }
}

/** Reads what {@link RecordBatch} wrote. Throws whatever the text's damage leads to. */
export function decodeRecords(body: string): JournalRecord[] {
  let last: unknown;
  return (JSON.parse(body) as unknown[][]).map((row) => {
    const [type, scope, third, previousEventId, timestamp, subject, rest] = row as [
      string,
      string,
      ...unknown[],
    ];
    if (type === '') return { scope, note: third as Note };
    const head = {
      id: Number(third),
      previousEventId: Number(previousEventId),
      timestamp: Number(timestamp),
      type,
    };
    if (typeof subject === 'string' && stateData(type) !== undefined) {
      last = rest === 0 ? last : rest;
      return { scope, event: { ...head, details: stateDetails(type, subject, String(last)) } };
    }
    const details = subject === 0 ? undefined : (subject as Details);
    return { scope, event: { ...head, details }, extra: rest as Extra | undefined };
  });
}
