/**
 * Creates a plan from the desired and the observed state. Pure: the plan is complete before any action takes
 * place.
 *
 * @see docs/internals/reconciler.md, sections 1 to 3; docs/internals/command-line.md, section 2
 */
import type { Sha256 } from '../canonical.ts';
import { matchesAny } from '../glob.ts';
import { formatInstant } from '../instant.ts';
import { hasThresholds, evaluateRun } from '../run-evaluation.ts';
import { createAppFinder, findObservedApp } from '../model/app.ts';
import {
  appAddress,
  keyOfAddress,
  testAddress,
  testKey,
  type Address,
  type TestId,
  type TestKey,
} from '../model/ids.ts';
import {
  findBlockingExtensions,
  EXTENSIONS,
  OWN_EXTENSIONS,
  RESULT_PARTS,
  resultPartsOf,
  toSentSpec,
  type Extension,
} from '../model/extensions.ts';
import type { DeclaredTest, RunnableTest } from '../model/load-test.ts';
import type { RunResult } from '../model/run-result.ts';
import type { DesiredState, LimitName, ObservedState } from '../model/state.ts';
import { isStoppable, stateOf } from '../model/test-state.ts';
import { problem, type Problem } from '../problem.ts';
import { performSteps, type Steps } from '../steps.ts';
import type { Milliseconds } from '../units.ts';
import {
  startsLoad,
  type Action,
  type BlockedAction,
  type CreateAction,
  type StopAction,
  type Verb,
} from './action.ts';
import type { FieldChange } from './differences.ts';
import type { Digests } from './digests.ts';
import { findLimitViolations } from './limit-violations.ts';
import { repeatLoad, computePlannedLoad, type PlannedLoad } from './planned-load.ts';
import { matchTests, type Match, type Matching, type OwnTest, type AdoptionFailure } from './match.ts';
import { sortByDependencies } from './run-order.ts';
import type { UnmarkedMatches } from './unmarked-matches.ts';

export interface PlanOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** False (`--no-run`) if no run may start; creates that would start load are deferred. */
  readonly start: boolean;
  /**
   * Also start existing tests whose last verdict is unknown or at least this old; null to start none of them.
   */
  readonly maxAge: Milliseconds | null;
  /** Patterns of keys whose tests are created again, even if unchanged. */
  readonly replace: readonly string[];
  readonly onDrift: 'report' | 'replace';
  /** Patterns of test keys; empty for all tests. */
  readonly only: readonly string[];
  readonly exclude: readonly string[];
  readonly allowLimits: readonly LimitName[];
  /**
   * Also create tests that may exist already, because markers are not stored or the list may be truncated.
   */
  readonly allowUnmarked: boolean;
  /** Number of rounds of the tests that start. Default: 1. */
  readonly repeat?: number;
}

/** Results of each existing test, newest first; null if the service has none. */
export type History = ReadonlyMap<TestId, readonly RunResult[] | null>;

export interface Drift {
  readonly address: Address;
  readonly id: TestId;
  readonly changes: readonly FieldChange[];
}

export interface Plan {
  /** Null for commands without a file. */
  readonly project: string | null;
  readonly environment: string | null;
  /** In display order: apps, tests in run order, stops. */
  readonly actions: readonly Action[];
  readonly drift: readonly Drift[];
  readonly load: PlannedLoad;
  readonly summary: Readonly<
    Record<Exclude<Verb, 'no-op'> | 'unchanged' | 'superseded' | 'orphaned' | 'unmanaged' | 'drift', number>
  >;
  readonly problems: readonly Problem[];
}

/** A service may immediately start a test that is scheduled sooner than this, in ms. */
export const MIN_SCHEDULE_LEAD = 60_000;

export interface PlanInput {
  readonly desired: DesiredState;
  readonly observed: ObservedState;
  readonly matching: Matching;
  readonly history: History;
  /** Our tests whose marker the service did not store, and whose ids are not in the file. */
  readonly unmarked: readonly TestId[];
  readonly unmarkedMatches: UnmarkedMatches;
  /**
   * Duplicates that were already explained to the user. They are not reported again while they are inactive.
   */
  readonly explainedDuplicates: ReadonlySet<TestId>;
  /** The clock of the service, in ms since the epoch, with which its times are compared; null if unknown. */
  readonly serviceTime: number | null;
  /** Extensions that the service lists; requested only if a test uses one. */
  readonly extensions: ReadonlySet<string>;
  readonly options: PlanOptions;
}

