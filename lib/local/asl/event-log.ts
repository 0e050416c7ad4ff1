import { type Details, type HistoryEvent, stateData, whole } from './history.ts';

/** Events to a chunk, and values to an event. */
const chunkEvents = 16;
const width = 5;

/**
 * The events of one execution in the order of their ids, kept as bare values in chunks: a history is read seldom
 * and may be long, and an object for each event would cost more than everything else that the engine does for it.
 */
export class EventLog {
  readonly #chunks: unknown[][] = [];
  /** The first event's time: the others are kept as the difference, which is a small number. */
  #start = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A state's Entered or Exited with nothing to it but its name and its input or output, a JSON text. */
  pushState(type: string, previous: number, timestamp: number, name: string, text: string): void {
    this.#push(type, previous, timestamp, name, text);
  }

  push({ previousEventId, timestamp, type, details }: HistoryEvent): void {
    this.#push(type, previousEventId, timestamp, details, undefined);
  }

  /** The type of the event with this id, if there is one. */
  typeOf(id: number): string | undefined {
    return id < 1 || id > this.#length ? undefined : (this.#at(id - 1, 0) as string);
  }

  events(): readonly HistoryEvent[] {
    return Array.from({ length: this.#length }, (_, index) => {
      const type = this.#at(index, 0) as string;
      return {
        id: index + 1,
        previousEventId: this.#at(index, 1) as number,
        timestamp: this.#start + (this.#at(index, 2) as number),
        type,
        details: this.#details(type, index),
      };
    });
  }

  #push(
    type: string,
    previous: number,
    timestamp: number,
    subject: Details | string | undefined,
    text: string | undefined,
  ): void {
    const index = this.#length % chunkEvents;
    let chunk = this.#chunks[this.#chunks.length - 1];
    if (index === 0 || chunk === undefined) {
      if (this.#length === 0) this.#start = timestamp;
      chunk = new Array(chunkEvents * width);
      this.#chunks.push(chunk);
    }
    const at = index * width;
    chunk[at] = type;
    chunk[at + 1] = previous;
    chunk[at + 2] = timestamp - this.#start;
    chunk[at + 3] = subject;
    chunk[at + 4] = text;
    this.#length += 1;
  }

  #at(index: number, column: number): unknown {
    return this.#chunks[Math.floor(index / chunkEvents)]?.[(index % chunkEvents) * width + column];
  }

  #details(type: string, index: number): Details | undefined {
    const subject = this.#at(index, 3) as Details | string | undefined;
    if (typeof subject !== 'string') return subject;
    return stateDetails(type, subject, this.#at(index, 4) as string);
  }
}

/** The details of a state's Entered or Exited that has nothing but its name and its data. */
export function stateDetails(type: string, name: string, text: string): Details {
  const member = stateData(type) ?? 'input';
  return { name, [member]: text, [`${member}Details`]: whole };
}
