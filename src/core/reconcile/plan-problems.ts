/** Problems of a plan, such as blocked, duplicated and changed tests. */
import { groupBy } from '../group-by.ts';
import { keyOfAddress, type TestId, type TestKey } from '../model/ids.ts';
import { RESULT_PARTS, resultPartsOf, toSentSpec } from '../model/extensions.ts';
import type { DeclaredTest } from '../model/load-test.ts';
import { isStoppable, stateOf } from '../model/test-state.ts';
import { once } from '../once.ts';
import { problem, type Problem } from '../problem.ts';
import type { Action } from './action.ts';
import type { AdoptionFailure, Match, OwnTest } from './match.ts';
import type { PlanInput } from './plan-input.ts';
import { findOpenDuplicates } from './test-actions.ts';

/**
 * Returns the problems of a plan.
 * @param replaced - keys of the tests that the plan replaces
 */
export function findPlanProblems(
  input: PlanInput,
  actions: readonly Action[],
  replaced: ReadonlySet<TestKey>,
): readonly Problem[] {
  return [
    ...matchProblems(input),
    ...blockedProblems(actions),
    ...uncomparedSecretProblems(actions),
    ...lossProblems(input.matching.matches, replaced),
    ...lossesProblems(input),
    ...unevaluatedThresholdProblems(input),
  ];
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

/** Warns about runs whose secrets could not be compared. */
function uncomparedSecretProblems(actions: readonly Action[]): Problem[] {
  const unknown = actions.filter((action) => action.verb === 'run' && action.uncomparedSecrets.length > 0);
  const keys = unknown.map(({ address }) => keyOfAddress(address));
  if (keys.length === 0) return [];
  const names = keys.map((key) => `"${key}"`).join(', ');
  const text = `some secrets of ${names} cannot be compared with the values on the service, which may be older`;
  return [
    problem('LT_PLAN_SECRET_UNKNOWN', text, {
      severity: 'warning',
      hint: `if a secret has changed, run: loadtests apply ${keys.map((key) => `--replace ${key}`).join(' ')}`,
    }),
  ];
}

/** Reports fields that a replacement loses. */
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
      'add the missing fields to the file; "error_threshold: 50" sets the default, and "variables: []" sets no variables';
    return [problem('LT_PLAN_FIELD_LOST', text, { severity: 'warning', source, hint })];
  });
}

function lossesProblems({ matching, extensions }: PlanInput): Problem[] {
  return matching.matches.flatMap(({ declared: { key, spec, source } }) =>
    toSentSpec(spec, extensions).losses.map(({ text, hint }) =>
      problem('LT_PLAN_EXTENSION', `"${key}": ${text}`, { severity: 'warning', source, hint }),
    ),
  );
}

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
  const hint = `to rename "${failure.by}" to "${key}", remove "${failure.by}" from the file and add "moved: { ${key}: ${failure.by} }"; otherwise, remove the "id" of "${key}"`;
  return problem('LT_PLAN_ID_TAKEN', `${text} belongs to "${failure.by}" according to its ownership marker`, {
    source,
    hint,
  });
}

/** Warns about a new test that equals a removed one: the test was probably renamed, and a new run may be unintended. */
function renameProblem(
  { declared, found, digests }: Match,
  orphansByDigest: () => ReadonlyMap<string, readonly OwnTest[]>,
): Problem | null {
  if (found.kind !== 'absent') return null;
  const alike = orphansByDigest().get(digests.listed) ?? [];
  const same = alike.find(({ marker }) => marker.unlisted === digests.unlisted);
  if (same === undefined) return null;
  const { key, source } = declared;
  const before = same.marker.key;
  const text = `"${key}" is new and identical to "${before}", which was removed from the file`;
  const hint = `if you renamed the test, add "moved: { ${key}: ${before} }" to keep its runs without starting a new run`;
  return problem('LT_PLAN_RENAME', text, { severity: 'warning', source, hint });
}

/**
 * Warns about entries in `moved` that have no effect, because the markers of the tests already contain the new keys.
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
  const orphans = once(() => groupBy(matching.orphaned, ({ marker }) => marker.listed));
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
            hint: 'to clear this warning after all duplicates have ended, run "loadtests recover"',
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
          hint: 'to create the test again, pass --on-drift replace',
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
