/**
 * Creates a plan from the desired and the observed state, without access to the service.
 * @see docs/internals/reconciler.md, sections 1 to 3; docs/internals/command-line.md, section 2
 */
import { allTargetsOf } from '../model/phase.ts';
import type { Sha256 } from '../canonical.ts';
import { timeText } from '../instant.ts';
import { createAppFinder, findObservedApp } from '../model/app.ts';
import { OWN_EXTENSIONS } from '../model/extensions.ts';
import { appAddress, testAddress, testKey, type Address, type TestId, type TestKey } from '../model/ids.ts';
import type { DeclaredTest, RunnableTest } from '../model/load-test.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { isStoppable, stateOf } from '../model/test-state.ts';
import type { Problem } from '../problem.ts';
import { performSteps, type Steps } from '../steps.ts';
import { startsLoad, type Action, type StopAction, type Verb } from './action.ts';
import type { FieldChange } from './differences.ts';
import { findLimitViolations } from './limit-violations.ts';
import { matchTests, type Match, type Matching, type OwnTest } from './match.ts';
import { selects, type PlanInput, type PlanOptions } from './plan-input.ts';
import { findPlanProblems } from './plan-problems.ts';
import { computePlannedLoad, repeatLoad, type PlannedLoad } from './planned-load.ts';
import { sortByDependencies } from './run-order.ts';
import { findUnmarkedMatches, testAction } from './test-actions.ts';

export interface Drift {
  readonly address: Address;
  readonly id: TestId;
  readonly changes: readonly FieldChange[];
}

export interface Plan {
  /** Name of the project; null for commands without a file. */
  readonly project: string | null;
  readonly environment: string | null;
  /** Actions in display order: apps, tests in run order, stops. */
  readonly actions: readonly Action[];
  readonly drift: readonly Drift[];
  readonly load: PlannedLoad;
  readonly summary: Readonly<
    Record<Exclude<Verb, 'no-op'> | 'unchanged' | 'superseded' | 'orphaned' | 'unmanaged' | 'drift', number>
  >;
  readonly problems: readonly Problem[];
}

/** Returns the matches and removed tests that `--only` and `--exclude` select. */
export function* selectMatching(
  desired: DesiredState,
  observed: ObservedState,
  options: { readonly filter: Pick<PlanOptions, 'only' | 'exclude'>; readonly sha256: Sha256 },
): Steps<Matching> {
  const matching = yield* matchTests(desired, observed, options.sha256);
  return {
    ...matching,
    matches: matching.matches.filter((match) => selects(options.filter, match.declared.key)),
    orphaned: matching.orphaned.filter((own) => selects(options.filter, own.marker.key)),
  };
}

/**
 * Creates a plan without results, data of earlier commands, or the service time; assumes support for all extensions.
 */
export function planFromLists(
  desired: DesiredState,
  observed: ObservedState,
  { options, sha256 }: { readonly options: PlanOptions; readonly sha256: Sha256 },
): Plan {
  const matching = performSteps(selectMatching(desired, observed, { filter: options, sha256 }));
  return createPlan({
    desired,
    observed,
    matching,
    unmarkedMatches: performSteps(findUnmarkedMatches(matching, options)),
    history: new Map(),
    unmarked: [],
    explainedDuplicates: new Set(),
    serviceTime: null,
    extensions: new Set(OWN_EXTENSIONS),
    options,
  });
}

export function createPlan(input: PlanInput): Plan {
  const { desired, matching, options } = input;
  const byKey = new Map(matching.matches.map((match) => [match.declared.key, match]));
  const ordered = sortByDependencies(matching.matches.map((match) => match.declared));
  const testActions = ordered
    .flatMap(({ key }) => byKey.get(key) ?? [])
    .map((match) => testAction(match, input));
  const replaced = new Set(
    testActions.flatMap((action) => (action.verb === 'replace' ? [action.test.key] : [])),
  );
  const afterward = {
    ...matching,
    matches: matching.matches.map((match) =>
      replaced.has(match.declared.key) ? withReplacedTests(match) : match,
    ),
  };
  const stops = stopActions(afterward, options.now);
  const actions = [...appActions(input, testActions), ...testActions, ...stops];
  const drift = driftOf(matching.matches);
  const starting = startingTests(testActions);
  const rounds = options.repeat ?? 1;
  const load = repeatLoad(computePlannedLoad(starting), rounds);
  const limited = {
    tests: [...starting, ...scheduledTests(testActions)],
    rounds: (test: RunnableTest) => (starting.includes(test) ? rounds : 1),
    load,
  };
  const { outerLimits } = options;
  const problems = [
    ...findPlanProblems(input, testActions, replaced),
    ...findLimitViolations({ ...limited, limits: desired.limits, allowed: options.allowLimits }),
    ...(outerLimits === undefined ? [] : findLimitViolations({ ...limited, ...outerLimits, allowed: [] })),
  ];
  return {
    project: desired.project,
    environment: desired.environment,
    actions,
    drift,
    load,
    summary: summarize(actions, afterward, drift),
    problems,
  };
}

