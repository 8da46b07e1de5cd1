/** What a page shows first → wire. */
import type { RunProgress } from '../core/load/report.ts';
import type { Milliseconds } from '../core/units.ts';
import type { KeyList } from './generated/key-list.ts';
import type { Overview } from './generated/overview.ts';
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

interface Named {
  readonly testId: string;
  readonly label: Label;
}

/** All versions of a key, or one test that has none. The label is of the newest one. */
export interface KeyedTests extends Label {
  /** Of the newest one. */
  readonly status: string;
  /** The newest first; no more than a reader follows. */
  readonly testIds: readonly string[];
  /** How many there are. */
  readonly tests: number;
  readonly runs: number;
  /** The run that was started last. */
  readonly last: (StoredResult & { readonly testId: string }) | null;
}

/** Instants in ms since the epoch. */
export interface OverviewContent {
  readonly now: number;
  readonly running: readonly (Named & {
    readonly resultId: string;
    readonly startedAt: number;
    readonly duration: Milliseconds;
    readonly told: RunProgress | null;
  })[];
  /** The earliest first. */
  readonly scheduled: readonly (Named & { readonly dueAt: number })[];
  /** With the latest runs. */
  readonly groups: readonly KeyedTests[];
  readonly apps: { readonly verified: number; readonly unverified: number };
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

export function encodeKey({ status, testIds, tests, runs, last, ...label }: KeyedTests): KeyList[number] {
  return {
    ...encodeLabel(label),
    ...{ status, test_ids: [...testIds], tests, runs },
    last: last && { test_id: last.testId, ...encodeStoredResult(last) },
  };
}

function encodeLabel({ title, project, environment, key }: Label) {
  return { title, project, environment, key };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
