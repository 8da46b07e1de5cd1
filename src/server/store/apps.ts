/** Apps in the database. */
import { texts, type Database, type Row } from './database.ts';

/** By what an app was verified last. */
export type VerifyMethod = 'http' | 'dns';

export interface StoredApp {
  readonly id: string;
  /** Lower-case host with non-default port. */
  readonly host: string;
  readonly verified: boolean;
  /** The addresses that were verified last; empty while unverified, and where only the name was. */
  readonly addresses: readonly string[];
  readonly method: VerifyMethod;
}

export interface AppStore {
  /** Keeps the app of that host, if there is one. Gives whichever is there. */
  register(app: { readonly id: string; readonly host: string; readonly at: number }): StoredApp;
  list(): readonly StoredApp[];
  get(id: string): StoredApp | null;
  byHost(host: string): StoredApp | null;
  setVerified(id: string, by: { readonly method: VerifyMethod; readonly addresses: readonly string[] }): void;
  setUnverified(id: string): void;
  /** Takes its tests and their results with it. Gives whether it was there. */
  remove(id: string): boolean;
}

export function openAppStore(database: Database): AppStore {
  const columns = `${texts('app_id', 'host', 'addresses', 'method')}, verified`;
  const insert = database.prepare(
    'INSERT INTO apps (app_id, host, created_at_ms) VALUES (?, ?, ?) ON CONFLICT (host) DO NOTHING',
  );
  const list = database.prepare(`SELECT ${columns} FROM apps ORDER BY rowid`);
  const byId = database.prepare(`SELECT ${columns} FROM apps WHERE app_id = ?`);
  const byHost = database.prepare(`SELECT ${columns} FROM apps WHERE host = ?`);
  const verify = database.prepare('UPDATE apps SET verified = 1, addresses = ?, method = ? WHERE app_id = ?');
  const unverify = database.prepare("UPDATE apps SET verified = 0, addresses = '[]' WHERE app_id = ?");
  const remove = database.prepare('DELETE FROM apps WHERE app_id = ?');
  const one = (row: Row | null) => (row === null ? null : appOf(row));
  return {
    register(app) {
      insert.run(app.id, app.host, app.at);
      const stored = one(byHost.first(app.host));
      if (stored === null) throw new Error('Bug: a registered app is not there');
      return stored;
    },
    list: () => list.all().map(appOf),
    get: (id) => one(byId.first(id)),
    byHost: (host) => one(byHost.first(host)),
    setVerified(id, { method, addresses }) {
      verify.run(JSON.stringify(addresses), method, id);
    },
    setUnverified(id) {
      unverify.run(id);
    },
    remove: (id) => remove.run(id) > 0,
  };
}

function appOf(row: Row): StoredApp {
  return {
    id: String(row['app_id']),
    host: String(row['host']),
    verified: row['verified'] === 1,
    addresses: JSON.parse(String(row['addresses'])) as readonly string[], // written by setVerified alone
    method: row['method'] === 'dns' ? 'dns' : 'http',
  };
}
