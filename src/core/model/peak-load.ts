/** The load that a test declares, computed before it runs. */
import { milliseconds, type Milliseconds } from '../units.ts';
import { countedIterationTime, iterationDelayOf, type Delay } from './delay.ts';
import { countRequests, requestShares } from './iteration.ts';
import { clientCount, isOpenModel, maxConcurrentClients, type PaceSpec } from './pace.ts';

/** Maximum load of a test on one host. */
export interface HostLoad {
  readonly connections: number;
  readonly requestsPerSecond: number;
}

/** Destination of a request. */
interface Destination {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
}

export type LoadSpec = PaceSpec & {
  readonly timeout: Milliseconds;
  readonly targets: readonly { readonly delay: Delay | null }[];
};

/**
 * Returns the maximum number of concurrent clients of a test.
 *
 * In an open model, this is `min(total, ceil(rate × time))`: the number of clients that wait if none of them receives
 * a response. `total` is the number of clients in the whole run. `time` is the timeout or, with delays, the sum of
 * all timeouts and maximum delays of an iteration. The result is exact even if rate × time is not an integer.
 * @see docs/internals/command-line.md, section 5
 */
export function peakConnections(spec: LoadSpec): number {
  const clients = clientCount(spec);
  const time = countedIterationTime(spec);
  switch (spec.testType) {
    case 'cycling':
      return maxConcurrentClients(spec);
    case 'non-cycling':
      return Math.min(clients, ceilOfRatio(spec.total * time, spec.duration));
    case 'per-second':
      return Math.min(clients, ceilOfRatio(spec.total * time, 1000));
  }
}

/**
 * Returns the maximum time for which iterations continue after the duration of a test because of their delays.
 * The time for which requests wait for responses is not included.
 */
export function drainTime(spec: LoadSpec): Milliseconds {
  const delays = iterationDelayOf(spec, 'max');
  return isOpenModel(spec) ? delays : milliseconds(Math.min(delays, spec.timeout));
}

/**
 * Returns the number of clients that an open model starts per second; 0 for the closed model, which has no
 * fixed rate.
 */
export function clientsPerSecond(spec: PaceSpec): number {
  switch (spec.testType) {
    case 'cycling':
      return 0;
    case 'non-cycling':
      return ceilOfRatio(spec.total * 1000, spec.duration);
    case 'per-second':
      return spec.total;
  }
}

/**
 * Returns the number of requests of a run in which no client fails early; null for the closed model, in which it
 * depends on the response times.
 */
export function requestsOf(spec: PaceSpec & { readonly targets: readonly unknown[] }): number | null {
  if (!isOpenModel(spec)) return null;
  const clients = { first: 0, stride: 1, clients: clientCount(spec) };
  return countRequests(spec, clients).reduce((sum, count) => sum + count, 0);
}

/** Returns a key for the connection of a request. Requests of one client with the same key share a connection. */
export function connectionKey({ secure, hostname, port }: Destination): string {
  return JSON.stringify([secure, hostname, port]);
}

/**
 * Returns the load of a test on each host, to the extent that it is known before the run.
 * @param requests - Destinations of the requests of the test, in order; null for an invalid URL.
 * @param namesOf - returns all names and addresses under which the host of a request is counted
 */
export function declaredLoadByHost<R extends Destination>(
  spec: LoadSpec,
  requests: readonly (R | null)[],
  namesOf: (request: R) => Iterable<string>,
): ReadonlyMap<string, HostLoad> {
  const clients = clientsPerSecond(spec);
  const connections = peakConnections(spec);
  const loads = new Map<string, { requestsPerSecond: number; readonly destinations: Set<string> }>();
  const shares = requestShares(spec);
  for (const [index, request] of requests.entries()) {
    if (request === null) continue;
    for (const name of namesOf(request)) {
      const load = loads.get(name) ?? { requestsPerSecond: 0, destinations: new Set() };
      load.requestsPerSecond += clients * (shares[index] ?? 0);
      // A client opens one connection to each destination.
      load.destinations.add(connectionKey(request));
      loads.set(name, load);
    }
  }
  return new Map(
    Array.from(loads, ([name, { requestsPerSecond, destinations }]) => [
      name,
      { connections: connections * destinations.size, requestsPerSecond },
    ]),
  );
}

/** Divides integers and rounds the exact quotient up. A floating-point division could already have rounded it. */
function ceilOfRatio(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  return (dividend - rest) / divisor + (rest > 0 ? 1 : 0);
}
