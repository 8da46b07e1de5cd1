/** Input of the planner: the options of the command, and the data read from the service. */
import { matchesAny } from '../glob.ts';
import type { TestId } from '../model/ids.ts';
import type { RunResult } from '../run-record/run-result.ts';
import type { DesiredState, LimitName, Limits, ObservedState } from '../model/state.ts';
import type { Milliseconds } from '../units.ts';
import type { Matching } from './match.ts';
import type { UnmarkedMatches } from './unmarked-matches.ts';

export interface PlanOptions {
  readonly now: number;
  /** False with `--no-run`: actions that would create a test and start its load are deferred, and no run starts. */
  readonly start: boolean;
  /**
   * Maximum age of the last verdict or, without thresholds, of the last result; null starts no existing tests. An
   * existing test starts again if this verdict or result is older, missing, or of unknown age.
   */
  readonly maxAge: Milliseconds | null;
  /** Patterns of the keys of tests to create again, even if they are unchanged. */
  readonly replace: readonly string[];
  readonly onDrift: 'report' | 'replace';
  /** Patterns of test keys; empty for all tests. */
  readonly only: readonly string[];
  readonly exclude: readonly string[];
  readonly allowLimits: readonly LimitName[];
  /** True to create tests that may already exist, because markers are not stored or the list may be truncated. */
  readonly allowUnmarked: boolean;
  /** Limits from outside the file, in addition to the limits in the file; absent if there are none. */
  readonly outerLimits?: OuterLimits;
  /** Number of times that the tests start; 1 by default. */
  readonly repeat?: number;
}

/** Limits that the file cannot change and that --allow-limit does not lift. */
export interface OuterLimits {
  readonly limits: Limits;
  /** Source of the limits, such as `LOADTESTS_LIMITS`, for messages. */
  readonly origin: string;
}

/** Results of each existing test, newest first; null if the service does not return results. */
export type History = ReadonlyMap<TestId, readonly RunResult[] | null>;

export interface PlanInput {
  readonly desired: DesiredState;
  readonly observed: ObservedState;
  readonly matching: Matching;
  readonly history: History;
  /** IDs of created tests whose marker the service did not store and whose IDs are not in the file. */
  readonly unmarked: readonly TestId[];
  readonly unmarkedMatches: UnmarkedMatches;
  /** Duplicates that were already reported; inactive ones are not reported again. */
  readonly explainedDuplicates: ReadonlySet<TestId>;
  /** Current time of the service, in ms since the epoch; null if unknown. */
  readonly serviceTime: number | null;
  /** Extensions that the service lists; empty if no test uses an extension or result part. */
  readonly extensions: ReadonlySet<string>;
  readonly options: PlanOptions;
}

export function selects(filter: Pick<PlanOptions, 'only' | 'exclude'>, key: string): boolean {
  const chosen = filter.only.length === 0 || matchesAny(filter.only, key);
  return chosen && !matchesAny(filter.exclude, key);
}
