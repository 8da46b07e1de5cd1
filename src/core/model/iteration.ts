/**
 * Iterations: the requests that a client sends in order. All computations about iterations use this module, and
 * none of them assumes that an iteration contains every request of a test.
 */

/** The requests of an iteration, as a range of the requests of the test; `end` is excluded. */
export interface Iteration {
  readonly first: number;
  readonly end: number;
}

interface WithTargets {
  readonly targets: readonly unknown[];
}

/** Clients `first`, `first + stride`, `first + 2·stride`, … of the whole run, `clients` in total. */
export interface ClientRange {
  readonly first: number;
  readonly stride: number;
  readonly clients: number;
}

/** Returns all different iterations of a test. Their ranges are disjoint and contain every request. */
export function iterationsOf({ targets }: WithTargets): readonly [Iteration, ...Iteration[]] {
  return [{ first: 0, end: targets.length }];
}

/**
 * Returns a function that assigns a client of the run, by its number, to the iteration that it repeats.
 * @remarks The lookup is prepared once per thread, and performed once per client.
 */
export function createIterationLookup(spec: WithTargets): (client: number) => Iteration {
  const [only] = iterationsOf(spec);
  return () => only;
}

/** Returns the iteration that contains a request. */
export function iterationWith(spec: WithTargets, request: number): Iteration {
  const found = iterationsOf(spec).find(({ first, end }) => first <= request && request < end);
  if (found === undefined) throw new Error('Bug: a request belongs to no iteration');
  return found;
}

/** Counts the requests of each target in one iteration of each client. */
export function countRequests({ targets }: WithTargets, { clients }: ClientRange): readonly number[] {
  return targets.map(() => clients);
}

/** Returns the mean number of requests of each target per iteration. */
export function requestShares({ targets }: WithTargets): readonly number[] {
  return targets.map(() => 1);
}
