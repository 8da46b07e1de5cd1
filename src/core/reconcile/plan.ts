/**
 * Desired and observed in, plan out. Pure: the plan is complete before anything is done.
 *
 * Source: docs/internals/reconciler.md, sections 1 to 3; docs/internals/command-line.md, section 2.
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
import { findLimitViolations } from './limit-violations.ts';
import { repeatLoad, computePlannedLoad, type PlannedLoad } from './planned-load.ts';
import { matchTests, type Match, type Matching, type OwnTest, type AdoptionFailure } from './match.ts';
import { sortByDependencies } from './run-order.ts';
import { createUnmarkedMatchFinder, type FindUnmarkedMatch } from './unmarked-matches.ts';

export interface PlanOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** False (`--no-run`): nothing may start; creates that would start load are deferred. */
  readonly start: boolean;
  /** Also start existing tests whose last verdict is at least this old or unknown; null: leave them alone. */
  readonly maxAge: Milliseconds | null;
  /** Patterns of keys to create anew, changed or not. */
  readonly replace: readonly string[];
  readonly onDrift: 'report' | 'replace';
  /** Patterns of keys of tests; empty: all. */
  readonly only: readonly string[];
  readonly exclude: readonly string[];
  readonly allowLimits: readonly LimitName[];
  /** Also create what may be there already: where marks are not kept, or the list may be cut off. */
  readonly allowUnmarked: boolean;
  /** How many rounds the tests make that start; left out: 1. */
  readonly repeat?: number;
}

/** The results of each present test, newest first; null where the service has none to give. */
export type History = ReadonlyMap<TestId, readonly RunResult[] | null>;

export interface Drift {
  readonly address: Address;
  readonly id: TestId;
  readonly changes: readonly FieldChange[];
}

export interface Plan {
  /** Null: of a command without a file. */
  readonly project: string | null;
  readonly environment: string | null;
  /** In the order they are shown: apps, tests in turn order, stops. */
  readonly actions: readonly Action[];
  readonly drift: readonly Drift[];
  readonly load: PlannedLoad;
  readonly summary: Readonly<
    Record<Exclude<Verb, 'no-op'> | 'unchanged' | 'superseded' | 'orphaned' | 'unmanaged' | 'drift', number>
  >;
  readonly problems: readonly Problem[];
}

/** A service may start a test at once whose time is nearer than this. */
export const MIN_SCHEDULE_LEAD = 60_000;

export interface PlanInput {
  readonly desired: DesiredState;
  readonly observed: ObservedState;
  readonly matching: Matching;
  readonly history: History;
  /** Tests of ours whose mark the service dropped, and that the file does not pin by id. */
  readonly unmarked: readonly TestId[];
  /** Doubles that were explained to somebody: nobody is told of them while they rest. */
  readonly explainedDuplicates: readonly TestId[];
  /** The clock of the service, in ms since the epoch: its times are compared with nothing else. Null: it does not tell. */
  readonly serviceTime: number | null;
  /** What the service has beyond the API document; asked only where a test uses something of it. */
  readonly extensions: ReadonlySet<string>;
  readonly options: PlanOptions;
}

/** The part of both sides that `--only` and `--exclude` leave. */
export function selectMatching(
  desired: DesiredState,
  observed: ObservedState,
  options: { readonly filter: Pick<PlanOptions, 'only' | 'exclude'>; readonly sha256: Sha256 },
): Matching {
  const matching = matchTests(desired, observed, options.sha256);
  return {
    ...matching,
    matches: matching.matches.filter((match) => selects(options.filter, match.declared.key)),
    orphaned: matching.orphaned.filter((own) => selects(options.filter, own.marker.key)),
  };
}

/** Whether `--only` and `--exclude` leave a test. */
export function selects(filter: Pick<PlanOptions, 'only' | 'exclude'>, key: string): boolean {
  const chosen = filter.only.length === 0 || matchesAny(filter.only, key);
  return chosen && !matchesAny(filter.exclude, key);
}

/**
 * The plan of one who knows nothing but the two lists: no results, no earlier commands, no time of the service. It is
 * taken for one that knows every extension.
 */
