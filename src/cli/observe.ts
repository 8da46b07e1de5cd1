/** Reads what the service holds, and plans. Sends nothing but GET. */
import type { ServicePort } from '../apply/port.ts';
import type { TestId } from '../core/model/ids.ts';
import type { RunResult } from '../core/model/run.ts';
import type { DesiredState, ObservedState } from '../core/model/state.ts';
import type { Matching } from '../core/reconcile/match.ts';
import {
  createPlan,
  selectedMatching,
  type History,
  type Plan,
  type PlanOptions,
} from '../core/reconcile/plan.ts';
import { sha256 } from './digest.ts';

export interface Observation {
  readonly observed: ObservedState;
  readonly matching: Matching;
  readonly history: History;
}

export interface ObserveOptions {
  readonly filter: Pick<PlanOptions, 'only' | 'exclude'>;
  /** Whether the results of tests without thresholds are needed as well. */
  readonly allResults: boolean;
  readonly parallelism: number;
}

/** Errors: CallError; a read that failed is never "absent". */
export async function observe(
  service: ServicePort,
  desired: DesiredState,
  options: ObserveOptions,
): Promise<Observation> {
  const [apps, tests] = await Promise.all([service.listApps(), service.listTests()]);
  const observed = { apps: apps.items, tests: tests.items, perhapsCut: tests.perhapsCut || apps.perhapsCut };
  const matching = selectedMatching(desired, observed, { filter: options.filter, sha256 });
  const wanted = matching.matches.flatMap((match) => {
    const judged = match.declared.thresholds.length > 0 || options.allResults;
    return match.found.kind === 'present' && judged ? [match.found.test.id] : [];
  });
  return { observed, matching, history: await readHistory(service, wanted, options.parallelism) };
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
  given: { readonly options: PlanOptions; readonly parallelism: number },
): Promise<{ readonly plan: Plan; readonly observation: Observation }> {
  const { options, parallelism } = given;
  const allResults = options.maxAge !== null && options.maxAge > 0;
  const observation = await observe(service, desired, { filter: options, allResults, parallelism });
  return { plan: createPlan({ desired, ...observation, options }), observation };
}
