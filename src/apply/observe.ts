/** Reads what the service holds, and plans. Sends nothing but GET. */
import { withKnownMarks } from './known-marks.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import type { TestId } from '../core/model/ids.ts';
import type { RunResult } from '../core/model/run.ts';
import type { DesiredState } from '../core/model/state.ts';
import {
  createPlan,
  selectedMatching,
  type History,
  type Plan,
  type PlanInput,
  type PlanOptions,
} from '../core/reconcile/plan.ts';
import type { World } from './world.ts';

export type Observation = Pick<PlanInput, 'observed' | 'matching' | 'history' | 'notesDropped'>;

/** What looking needs. */
export type View = Pick<World, 'service' | 'journal' | 'sha256'>;

export interface ObserveOptions {
  readonly filter: Pick<PlanOptions, 'only' | 'exclude'>;
  readonly parallelism: number;
}

/** Errors: CallError; a read that failed is never "absent". */
export async function observe(
  desired: DesiredState,
  view: View,
  options: ObserveOptions,
): Promise<Observation> {
  const { service, journal, sha256 } = view;
  const [apps, tests] = await Promise.all([service.listApps(), service.listTests()]);
  const known = withKnownMarks(tests.items, journal.lines());
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

export interface MadePlan {
  readonly plan: Plan;
  /** What it was made from. */
  readonly observation: Observation;
}

/** Errors: CallError. */
export async function observeAndPlan(
  desired: DesiredState,
  view: View,
  { options, parallelism }: { readonly options: PlanOptions; readonly parallelism: number },
): Promise<MadePlan> {
  const observation = await observe(desired, view, { filter: options, parallelism });
  return { plan: createPlan({ desired, ...observation, options }), observation };
}
