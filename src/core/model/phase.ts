/**
 * Requests that do not belong to the load of a test: `setup` before it and `teardown` after it. A phase is one
 * iteration. If the first request of the setup has a payload file, the setup is one iteration per row.
 */
import { milliseconds, type Milliseconds } from '../units.ts';
import { countedIterationTime, type Delay } from './delay.ts';
import type { Group } from './group.ts';
import { connectionsPerClient, iterationLengths } from './iteration.ts';
import type { PayloadFile } from './payload-file.ts';
import type { FieldPath } from '../field-reference.ts';
import { sumOf } from '../sum.ts';

export const PHASES = ['setup', 'teardown'] as const;

export type PhaseName = (typeof PHASES)[number];

export interface Phase<Target> {
  readonly targets: readonly Target[];
  /** Groups of the requests; absent if there are none. */
  readonly groups?: readonly Group[];
  /** Interval at which the setup is repeated during the load; absent if it is not repeated. */
  readonly refresh?: Milliseconds;
}

export type WithPhases<Target> = Readonly<Record<PhaseName, Phase<Target> | null>>;

export function allTargetsOf<Target>({
  targets,
  setup,
  teardown,
}: WithPhases<Target> & { readonly targets: readonly Target[] }): readonly Target[] {
  return [...(setup?.targets ?? []), ...targets, ...(teardown?.targets ?? [])];
}

interface PhaseLoad {
  readonly requests: number;
  /** Minimum number of requests if no request fails. */
  readonly minRequests: number;
  /** Maximum number of concurrent connections to each host. */
  readonly connections: number;
}

/** Maximum number of rows of a setup that are in progress at the same time. */
export const MAX_CONCURRENT_ROWS = 10;

type WithRows = Phase<WithDelay & { readonly payloadFile: PayloadFile | null }>;

interface WithDelay {
  readonly delay: Delay | null;
}

/**
 * Returns the number of iterations of a phase. The rows of a file on a service count as one, because their number is
 * unknown.
 */
export function phaseRows({ targets }: WithRows): number {
  return targets[0]?.payloadFile?.declared?.rows ?? 1;
}

export function phaseLoadOf(phase: WithRows): PhaseLoad {
  const rows = phaseRows(phase);
  return {
    requests: requestsIn(phase, 'max') * rows,
    minRequests: requestsIn(phase, 'min') * rows,
    connections: Math.min(MAX_CONCURRENT_ROWS, rows) * connectionsPerClient(iterationOf(phase)),
  };
}

/** Returns the time after which a phase fails: the maximum time of a row, multiplied by the number of batches. */
export function phaseTime(
  phase: Phase<WithDelay>,
  { rows, timeout }: { readonly rows: number; readonly timeout: Milliseconds },
): Milliseconds {
  const perRow = countedIterationTime({ ...iterationOf(phase), timeout });
  return milliseconds(perRow * Math.ceil(rows / MAX_CONCURRENT_ROWS));
}

function requestsIn(phase: Phase<WithDelay>, bound: 'min' | 'max'): number {
  return sumOf(iterationLengths(iterationOf(phase), bound));
}

function iterationOf({ targets, groups = [] }: Phase<WithDelay>) {
  return { targets, groups, flows: null };
}

/** Returns how many times a setup is repeated during a load of this duration: at each multiple of its interval. */
export function refreshesOf(
  setup: Pick<Phase<unknown>, 'refresh'> | null,
  { duration }: { readonly duration: Milliseconds },
): number {
  return setup?.refresh === undefined ? 0 : Math.ceil(duration / setup.refresh) - 1;
}

/**
 * Converts a path in the test of a phase to a path in the whole test. Only the root and paths in `urls` and `groups`
 * change.
 */
export function pathInPhase(name: PhaseName, path: FieldPath): FieldPath {
  return path[0] === 'urls' || path[0] === 'groups' || path.length === 0 ? [name, ...path] : path;
}
