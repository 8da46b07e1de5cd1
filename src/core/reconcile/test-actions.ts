/**
 * Determines the action for each declared test, and the reasons for blocked tests.
 * @see docs/internals/reconciler.md, sections 1 to 3
 */
import { matchesAny } from '../glob.ts';
import { timeText } from '../instant.ts';
import { EXTENSIONS, findBlockingExtensions, toSentSpec, type Extension } from '../model/extensions.ts';
import { testAddress, type TestId } from '../model/ids.ts';
import type { DeclaredTest } from '../model/load-test.ts';
import { isStoppable, stateOf } from '../model/test-state.ts';
import { hasThresholds, selectDisplayedVerdict } from '../compare/run-evaluation.ts';
import type { Steps } from '../steps.ts';
import type { Action, BlockedAction, CreateAction } from './action.ts';
import type { Match, Matching, OwnTest } from './match.ts';
import type { PlanInput, PlanOptions } from './plan-input.ts';
import type { UnmarkedMatches } from './unmarked-matches.ts';

/** Minimum time until a scheduled start, in ms. Services may start a test immediately if the time is shorter. */
export const MIN_SCHEDULE_LEAD = 60_000;

export function testAction(match: Match, input: PlanInput): Action {
  const { declared, found } = match;
  const { options } = input;
  const address = testAddress(declared.key);
  if (found.kind !== 'present' || isReplaced(declared, found, options)) return creationAction(match, input);
  const { test: observed, uncomparedSecrets } = found;
  const state = stateOf(observed, options.now);
  if (options.start && !isStoppable(state) && isDue(declared, observed.id, input)) {
    return { verb: 'run', address, test: declared, observed, uncomparedSecrets, note: null };
  }
  const results = input.history.get(observed.id) ?? null;
  const result = results?.[0] ?? null;
  const evaluated = results === null ? null : selectDisplayedVerdict(declared, result);
  const isCanceled = result === null && state === 'ended' && (observed.scheduledAt ?? 0) > options.now;
  const verdict = evaluated && isCanceled ? { ...evaluated, reason: CANCELED } : evaluated;
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
    note: isCanceled ? CANCELED : state === 'running' ? RUNNING : null,
  };
}

const CANCELED = 'the test has not run, because its schedule was canceled';

/** Note of an unchanged test that is running. */
export const RUNNING = 'running';

/** Reports whether an existing test is created again. */
function isReplaced(
  { key }: DeclaredTest,
  { drift, rotated }: Pick<PresentTest, 'drift' | 'rotated'>,
  { replace, onDrift }: PlanOptions,
): boolean {
  return matchesAny(replace, key) || rotated.length > 0 || (drift.length > 0 && onDrift === 'replace');
}

type PresentTest = Extract<Match['found'], { readonly kind: 'present' }>;

/** Finds unmarked tests that may be copies of tests to create. */
export function findUnmarkedMatches(
  { matches, unmarked }: Matching,
  options: PlanOptions,
): Steps<UnmarkedMatches> {
  const created = matches.filter(
    ({ declared, found }) => found.kind !== 'present' || isReplaced(declared, found, options),
  );
  return unmarked.findMatches(options.allowUnmarked ? [] : created.map(({ declared }) => declared));
}

/** Returns the duplicates of the current test, except inactive duplicates that were already reported. */
export function findOpenDuplicates(
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
    const reason = `scheduled_at ${timeText(scheduledAt)} is in the past or less than a minute from now`;
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
    // The marker is based on the declared spec instead of this one, so that the marker is the same on any service.
    test: { ...declared, spec: toSentSpec(declared.spec, input.extensions).spec },
    replaces: found.kind === 'absent' ? null : found.test.id,
    previous: found.kind === 'absent' ? null : found.test,
    digests,
    repetition: again ? match.repetition + 1 : 0,
    changes,
    note: changes.length > 0 ? null : NOTES_WITHOUT_CHANGES[found.kind],
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

/** Returns the reason why an existing or new test might not be recognized; null if there is none. */
function blockForUncertainty(
  { key }: DeclaredTest,
  { observed, unmarked, unmarkedMatches }: PlanInput,
): BlockReason | null {
  if (unmarked.length > 0) {
    return {
      reason: 'the service does not store notes, so a new test could not be recognized later',
      code: 'LT_PLAN_BLOCKED',
      hint: 'first add the printed "id:" lines to the file, or pass --allow-unmarked to create the test anyway',
    };
  }
  if (observed.maybeTruncated) {
    return {
      reason: 'the list of tests may be incomplete, so the test may exist',
      code: 'LT_PLAN_LIST_TRUNCATED',
      hint: 'check whether the test exists on the service: if it does, add its "id:" to the file; if not, pass --allow-unmarked to create the test',
    };
  }
  const match = unmarkedMatches.get(key);
  if (match === undefined) return null;
  return {
    reason: `the test ${match} has the same fields and no ownership marker; the service may not store notes`,
    code: 'LT_PLAN_BLOCKED',
    hint: `if ${match} is this test, add "id: ${match}" to the file; otherwise, pass --allow-unmarked`,
  };
}

/** Notes of actions without changed fields; null for a new test. */
const NOTES_WITHOUT_CHANGES = {
  absent: null,
  other: 'its ownership marker was written for an earlier version of the test',
  present: 'requested by --replace',
} as const;

/** Reports whether `--run` or `--max-age` requests another run of an existing test. */
function isDue(declared: DeclaredTest, id: TestId, { options, history, serviceTime }: PlanInput): boolean {
  const { maxAge } = options;
  if (maxAge === null) return false;
  if (maxAge === 0) return true;
  const last = history.get(id)?.find((result) => {
    if (!hasThresholds(declared)) return result.status === 'ready';
    const { verdict } = selectDisplayedVerdict(declared, result);
    return verdict === 'pass' || verdict === 'fail';
  });
  // A missing verdict or result counts as too old, as does one of unknown age.
  const startedAt = last?.record.startedAt ?? null;
  return startedAt === null || serviceTime === null || startedAt < serviceTime - maxAge;
}
