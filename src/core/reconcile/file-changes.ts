/**
 * Differences between two files in the fields that are never sent to a service. No plan contains these differences.
 */
import type { Json } from '../canonical.ts';
import type { TestKey } from '../model/ids.ts';
import type { DeclaredTest } from '../model/load-test.ts';
import type { DesiredState } from '../model/state.ts';
import type { RegressionThreshold } from '../model/regression.ts';
import type { Threshold } from '../model/threshold.ts';
import { pointerOf } from '../pointer.ts';

export interface FileChange {
  readonly key: TestKey;
  /** JSON Pointer within the test: `/thresholds/p95`. */
  readonly field: string;
  /** Value in the earlier file; null if it is not set. */
  readonly from: Json;
  readonly to: Json;
  /**
   * Kind of the change. With `loosened` and `removed`, results can pass that failed before. `changed` is neither
   * looser nor tighter.
   */
  readonly kind: 'added' | 'removed' | 'loosened' | 'tightened' | 'changed';
}

/** The difference in one field. */
type Difference = Pick<FileChange, 'field' | 'from' | 'to' | 'kind'>;

/** Functions that compare the fields that only the file contains. */
const FILE_FIELDS: readonly ((before: DeclaredTest, after: DeclaredTest) => readonly Difference[])[] = [
  (before, after) => thresholdDifferences(before.thresholds, after.thresholds),
  (before, after) => regressionDifferences(before.regression.thresholds, after.regression.thresholds),
  (before, after) => valueDifference('url_names', namesOf(before.urlNames), namesOf(after.urlNames)),
  (before, after) => valueDifference('needs', listOf(before.needs), listOf(after.needs)),
  (before, after) => valueDifference('parallel', before.parallel || null, after.parallel || null),
];

/** Returns the changes in tests that both files declare. New tests have no previous values. */
export function findFileChanges(before: DesiredState, after: DesiredState): FileChange[] {
  return after.tests.flatMap((declared) => {
    const earlier = earlierDeclarationOf(declared, before, after);
    if (earlier === undefined) return [];
    return FILE_FIELDS.flatMap((differences) => differences(earlier, declared)).map((one) => ({
      key: declared.key,
      ...one,
    }));
  });
}

/**
 * Returns the keys that were removed from the file, except for tests that were moved or adopted under another
 * key.
 */
export function removedKeys(before: DesiredState, after: DesiredState): TestKey[] {
  const retained = new Set(after.tests.map((declared) => earlierDeclarationOf(declared, before, after)));
  return before.tests.filter((test) => !retained.has(test)).map(({ key }) => key);
}

function earlierDeclarationOf(
  declared: DeclaredTest,
  before: DesiredState,
  after: DesiredState,
): DeclaredTest | undefined {
  return (
    before.tests.find(({ key }) => key === declared.key) ??
    before.tests.find(({ key }) => after.moved.get(key) === declared.key) ??
    before.tests.find(({ adopt }) => adopt !== null && adopt === declared.adopt)
  );
}

/**
 * Returns the differences between thresholds. URLs are identified by their labels, because their indexes change if
 * other URLs are inserted.
 */
function thresholdDifferences(before: readonly Threshold[], after: readonly Threshold[]): Difference[] {
  const keyOf = ({ metric, url }: Threshold): string => JSON.stringify([url?.label ?? null, metric]);
  const [earlier, later] = [before, after].map((limits) => new Map(limits.map((one) => [keyOf(one), one])));
  const keys = new Set([...before, ...after].map(keyOf));
  return [...keys].flatMap((key) => {
    const [from, to] = [earlier?.get(key), later?.get(key)];
    const kind = thresholdKind(from, to);
    if (kind === null) return [];
    const { metric, url } = to ?? from ?? { metric: '', url: null };
    const field = pointerOf([...(url === null ? [] : ['urls', String(url.index)]), 'thresholds', metric]);
    return [{ field, from: from?.limit ?? null, to: to?.limit ?? null, kind }];
  });
}

function thresholdKind(from: Threshold | undefined, to: Threshold | undefined): FileChange['kind'] | null {
  if (from === undefined) return to === undefined ? null : 'added';
  if (to === undefined) return 'removed';
  // Values are compared instead of texts, because `< 1s` and `< 1000ms` are equal.
  if (from.operator === to.operator && from.value === to.value) return null;
  const upper = from.operator.startsWith('<');
  if (upper !== to.operator.startsWith('<')) return 'changed';
  const wider = from.value === to.value ? to.operator.endsWith('=') : to.value > from.value === upper;
  return wider ? 'loosened' : 'tightened';
}

function regressionDifferences(
  before: readonly RegressionThreshold[],
  after: readonly RegressionThreshold[],
): Difference[] {
  const metrics = new Set([...before, ...after].map(({ metric }) => metric));
  return [...metrics].flatMap((metric) => {
    const [from, to] = [before, after].map((limits) => limits.find((one) => one.metric === metric));
    if (from?.allowed === to?.allowed) return [];
    const kind =
      from === undefined
        ? 'added'
        : to === undefined
          ? 'removed'
          : to.allowed > from.allowed
            ? 'loosened'
            : 'tightened';
    const field = pointerOf(['regression', metric]);
    return [{ field, from: from?.limit ?? null, to: to?.limit ?? null, kind } as const];
  });
}

function valueDifference(name: string, from: Json, to: Json): Difference[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const kind = from === null ? 'added' : to === null ? 'removed' : 'changed';
  return [{ field: pointerOf([name]), from, to, kind }];
}

function namesOf(names: DeclaredTest['urlNames']): Json {
  return names.length === 0 ? null : [...names];
}

function listOf(keys: readonly TestKey[]): Json {
  return keys.length === 0 ? null : [...keys];
}
