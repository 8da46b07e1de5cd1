/**
 * Store of test labels. Labels are separate from the test definitions, so that thousands of tests can be grouped
 * without reading the definitions.
 */
import type { KeyGroup, KeyPage, Label, StoredRun } from '../../contract/overview-codec.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { titleOf } from '../../core/model/test-title.ts';
import { readMarker, type Marker } from '../../core/reconcile/ownership-marker.ts';
import { textColumns, type Database, type Row } from './database.ts';
import { RUN_COLUMNS, runOf } from './result-store.ts';
import { statusOf, type StoredTest } from './test-store.ts';

export interface LabelStore {
  /** Must be called in the transaction that stores the test. */
  add(id: string, spec: LoadTestSpec): void;
  /** Returns the IDs of the tests that may have this ownership marker, apart from the nonce, oldest first. */
  listCreations(marker: Marker): readonly string[];
  /** Returns the label of a test; null for single iterations and deleted tests. */
  get(id: string): Label | null;
  /** Adds the missing labels of tests that an earlier version stored. */
  addMissing(tests: Iterable<Pick<StoredTest, 'id' | 'spec' | 'singleIteration'>>): void;
  /** Returns the groups with the most recently started runs, and the latest run of each group. */
  latest(max: number): readonly KeyGroup[];
  /**
   * Returns a page of the groups that match a search. Each of the first eight words of the search must occur in the
   * project, environment, key or title of a group.
   */
  listKeys(query: KeySearch): KeyPage;
  /** Returns the tests with the same key as a test, newest first; only the test itself if it has no key. */
  versions(testId: string, label: Label, max: number): WithCount & { readonly versions: readonly Version[] };
  /** Returns the runs of the tests with the same key as a test, or of the test alone if it has no key, newest first. */
  runs(testId: string, label: Label, max: number): WithCount & { readonly recent: readonly StoredRun[] };
}

/** Order of a list of keys: by name or by a value of the last run. A leading `-` means descending order. */
export type KeyOrder = `${'' | '-'}${keyof typeof ORDER_VALUES}`;

export interface KeySearch {
  readonly search: string;
  /** Project; empty for tests without one, null for all tests. */
  readonly project: string | null;
  readonly environment: string | null;
  /** Verdict of the last run, `none` or `running`; null for all tests. */
  readonly verdict: string | null;
  readonly order: KeyOrder;
  readonly max: number;
  readonly offset: number;
}

interface Version {
  readonly testId: string;
  readonly createdAt: number;
}

interface WithCount {
  /** Total number of entries, including those beyond the maximum. */
  readonly count: number;
}

/** Number of words of a search that are considered. */
const MAX_SEARCH_WORDS = 8;

/** Maximum number of runs, latest first, in which `latest` looks for groups. */
const MAX_RECENT_RUNS = 2000;

const RUNS_PER_KEY = 20;

const MAX_OWNERS = 200;

const RUN_VERDICT = `CASE WHEN run.sequence IS NULL THEN NULL WHEN run.record IS NULL THEN 'running'
  ELSE coalesce(json_extract(run.judgement, '$.verdict'), 'none') END`;

const ORDER_VALUES = {
  name: "grouped.test_key = ''",
  verdict: RUN_VERDICT,
  started: 'run.started_at_ms',
  p95: "json_extract(run.record, '$.latency.p95')",
  requests_per_second: "json_extract(run.record, '$.requests_per_second')",
  runs: 'runs',
} as const;

export function isKeyOrder(text: string): text is KeyOrder {
  return Object.hasOwn(ORDER_VALUES, text.replace(/^-/, ''));
}

