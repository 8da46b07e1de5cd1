/** The tables, as steps. A step that was ever released is never edited; a change is a new step. */

/** As much of a database as migrating it needs. */
export interface Migratable {
  exec(sql: string): void;
  transact(work: () => void): void;
}

/** `user_version` of a file counts the steps that it has seen. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE apps (
    app_id TEXT PRIMARY KEY,
    host TEXT NOT NULL UNIQUE,
    verified INTEGER NOT NULL DEFAULT 0,
    addresses TEXT NOT NULL DEFAULT '[]',
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE tests (
    sequence INTEGER PRIMARY KEY,
    test_id TEXT NOT NULL UNIQUE,
    app_id TEXT NOT NULL REFERENCES apps (app_id) ON DELETE CASCADE,
    definition TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tests_by_app ON tests (app_id);
  CREATE INDEX tests_by_status ON tests (status);

  CREATE TABLE results (
    sequence INTEGER PRIMARY KEY,
    result_id TEXT NOT NULL UNIQUE,
    test_id TEXT NOT NULL REFERENCES tests (test_id) ON DELETE CASCADE,
    started_at_ms INTEGER NOT NULL,
    record TEXT,
    detail TEXT
  ) STRICT;
  CREATE INDEX results_by_test ON results (test_id, sequence);
  CREATE INDEX results_open ON results (result_id) WHERE record IS NULL;

  CREATE TABLE idempotency (
    idempotency_key TEXT PRIMARY KEY,
    request TEXT NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX idempotency_by_age ON idempotency (created_at_ms);
  `,
];

/** Brings a database that has seen `version` steps to the newest; all steps in one transaction. */
export function migrate(database: Migratable, version: number): void {
  if (version === MIGRATIONS.length) return;
  database.transact(() => {
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