export function planFromLists(
  desired: DesiredState,
  observed: ObservedState,
  { options, sha256 }: { readonly options: PlanOptions; readonly sha256: Sha256 },
): Plan {
  return createPlan({
    desired,
    observed,
    matching: selectMatching(desired, observed, { filter: options, sha256 }),
    history: new Map(),
    unmarked: [],
    explainedDuplicates: [],
    serviceTime: null,
    extensions: new Set(OWN_EXTENSIONS),
    options,
  });
}

export function createPlan(input: PlanInput): Plan {
  const { desired, matching, options } = input;
  const byKey = new Map(matching.matches.map((match) => [match.declared.key, match]));
  const ordered = sortByDependencies(matching.matches.map((match) => match.declared));
  const twinOf = createUnmarkedMatchFinder(
    input.observed.tests,
    new Set([...input.unmarked, ...adoptedIds(desired)]),
  );
  const testActions = ordered.flatMap((declared) => {
    const match = byKey.get(declared.key);
    return match === undefined ? [] : [testAction(match, input, twinOf)];
  });
  const replaced = new Set(
    testActions.flatMap((action) => (action.verb === 'replace' ? [action.test.key] : [])),
  );
  const left = {
    ...matching,
    matches: matching.matches.map((match) =>
      replaced.has(match.declared.key) ? findReplacedTests(match) : match,
    ),
  };
  const stops = stopActions(left, options.now);
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
    summary: summarize(actions, left, drift),
    problems,
  };
}

function startingTests(actions: readonly Action[]): readonly RunnableTest[] {
  return actions.flatMap((action) => (startsLoad(action) && 'test' in action ? [action.test] : []));
}

/** Their load comes later, yet it is this plan that lets it come. */
function scheduledTests(actions: readonly Action[]): readonly DeclaredTest[] {
  return actions.flatMap((action) =>
    (action.verb === 'create' || action.verb === 'replace') && action.test.spec.scheduledAt !== null
      ? [action.test]
      : [],
  );
}

function adoptedIds({ tests }: DesiredState): readonly TestId[] {
  return tests.flatMap(({ adopt }) => (adopt === null ? [] : [adopt]));
}

function testAction(match: Match, input: PlanInput, twinOf: FindUnmarkedMatch): Action {
  const { declared, found } = match;
  const { options } = input;
  const address = testAddress(declared.key);
  const forced = matchesAny(options.replace, declared.key);
  const drifted = found.kind === 'present' && found.drift.length > 0;
  const rotated = found.kind === 'present' && found.rotated.length > 0;
  if (found.kind !== 'present' || forced || rotated || (drifted && options.onDrift === 'replace')) {
    return creationAction(match, input, twinOf);
  }
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
    ...{ verb: 'no-op', address, test: declared, observed, state, verdict, result, duplicateMarker },
    ...{ uncomparedSecrets, note: null },
  };
}

/** Tests with the mark of the one that counts, but for those that rest and were explained. */
function findOpenDuplicates(
  { duplicates }: Match,
  { explainedDuplicates, options }: PlanInput,
): readonly OwnTest[] {
  return duplicates.filter(
    ({ test }) => !explainedDuplicates.includes(test.id) || isStoppable(stateOf(test, options.now)),
  );
}

