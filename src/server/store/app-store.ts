import type { AppCheck, VerifyMethod } from '../../contract/app-codec.ts';
import { textColumns, type Database, type Row } from './database.ts';

export interface StoredApp {
  readonly id: string;
  /** Host in lower case, with any port other than the default port. */
  readonly host: string;
  readonly verified: boolean;
  /** Addresses of the last verification; empty if the app is unverified or only its host name was verified. */
  readonly addresses: readonly string[];
  readonly method: VerifyMethod;
}

const MAX_CHECKS = 10;

export interface AppStore {
  /** Returns the existing app if the host is already registered. */
  register(app: { readonly id: string; readonly host: string; readonly at: number }): StoredApp;
  list(): readonly StoredApp[];
  get(id: string): StoredApp | null;
  byHost(host: string): StoredApp | null;
  setVerified(id: string, by: { readonly method: VerifyMethod; readonly addresses: readonly string[] }): void;
  setUnverified(id: string): void;
  /** Stores a check and retains only the latest MAX_CHECKS of the app. Has no effect if the app does not exist. */
  addCheck(id: string, check: AppCheck): void;
  /** Returns the checks, newest first. */
  checks(id: string): readonly AppCheck[];
  /** Deletes an app with its tests and their results. Returns false if the app does not exist. */
  remove(id: string): boolean;
}

export function openAppStore(database: Database): AppStore {
  const columns = `${textColumns('app_id', 'host', 'addresses', 'method')}, verified`;
  const insert = database.prepare(
    'INSERT INTO apps (app_id, host, created_at_ms) VALUES (?, ?, ?) ON CONFLICT (host) DO NOTHING',
  );
  const list = database.prepare(`SELECT ${columns} FROM apps ORDER BY rowid`);
  const byId = database.prepare(`SELECT ${columns} FROM apps WHERE app_id = ?`);
  const byHost = database.prepare(`SELECT ${columns} FROM apps WHERE host = ?`);
  const verify = database.prepare('UPDATE apps SET verified = 1, addresses = ?, method = ? WHERE app_id = ?');
  const unverify = database.prepare("UPDATE apps SET verified = 0, addresses = '[]' WHERE app_id = ?");
  const remove = database.prepare('DELETE FROM apps WHERE app_id = ?');
  const check = database.prepare(
    `INSERT INTO app_checks (app_id, method, purpose, outcome, at_ms)
      SELECT app_id, ?, ?, ?, ? FROM apps WHERE app_id = ?`,
  );
  const forget = database.prepare(
    `DELETE FROM app_checks WHERE app_id = ?1 AND sequence NOT IN
      (SELECT sequence FROM app_checks WHERE app_id = ?1 ORDER BY sequence DESC LIMIT ${MAX_CHECKS})`,
  );
  const checks = database.prepare(
    `SELECT ${textColumns('method', 'purpose', 'outcome')}, at_ms FROM app_checks WHERE app_id = ? ORDER BY sequence DESC`,
  );
  const toApp = (row: Row | null) => (row === null ? null : appOf(row));
  return {
    register(app) {
      insert.run(app.id, app.host, app.at);
      const stored = toApp(byHost.first(app.host));
      if (stored === null) throw new Error('Bug: a registered app is missing');
      return stored;
    },
    list: () => list.all().map(appOf),
    get: (id) => toApp(byId.first(id)),
    byHost: (host) => toApp(byHost.first(host)),
    setVerified(id, { method, addresses }) {
      verify.run(JSON.stringify(addresses), method, id);
    },
    setUnverified(id) {
      unverify.run(id);
    },
    addCheck(id, { at, method, purpose, outcome }) {
      check.run(method, purpose, outcome, at, id);
      forget.run(id);
    },
    checks: (id) => checks.all(id).map(checkOf),
    remove: (id) => remove.run(id) > 0,
  };
}

function appOf(row: Row): StoredApp {
  return {
    id: String(row['app_id']),
    host: String(row['host']),
    verified: row['verified'] === 1,
    addresses: JSON.parse(String(row['addresses'])) as readonly string[], // Only `setVerified` writes this column.
    method: row['method'] === 'dns' ? 'dns' : 'http',
  };
}

function checkOf(row: Row): AppCheck {
  const outcome = String(row['outcome']);
  return {
    at: Number(row['at_ms']),
    method: row['method'] === 'dns' ? 'dns' : 'http',
    purpose: row['purpose'] === 'run' ? 'run' : 'verify',
    outcome: outcome === 'verified' || outcome === 'file_missing' ? outcome : 'unverified',
  };
}
