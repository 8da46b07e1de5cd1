import type { HistoryContent, Label, OverviewContent } from '../../contract/overview-codec.ts';
import { testLoad } from '../../core/report/plan-document.ts';
import { notFound } from '../refusal.ts';
import type { Apps } from './apps.ts';
import type { ComparisonDeps } from './comparison.ts';
import type { Runs } from './runs.ts';

const MAX_SCHEDULED = 20;
const MAX_GROUPS = 200;
const MAX_VERSIONS = 50;
const MAX_RUNS = 500;

export interface OverviewDeps extends ComparisonDeps {
  readonly apps: Apps;
  readonly runs: Runs;
  readonly now: () => number;
}

export function readOverview({ apps, runs, tests, labels, now }: OverviewDeps): OverviewContent {
  const labelOf = (id: string) => labels.get(id) ?? UNLABELED;
  const all = apps.list();
  const verified = all.filter((app) => app.verified).length;
  return {
    now: now(),
    running: [...runs.list()].map(({ run: { testId, startedAt, job }, progress }) => ({
      testId,
      startedAt,
      progress,
      resultId: job.runId,
      duration: job.duration,
      label: labels.get(testId) ?? { ...UNLABELED, title: job.targets[0]?.authority ?? '' },
    })),
    scheduled: tests
      .listScheduled(MAX_SCHEDULED)
      .map(({ id, dueAt }) => ({ testId: id, dueAt, label: labelOf(id) })),
    groups: labels.latest(MAX_GROUPS),
    apps: { verified, unverified: all.length - verified },
  };
}

/**
 * Returns the latest versions and runs of a test's key.
 * @throws Refusal 404 if the test does not exist.
 */
export function readTestHistory({ tests, labels }: OverviewDeps, testId: string): HistoryContent {
  const own = labels.get(testId);
  if (own === null) throw notFound();
  const { count, versions } = labels.versions(testId, own, MAX_VERSIONS);
  const runs = labels.runs(testId, own, MAX_RUNS);
  return {
    // The page shows the label of the latest version.
    label: labels.get(versions[0]?.testId ?? testId) ?? own,
    tests: count,
    runs: runs.count,
    results: runs.recent,
    versions: versions.flatMap((version) => {
      const test = tests.get(version.testId);
      if (test === null) return [];
      const { status, dueAt, spec } = test;
      return [{ ...version, status, dueAt, load: testLoad({ spec }) }];
    }),
  };
}

const UNLABELED: Label = { title: '', project: null, environment: null, key: null };
