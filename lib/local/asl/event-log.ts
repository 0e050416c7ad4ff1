import { type Details, type HistoryEvent, whole } from './history.ts';

/** The states' own events, which are most of a history, and the member that holds their data. */
const dataOf: ReadonlyMap<string, 'input' | 'output'> = new Map(
  ['Choice', 'Fail', 'Map', 'Parallel', 'Pass', 'Succeed', 'Task', 'Wait'].flatMap((type) => [
    [`${type}StateEntered`, 'input'] as const,
    [`${type}StateExited`, 'output'] as const,
  ]),
);

/**
 * The events of one execution in the order of their ids, kept in columns: a history is read seldom and may be
 * long, and an object for each event would cost more than everything else that the engine does for it.
 */
export class EventLog {
  readonly #types: string[] = [];
  readonly #previous: number[] = [];
  readonly #timestamps: number[] = [];
  /** The details, or only the state's name where {@link #texts} has the rest. */
  readonly #subjects: (Details | string | undefined)[] = [];
  readonly #texts: (string | undefined)[] = [];

  get length(): number {
    return this.#types.length;
  }

  push({ previousEventId, timestamp, type, details }: HistoryEvent): void {
    this.#types.push(type);
    this.#previous.push(previousEventId);
    this.#timestamps.push(timestamp);
    const member = dataOf.get(type);
    if (member === undefined || details === undefined || details.assignedVariables !== undefined) {
      this.#subjects.push(details);
      this.#texts.push(undefined);
    } else {
      this.#subjects.push(details.name as string);
      this.#texts.push(details[member] as string);
    }
  }

  /** The type of the event with this id, if there is one. */
  typeOf(id: number): string | undefined {
    return this.#types[id - 1];
  }

  events(): readonly HistoryEvent[] {
    return this.#types.map((type, index) => ({
      id: index + 1,
      previousEventId: this.#previous[index] ?? 0,
      timestamp: this.#timestamps[index] ?? 0,
      type,
      details: this.#details(type, index),
    }));
  }

  #details(type: string, index: number): Details | undefined {
    const subject = this.#subjects[index];
    if (typeof subject !== 'string') return subject;
    const member = dataOf.get(type) ?? 'input';
    return { name: subject, [member]: this.#texts[index], [`${member}Details`]: whole };
  }
}
