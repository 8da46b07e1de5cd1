/** Plans for a service to which an earlier state was applied, without a service and a clock. */
import { sha256 } from '../../src/cli/files/sha256.ts';
import { OWN_EXTENSIONS } from '../../src/core/model/extensions.ts';
import { testId } from '../../src/core/model/ids.ts';
import type { ObservedTest } from '../../src/core/model/load-test.ts';
import type { DesiredState, ObservedState } from '../../src/core/model/state.ts';
import { formatMarker, readMarker, type Marker } from '../../src/core/reconcile/ownership-marker.ts';
import type { PlanInput, PlanOptions } from '../../src/core/reconcile/plan-input.ts';
import { createPlan, selectMatching, type Plan } from '../../src/core/reconcile/plan.ts';
import { simulateApply } from '../../src/core/reconcile/simulated-apply.ts';
import { performSteps } from '../../src/core/steps.ts';
import type { DeclaredStateBuilder } from './declared-state.ts';
import { planOptions } from './simulated-machine.ts';

export const NOW = Date.UTC(2026, 2, 1);

/** Location of a declared test, whose line is its number. */
export const at = (line: number) => ({
  file: 'loadtests.yaml',
  line,
  column: 3,
  length: 4,
  lineText: '  a:',
});

export function located({ state }: DeclaredStateBuilder): DesiredState {
  return { ...state, tests: state.tests.map((one, index) => ({ ...one, source: at(index + 1) })) };
}

export interface Situation {
  readonly options?: Partial<PlanOptions>;
  readonly extensions?: readonly string[];
  /** Changes the list of tests of the service. */
  readonly change?: (tests: readonly ObservedTest[]) => readonly ObservedTest[];
  readonly input?: Partial<PlanInput>;
  readonly observed?: Partial<ObservedState>;
}

export function planOf(
  before: DeclaredStateBuilder,
  declared: DeclaredStateBuilder,
  { options, extensions = OWN_EXTENSIONS, change, input, observed: given }: Situation = {},
): Plan {
  const desired = located(declared);
  const applied = simulateApply(before.state, sha256, NOW);
  const allOptions = planOptions(NOW, options);
  const observed = { ...applied, tests: change?.(applied.tests) ?? applied.tests, ...given };
  return createPlan({
    desired,
    observed,
    matching: performSteps(selectMatching(desired, observed, { filter: allOptions, sha256 })),
    unmarkedMatches: new Map(),
    history: new Map(),
    unmarked: [],
    explainedDuplicates: new Set(),
    serviceTime: null,
    extensions: new Set(extensions),
    options: allOptions,
    ...input,
  });
}

export function copyOf(test: ObservedTest, id: string): ObservedTest {
  return { ...test, id: testId(id) };
}

export function withMarker(test: ObservedTest, change: Partial<Marker>): ObservedTest {
  const reading = readMarker(test.notes);
  if (reading.kind !== 'marker') throw new Error('the test has no marker');
  return { ...test, notes: formatMarker({ ...reading.marker, ...change }) };
}
