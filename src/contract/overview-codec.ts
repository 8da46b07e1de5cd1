/** Encoder for the overview and for the history of a key. */
import { formatRfc3339 } from '../core/instant.ts';
import type { RunProgress } from '../core/load/run-report.ts';
import type { TestLoad } from '../core/report/generated/documents.ts';
import { toRecordedRun } from '../core/report/run-document.ts';
import { verdictReason } from '../core/report/verdict-sentence.ts';
import { hasMinimumCounts } from '../core/run-record/run-record.ts';
import type { Milliseconds } from '../core/units.ts';
import type { KeyList, KeyRecord, RunSummary } from './generated/key-list.ts';
import type { Overview } from './generated/overview.ts';
import type { TestHistory, VersionLoad } from './generated/test-history.ts';
import { encodeProgress } from './progress-codec.ts';
import { readStoredResult, type StoredResult } from './result-codec.ts';

export type Label = Readonly<Pick<KeyRecord, 'title' | 'project' | 'environment' | 'key'>>;

interface LabeledTest {
  readonly testId: string;
  readonly label: Label;
}

export interface StoredRun extends StoredResult {
  readonly testId: string;
  readonly verdict: string | null;
  /** Client that started the run; null if the request did not name the client. */
  readonly startedBy: string | null;
  readonly note: string | null;
}

/** All tests of a key, or a single test without a key. The label, status and ID are those of the newest test. */
export interface KeyGroup extends Label {
  readonly status: string;
  readonly testId: string;
  readonly tests: number;
  readonly runs: number;
  /** Recent runs, newest first. */
  readonly recent: readonly StoredRun[];
}

export interface KeyPage {
  readonly total: number;
  /** Projects and environments of all tests. An empty string means that a test has none. */
  readonly owners: readonly { readonly project: string; readonly environment: string }[];
  readonly groups: readonly KeyGroup[];
}

/** Times are in milliseconds since the epoch. */
export interface OverviewContent {
  readonly now: number;
  readonly running: readonly (LabeledTest & {
    readonly resultId: string;
    readonly startedAt: number;
    readonly duration: Milliseconds;
    readonly progress: RunProgress | null;
  })[];
  /** Tests with a scheduled start, earliest first. */
  readonly scheduled: readonly (LabeledTest & { readonly dueAt: number })[];
  readonly groups: readonly KeyGroup[];
  readonly apps: { readonly verified: number; readonly unverified: number };
}

/** Times are in milliseconds since the epoch. */
export interface HistoryContent {
  readonly label: Label;
  readonly tests: number;
  readonly runs: number;
  readonly versions: readonly {
    readonly testId: string;
    readonly createdAt: number;
    readonly status: string;
    readonly dueAt: number | null;
    readonly load: TestLoad;
  }[];
  readonly results: readonly StoredRun[];
}

/**
 * @param known - Version of the keys that the client already has; null if there is none. If this version is current,
 * `keys` is null in the response.
 */
export function encodeOverview(
  { now, running, scheduled, groups, apps }: OverviewContent,
  known: string | null,
  digest: (text: string) => string,
): Overview {
  const keys = groups.map(encodeKey);
  const version = digest(JSON.stringify(keys));
  return {
    now: formatRfc3339(now),
    running: running.map(({ testId, label, resultId, startedAt, duration, progress }) => ({
      ...encodeLabel(label),
      test_id: testId,
      result_id: resultId,
      started_at: formatRfc3339(startedAt),
      duration_ms: duration,
      progress: progress && encodeProgress(progress),
    })),
    scheduled: scheduled.map(({ testId, label, dueAt }) => ({
      ...encodeLabel(label),
      test_id: testId,
      scheduled_at: formatRfc3339(dueAt),
    })),
    keys: version === known ? null : keys,
    keys_version: version,
    apps,
  };
}

export function encodeKeys({ total, owners, groups }: KeyPage): KeyList {
  return { total, owners: owners.map((owner) => ({ ...owner })), keys: groups.map(encodeKey) };
}

export function encodeHistory({ label, tests, runs, versions, results }: HistoryContent): TestHistory {
  return {
    ...encodeLabel(label),
    tests,
    runs,
    results: results.map(encodeRun),
    limits: limitsOf(results),
    versions: versions.map(({ testId, createdAt, status, dueAt, load }) => ({
      test_id: testId,
      created_at: formatRfc3339(createdAt),
      status,
      load: encodeLoad(load),
      scheduled_at: formatRfc3339(dueAt),
    })),
  };
}

/** Returns the thresholds from the latest verdict that has any. Omits thresholds of URL groups. */
function limitsOf(results: HistoryContent['results']): TestHistory['limits'] {
  for (const run of results) {
    const thresholds = run.verdict === null ? [] : (readStoredResult(run).verdict?.thresholds ?? []);
    if (thresholds.length > 0)
      return thresholds
        .filter(({ group }) => group === undefined)
        .map(({ metric, url, flow, limit, regression }) => ({
          metric,
          url: url ?? null,
          flow: flow ?? null,
          limit,
          baseline: regression?.baseline ?? null,
          allowed: regression?.allowed ?? null,
        }));
  }
  return [];
}

function encodeLoad({ flows, ...load }: HistoryContent['versions'][number]['load']): VersionLoad {
  return {
    ...load,
    ...(flows === undefined ? {} : { flows: flows.map((flow) => ({ ...flow })) }),
    stages: load.stages?.map((stage) => ({ ...stage })) ?? null,
    hosts: [...load.hosts],
  };
}

function encodeKey({ status, testId, tests, runs, recent, ...label }: KeyGroup): KeyRecord {
  return {
    ...encodeLabel(label),
    status,
    test_id: testId,
    tests,
    runs,
    recent: recent.map(encodeRun),
  };
}

function encodeRun(run: StoredRun): RunSummary {
  const result = readStoredResult(run);
  const { verdict, record } = result;
  const { metrics, abortReason, elapsed, timeout } = record;
  return {
    test_id: run.testId,
    result_id: run.id,
    started_at: formatRfc3339(run.startedAt),
    status: run.document === null ? 'not_ready' : 'ready',
    verdict: verdict?.verdict ?? null,
    reason: verdictReason({ ...toRecordedRun(result), record }),
    abort_reason: abortReason ?? null,
    elapsed_ms: elapsed,
    requests: metrics.requests ?? null,
    counts_are_minimums: hasMinimumCounts(record),
    error_rate: metrics.error_rate ?? null,
    requests_per_second: metrics.requests_per_second ?? null,
    p95: metrics.p95 ?? null,
    timeout_ms: timeout,
    timeouts: metrics.timeout_error ?? null,
    started_by: run.startedBy,
    note: run.note,
  };
}

function encodeLabel({ title, project, environment, key }: Label) {
  return { title, project, environment, key };
}
