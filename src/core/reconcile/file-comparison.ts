/** Comparison of a file with an earlier revision of the same file. */
import type { Sha256 } from '../canonical.ts';
import type { TestKey } from '../model/ids.ts';
import type { DesiredState, ObservedState } from '../model/state.ts';
import { simulateApply } from './simulated-apply.ts';
import { computePlannedLoad, type PlannedLoad } from './planned-load.ts';
import { planFromLists, type Plan } from './plan.ts';
import { selects, type PlanOptions } from './plan-input.ts';

export interface ComparedRevision {
  readonly revision: string;
  readonly commit: string;
  /** `absent`: the revision does not contain the file or the environment. `invalid`: the file cannot be loaded. */
  readonly oldFile: 'read' | 'absent' | 'invalid';
  /** Reason why everything counts as new, or the previous path of a moved file, for display; otherwise null. */
  readonly note: string | null;
  readonly before: PlannedLoad;
  readonly after: PlannedLoad;
}

/**
 * Returns the plan for a simulated service to which an earlier state was applied.
 * @param before - The earlier state; null if everything is new.
 */
export function planAgainstState(
  before: DesiredState | null,
  desired: DesiredState,
  { options, sha256 }: { readonly options: PlanOptions; readonly sha256: Sha256 },
): Plan {
  const applied = before === null ? EMPTY_STATE : simulateApply(before, sha256, options.now);
  // Newly adopted tests are not in the earlier state, and are assumed to match their declarations.
  const known = new Set(applied.tests.map(({ id }) => id));
  const adopted = desired.tests.filter(({ adopt }) => adopt !== null && !known.has(adopt));
  const { tests } = simulateApply({ ...desired, tests: adopted }, sha256, options.now);
  const observed = { ...applied, tests: [...applied.tests, ...tests] };
  return planFromLists(desired, observed, { options, sha256 });
}

const EMPTY_STATE: ObservedState = { apps: [], tests: [], maybeTruncated: false, firstStartTimes: new Map() };

export function declaredLoadOf(desired: DesiredState | null, options: PlanOptions): PlannedLoad {
  const selected = (key: TestKey) => selects(options, key);
  return computePlannedLoad((desired?.tests ?? []).filter(({ key }) => selected(key)));
}
