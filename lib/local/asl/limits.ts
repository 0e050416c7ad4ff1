/** AWS's limits of a Standard workflow; bytes are of UTF-8, names are of UTF-16 code units. */
export const limits = {
  /** An input, an output, a task's arguments or result, a callback's output. */
  payloadBytes: 262_144,
  /** The last event says that the limit was reached. */
  historyEvents: 25_000,
  definitionBytes: 1_048_576,
  nameLength: 80,
  variableNameLength: 80,
  taskTokenLength: 2_048,
  errorLength: 256,
  causeLength: 32_768,
  /** Iterations of an inline Map side by side when the state asks for no limit, or for more. */
  mapConcurrency: 40,
  /** The longest wait, timeout or heartbeat. */
  seconds: 99_999_999,
  /** A page of a history or a list. */
  pageSize: 1_000,
  /** How long a closed execution's history is kept, and its name taken. */
  retentionMilliseconds: 90 * 24 * 60 * 60 * 1000,
} as const;
