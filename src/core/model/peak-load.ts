/** The load that a test declares, computed before it runs. */
import { milliseconds, type Milliseconds } from '../units.ts';
import { countedIterationTime, countedIterationTimes, iterationDelayOf, type Delay } from './delay.ts';
import { flowShares } from './flow.ts';
import { lanesOf } from './group.ts';
import {
  countIterations,
  countRequests,
  areSingleRequests,
  connectionsPerClient,
  iterationsOf,
  requestShares,
  startLength,
  type WithIterations,
} from './iteration.ts';
import { clientCount, isOpenModel, maxConcurrentClients, type PaceSpec } from './pace.ts';
import { thousandths } from './ramps.ts';
import type { Threshold } from './threshold.ts';
import { sumOf } from '../sum.ts';

export interface HostLoad {
  readonly connections: number;
  readonly requestsPerSecond: number;
}

export interface Destination {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
}

export type LoadSpec = PaceSpec &
  WithIterations & {
    readonly timeout: Milliseconds;
    /** Number of connections to each host that the clients share; null or absent if each client opens its own. */
    readonly connections?: number | null;
    /** Number of iterations of a closed model, in total or per client; null or absent if there is no limit. */
    readonly iterations?: number | null;
    readonly iterationsPerClient?: number | null;
    readonly targets: readonly { readonly delay: Delay | null }[];
  };

/**
 * Returns the maximum number of concurrent connections of a test to one host.
 *
 * In an open model without flows, groups, shared connections or random arrivals, the maximum is `min(total, ceil(rate ×
 * time))`. This is the number of active clients if every response takes as long as the timeout allows. `total` is the
 * number of clients in the whole run, and `time` the sum of the timeouts and maximum delays of an iteration.
 * @see docs/internals/command-line.md, section 5
 */
export function peakConnections(spec: LoadSpec): number {
  const most = peakClients(spec) * connectionsPerClient(spec);
  if (!isOpenModel(spec)) return most;
  const peaks = peakClientsOfFlows(spec);
  const ofFlows = sumOf(
    iterationsOf(spec).map((flow, index) => (peaks[index] ?? 0) * connectionsPerClient(spec, flow)),
  );
  return Math.min(most, ofFlows, spec.connections ?? Infinity);
}

function peakClients(spec: LoadSpec): number {
  if (!isOpenModel(spec)) return maxConcurrentClients(spec);
  const ofFlows = sumOf(peakClientsOfFlows(spec));
  return Math.min(clientCount(spec), ofFlows, clientsWithin(spec, countedIterationTime(spec)));
}

/** Returns the maximum number of concurrent clients for each distinct iteration of an open model. */
function peakClientsOfFlows(spec: LoadSpec): readonly number[] {
  const clients = clientCount(spec);
  const times = countedIterationTimes(spec);
  const { flows } = spec;
  if (flows === null) return times.map((time) => Math.min(clients, clientsWithin(spec, time)));
  const { parts, sum } = flowShares(flows);
  const share = (count: number, flow: number) => ceilOfRatio(count * (parts[flow] ?? 0), sum);
  // In any period of time, the clients of a flow may exceed their share by one, because the counts at both ends are
  // rounded.
  return times.map((time, flow) =>
    Math.min(share(clients, flow), share(clientsWithin(spec, time), flow) + 1),
  );
}

/**
 * Returns the maximum number of clients that start within `time` ms. Random arrivals exceed this number with a
 * probability below 10⁻¹².
 */
function clientsWithin({ testType, total, duration, arrivals }: PaceSpec, time: number): number {
  const clients =
    testType === 'non-cycling'
      ? ceilOfRatio(total * time, duration)
      : ceilOfRatio(thousandths(total) * time, 1_000_000);
  return arrivals === 'random' ? clients + Math.ceil(maxBurst(clients)) : clients;
}

/** Negative natural logarithm of the probability that random arrivals exceed the planned maximum. */
const BURST_LOG = 12 * Math.LN10;

/**
 * Returns an upper bound for the excess of a Poisson count over its mean. `BURST_LOG` determines the probability that a
 * count exceeds the bound.
 * @see Bernstein's inequality: P(X ≥ m + x) ≤ exp(−x² / (2 (m + x/3)))
 */
function maxBurst(mean: number): number {
  const third = BURST_LOG / 3;
  return third + Math.sqrt(third * third + 2 * mean * BURST_LOG);
}

/**
 * Returns the maximum time after the duration of a test in which iterations in progress send further requests. The
 * maximum is the sum of one timeout and, in the open models, the maximum delays of an iteration. Returns 0 if
 * iterations have no further requests.
 */
export function drainTime(spec: LoadSpec): Milliseconds {
  const sharesConnections = (spec.connections ?? null) !== null;
  const hasFurtherRequests = sharesConnections || !areSingleRequests(spec) || startLength(spec) > 1;
  return milliseconds(hasFurtherRequests ? maxLoadTime(spec) - spec.duration : 0);
}

/** Returns the maximum time from the start of the load to its end, at which requests in flight are abandoned. */
export function maxLoadTime(spec: LoadSpec): Milliseconds {
  // In the closed model, a client that waits for a delay stops when the duration of the test ends.
  const delays = isOpenModel(spec) ? iterationDelayOf(spec, 'max') : 0;
  return milliseconds(spec.duration + delays + spec.timeout);
}