/** Matches both sides, restricted to the tests that `--only` and `--exclude` select. */
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

/** Reports whether `--only` and `--exclude` select a test. */
export function selects(filter: Pick<PlanOptions, 'only' | 'exclude'>, key: string): boolean {
  const chosen = filter.only.length === 0 || matchesAny(filter.only, key);
  return chosen && !matchesAny(filter.exclude, key);
}

/**
 * Creates a plan from the two lists alone, without results, earlier commands or the time of the service. All
 * extensions are treated as supported.
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
  const testActions = ordered.flatMap((declared) => {
    const match = byKey.get(declared.key);
    return match === undefined ? [] : [testAction(match, input)];
  });
  const replaced = new Set(
    testActions.flatMap((action) => (action.verb === 'replace' ? [action.test.key] : [])),
  );
  const afterwards = {
    ...matching,
    matches: matching.matches.map((match) =>
      replaced.has(match.declared.key) ? withReplacedTests(match) : match,
    ),
  };
  const stops = stopActions(afterwards, options.now);
  const actions = [...appActions(input, testActions), ...testActions, ...stops];
  const drift = driftOf(matching.matches);
  const starting = startingTests(testActions);
  const rounds = options.repeat ?? 1;
  const load = repeatLoad(computePlannedLoad(starting), rounds);
  const problems = [
    ...matchProblems(input),
    ...blockedProblems(testActions),
    ...uncomparedSecretProblems(testActions),
    ...lossProblems(matching.matches, replaced),
    ...lossesProblems(input),
    ...unevaluatedThresholdProblems(input),
    ...findLimitViolations({
      limits: desired.limits,
      tests: [...starting, ...scheduledTests(testActions)],
      rounds: (test) => (starting.includes(test) ? rounds : 1),
      load,
      allowed: options.allowLimits,
    }),
  ];
  return {
    project: desired.project,
    environment: desired.environment,
    actions,
    drift,
    load,
    summary: summarize(actions, afterwards, drift),
    problems,
  };
}

function startingTests(actions: readonly Action[]): readonly RunnableTest[] {
  return actions.flatMap((action) => (startsLoad(action) && 'test' in action ? [action.test] : []));
}

/** Their load starts later, but this plan causes it. */
function scheduledTests(actions: readonly Action[]): readonly DeclaredTest[] {
  return actions.flatMap((action) =>
    (action.verb === 'create' || action.verb === 'replace') && action.test.spec.scheduledAt !== null
      ? [action.test]
      : [],
  );
}

function testAction(match: Match, input: PlanInput): Action {
  const { declared, found } = match;
  const { options } = input;
  const address = testAddress(declared.key);
  if (found.kind !== 'present' || isReplaced(match, options)) return creationAction(match, input);
  const { test: observed, uncomparedSecrets } = found;
  const state = stateOf(observed, options.now);
  if (options.start && !isStoppable(state) && isDue(match, input)) {
    return { verb: 'run', address, test: declared, observed, uncomparedSecrets, note: null };
  }
  const results = input.history.get(observed.id) ?? null;
  const result = results?.[0] ?? null;
  const verdict = results === null ? null : evaluateRun(declared, result);
  const duplicateMarker = findOpenDuplicates(match, input)[0]?.marker ?? null;
  return {
    verb: 'no-op',
    address,
    test: declared,
    observed,
    state,
    verdict,
    result,
    duplicateMarker,
    uncomparedSecrets,
    note: null,
  };
}

/** Reports whether a test that exists is created again. */
function isReplaced({ declared, found }: Match, { replace, onDrift }: PlanOptions): boolean {
  if (found.kind !== 'present') return false;
  const drifted = found.drift.length > 0;
  return matchesAny(replace, declared.key) || found.rotated.length > 0 || (drifted && onDrift === 'replace');
}