function creationAction(match: Match, input: PlanInput, twinOf: FindUnmarkedMatch): Action {
  const { options } = input;
  const { declared, found, digests } = match;
  const address = testAddress(declared.key);
  const { scheduledAt } = declared.spec;
  const again = found.kind === 'present';
  const changes = again ? [...found.drift, ...found.rotated] : found.kind === 'other' ? found.changes : [];
  const blocked = (why: BlockReason): Action => ({
    verb: 'blocked',
    address,
    test: declared,
    note: null,
    ...why,
  });
  if (scheduledAt !== null && scheduledAt < options.now + MIN_SCHEDULE_LEAD) {
    const reason = `scheduled_at ${formatInstant(scheduledAt)} UTC is in the past or less than a minute ahead`;
    return blocked({ reason, code: 'LT_PLAN_BLOCKED', hint: null });
  }
  const lacking = findBlockingExtensions(declared.spec, input.extensions);
  if (lacking.length > 0) return blocked(blockForMissingExtensions(lacking));
  if (!options.start && scheduledAt === null) {
    return {
      verb: 'deferred',
      address,
      test: declared,
      changes,
      note: `creating it would start load; use "loadtests run ${declared.key}"`,
    };
  }
  const unsure = options.allowUnmarked ? null : blockForUncertainty(declared, input, twinOf);
  if (unsure !== null) return blocked(unsure);
  const create: CreateAction = {
    verb: found.kind === 'absent' ? 'create' : 'replace',
    address,
    // The mark tells what the file says, so that it is the same on any service.
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

function blockForMissingExtensions(lacking: readonly Extension[]): BlockReason {
  const names = lacking.map((name) => `"${name}"`).join(', ');
  const what = lacking.map((name) => EXTENSIONS[name].description).join('; ');
  return {
    reason: `needs a service with ${names}`,
    code: 'LT_PLAN_BLOCKED',
    hint: `this one does not say that it supports ${what}; the embedded service and "loadtests serve" do`,
  };
}

/** Why a test that is not seen may be there all the same, or could not be found again. */
function blockForUncertainty(
  declared: DeclaredTest,
  input: PlanInput,
  twinOf: FindUnmarkedMatch,
): BlockReason | null {
  const { observed, unmarked } = input;
  if (unmarked.length > 0) {
    return {
      reason: 'the service does not store notes, so a new test could not be found again',
      code: 'LT_PLAN_BLOCKED',
      hint: 'add the "id:" lines to the file first; --allow-unmarked creates it all the same',
    };
  }
  if (observed.maybeTruncated) {
    return {
      reason: 'the list of tests may be incomplete, so the test may exist',
      code: 'LT_PLAN_LIST_TRUNCATED',
      hint: 'look for it on the service: if it is there, add its "id:" to the test; if not, --allow-unmarked creates it',
    };
  }
  const twin = twinOf(declared);
  if (twin === null) return null;
  return {
    reason: `${twin} has the same fields and no mark; the service may not store notes`,
    code: 'LT_PLAN_BLOCKED',
    hint: `add "id: ${twin}" to the test; if that is another one, --allow-unmarked creates it`,
  };
}

/** The mark says more than the list shows, such as where a secret stands. */
function noteWithoutChanges(found: 'absent' | 'other'): string | null {
  return found === 'absent' ? null : 'its mark is from an earlier version';
}

/** Whether `--run` or `--max-age` asks for another run of a test that is there. */
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
  // An age that cannot be known may be any.
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
    const there = findObservedApp(observed.apps, app);
    const address = appAddress(app.key);
    if (there === undefined) {
      return [
        { verb: 'register', address, app, note: null },
        { verb: 'verify', address, app, appId: null, note: null },
      ];
    }
    const needed = there.status === 'unknown' && acting.has(app);
    if (there.status !== 'unverified' && !needed) return [];
    const note = there.status === 'unknown' ? 'its status is unknown' : null;
    return [{ verb: 'verify', address, app, appId: there.id, note }];
  });
}

/** A test whose replacement has the very same spec is an earlier version from then on, as one of another spec is. */
function findReplacedTests(match: Match): Match {
  const { found, superseded, duplicates } = match;
  if (found.kind !== 'present' || found.marker === null) return match;
  const { test, marker } = found;
  return { ...match, superseded: [...superseded, { test, marker }, ...duplicates], duplicates: [] };
}

function stopActions(matching: Matching, now: number): StopAction[] {
  const stop = (own: OwnTest, key: TestKey, why: string): StopAction[] => {
    const state = stateOf(own.test, now);
    if (!isStoppable(state)) return [];
    const fires = own.test.scheduledAt;
    const armed =
      state === 'scheduled' && fires !== null ? `, starts at ${formatInstant(fires)} UTC` : ', running';
    return [{ verb: 'stop', address: testAddress(key), observed: own.test, state, note: why + armed }];
  };
  // A moved test is stopped under its new key, which is that of its replacement.
  const superseded = matching.matches.flatMap(({ declared, superseded: earlier }) =>
    byId(earlier).flatMap((own) => stop(own, declared.key, 'an earlier version')),
  );
  const orphaned = byId(matching.orphaned);
  return [
    ...superseded,
    ...orphaned.flatMap((own) => stop(own, testKey(own.marker.key), 'removed from the file')),
  ];
}

