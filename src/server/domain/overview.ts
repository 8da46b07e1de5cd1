/** What a page shows first, without a request for each test. */
import type { RunProgress } from '../../core/load/report.ts';
import type { Milliseconds } from '../../core/units.ts';
import type { Apps } from './apps.ts';
import type { Runs } from './runs.ts';
import type { Label, LabelStore, TestGroup } from '../store/labels.ts';
import type { TestStore } from '../store/tests.ts';

export interface Overview {
  /** In ms since the epoch, as all instants here. */
  readonly now: number;
  readonly running: readonly RunningTest[];
  /** The earliest first. */
  readonly scheduled: readonly (Named & { readonly dueAt: number })[];
  /** With the latest runs. */
  readonly groups: readonly TestGroup[];
  readonly apps: { readonly verified: number; readonly unverified: number };
}

export interface Named {
  readonly testId: string;
  readonly label: Label;
}

export interface RunningTest extends Named {
  readonly resultId: string;
  readonly startedAt: number;
  readonly duration: Milliseconds;
  readonly told: RunProgress | null;
}

const MOST_SCHEDULED = 20;
const MOST_GROUPS = 200;

export interface OverviewParts {
  readonly apps: Apps;
  readonly runs: Runs;
  readonly tests: TestStore;
  readonly labels: LabelStore;
  readonly now: () => number;
}

export function overviewOf({ apps, runs, tests, labels, now }: OverviewParts): Overview {
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