/**
 * Finds the unmarked tests that may be tests that the plan creates.
 *
 * @remarks A step of its own, because the search may take long in a large account.
 */
export function findUnmarkedMatches(
  { matches, unmarked }: Matching,
  options: PlanOptions,
): Steps<UnmarkedMatches> {
  const created = matches.filter((match) => match.found.kind !== 'present' || isReplaced(match, options));
  return unmarked.findMatches(options.allowUnmarked ? [] : created.map(({ declared }) => declared));
}

/** Returns the duplicates of the current test, except for inactive ones that have been explained. */
function findOpenDuplicates(
  { duplicates }: Match,
  { explainedDuplicates, options }: PlanInput,
): readonly OwnTest[] {
  return duplicates.filter(
    ({ test }) => !explainedDuplicates.has(test.id) || isStoppable(stateOf(test, options.now)),
  );
}

function creationAction(match: Match, input: PlanInput): Action {
  const { options } = input;
  const { declared, found, digests } = match;
  const address = testAddress(declared.key);
  const { scheduledAt } = declared.spec;
  const again = found.kind === 'present';
  const changes = again ? [...found.drift, ...found.rotated] : found.kind === 'other' ? found.changes : [];
  const blocked = (reason: BlockReason): Action => ({
    verb: 'blocked',
    address,
    test: declared,
    note: null,
    ...reason,
  });
  if (scheduledAt !== null && scheduledAt < options.now + MIN_SCHEDULE_LEAD) {
    const reason = `scheduled_at ${formatInstant(scheduledAt)} UTC is in the past or less than a minute from now`;
    return blocked({ reason, code: 'LT_PLAN_BLOCKED', hint: null });
  }
  const missing = findBlockingExtensions(declared.spec, input.extensions);
  if (missing.length > 0) return blocked(blockForMissingExtensions(missing));
  if (!options.start && scheduledAt === null) {
    return {
      verb: 'deferred',
      address,
      test: declared,
      changes,
      note: `creating the test would start load; use "loadtests run ${declared.key}"`,
    };
  }
  const uncertainty = options.allowUnmarked ? null : blockForUncertainty(declared, input);
  if (uncertainty !== null) return blocked(uncertainty);
  const create: CreateAction = {
    verb: found.kind === 'absent' ? 'create' : 'replace',
    address,
    // The marker describes the declared spec, so that it is the same on any service.
    test: { ...declared, spec: toSentSpec(declared.spec, input.extensions).spec },
    replaces: found.kind === 'absent' ? null : found.test.id,
    digests,
    repetition: again ? match.repetition + 1 : 0,
    changes,
    note: changes.length > 0 ? null : again ? 'requested by --replace' : noteWithoutChanges(found.kind),
  };
  return create;
}

type BlockReason = Pick<BlockedAction, 'reason' | 'code' | 'hint'>;

function blockForMissingExtensions(missing: readonly Extension[]): BlockReason {
  const names = missing.map((name) => `"${name}"`).join(', ');
  const descriptions = missing.map((name) => EXTENSIONS[name].description).join(', ');
  return {
    reason: `it requires the ${missing.length === 1 ? 'extension' : 'extensions'} ${names}`,
    code: 'LT_PLAN_BLOCKED',
    hint: `this service does not list support for ${descriptions}; use the embedded service or "loadtests serve"`,
  };
}

/**
 * Returns why a test may exist although it was not recognized, or could not be recognized again; null
 * otherwise.
 */
function blockForUncertainty(
  { key }: DeclaredTest,
  { observed, unmarked, unmarkedMatches }: PlanInput,
): BlockReason | null {
  if (unmarked.length > 0) {
    return {
      reason: 'the service does not store notes, so a new test could not be recognized later',
      code: 'LT_PLAN_BLOCKED',
      hint: 'add the "id:" lines to the file first, or pass --allow-unmarked to create it anyway',
    };
  }
  if (observed.maybeTruncated) {
    return {
      reason: 'the list of tests may be incomplete, so the test may exist',
      code: 'LT_PLAN_LIST_TRUNCATED',
      hint: 'check whether the test exists on the service: if it does, add its "id:" to the test; if not, pass --allow-unmarked to create it',
    };
  }
  const match = unmarkedMatches.get(key);
  if (match === undefined) return null;
  return {
    reason: `the test ${match} has the same fields and no ownership marker; the service may not store notes`,
    code: 'LT_PLAN_BLOCKED',
    hint: `add "id: ${match}" to the test, or pass --allow-unmarked if it is a different test`,
  };
}

