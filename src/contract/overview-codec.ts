/** What a page shows of all tests together, and of the runs of a key → wire. */
import type { Json } from '../core/canonical.ts';
import type { RunProgress } from '../core/load/run-report.ts';
import type { TestLoad } from '../core/report/generated/documents.ts';
import { numberOf, objectOf } from '../core/report/record.ts';
import type { Milliseconds } from '../core/units.ts';
import type { KeyList, KeyRecord, RunSummary } from './generated/key-list.ts';
import type { Overview } from './generated/overview.ts';
import type { TestHistory } from './generated/test-history.ts';
import { encodeProgress } from './progress-codec.ts';
import { encodeStoredResult, type StoredResult } from './result-codec.ts';

/** What a test is called, and whose it is. */
export interface Label {
  /** For people. */
  readonly title: string;
  /** Null in a test that no file declares. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly key: string | null;
}

interface LabeledTest {
  readonly testId: string;
  readonly label: Label;
}

/** A run, without detail. */
export interface RunOfTest extends StoredResult {
  readonly testId: string;
}

/** All versions of a key, or one test that has none. The label is of the newest one. */
export interface KeyGroup extends Label {
  /** Of the newest one. */
  readonly status: string;
  /** The newest one. */
  readonly testId: string;
  /** How many there are. */
  readonly tests: number;
  readonly runs: number;
  /** The runs that were started last, the newest first. */
  readonly recent: readonly RunOfTest[];
}

/** Some of all keys. */
export interface KeyPage {
  readonly total: number;
  readonly groups: readonly KeyGroup[];
}

/** Instants in ms since the epoch. */
export interface OverviewContent {
  readonly now: number;
  readonly running: readonly (LabeledTest & {
    readonly resultId: string;
    readonly startedAt: number;
    readonly duration: Milliseconds;
    readonly told: RunProgress | null;
  })[];
  /** The earliest first. */
  readonly scheduled: readonly (LabeledTest & { readonly dueAt: number })[];
  /** With the latest runs. */
  readonly groups: readonly KeyGroup[];
  readonly apps: { readonly verified: number; readonly unverified: number };
}

/** Instants in ms since the epoch. */
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
  readonly results: readonly RunOfTest[];
}

export function encodeOverview({ now, running, scheduled, groups, apps }: OverviewContent): Overview {
  return {
    now: timeOf(now),
    running: running.map(({ testId, label, resultId, startedAt, duration, told }) => ({
      ...encodeLabel(label),
      ...{ test_id: testId, result_id: resultId, started_at: timeOf(startedAt) },
      ...{ duration_ms: duration, progress: told && encodeProgress(told) },
    })),
    scheduled: scheduled.map(({ testId, label, dueAt }) => ({
      ...encodeLabel(label),
      ...{ test_id: testId, scheduled_at: timeOf(dueAt) },
    })),
    keys: groups.map(encodeKey),
    apps,
  };
}

export function encodeKeys({ total, groups }: KeyPage): KeyList {
  return { total, keys: groups.map(encodeKey) };
}

export function encodeHistory({ label, tests, runs, versions, results }: HistoryContent): TestHistory {
  return {
    ...encodeLabel(label),
    ...{ tests, runs, results: results.map(encodeRun) },
    versions: versions.map(({ testId, createdAt, status, dueAt, load }) => ({
      ...{ test_id: testId, created_at: timeOf(createdAt), status, load: { ...load } },
      scheduled_at: dueAt === null ? null : timeOf(dueAt),
    })),
  };
}

function encodeKey({ status, testId, tests, runs, recent, ...label }: KeyGroup): KeyRecord {
  return {
    ...encodeLabel(label),
    ...{ status, test_id: testId, tests, runs, recent: recent.map(encodeRun) },
  };
}

/** So little that hundreds of them can be told each second. */
function encodeRun(run: RunOfTest): RunSummary {
  const record = encodeStoredResult(run) as Readonly<Record<string, Json>>; // a JSON document
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : null);
  return {
    ...{ test_id: run.testId, result_id: run.id, started_at: timeOf(run.startedAt) },
    status: run.document === null ? 'not_ready' : 'ready',
    verdict: text(objectOf(record['verdict'])['verdict']),
    abort_reason: text(record['abort_reason']),
    elapsed_ms: numberOf(record['elapsed_ms']),
    requests: numberOf(record['requests']),
    error_rate: numberOf(record['avg_error_rate']),
    requests_per_second: numberOf(record['requests_per_second']),
    p95: numberOf(objectOf(record['latency'])['p95']),
  };
}

function encodeLabel({ title, project, environment, key }: Label) {
  return { title, project, environment, key };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
