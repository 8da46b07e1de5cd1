/** Comparison of a file with an earlier revision of the same file. */
import type { Sha256 } from '../canonical.ts';
import type { TestKey } from '../model/ids.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { simulateApply } from './simulated-apply.ts';
import { findFileChanges, removedKeys, type FileChange } from './file-changes.ts';
import { limitChanges, type LimitChange } from './limit-changes.ts';
import { computePlannedLoad, type PlannedLoad } from './planned-load.ts';
import { planFromLists, type Plan } from './plan.ts';
import { selects, type PlanOptions } from './plan-input.ts';

export interface FileComparison {
  readonly plan: Plan;
  readonly revision: string;
  readonly commit: string;
  /**
   * State of the earlier file: `absent` if the revision does not contain the file or the environment, `invalid` if
   * the file cannot be loaded.
   */
  readonly oldFile: 'read' | 'absent' | 'invalid';
  /** Reason why there is nothing to compare with, for display; null if there is a file to compare with. */
  readonly allNew: string | null;
  /** Load of all tests in each file. */
  readonly before: PlannedLoad;
  readonly after: PlannedLoad;
  readonly limits: readonly LimitChange[];
  /** Changes that the plan does not show: fields that only the file contains, and removed tests. */
  readonly changes: readonly FileChange[];
  readonly removed: readonly TestKey[];
}

/** The comparison of two states, based on a simulated service to which the earlier state was applied. */
export type StateComparison = Pick<
  FileComparison,
  'plan' | 'before' | 'after' | 'limits' | 'changes' | 'removed'
>;

/**
 * Compares two states.
 * @param before - The earlier state; null if there is nothing to compare with, so that everything is new.
 */
export function compareStates(
  before: DesiredState | null,
  desired: DesiredState,
  { options, sha256 }: { readonly options: PlanOptions; readonly sha256: Sha256 },
): StateComparison {
  const applied = before === null ? EMPTY_STATE : simulateApply(before, sha256, options.now);
  // Newly adopted tests exist on the service but not in the earlier state. They are treated as equal to their
  // declarations.
  const known = new Set(applied.tests.map(({ id }) => id));
  const adopted = desired.tests.filter(({ adopt }) => adopt !== null && !known.has(adopt));
  const { tests } = simulateApply({ ...desired, tests: adopted }, sha256, options.now);
  const observed = { ...applied, tests: [...applied.tests, ...tests] };
  const selected = (key: TestKey) => selects(options, key);
  return {
    plan: planFromLists(desired, observed, { options, sha256 }),
    before: loadOf(before, options),
    after: loadOf(desired, options),
    limits: limitChanges(before?.limits ?? NO_LIMITS, desired.limits),
    changes: before === null ? [] : findFileChanges(before, desired).filter(({ key }) => selected(key)),
    removed: before === null ? [] : removedKeys(before, desired).filter(selected),
  };
}

const EMPTY_STATE: ObservedState = { apps: [], tests: [], maybeTruncated: false, firstStartTimes: new Map() };
const NO_LIMITS = { maxConnections: null, maxDuration: null, hosts: null } as const;

function loadOf(desired: DesiredState | null, options: PlanOptions): PlannedLoad {
  return computePlannedLoad((desired?.tests ?? []).filter(({ key }) => selects(options, key)));
}