export function openLabelStore(database: Database): LabelStore {
  const words = textColumns('title', 'project', 'environment', 'test_key');
  const insert = database.prepare(
    'INSERT INTO labels (test_id, title, project, environment, test_key) VALUES (?, ?, ?, ?, ?)',
  );
  const byId = database.prepare(`SELECT ${words} FROM labels WHERE test_id = ?`);
  const unlabelled = database.prepare(
    `SELECT 1 FROM tests WHERE single_pass = 0 AND test_id NOT IN (SELECT test_id FROM labels) LIMIT 1`,
  );
  // Each test without a key forms its own group. An empty key means none, because markers never have an empty key.
  const ofGroup = "project, environment, test_key, iif(test_key = '', test_id, '')";
  const sameKey = `SELECT test_id FROM labels AS other WHERE other.project = labels.project
    AND other.environment = labels.environment AND other.test_key = labels.test_key`;
  const countOfAll = `iif(test_key = '', (SELECT count(*) FROM results AS run WHERE run.test_id = labels.test_id),
    (SELECT count(*) FROM results AS run WHERE run.test_id IN (${sameKey}))) AS runs`;
  const latest = database.prepare(
    `WITH late AS (
       SELECT max(sequence) AS late_run FROM (
         SELECT results.sequence, labels.* FROM results JOIN labels USING (test_id)
         ORDER BY results.sequence DESC LIMIT ${MAX_RECENT_RUNS})
       GROUP BY ${ofGroup} ORDER BY late_run DESC LIMIT ?),
     keyed AS (
       SELECT late_run, result_id, record, judgement, started_by, note, started_at_ms, labels.test_id AS ran, ${countOfAll},
         iif(test_key = '', 1, (SELECT count(*) FROM (${sameKey}))) AS tests,
         iif(test_key = '', labels.test_id,
           (SELECT test_id FROM tests WHERE test_id IN (${sameKey}) ORDER BY sequence DESC LIMIT 1)) AS newest
       FROM late JOIN results ON sequence = late_run JOIN labels USING (test_id))
     SELECT ${textColumns('result_id', 'record', 'judgement', 'started_by', 'note', 'ran', 'test_id', 'status')}, ${words},
       started_at_ms, keyed.tests, runs
     FROM keyed JOIN (SELECT test_id, status FROM tests) AS version ON test_id = newest JOIN labels USING (test_id)
     ORDER BY late_run DESC`,
  );
  /**
   * Prepares the query for a page of groups in the given order. Groups without a value are last.
   * @param wordCount - number of words to search; without any, no text is composed for the search
   */
  const namedIn = (order: KeyOrder, wordCount: number) => {
    const found = Array.from(
      { length: wordCount },
      (_, word) => `AND max(instr(searched, ?${word + 6})) > 0`,
    );
    const searched =
      wordCount === 0 ? '' : `lower(concat_ws(' ', project, environment, test_key, title)) AS searched,`;
    const value = ORDER_VALUES[order.replace(/^-/, '') as keyof typeof ORDER_VALUES]; // This removes the sign.
    const names = ['project', 'environment', 'test_key'].map((name) => `grouped.${name}`).join(', ');
    const isByName = value === ORDER_VALUES.name;
    const direction = order.startsWith('-') ? 'DESC' : 'ASC';
    const sorted = isByName ? value : `${value} IS NULL, ${value} ${direction}, grouped.test_key = ''`;
    const byName = isByName && direction === 'DESC' ? names.replaceAll(/(?=,)|$/g, ' DESC') : names;
    return database.prepare(
      `WITH grouped AS (
         SELECT max(sequence) AS newest, count(*) AS tests, max(last) AS last_run, sum(count) AS runs,
           project, environment, test_key
         FROM (
           SELECT sequence, labels.*, ${searched}
             (SELECT max(sequence) FROM results WHERE results.test_id = labels.test_id) AS last,
             (SELECT count(*) FROM results WHERE results.test_id = labels.test_id) AS count
           FROM labels JOIN tests USING (test_id)
           WHERE (?3 IS NULL OR project = ?3) AND (?4 IS NULL OR environment = ?4))
         GROUP BY ${ofGroup} HAVING true ${found.join(' ')}),
       page AS (
         SELECT newest, tests, runs, count(*) OVER () AS total,
           row_number() OVER (ORDER BY ${sorted}, ${byName}, newest DESC) AS place
         FROM grouped LEFT JOIN results AS run ON run.sequence = last_run
         WHERE ?5 IS NULL OR ${RUN_VERDICT} = ?5
         ORDER BY place LIMIT ?1 OFFSET ?2)
       SELECT ${textColumns('test_id', 'status')}, ${words}, page.tests AS tests, runs, total
       FROM page JOIN tests ON sequence = newest JOIN labels USING (test_id) ORDER BY place`,
    );
  };
  const named = new Map<string, ReturnType<typeof namedIn>>();
  const owners = database.prepare(
    `SELECT DISTINCT ${textColumns('project', 'environment')} FROM labels
     ORDER BY labels.project, labels.environment LIMIT ${MAX_OWNERS}`,
  );
  const ofKey = `IN (SELECT test_id FROM labels WHERE project = ? AND environment = ? AND test_key = ?)`;
  const creations = database.prepare(
    `SELECT ${textColumns('test_id')} FROM tests WHERE test_id ${ofKey} AND instr(definition, ?) > 0 ORDER BY sequence`,
  );
  const versions = database.prepare(
    `SELECT ${textColumns('test_id')}, created_at_ms FROM tests WHERE test_id ${ofKey} ORDER BY sequence DESC LIMIT ?`,
  );
  const alone = database.prepare(
    `SELECT ${textColumns('test_id')}, created_at_ms FROM tests WHERE test_id = ?`,
  );
  const countVersions = database.prepare(`SELECT count(*) AS count FROM tests WHERE test_id ${ofKey}`);
  const runsOfKey = database.prepare(
    `SELECT ${RUN_COLUMNS} FROM results WHERE test_id ${ofKey} ORDER BY sequence DESC LIMIT ?`,
  );
  const countOfKey = database.prepare(`SELECT count(*) AS count FROM results WHERE test_id ${ofKey}`);
  const runsOfTest = database.prepare(
    `SELECT ${RUN_COLUMNS} FROM results WHERE test_id = ? ORDER BY sequence DESC LIMIT ?`,
  );
  const countOfTest = database.prepare('SELECT count(*) AS count FROM results WHERE test_id = ?');
  const add: LabelStore['add'] = (id, spec) => {
    const reading = readMarker(spec.notes);
    const { project, environment, key } = reading.kind === 'marker' ? reading.marker : NO_MARKER;
    // SQLite searches a string only up to its first NUL character, so NUL characters are replaced.
    const names = [titleOf(spec), project, environment ?? '', key];
    insert.run(id, ...names.map((name) => name.replaceAll('\0', '�')));
  };
  const countOf = (row: Row | null) => Number(row?.['count'] ?? 0);
  const keyOf = ({ project, environment, key }: Label): readonly string[] | null =>
    key === null ? null : [project ?? '', environment ?? '', key];
  const recentOf = (testId: string, label: Label, max: number): readonly StoredRun[] => {
    const key = keyOf(label);
    return (key === null ? runsOfTest.all(testId, max) : runsOfKey.all(...key, max)).map(runOf);
  };
  const groupOf = (row: Row, recent: readonly StoredRun[]): KeyGroup => ({
    ...labelOf(row),
    status: statusOf(row['status']),
    testId: String(row['test_id']),
    recent,
    tests: Number(row['tests']),
    runs: Number(row['runs']),
  });
  return {
    add,
    listCreations: ({ project, environment, key, listed, unlisted }) =>
      creations
        .all(project, environment ?? '', key, ` s=${listed} w=${unlisted} `)
        .map((row) => String(row['test_id'])),
    get(id) {
      const row = byId.first(id);
      return row === null ? null : labelOf(row);
    },
    addMissing(tests) {
      if (unlabelled.first() === null) return;
      database.transact(() => {
        for (const { id, spec, singleIteration } of tests) {
          if (!singleIteration && byId.first(id) === null) add(id, spec);
        }
      });
    },
    latest: (max) =>
      latest.all(max).map((row) => groupOf(row, [runOf({ ...row, test_id: row['ran'] ?? null })])),
    listKeys({ search, project, environment, verdict, order, max, offset }) {
      const words = search.split(/\s+/).filter((word) => word !== '');
      const searched = words.slice(0, MAX_SEARCH_WORDS).map(toSqliteLowerCase);
      const name = `${order} ${searched.length}`;
      const statement = named.get(name) ?? namedIn(order, searched.length);
      named.set(name, statement);
      const groups = statement.all(max, offset, project, environment, verdict, ...searched);
      return {
        total: Number(groups[0]?.['total'] ?? 0),
        owners: owners.all().map((row) => ({
          project: String(row['project']),
          environment: String(row['environment']),
        })),
        groups: groups.map((row) =>
          groupOf(row, recentOf(String(row['test_id']), labelOf(row), RUNS_PER_KEY)),
        ),
      };
    },
    versions(testId, label, max) {
      const key = keyOf(label);
      const rows = key === null ? alone.all(testId) : versions.all(...key, max);
      return {
        count: key === null ? 1 : countOf(countVersions.first(...key)),
        versions: rows.map((row) => ({
          testId: String(row['test_id']),
          createdAt: Number(row['created_at_ms']),
        })),
      };
    },
    runs(testId, label, max) {
      const key = keyOf(label);
      const count = countOf(key === null ? countOfTest.first(testId) : countOfKey.first(...key));
      return { count, recent: recentOf(testId, label, max) };
    },
  };
}

/** Converts to lower case like the `lower` function of SQLite, which maps only ASCII letters. */
function toSqliteLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const NO_MARKER = { project: '', environment: null, key: '' };

function labelOf(row: Row): Label {
  const nullableText = (name: string) => (row[name] === '' ? null : String(row[name]));
  return {
    title: String(row['title']),
    project: nullableText('project'),
    environment: nullableText('environment'),
    key: nullableText('test_key'),
  };
}
