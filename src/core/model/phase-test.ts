/** Converts phases to separate tests, so that the rules for tests and the code for jobs apply to them. */
import { seconds } from '../units.ts';
import type { LoadTestSpec } from './load-test.ts';
import type { PayloadFile } from './payload-file.ts';
import { PHASES, type PhaseName } from './phase.ts';
import { namesOf } from './variable.ts';

export interface PhaseTest {
  readonly name: PhaseName;
  readonly spec: LoadTestSpec;
}

/** Returns the phases of a test, each as a test with one iteration and the settings of the whole test. */
export function phaseTestsOf(spec: LoadTestSpec): readonly PhaseTest[] {
  return PHASES.flatMap((name) => {
    const phase = spec[name];
    return phase === null
      ? []
      : [
          {
            name,
            spec: { ...spec, ...SINGLE_ITERATION, targets: phase.targets, groups: phase.groups ?? null },
          },
        ];
  });
}

/** Load of a phase, which replaces the load of the test. */
const SINGLE_ITERATION = {
  name: null,
  testType: 'non-cycling',
  initial: null,
  total: 1,
  duration: seconds(1),
  stages: null,
  warmup: null,
  values: null,
  errorThreshold: 100,
  callback: null,
  callbackEmail: null,
  scheduledAt: null,
  notes: null,
  keepAlive: null,
  flows: null,
  onStart: null,
  setup: null,
  teardown: null,
} as const satisfies Partial<LoadTestSpec>;

export const MAX_SETUP_ROWS = 10_000;

/** Returns the rows of the setup, which sends its requests once per row; null if there are none. */
export function rowsOfSetup({ setup }: Pick<LoadTestSpec, 'setup'>): PayloadFile | null {
  return setup?.targets[0]?.payloadFile ?? null;
}

/** Returns the names of the variables that the setup of a test defines, without repetitions. */
export function setupVariablesOf({ setup }: Pick<LoadTestSpec, 'setup'>): readonly string[] {
  const names = (setup?.targets ?? []).flatMap(({ variables }) => namesOf(variables));
  return [...new Set(names)];
}