/** A plan must not depend on the order of the service's list. */
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

/** A run uses what the test was created with. */
function uncomparedSecretProblems(actions: readonly Action[]): Problem[] {
  const unknown = actions.filter((action) => action.verb === 'run' && action.uncomparedSecrets.length > 0);
  const keys = unknown.map(({ address }) => keyOfAddress(address));
  if (keys.length === 0) return [];
  const names = keys.map((key) => `"${key}"`).join(', ');
  const text = `not all secrets of ${names} can be compared with those on the service, which may be earlier ones`;
  return [
    problem('LT_PLAN_SECRET_UNKNOWN', text, {
      severity: 'warning',
      hint: `if one has changed: loadtests apply ${keys.map((key) => `--replace ${key}`).join(' ')}`,
    }),
  ];
}

/** A service that does not list a field cannot show that its replacement lacks it. */
function lossProblems(matches: readonly Match[], replaced: ReadonlySet<TestKey>): Problem[] {
  return matches.flatMap(({ declared, lostFields }) => {
    if (lostFields.length === 0 || !replaced.has(declared.key)) return [];
    const { key, adopt, source } = declared;
    const namesOf = (certain: boolean) =>
      lostFields.filter((field) => field.certain === certain).map(({ name }) => `"${name}"`);
    const [has, unknown] = [namesOf(true), namesOf(false)];
    const parts = [
      ...(has.length === 0 ? [] : [`its ${has.join(' and ')}, which the file does not have`]),
      ...(unknown.length === 0
        ? []
        : [`its ${unknown.join(' and ')}, if it has any: the service does not list them`]),
    ];
    const text = `replacing "${key}" (${adopt ?? ''}) drops ${parts.join('; and ')}`;
    const hint = 'add them to the file; "error_threshold: 50" and "variables: []" say that there are none';
    return [problem('LT_PLAN_FIELD_LOST', text, { severity: 'warning', source, hint })];
  });
}

/** Of tests that the service gets otherwise than the file says them. */
function lossesProblems({ matching, extensions }: PlanInput): Problem[] {
  return matching.matches.flatMap(({ declared: { key, spec, source } }) =>
    toSentSpec(spec, extensions).losses.map(({ text, hint }) =>
      problem('LT_PLAN_EXTENSION', `"${key}": ${text}`, { severity: 'warning', source, hint }),
    ),
  );
}

/** Of limits that the service's results may have nothing for. */
function unevaluatedThresholdProblems({ matching, extensions }: PlanInput): Problem[] {
  return matching.matches.flatMap(({ declared: test }) =>
    resultPartsOf(test)
      .filter((name) => !extensions.has(name))
      .map((name) => {
        const { description, thresholdsOf } = RESULT_PARTS[name];
        const text = `the limits of "${test.key}" on ${thresholdsOf(test).join(', ')} may have no verdict: the service does not say that its results have ${description}`;
        const hint = 'the embedded service and "loadtests serve" have them';
        return problem('LT_PLAN_NO_RESULTS', text, { severity: 'warning', source: test.source, hint });
      }),
  );
}

function adoptionProblem({ key, adopt, source }: DeclaredTest, why: AdoptionFailure): Problem {
  const text = `"${key}" adopts the test "${adopt ?? ''}", which`;
  if (why.kind === 'missing')
    return problem('LT_PLAN_ID_MISSING', `${text} does not exist on the service`, { source });
  const hint = `to rename "${why.by}", remove it from the file and write "moved: { ${key}: ${why.by} }"; else remove the id`;
  return problem('LT_PLAN_ID_TAKEN', `${text} is that of "${why.by}" by its mark`, { source, hint });
}

/** A test that is to be made although one that left the file is the same: renamed, and perhaps nobody meant to run it. */
function renameProblem({ declared, found, digests }: Match, { orphaned }: Matching): Problem | null {
  if (found.kind !== 'absent') return null;
  const same = orphaned.find(
    ({ marker }) => marker.listed === digests.listed && marker.unlisted === digests.unlisted,
  );
  if (same === undefined) return null;
  const { key, source } = declared;
  const before = same.marker.key;
  const text = `"${key}" is new, and the same as "${before}", which left the file`;
  const hint = `if it was renamed, write "moved: { ${key}: ${before} }": it keeps its runs, and none starts for the new name`;
  return problem('LT_PLAN_RENAME', text, { severity: 'warning', source, hint });
}

