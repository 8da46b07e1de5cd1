/** Reads the state of the service and creates a plan. Sends only GET requests. */
import { readFirstStarts } from '../uncertainty/duplicates.ts';
import { readHistory } from './history.ts';
import type { CreateLine } from '../uncertainty/journal.ts';
import { listClosedDuplicates, confirmMissing, withKnownApps, withKnownTests } from './known-tests.ts';
import { keyOfAddress, testKey } from '../../core/model/ids.ts';
import { extensionsOf, resultPartsOf } from '../../core/model/extensions.ts';
import type { DesiredState } from '../../core/model/state.ts';
import { createPlan, selectMatching, type Plan } from '../../core/reconcile/plan.ts';
import type { PlanInput, PlanOptions } from '../../core/reconcile/plan-input.ts';
import { findUnmarkedMatches } from '../../core/reconcile/test-actions.ts';
import type { FirstStartTimes } from '../../core/reconcile/duplicates.ts';
import { createPossibleMatchFilter } from '../../core/reconcile/unmarked-matches.ts';
import { fetchFullTests } from './full-tests.ts';
import type { ApplyContext } from '../apply-context.ts';
import { performInTurns } from '../turns.ts';

export interface Observation extends Pick<
  PlanInput,
  'observed' | 'matching' | 'history' | 'unmarked' | 'explainedDuplicates' | 'serviceTime' | 'extensions'
> {
  readonly missing: readonly CreateLine[];
}

export type ObserveContext = Pick<ApplyContext, 'service' | 'journal' | 'sha256'>;

export interface ObserveOptions {
  readonly filter: Pick<PlanOptions, 'only' | 'exclude'>;
  readonly parallelism: number;
}

/**
 * Reads the apps and tests of the service, and the results of the selected tests.
 * @throws CallError if a read fails.
 */
export async function observe(
  desired: DesiredState,
  view: ObserveContext,
  options: ObserveOptions,
): Promise<Observation> {
  const { service, journal, sha256 } = view;
  const [apps, tests] = await Promise.all([service.listApps(), service.listTests()]);
  const knownApps = await withKnownApps(apps.items, service, journal.appIds());
  const adopted = desired.tests.flatMap(({ adopt }) => (adopt === null ? [] : [adopt]));
  const known = await withKnownTests(tests, service, { lines: journal.lines(), adopted });
  const matchingBy = async (firstStartTimes: FirstStartTimes, among = known.tests) => {
    const observed = {
      apps: knownApps,
      tests: among,
      maybeTruncated: tests.maybeTruncated,
      firstStartTimes,
    };
    const { filter } = options;
    const matching = await performInTurns(selectMatching(desired, observed, { filter, sha256 }));
    return { observed, matching };
  };
  const byId = await matchingBy(new Map());
  const duplicated = byId.matching.matches.flatMap(({ found, duplicates }) =>
    found.kind !== 'present' || duplicates.length === 0 ? [] : [found, ...duplicates],
  );
  // If a key has duplicates, the times of their first starts determine which test is used.
  const selected =
    duplicated.length === 0
      ? byId
      : await matchingBy(
          (
            await readFirstStarts(
              duplicated.map(({ test }) => test.id),
              service,
            )
          ).firstStarts,
        );
  const compared = new Set(
    selected.matching.matches.flatMap(({ found }) => (found.kind === 'absent' ? [] : [found.test.id])),
  );
  const { parallelism } = options;
  const isPossibleMatch = createPossibleMatchFilter(
    selected.matching.matches.map(({ declared }) => declared),
  );
  const fullTests = await fetchFullTests(
    known.tests,
    (test) => compared.has(test.id) || isPossibleMatch(test),
    { service, parallelism },
  );
  const { observed, matching } =
    fullTests === known.tests ? selected : await matchingBy(selected.observed.firstStartTimes, fullTests);
  const evaluated = matching.matches.flatMap((match) => {
    // Results are needed even without declared thresholds, because a run also fails if it reaches the error threshold.
    const { found, declared } = match;
    return found.kind === 'present'
      ? [{ id: found.test.id, thresholds: declared.thresholds, regression: declared.regression }]
      : [];
  });
  const needsExtensions = matching.matches.some(
    ({ declared }) => extensionsOf(declared.spec).length + resultPartsOf(declared).length > 0,
  );
  return {
    observed,
    matching,
    history: await readHistory(evaluated, { service, lines: journal.lines() }, parallelism),
    unmarked: known.unmarked.filter((id) => !adopted.includes(id)),
    missing: known.missing,
    explainedDuplicates: listClosedDuplicates(journal.lines()),
    serviceTime: service.serviceTime(),
    extensions: needsExtensions ? await service.listExtensions() : new Set(),
  };
}

export interface PlanWithObservation {
  readonly plan: Plan;
  readonly observation: Observation;
}

export interface PlanRequest {
  readonly options: PlanOptions;
  readonly parallelism: number;
  /** Context to confirm that tests are missing before the plan re-creates them; null to omit this check. */
  readonly context: ApplyContext | null;
}

/** @throws CallError if the service cannot be read. */
export async function observeAndPlan(
  desired: DesiredState,
  view: ObserveContext,
  request: PlanRequest,
): Promise<PlanWithObservation> {
  const { options, parallelism, context } = request;
  const observation = await observe(desired, view, { filter: options, parallelism });
  const unmarkedMatches = await performInTurns(findUnmarkedMatches(observation.matching, options));
  const plan = createPlan({ desired, ...observation, unmarkedMatches, options });
  if (context !== null) {
    const recreated = observation.missing.filter((line) => recreatesTest(plan, line, desired));
    if (await confirmMissing(recreated, context)) {
      return await observeAndPlan(desired, view, { ...request, context: null });
    }
  }
  return { plan, observation };
}

function recreatesTest(plan: Plan, line: CreateLine, { moved }: DesiredState): boolean {
  return plan.actions.some((action) => {
    if (action.verb !== 'create' && action.verb !== 'replace') return false;
    const { key } = action.test;
    const hasSameFields = action.digests.listed === line.s && action.digests.unlisted === line.w;
    const earlierKey = testKey(keyOfAddress(line.address));
    return hasSameFields && (earlierKey === key || moved.get(earlierKey) === key);
  });
}
