/**
 * Iterations: the requests that a client sends in order. All computations with iterations use this module. They must
 * not assume that an iteration contains every request of a test.
 */

/** The requests of an iteration, as a range of the requests of the test; `end` is excluded. */
export interface Iteration {
  readonly first: number;
  readonly end: number;
}

interface WithTargets {
  readonly targets: readonly unknown[];
}

/** A selection of `clients` clients of the whole run: `first`, `first + stride`, `first + 2·stride`, … */
export interface ClientRange {
  readonly first: number;
  readonly stride: number;
  readonly clients: number;
}

/** Returns all different iterations of a test. Their ranges are disjoint and together contain every request. */
export function iterationsOf({ targets }: WithTargets): readonly [Iteration, ...Iteration[]] {
  return [{ first: 0, end: targets.length }];
}

/**
 * Creates a function that returns the iteration that a client repeats, by the number of the client in the run.
 * @remarks The function is created once per thread and called once per client.
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

/** Counts the requests to each target if each client performs one iteration. */
export function countRequests({ targets }: WithTargets, { clients }: ClientRange): readonly number[] {
  return targets.map(() => clients);
}

/** Returns the mean number of requests to each target per iteration. */
export function requestShares({ targets }: WithTargets): readonly number[] {
  return targets.map(() => 1);
}