function startingTests(actions: readonly Action[]): readonly RunnableTest[] {
  return actions.flatMap((action) => (startsLoad(action) && 'test' in action ? [action.test] : []));
}

/** Returns the tests that the plan schedules for a later start. */
function scheduledTests(actions: readonly Action[]): readonly DeclaredTest[] {
  return actions.flatMap((action) =>
    (action.verb === 'create' || action.verb === 'replace') && action.test.spec.scheduledAt !== null
      ? [action.test]
      : [],
  );
}

function appActions(input: PlanInput, testActions: readonly Action[]): Action[] {
  const { desired, observed, options, matching } = input;
  const filtered = options.only.length + options.exclude.length > 0;
  const appOf = createAppFinder(desired.apps);
  const appsOf = (test: RunnableTest) =>
    allTargetsOf<{ readonly url: string }>(test.spec).map((target) => appOf(target.url));
  const used = new Set(matching.matches.flatMap((match) => appsOf(match.declared)));
  const acting = new Set(
    testActions.flatMap((action) =>
      action.verb === 'create' || action.verb === 'replace' || action.verb === 'run'
        ? appsOf(action.test)
        : [],
    ),
  );
  return desired.apps.flatMap((app): Action[] => {
    if (filtered && !used.has(app)) return [];
    const known = findObservedApp(observed.apps, app);
    const address = appAddress(app.key);
    if (known === undefined) {
      return [
        { verb: 'register', address, app, note: null },
        { verb: 'verify', address, app, appId: null, note: null },
      ];
    }
    const needed = known.status === 'unknown' && acting.has(app);
    if (known.status !== 'unverified' && !needed) return [];
    const note = known.status === 'unknown' ? 'its status is unknown' : null;
    return [{ verb: 'verify', address, app, appId: known.id, note }];
  });
}

/** Returns the match of a replaced test, with its current test and duplicates moved to the superseded tests. */
function withReplacedTests(match: Match): Match {
  const { found, superseded, duplicates } = match;
  if (found.kind !== 'present' || found.marker === null) return match;
  const { test, marker } = found;
  return { ...match, superseded: [...superseded, { test, marker }, ...duplicates], duplicates: [] };
}

function stopActions(matching: Matching, now: number): StopAction[] {
  const stop = ({ test }: OwnTest, key: TestKey, reason: string): StopAction => {
    const state = stateOf(test, now);
    const activity =
      state === 'scheduled' ? `, starts at ${timeText(test.scheduledAt ?? Number.NaN)}` : ', running';
    return { verb: 'stop', address: testAddress(key), observed: test, note: reason + activity };
  };
  // Sorts tests by ID, so that a plan does not depend on the order of the list.
  const stoppable = (tests: readonly OwnTest[]): readonly OwnTest[] =>
    tests
      .filter(({ test }) => isStoppable(stateOf(test, now)))
      .sort((a, b) => (a.test.id < b.test.id ? -1 : 1));
  // If a renamed test is stopped, the action has the new key of the test.
  const superseded = matching.matches.flatMap(({ declared, superseded: earlier }) =>
    stoppable(earlier).map((own) => stop(own, declared.key, 'an earlier version')),
  );
  const orphaned = stoppable(matching.orphaned).map((own) =>
    stop(own, testKey(own.marker.key), 'removed from the file'),
  );
  return [...superseded, ...orphaned];
}

function driftOf(matches: readonly Match[]): Drift[] {
  return matches.flatMap((match) => {
    const { found } = match;
    if (found.kind !== 'present' || found.drift.length === 0) return [];
    return [{ address: testAddress(match.declared.key), id: found.test.id, changes: found.drift }];
  });
}

/** Creates a plan from actions that were selected without matching, for commands other than `apply`. */
export function planFromActions(
  { project, environment }: Pick<Plan, 'project' | 'environment'>,
  actions: readonly Action[],
  rounds = 1,
): Plan {
  const noMatches = { matches: [], orphaned: [], unmanaged: 0 };
  const load = repeatLoad(computePlannedLoad(startingTests(actions)), rounds);
  return {
    project,
    environment,
    actions,
    drift: [],
    load,
    summary: summarize(actions, noMatches, []),
    problems: [],
  };
}

function summarize(
  actions: readonly Action[],
  matching: Pick<Matching, 'matches' | 'orphaned' | 'unmanaged'>,
  drift: readonly Drift[],
): Plan['summary'] {
  const count = (verb: Verb) => actions.filter((action) => action.verb === verb).length;
  return {
    register: count('register'),
    verify: count('verify'),
    create: count('create'),
    replace: count('replace'),
    run: count('run'),
    stop: count('stop'),
    blocked: count('blocked'),
    deferred: count('deferred'),
    unchanged: count('no-op'),
    superseded: matching.matches.reduce(
      (sum, match) => sum + match.superseded.length + match.duplicates.length,
      0,
    ),
    orphaned: matching.orphaned.length,
    unmanaged: matching.unmanaged,
    drift: drift.length,
  };
}
