/** What a page shows first, without a request for each test. */
import type { Label, OverviewContent } from '../../contract/overview-codec.ts';
import type { Apps } from './apps.ts';
import type { Runs } from './runs.ts';
import type { LabelStore } from '../store/labels.ts';
import type { TestStore } from '../store/tests.ts';

const MOST_SCHEDULED = 20;
const MOST_GROUPS = 200;

export interface OverviewParts {
  readonly apps: Apps;
  readonly runs: Runs;
  readonly tests: TestStore;
  readonly labels: LabelStore;
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
    groups: [...labels.groups(MOST_GROUPS)],
    apps: { verified, unverified: all.length - verified },
  };
}

/** Of a single pass: nobody gave it a name. */
const UNLABELLED: Label = { title: '', project: null, environment: null, key: null };
