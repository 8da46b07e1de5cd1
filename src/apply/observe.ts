/** Reads what the service holds, and plans. Sends nothing but GET. */
import { readFirstStarts } from './duplicates.ts';
import { readHistory } from './history.ts';
import type { CreateLine } from './journal.ts';
import { listClosedDuplicates, confirmMissing, withKnownTests } from './known-tests.ts';
import { keyOfAddress, testKey } from '../core/model/ids.ts';
import { extensionsOf, resultPartsOf } from '../core/model/extensions.ts';
import type { DesiredState } from '../core/model/state.ts';
import {
  createPlan,
  selectMatching,
  type Plan,
  type PlanInput,
  type PlanOptions,
} from '../core/reconcile/plan.ts';
import type { FirstStartTimes } from '../core/reconcile/duplicates.ts';
import { isPossibleMatch } from '../core/reconcile/unmarked-matches.ts';
import { fetchFullTests } from './full-tests.ts';
import type { ApplyContext } from './apply-context.ts';

export interface Observation extends Pick<
  PlanInput,
  'observed' | 'matching' | 'history' | 'unmarked' | 'explainedDuplicates' | 'serviceTime' | 'extensions'
> {
  /** Tests that were created, and that the service says are not there. */
  readonly missing: readonly CreateLine[];
}

/** What looking needs. */
export type ObserveContext = Pick<ApplyContext, 'service' | 'journal' | 'sha256'>;

export interface ObserveOptions {
  readonly filter: Pick<PlanOptions, 'only' | 'exclude'>;
  readonly parallelism: number;
}

/** Errors: CallError; a read that failed is never "absent". */
export async function observe(
  desired: DesiredState,
  view: ObserveContext,
  options: ObserveOptions,
): Promise<Observation> {
  const { service, journal, sha256 } = view;
  const [apps, tests] = await Promise.all([service.listApps(), service.listTests()]);
  const adopted = desired.tests.flatMap(({ adopt }) => (adopt === null ? [] : [adopt]));
  const known = await withKnownTests(tests, service, { lines: journal.lines(), adopted });
  const matchingBy = (firstStartTimes: FirstStartTimes, among = known.tests) => {
    const seen = { apps: apps.items, tests: among, maybeTruncated: tests.maybeTruncated, firstStartTimes };
    return { seen, made: selectMatching(desired, seen, { filter: options.filter, sha256 }) };
  };
  const byId = matchingBy(new Map());
  const doubled = byId.made.matches.flatMap(({ found, duplicates }) =>
    found.kind !== 'present' || duplicates.length === 0 ? [] : [found, ...duplicates],
  );
  // Marks alone decide which test counts for which key.
  const chosen =
    doubled.length === 0
      ? byId
      : matchingBy(
          (
            await readFirstStarts(
              doubled.map(({ test }) => test.id),
              service,
            )
          ).began,
        );
  const compared = new Set(
    chosen.made.matches.flatMap(({ found }) => (found.kind === 'absent' ? [] : [found.test.id])),
  );
  const { parallelism } = options;
  const whole = await fetchFullTests(
    known.tests,
    (test) =>
      compared.has(test.id) ||
      chosen.made.matches.some(({ declared }) => isPossibleMatch(test, declared.spec)),
    { service, parallelism },
  );
  const { seen: observed, made: matching } =
    whole === known.tests ? chosen : matchingBy(chosen.seen.firstStartTimes, whole);
  const wanted = matching.matches.flatMap((match) => {
    // Also without thresholds: a run that its error threshold ended has failed.
    const { found, declared } = match;
    return found.kind === 'present'
      ? [{ id: found.test.id, thresholds: declared.thresholds, regression: declared.regression }]
      : [];
  });
  const needed = matching.matches.some(
    ({ declared }) => extensionsOf(declared.spec).length + resultPartsOf(declared).length > 0,
  );
  return {
    observed,
    matching,
    history: await readHistory(wanted, { service, lines: journal.lines() }, parallelism),
    unmarked: known.unmarked.filter((id) => !adopted.includes(id)),
    missing: known.missing,
    explainedDuplicates: listClosedDuplicates(journal.lines()),
    serviceTime: service.serviceTime(),
    extensions: needed ? await service.listExtensions() : new Set(),
  };
}

export interface PlanWithObservation {
  readonly plan: Plan;
  /** What it was made from. */
  readonly observation: Observation;
}

export interface PlanRequest {
  readonly options: PlanOptions;
  readonly parallelism: number;
  /** Of a command that may carry out the plan: what seems to be gone is asked for again. */
  readonly context: ApplyContext | null;
}

/** Errors: CallError. */
export async function observeAndPlan(
  desired: DesiredState,
  view: ObserveContext,
  request: PlanRequest,
): Promise<PlanWithObservation> {
  const { options, parallelism, context } = request;
  const observation = await observe(desired, view, { filter: options, parallelism });
  const plan = createPlan({ desired, ...observation, options });
  if (context !== null) {
    const created = observation.missing.filter((line) => recreatesTest(plan, line, desired));
    if (await confirmMissing(created, context)) {
      return await observeAndPlan(desired, view, { ...request, context: null });
    }
  }
  return { plan, observation };
}

/** Whether the plan creates what a line of the journal says was created before. */
function recreatesTest(plan: Plan, line: CreateLine, { moved }: DesiredState): boolean {
  return plan.actions.some((action) => {
    if (action.verb !== 'create' && action.verb !== 'replace') return false;
    const { key } = action.test;
    const same = action.digests.listed === line.s && action.digests.unlisted === line.w;
    const before = testKey(keyOfAddress(line.address));
    return same && (before === key || moved.get(before) === key);
  });
}