/** Of lines of "moved" that change nothing any more: the tests have marks of their new keys. */
function movedProblem(
  { declared, found, superseded }: Match,
  { desired, options }: PlanInput,
): Problem | null {
  const { key, source } = declared;
  if (found.kind !== 'present' || found.marker?.key !== key) return null;
  const old = [...desired.moved].flatMap(([before, now]) => (now === key ? [before] : []));
  const armed = superseded.some(({ test }) => isStoppable(stateOf(test, options.now)));
  if (old.length === 0 || armed) return null;
  const text = `"moved" is not needed for "${key}" any more: the service has it under this name`;
  const hint = `remove ${old.map((before) => `"${before}"`).join(' and ')} from "moved" once this holds in every environment`;
  return problem('LT_PLAN_MOVED', text, { severity: 'warning', source, hint });
}

function matchProblems(input: PlanInput): Problem[] {
  const { matching, observed, unmarked } = input;
  const problems: Problem[] = [];
  const warning = { severity: 'warning' } as const;
  for (const match of matching.matches) {
    const { declared, adoptionFailure, found } = match;
    const { source } = declared;
    if (adoptionFailure !== null) problems.push(adoptionProblem(declared, adoptionFailure));
    problems.push(
      ...[renameProblem(match, matching), movedProblem(match, input)].flatMap((one) => one ?? []),
    );
    if (found.kind === 'present' && unmarked.includes(found.test.id)) {
      problems.push(unmarkedProblem(declared, found.test.id, 'warning'));
    }
    const duplicates = findOpenDuplicates(match, input);
    if (duplicates.length > 0 && found.kind === 'present') {
      const ids = duplicates.map((own) => own.test.id).join(', ');
      problems.push(
        problem(
          'LT_PLAN_DUPLICATE',
          `${duplicates.length + 1} of test.${declared.key} exist: ${found.test.id} counts, ${ids} ${duplicates.length === 1 ? 'does' : 'do'} not`,
          { ...warning, source, hint: '"loadtests recover" closes this once only the first one runs' },
        ),
      );
    }
    if (found.kind === 'present' && found.drift.length > 0) {
      const fields = found.drift.map((change) => change.field).join(', ');
      problems.push(
        problem('LT_PLAN_DRIFT', `"${declared.key}" was changed on the service: ${fields}`, {
          ...warning,
          source,
          hint: '--on-drift replace creates it again',
        }),
      );
    }
  }
  for (const test of matching.damaged) {
    problems.push(
      problem(
        'LT_PLAN_MARKER',
        `the mark in the notes of the test "${test.id}" is damaged, so the test is not treated as ours`,
        { ...warning, hint: `adopt it with "id: ${test.id}"` },
      ),
    );
  }
  if (observed.maybeTruncated) {
    problems.push(
      problem(
        'LT_PLAN_LIST_TRUNCATED',
        'the list of tests may be incomplete, so a test that seems to be missing may exist',
        warning,
      ),
    );
  }
  return problems;
}

/** The service did not keep the mark of a test that was created for the file. */
export function unmarkedProblem(
  { key, source }: DeclaredTest,
  id: TestId,
  severity: Problem['severity'],
): Problem {
  const text = `the service does not store notes, so only this directory knows "${key}" as ${id}`;
  return problem('LT_PLAN_UNMARKED', text, { severity, source, hint: `add "id: ${id}" to the test` });
}

/** A plan of actions that were chosen without matching: what a command does beside `apply`. */
export function planFromActions(
  { project, environment }: Pick<Plan, 'project' | 'environment'>,
  actions: readonly Action[],
  rounds = 1,
): Plan {
  const nothing: Matching = { matches: [], orphaned: [], damaged: [], unmanaged: 0 };
  const load = repeatLoad(computePlannedLoad(startingTests(actions)), rounds);
  return {
    project,
    environment,
    actions,
    drift: [],
    load,
    summary: summarize(actions, nothing, []),
    problems: [],
  };
}

function summarize(actions: readonly Action[], matching: Matching, drift: readonly Drift[]): Plan['summary'] {
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
