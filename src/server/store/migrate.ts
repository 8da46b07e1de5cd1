/** Schema migrations. A released migration is never edited; each change is a new migration. */

export interface Migratable {
  exec(sql: string): void;
  transact(work: () => void): void;
}

/** Migrations, oldest first. `user_version` of the file is the number of applied migrations. */
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
  `
  ALTER TABLE tests ADD COLUMN due_at_ms INTEGER;
  CREATE INDEX tests_due ON tests (due_at_ms) WHERE due_at_ms IS NOT NULL;

  ALTER TABLE apps ADD COLUMN method TEXT NOT NULL DEFAULT 'http';

  CREATE TABLE notices (
    sequence INTEGER PRIMARY KEY,
    notice_id TEXT NOT NULL UNIQUE,
    test_id TEXT NOT NULL REFERENCES tests (test_id) ON DELETE CASCADE,
    result_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    destination TEXT NOT NULL,
    receiver TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_ms INTEGER,
    last_error TEXT,
    created_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER
  ) STRICT;
  CREATE INDEX notices_due ON notices (next_attempt_at_ms) WHERE next_attempt_at_ms IS NOT NULL;
  CREATE INDEX notices_by_test ON notices (test_id);
  CREATE INDEX notices_by_receiver ON notices (receiver, ended_at_ms);
  CREATE INDEX notices_by_state ON notices (state);
  `,
  `
  CREATE TABLE attempts (
    receiver TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX attempts_by_receiver ON attempts (receiver, at_ms);
  CREATE INDEX attempts_by_age ON attempts (at_ms);
  INSERT INTO attempts (receiver, at_ms)
    SELECT receiver, ended_at_ms FROM notices WHERE channel = 'email' AND state = 'delivered';
  DROP INDEX notices_by_receiver;
  `,
  `
  ALTER TABLE tests ADD COLUMN single_pass INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX tests_passed ON tests (created_at_ms) WHERE single_pass = 1;
  `,
  `
  CREATE INDEX results_by_age ON results (started_at_ms);
  CREATE INDEX notices_pending ON notices (result_id) WHERE state = 'pending';
  `,
  `
  CREATE TABLE checkpoints (
    result_id TEXT PRIMARY KEY REFERENCES results (result_id) ON DELETE CASCADE,
    record TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE acknowledged (
    changes INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE labels (
    test_id TEXT PRIMARY KEY REFERENCES tests (test_id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    project TEXT NOT NULL,
    environment TEXT NOT NULL,
    test_key TEXT NOT NULL
  ) STRICT;
  CREATE INDEX labels_by_key ON labels (project, environment, test_key);

  ALTER TABLE results ADD COLUMN judgement TEXT;
  `,
  `
  CREATE TABLE payload_files (
    sha256 TEXT PRIMARY KEY,
    content BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    touched_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE payload_uses (
    test_id TEXT NOT NULL REFERENCES tests (test_id) ON DELETE CASCADE,
    sha256 TEXT NOT NULL REFERENCES payload_files (sha256),
    PRIMARY KEY (test_id, sha256)
  ) STRICT;
  CREATE INDEX payload_uses_by_file ON payload_uses (sha256);
  `,
  `
  CREATE TABLE runs_elsewhere (
    result_id TEXT PRIMARY KEY REFERENCES results (result_id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL,
    state BLOB NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE app_checks (
    sequence INTEGER PRIMARY KEY,
    app_id TEXT NOT NULL REFERENCES apps (app_id) ON DELETE CASCADE,
    method TEXT NOT NULL,
    purpose TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX app_checks_by_app ON app_checks (app_id, sequence);
  `,
  `
  ALTER TABLE results ADD COLUMN started_by TEXT;
  ALTER TABLE results ADD COLUMN note TEXT;
  `,
];

/** Applies the migrations after `version`, all in one transaction. */
export function migrate(database: Migratable, version: number): void {
  if (version === MIGRATIONS.length) return;
  database.transact(() => {
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
