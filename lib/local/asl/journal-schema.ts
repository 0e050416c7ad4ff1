/** SQLite's mark of the program that a file belongs to: `CGSL`. */
export const applicationId = 0x43_47_53_4c;

/** Raised by every change that an older engine could not read. */
export const journalVersion = 1;

export const schema = `
  CREATE TABLE definitions (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE machines (
    arn TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    definition INTEGER NOT NULL REFERENCES definitions (id)
  );
  CREATE TABLE executions (
    id INTEGER PRIMARY KEY, arn TEXT NOT NULL UNIQUE, name TEXT NOT NULL, machine TEXT NOT NULL,
    definition INTEGER NOT NULL, input TEXT NOT NULL, start REAL NOT NULL, status TEXT NOT NULL,
    stop REAL, output TEXT, error TEXT, cause TEXT,
    told INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX executions_by_machine ON executions (machine, start);
  CREATE TABLE records (seq INTEGER PRIMARY KEY, execution INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE INDEX records_by_execution ON records (execution);
`;
