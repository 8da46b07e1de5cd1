/** Reads what the service holds, and plans. Sends nothing but GET. */
import type { Journal } from '../apply/journal.ts';
import { withKnownMarks } from '../apply/known-marks.ts';
import type { ServicePort } from '../core/service-port.ts';
import type { TestId } from '../core/model/ids.ts';
import type { RunResult } from '../core/model/run.ts';
import type { DesiredState, ObservedState } from '../core/model/state.ts';
import {
  createPlan,
  selectedMatching,
  type History,
  type Plan,
  type PlanInput,
  type PlanOptions,
} from '../core/reconcile/plan.ts';
import { sha256 } from './digest.ts';

export type Observation = Pick<PlanInput, 'observed' | 'matching' | 'history' | 'notesDropped'>;

export interface ObserveOptions {
  readonly filter: Pick<PlanOptions, 'only' | 'exclude'>;
  readonly parallelism: number;
  readonly journal: Journal;
}

/** Errors: CallError; a read that failed is never "absent". */
export async function observe(
  service: ServicePort,
  desired: DesiredState,
  options: ObserveOptions,
): Promise<Observation> {
  const [apps, tests] = await Promise.all([service.listApps(), service.listTests()]);
  const known = withKnownMarks(tests.items, options.journal.lines());
  const pinned = desired.tests.map((test) => test.adopt);
  const observed = { apps: apps.items, tests: known.tests, perhapsCut: tests.perhapsCut || apps.perhapsCut };
  const matching = selectedMatching(desired, observed, { filter: options.filter, sha256 });
  const wanted = matching.matches.flatMap((match) => {
    // Also without thresholds: a run that its error threshold ended has failed.
    return match.found.kind === 'present' ? [match.found.test.id] : [];
  });
  return {
    observed,
    matching,
    history: await readHistory(service, wanted, options.parallelism),
    notesDropped: known.unmarked.some((id) => !pinned.includes(id)),
  };
}

async function readHistory(
  service: ServicePort,
  ids: readonly TestId[],
  parallelism: number,
): Promise<History> {
  const history = new Map<TestId, readonly RunResult[] | null>();
  const queue = [...ids];
  const workers = Array.from({ length: Math.min(parallelism, ids.length) }, async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      history.set(id, await service.listResults(id));
    }
  });
  await Promise.all(workers);
  return history;
}

export async function observeAndPlan(
  service: ServicePort,
  desired: DesiredState,
  given: { readonly options: PlanOptions; readonly parallelism: number; readonly journal: Journal },
): Promise<{ readonly plan: Plan; readonly observed: ObservedState }> {
  const { options, parallelism, journal } = given;
  const observation = await observe(service, desired, { filter: options, parallelism, journal });
  return { plan: createPlan({ desired, ...observation, options }), observed: observation.observed };
}
