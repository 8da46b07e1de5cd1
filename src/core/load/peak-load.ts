/** The load that a test asks for, before anybody makes it. */
import type { Milliseconds } from '../units.ts';
import { countedIterationTime, type Delay } from './delay.ts';
import { clientCount, maxConcurrentClients, type PaceSpec } from './pace.ts';

/** What a test asks for at once on one host. */
export interface HostLoad {
  readonly connections: number;
  readonly requestsPerSecond: number;
}

/** Where a request of a pass goes. */
interface Destination {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
}

export type LoadSpec = PaceSpec & {
  readonly timeout: Milliseconds;
  /** The requests of a pass. */
  readonly targets: readonly { readonly delay: Delay | null }[];
};

/**
 * Most clients of a test at once. Of an open model: `min(total, ceil(rate × time))`, where total counts the clients
 * of the whole run: the number that are waiting when none of them is answered. The time is the time-out; of a pass with
 * delays it is all of its time-outs and its longest delays.
 *
 * Shape:  exact, also where rate × time is no whole number.
 * Source: docs/internals/command-line.md, section 5.
 */
export function peakConnections(spec: LoadSpec): number {
  const all = clientCount(spec);
  const time = countedIterationTime(spec.targets, spec.timeout);
  switch (spec.testType) {
    case 'cycling':
      return maxConcurrentClients(spec);
    case 'non-cycling':
      return Math.min(all, ceilOfRatio(spec.total * time, spec.duration));
    case 'per-second':
      return Math.min(all, ceilOfRatio(spec.total * time, 1000));
  }
}

/** Clients that an open model starts in a second. A closed model has no rate: it makes as many requests as it can. */
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

/** Requests with the same key go over the same connection of a client. */
export function connectionKey({ secure, hostname, port }: Destination): string {
  return JSON.stringify([secure, hostname, port]);
}

/**
 * What a test asks for on each host, as far as it can be known before.
 *
 * @param namesOf a request: every name and address under which its host is counted
 */
export function declaredLoadByHost<R extends Destination>(
  spec: LoadSpec,
  requests: readonly R[],
  namesOf: (request: R) => Iterable<string>,
): ReadonlyMap<string, HostLoad> {
  const clients = clientsPerSecond(spec);
  const connections = peakConnections(spec);
  const asked = new Map<string, { requestsPerSecond: number; readonly destinations: Set<string> }>();
  for (const request of requests) {
    for (const name of namesOf(request)) {
      const use = asked.get(name) ?? { requestsPerSecond: 0, destinations: new Set() };
      use.requestsPerSecond += clients;
      // A client has one connection for each of these.
      use.destinations.add(connectionKey(request));
      asked.set(name, use);
    }
  }
  return new Map(
    Array.from(asked, ([name, { requestsPerSecond, destinations }]) => [
      name,
      { connections: connections * destinations.size, requestsPerSecond },
    ]),
  );
}

/** Of whole numbers; a division alone would round before it is rounded up. */
function ceilOfRatio(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  return (dividend - rest) / divisor + (rest > 0 ? 1 : 0);
}