/** Returns the highest number of clients that an open model starts per second; 0 for the closed model. */
export function clientsPerSecond(spec: PaceSpec): number {
  switch (spec.testType) {
    case 'cycling':
      return 0;
    case 'non-cycling':
      return (spec.total * 1000) / spec.duration;
    case 'per-second':
      return spec.total;
  }
}

/** Returns the number of iterations of a complete run; null if only the duration limits the number. */
export function iterationsOfRun(spec: LoadSpec): number | null {
  if (isOpenModel(spec)) return clientCount(spec);
  const { iterations = null, iterationsPerClient = null } = spec;
  return iterationsPerClient === null ? iterations : iterationsPerClient * maxConcurrentClients(spec);
}

/**
 * Returns the number of iterations of a run, or of one of its flows; null if only the duration limits the number.
 * @param first - number of the first iteration that counts
 */
export function declaredIterations(
  spec: LoadSpec,
  { flow }: Pick<Threshold, 'flow'>,
  first = 0,
): number | null {
  const iterations = iterationsOfRun(spec);
  if (iterations === null) return null;
  if (flow === undefined) return iterations - first;
  return countIterations(spec, { first, stride: 1, clients: iterations - first })[flow.index] ?? 0;
}

/** Returns the maximum number of requests that the clients of a run perform before their iterations. */
export function startRequestsOf(spec: LoadSpec): number {
  return startLength(spec) * clientCount(spec);
}

/**
 * Returns the maximum number of requests in the iterations of a run, or of one of its URLs, flows or groups. Returns
 * null if only the duration limits the number.
 * @param from - number of the first iteration that counts
 */
export function requestsOf(
  spec: LoadSpec,
  { url = null, flow, group }: Partial<Pick<Threshold, 'url' | 'flow' | 'group'>> = {},
  from = 0,
): number | null {
  const iterations = iterationsOfRun(spec);
  if (iterations === null) return null;
  const counts = countRequests(spec, { first: from, stride: 1, clients: iterations - from });
  if (url !== null) return counts[url.index] ?? 0;
  if (group !== undefined) return sumOf(group.urls.map((index) => counts[index] ?? 0));
  const { first, end } = (flow && iterationsOf(spec)[flow.index]) ?? { first: 0, end: counts.length };
  return sumOf(counts.slice(first, end));
}

/**
 * Returns a key that is equal for requests of one client that share a connection.
 * @param lane - see `lanesOf`
 */
export function connectionKey({ secure, hostname, port }: Destination, lane: number): string {
  return JSON.stringify([secure, hostname, port, lane]);
}

/**
 * Returns the maximum load of a test on each host, to the extent known before the run. The requests per second are 0
 * for a closed model.
 * @param requests - possible destinations of each request of the test, in order; none for an invalid URL
 * @param namesOf - returns all names and addresses under which the host of a request is counted
 */
export function declaredLoadByHost<R extends Destination>(
  spec: LoadSpec,
  requests: readonly (readonly R[])[],
  namesOf: (request: R) => Iterable<string>,
): ReadonlyMap<string, HostLoad> {
  const clients = clientsPerSecond(spec);
  const most = peakClients(spec);
  const lanes = lanesOf(spec);
  // In the closed model, each client performs iterations of every flow, and its connections stay open.
  const peaks = isOpenModel(spec) ? peakClientsOfFlows(spec) : null;
  const shares = requestShares(spec);
  const loads = new Map<string, NamedLoad>();
  const start = { first: 0, end: startLength(spec), flow: -1 };
  for (const { first, end, flow } of [start, ...iterationsOf(spec)]) {
    for (let index = first; index < end; index++) {
      const names = new Set<string>();
      for (const request of requests[index] ?? []) {
        for (const name of namesOf(request)) {
          const load: NamedLoad = loads.get(name) ?? {
            requestsPerSecond: 0,
            destinations: new Set(),
            all: new Set(),
            byFlow: new Map(),
          };
          load.destinations.add(connectionKey(request, 0));
          // Each client opens one connection to each destination, and more for requests that start at the same time.
          const key = connectionKey(request, lanes[index] ?? 0);
          load.all.add(key);
          load.byFlow.set(flow, (load.byFlow.get(flow) ?? new Set()).add(key));
          loads.set(name, load);
          if (!names.has(name)) load.requestsPerSecond += clients * (shares[index] ?? 0);
          names.add(name);
        }
      }
    }
  }
  return new Map(
    Array.from(loads, ([name, { requestsPerSecond, destinations, all, byFlow }]) => {
      const ofFlows = Array.from(byFlow, ([flow, keys]) => (peaks?.[flow] ?? Infinity) * keys.size);
      const shared = (spec.connections ?? Infinity) * destinations.size;
      return [name, { connections: Math.min(most * all.size, sumOf(ofFlows), shared), requestsPerSecond }];
    }),
  );
}

/** The load on a host under one of its names. */
interface NamedLoad {
  requestsPerSecond: number;
  readonly destinations: Set<string>;
  /** Keys of the connections of one client in all flows together; `byFlow` contains the keys for each flow. */
  readonly all: Set<string>;
  readonly byFlow: Map<number, Set<string>>;
}

/**
 * Divides integers and rounds up. A floating-point division could round the quotient, so the remainder is used instead.
 */
function ceilOfRatio(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  return (dividend - rest) / divisor + (rest > 0 ? 1 : 0);
}
