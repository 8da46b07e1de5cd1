/**
 * Iterations: the repeated requests of a client. If a test has flows, an iteration contains only the requests of one
 * flow.
 */
import { countFlows, dealFlows, flowShares, type ClientRange, type Flow } from './flow.ts';
import { endOf, groupsAround, lanesOf, maxRepetitions, minRepetitions, type Group } from './group.ts';
import { sumOf } from '../sum.ts';

/** The requests of an iteration, as a range of the requests of the test; `end` is excluded. */
export interface Iteration {
  readonly first: number;
  readonly end: number;
  /** Index of the flow; 0 if the test has no flows; -1 for the requests of `onStart`. */
  readonly flow: number;
}

export interface WithIterations {
  readonly targets: readonly unknown[];
  /** Extension: flows, which are a weighted mix of iterations; null if there are none. */
  readonly flows: readonly Flow[] | null;
  /** Extension: groups of requests; null if there are none. */
  readonly groups: readonly Group[] | null;
  /**
   * Extension: number of initial requests that each client of a closed model performs once; null or absent if there are
   * none.
   */
  readonly onStart?: number | null;
}

export function startLength({ onStart }: Pick<WithIterations, 'onStart'>): number {
  return onStart ?? 0;
}

/** Returns the distinct iterations of a test: disjoint ranges that cover all requests except those of `onStart`. */
export function iterationsOf(spec: WithIterations): readonly [Iteration, ...Iteration[]] {
  const { targets, flows } = spec;
  let end = startLength(spec);
  const whole: Iteration = { first: end, end: targets.length, flow: 0 };
  const [first = whole, ...others] = (flows ?? []).map(({ urls }, flow): Iteration => {
    end += urls;
    return { first: end - urls, end, flow };
  });
  return [first, ...others];
}

/** Creates a function that returns an iteration by its number, which in open models is the number of the client. */
export function createIterationLookup(spec: WithIterations): (number: number) => Iteration {
  const [only, ...others] = iterationsOf(spec);
  if (spec.flows === null || others.length === 0) return () => only;
  const iterations = [only, ...others];
  const deal = dealFlows(spec.flows);
  return (number) => iterations[deal[number % deal.length] ?? 0] ?? only;
}

/** Returns the iteration that contains a request; undefined if none contains it. */
export function findIteration(spec: WithIterations, request: number): Iteration | undefined {
  return iterationsOf(spec).find(({ first, end }) => first <= request && request < end);
}

/** Returns the iteration that contains a request; the range of the whole test for a request of `onStart`. */
export function iterationWith(spec: WithIterations, request: number): Iteration {
  if (request < startLength(spec)) return { first: 0, end: spec.targets.length, flow: -1 };
  const found = findIteration(spec, request);
  if (found === undefined) throw new Error('Bug: a request does not belong to any iteration');
  return found;
}

/** Counts the iterations of each flow if each client performs one iteration. */
export function countIterations({ flows }: WithIterations, range: ClientRange): readonly number[] {
  return flows === null ? [range.clients] : countFlows(flows, range);
}

/**
 * Returns the maximum number of times that an iteration performs each request; for `min`, the minimum if no request
 * fails.
 */
export function requestsPerIteration(
  { targets, groups }: Pick<WithIterations, 'targets' | 'groups'>,
  bound: 'min' | 'max' = 'max',
): readonly number[] {
  const repetitions = bound === 'max' ? maxRepetitions : minRepetitions;
  return targets.map((_, request) =>
    groupsAround(groups ?? [], request).reduce((product, index) => {
      const group = groups?.[index];
      return group === undefined ? product : product * repetitions(group);
    }, 1),
  );
}

/** Returns the requests of an iteration as consecutive steps. The requests of a step start at the same time. */
export function stepsOf(
  { groups }: Pick<WithIterations, 'groups'>,
  { first, end }: Pick<Iteration, 'first' | 'end'>,
): readonly (readonly [number, ...number[]])[] {
  const parallel = (groups ?? []).filter((group) => group.parallel === true);
  const steps: [number, ...number[]][] = [];
  for (let request = first; request < end; request++) {
    const isLater = parallel.some((group) => group.first < request && request < endOf(group));
    const step = isLater ? steps.at(-1) : undefined;
    if (step === undefined) steps.push([request]);
    else step.push(request);
  }
  return steps;
}

/** Returns the maximum number of connections of a client to one host: more than 1 only if there are parallel groups. */
export function connectionsPerClient(
  spec: Pick<WithIterations, 'targets' | 'groups'>,
  { first, end }: Pick<Iteration, 'first' | 'end'> = { first: 0, end: spec.targets.length },
): number {
  return Math.max(0, ...lanesOf(spec).slice(first, end)) + 1;
}

/** Reports whether every iteration consists of one request, apart from redirects; false for any test with groups. */
export function areSingleRequests(spec: WithIterations): boolean {
  return spec.groups === null && iterationsOf(spec).every(({ first, end }) => end - first === 1);
}

/** Reports whether the number of requests in an iteration depends on conditions or lists. */
export function hasOptionalRequests(spec: WithIterations): boolean {
  const min = requestsPerIteration(spec, 'min');
  return requestsPerIteration(spec).some((count, request) => count !== min[request]);
}

/** Returns the maximum or minimum number of requests of each distinct iteration; see `requestsPerIteration`. */
export function iterationLengths(spec: WithIterations, bound: 'min' | 'max' = 'max'): readonly number[] {
  const counts = requestsPerIteration(spec, bound);
  return iterationsOf(spec).map(({ first, end }) => sumOf(counts.slice(first, end)));
}

/** Returns the maximum number of requests to each target if each client of a range performs one iteration. */
export function countRequests(spec: WithIterations, range: ClientRange): readonly number[] {
  return byRequest(spec, countIterations(spec, range));
}

/** Returns the mean number of requests to each target per iteration, assuming the maximum number of repetitions. */
export function requestShares(spec: WithIterations): readonly number[] {
  return byRequest(spec, iterationShares(spec));
}

/** Returns, for each distinct iteration, its fraction of all iterations. */
export function iterationShares({ flows }: WithIterations): readonly number[] {
  if (flows === null) return [1];
  const { parts, sum } = flowShares(flows);
  return parts.map((part) => part / sum);
}

/**
 * Returns, for each request, its maximum number per iteration, multiplied by the value of its flow; 0 for requests of
 * `onStart`.
 */
function byRequest(spec: WithIterations, values: readonly number[]): readonly number[] {
  const counts = requestsPerIteration(spec);
  const ofStart = counts.slice(0, startLength(spec)).map(() => 0);
  const ofIterations = iterationsOf(spec).flatMap(({ first, end, flow }) =>
    counts.slice(first, end).map((count) => count * (values[flow] ?? 0)),
  );
  return [...ofStart, ...ofIterations];
}