/** The marker also covers data that lists do not contain, such as the positions of secrets. */
function noteWithoutChanges(found: 'absent' | 'other'): string | null {
  return found === 'absent' ? null : 'its ownership marker is from an earlier version';
}

/** Reports whether `--run` or `--max-age` requests another run of an existing test. */
function isDue(match: Match, input: PlanInput): boolean {
  const { serviceTime } = input;
  const { maxAge } = input.options;
  if (maxAge === null || match.found.kind !== 'present') return false;
  if (maxAge === 0) return true;
  const results = input.history.get(match.found.test.id) ?? [];
  const { declared } = match;
  const last = results.find((result) => {
    if (!hasThresholds(declared)) return result.status === 'ready';
    const { verdict } = evaluateRun(declared, result);
    return verdict === 'pass' || verdict === 'fail';
  });
  // An unknown age counts as too old.
  return last?.startedAt == null || serviceTime === null || last.startedAt < serviceTime - maxAge;
}

function appActions(input: PlanInput, testActions: readonly Action[]): Action[] {
  const { desired, observed, options, matching } = input;
  const filtered = options.only.length + options.exclude.length > 0;
  const appOf = createAppFinder(desired.apps);
  const appsOf = (test: RunnableTest) => test.spec.targets.map((target) => appOf(target.url));
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

/**
 * Returns the match after a replacement, even with an equal spec: the current test and its duplicates are
 * then superseded.
 */
function withReplacedTests(match: Match): Match {
  const { found, superseded, duplicates } = match;
  if (found.kind !== 'present' || found.marker === null) return match;
  const { test, marker } = found;
  return { ...match, superseded: [...superseded, { test, marker }, ...duplicates], duplicates: [] };
}

function stopActions(matching: Matching, now: number): StopAction[] {
  const stop = (own: OwnTest, key: TestKey, reason: string): StopAction[] => {
    const state = stateOf(own.test, now);
    if (!isStoppable(state)) return [];
    const { scheduledAt } = own.test;
    const activity =
      state === 'scheduled' && scheduledAt !== null
        ? `, starts at ${formatInstant(scheduledAt)} UTC`
        : ', running';
    return [{ verb: 'stop', address: testAddress(key), observed: own.test, state, note: reason + activity }];
  };
  // A moved test is stopped under its new key, like its replacement.
  const superseded = matching.matches.flatMap(({ declared, superseded: earlier }) =>
    byId(earlier).flatMap((own) => stop(own, declared.key, 'an earlier version')),
  );
  const orphaned = byId(matching.orphaned);
  return [
    ...superseded,
    ...orphaned.flatMap((own) => stop(own, testKey(own.marker.key), 'removed from the file')),
  ];
}

/** Sorts by id, because a plan must not depend on the order of the service's list. */
function byId(tests: readonly OwnTest[]): readonly OwnTest[] {
  return [...tests].sort((a, b) => (a.test.id < b.test.id ? -1 : 1));
}

function driftOf(matches: readonly Match[]): Drift[] {
  return matches.flatMap((match) => {
    const { found } = match;
    if (found.kind !== 'present' || found.drift.length === 0) return [];
    return [{ address: testAddress(match.declared.key), id: found.test.id, changes: found.drift }];
  });
}

function blockedProblems(actions: readonly Action[]): Problem[] {
  return actions.flatMap((action) => {
    if (action.verb !== 'blocked') return [];
    const { source } = action.test;
    return [
      problem(action.code, `"${action.test.key}" is blocked: ${action.reason}`, {
        severity: 'warning',
        source,
        hint: action.hint,
      }),
    ];
  });
}

/** A run uses the secrets with which the test was created. */
function uncomparedSecretProblems(actions: readonly Action[]): Problem[] {
  const unknown = actions.filter((action) => action.verb === 'run' && action.uncomparedSecrets.length > 0);
  const keys = unknown.map(({ address }) => keyOfAddress(address));
  if (keys.length === 0) return [];
  const names = keys.map((key) => `"${key}"`).join(', ');
  const text = `some secrets of ${names} cannot be compared with the service, which may use earlier values`;
  return [
    problem('LT_PLAN_SECRET_UNKNOWN', text, {
      severity: 'warning',
      hint: `if a secret has changed, run: loadtests apply ${keys.map((key) => `--replace ${key}`).join(' ')}`,
    }),
  ];
}

/**
 * Returns warnings for fields that a replacement loses. A service that does not list a field cannot show the
 * loss.
 */
function lossProblems(matches: readonly Match[], replaced: ReadonlySet<TestKey>): Problem[] {
  return matches.flatMap(({ declared, lostFields }) => {
    if (lostFields.length === 0 || !replaced.has(declared.key)) return [];
    const { key, adopt, source } = declared;
    const namesOf = (certain: boolean) =>
      lostFields.filter((field) => field.certain === certain).map(({ name }) => `"${name}"`);
    const [has, unknown] = [namesOf(true), namesOf(false)];
    const parts = [
      ...(has.length === 0 ? [] : [`its ${has.join(' and ')}, which the file does not contain`]),
      ...(unknown.length === 0
        ? []
        : [`its ${unknown.join(' and ')}, if any, which the service does not list`]),
    ];
    const text = `replacing "${key}" (${adopt ?? ''}) removes ${parts.join('; and ')}`;
    const hint =
      'add them to the file; use "error_threshold: 50" for the default and "variables: []" for no variables';
    return [problem('LT_PLAN_FIELD_LOST', text, { severity: 'warning', source, hint })];
  });
}

/** Returns warnings for tests that are sent to the service without an extension. */
function lossesProblems({ matching, extensions }: PlanInput): Problem[] {
  return matching.matches.flatMap(({ declared: { key, spec, source } }) =>
    toSentSpec(spec, extensions).losses.map(({ text, hint }) =>
      problem('LT_PLAN_EXTENSION', `"${key}": ${text}`, { severity: 'warning', source, hint }),
    ),
  );
}

/** Returns warnings for thresholds on metrics that the results of the service may not contain. */
function unevaluatedThresholdProblems({ matching, extensions }: PlanInput): Problem[] {
  return matching.matches.flatMap(({ declared: test }) =>
    resultPartsOf(test)
      .filter((name) => !extensions.has(name))
      .map((name) => {
        const { description, thresholdsOf } = RESULT_PARTS[name];
        const text = `the thresholds of "${test.key}" on ${thresholdsOf(test).join(', ')} may have no verdict: the service does not list support for ${description}`;
        const hint = 'use the embedded service or "loadtests serve"';
        return problem('LT_PLAN_NO_RESULTS', text, { severity: 'warning', source: test.source, hint });
      }),
  );
}

function adoptionProblem({ key, adopt, source }: DeclaredTest, failure: AdoptionFailure): Problem {
  const text = `"${key}" adopts the test "${adopt ?? ''}", which`;
  if (failure.kind === 'missing')
    return problem('LT_PLAN_ID_MISSING', `${text} does not exist on the service`, { source });
  const hint = `to rename "${failure.by}", remove it from the file and add "moved: { ${key}: ${failure.by} }"; otherwise, remove the id`;
  return problem('LT_PLAN_ID_TAKEN', `${text} belongs to "${failure.by}" according to its ownership marker`, {
    source,
    hint,
  });
}

/**
 * Returns a warning for a new test that equals a removed one: it was probably renamed, and running it may be
 * unintended.
 */
function renameProblem(
  { declared, found, digests }: Match,
  orphans: ReadonlyMap<string, OwnTest>,
): Problem | null {
  if (found.kind !== 'absent') return null;
  const same = orphans.get(keyOfDigests(digests));
  if (same === undefined) return null;
  const { key, source } = declared;
  const before = same.marker.key;
  const text = `"${key}" is new and identical to "${before}", which was removed from the file`;
  const hint = `if you renamed the test, add "moved: { ${key}: ${before} }" to keep its runs and start no new one`;
  return problem('LT_PLAN_RENAME', text, { severity: 'warning', source, hint });
}

/** Returns the first removed test of each spec. */
function firstByDigests(orphaned: readonly OwnTest[]): ReadonlyMap<string, OwnTest> {
  return new Map(orphaned.toReversed().map((own) => [keyOfDigests(own.marker), own]));
}

function keyOfDigests({ listed, unlisted }: Digests): string {
  return `${listed} ${unlisted}`;
}

/**
 * Returns a warning for entries of "moved" that have no effect, because the tests have markers with their new
 * keys.
 */
function movedProblem(
  { declared, found, superseded }: Match,
  { desired, options }: PlanInput,
): Problem | null {
  const { key, source } = declared;
  if (found.kind !== 'present' || found.marker?.key !== key) return null;
  const previousKeys = [...desired.moved].flatMap(([before, now]) => (now === key ? [before] : []));
  const isActive = superseded.some(({ test }) => isStoppable(stateOf(test, options.now)));
  if (previousKeys.length === 0 || isActive) return null;
  const text = `"moved" is no longer needed for "${key}": the service has the test under this key`;
  const hint = `remove ${previousKeys.map((before) => `"${before}"`).join(' and ')} from "moved" when every environment shows this warning`;
  return problem('LT_PLAN_MOVED', text, { severity: 'warning', source, hint });
}

function matchProblems(input: PlanInput): Problem[] {
  const { matching, observed, unmarked } = input;
  const problems: Problem[] = [];
  const warning = { severity: 'warning' } as const;
  const orphans = firstByDigests(matching.orphaned);
  for (const match of matching.matches) {
    const { declared, adoptionFailure, found } = match;
    const { source } = declared;
    if (adoptionFailure !== null) problems.push(adoptionProblem(declared, adoptionFailure));
    problems.push(...[renameProblem(match, orphans), movedProblem(match, input)].flatMap((one) => one ?? []));
    if (found.kind === 'present' && unmarked.includes(found.test.id)) {
      problems.push(unmarkedProblem(declared, found.test.id, 'warning'));
    }
    const duplicates = findOpenDuplicates(match, input);
    if (duplicates.length > 0 && found.kind === 'present') {
      const ids = duplicates.map((own) => own.test.id).join(', ');
      problems.push(
        problem(
          'LT_PLAN_DUPLICATE',
          duplicates.length === 1
            ? `test.${declared.key} exists twice: ${found.test.id} is used, ${ids} is a duplicate`
            : `test.${declared.key} exists ${duplicates.length + 1} times: ${found.test.id} is used, ${ids} are duplicates`,
          {
            ...warning,
            source,
            hint: 'when no duplicate is running, close this warning with "loadtests recover"',
          },
        ),
      );
    }
    if (found.kind === 'present' && found.drift.length > 0) {
      const fields = found.drift.map((change) => change.field).join(', ');
      problems.push(
        problem('LT_PLAN_DRIFT', `"${declared.key}" was changed on the service: ${fields}`, {
          ...warning,
          source,
          hint: 'to create it again, pass --on-drift replace',
        }),
      );
    }
  }
  for (const test of matching.damaged) {
    problems.push(
      problem(
        'LT_PLAN_MARKER',
        `the ownership marker in the notes of the test "${test.id}" is damaged, so loadtests does not manage the test`,
        { ...warning, hint: `to adopt the test, add "id: ${test.id}" to its declaration` },
      ),
    );
  }
  if (observed.maybeTruncated) {
    problems.push(
      problem(
        'LT_PLAN_LIST_TRUNCATED',
        'the list of tests may be incomplete, so a test that appears to be missing may exist',
        warning,
      ),
    );
  }
  return problems;
}

/** Returns a problem for a created test whose marker the service did not store. */
export function unmarkedProblem(
  { key, source }: DeclaredTest,
  id: TestId,
  severity: Problem['severity'],
): Problem {
  const text = `the service does not store notes, so "${key}" (${id}) can be recognized only from this directory`;
  return problem('LT_PLAN_UNMARKED', text, { severity, source, hint: `add "id: ${id}" to the test` });
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
