/** What a page shows first, without a request for each test. */
import type { HistoryContent, Label, OverviewContent } from '../../contract/overview-codec.ts';
import { testLoad } from '../../core/report/plan.ts';
import { notFound } from '../refusal.ts';
import type { Apps } from './apps.ts';
import type { ComparisonParts } from './comparison.ts';
import type { Runs } from './runs.ts';

const MOST_SCHEDULED = 20;
const MOST_GROUPS = 200;
const MOST_VERSIONS = 50;
const MOST_RUNS = 500;

export interface OverviewParts extends ComparisonParts {
  readonly apps: Apps;
  readonly runs: Runs;
  readonly now: () => number;
}

export function overviewOf({ apps, runs, tests, labels, now }: OverviewParts): OverviewContent {
  const labelOf = (id: string) => labels.get(id) ?? UNLABELLED;
  const all = apps.list();
  const verified = all.filter((app) => app.verified).length;
  return {
    now: now(),
    running: [...runs.list()].map(({ run: { testId, startedAt, job }, told }) => ({
      ...{ testId, startedAt, told, resultId: job.runId, duration: job.duration },
      label: labels.get(testId) ?? { ...UNLABELLED, title: job.targets[0]?.authority ?? '' },
    })),
    scheduled: tests
      .waiting(MOST_SCHEDULED)
      .map(({ id, dueAt }) => ({ testId: id, dueAt, label: labelOf(id) })),
    groups: labels.latest(MOST_GROUPS),
    apps: { verified, unverified: all.length - verified },
  };
}

/** Every version and run of the key of a test. Errors: Refusal 404. */
export function historyOf({ tests, labels }: OverviewParts, testId: string): HistoryContent {
  const own = labels.get(testId);
  if (own === null) throw notFound();
  const { count, versions } = labels.versions(testId, own, MOST_VERSIONS);
  const runs = labels.runs(testId, own, MOST_RUNS);
  return {
    // As it is called now.
    label: labels.get(versions[0]?.testId ?? testId) ?? own,
    ...{ tests: count, runs: runs.count, results: runs.recent },
    versions: versions.flatMap((version) => {
      const test = tests.get(version.testId);
      if (test === null) return [];
      const { status, dueAt, spec } = test;
      return [{ ...version, status, dueAt, load: testLoad({ spec }) }];
    }),
  };
}

/** Of a single pass: nobody gave it a name. */
const UNLABELLED: Label = { title: '', project: null, environment: null, key: null };
