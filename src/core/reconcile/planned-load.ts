/** The load that a plan would start. */
import { machineOf } from '../model/app.ts';
import { resolvedHostsOf } from '../model/connection.ts';
import { hasOptionalRequests } from '../model/iteration.ts';
import { clientCount, isOpenModel } from '../model/pace.ts';
import {
  declaredLoadByHost,
  drainTime,
  iterationsOfRun,
  maxLoadTime,
  requestsOf,
  startRequestsOf,
} from '../model/peak-load.ts';
import { paceOf, type RunnableTest } from '../model/load-test.ts';
import { PHASES, phaseLoadOf, phaseRows, phaseTime, type PhaseName } from '../model/phase.ts';
import { authorityOf } from '../model/url.ts';
import { milliseconds, type Milliseconds } from '../units.ts';
import { sortByDependencies, readyToStart } from './run-order.ts';

export interface PlannedLoad {
  readonly starts: number;
  /** Maximum number of concurrent connections, by host with its non-default port. */
  readonly peakConnections: ReadonlyMap<string, number>;
  readonly machines: readonly MachineLoad[];
  /** Number of requests; null if it depends on the response times of a test. */
  readonly requests: number | null;
  /** True if `requests` is a maximum, because conditions or lists can skip requests; absent if it is exact. */
  readonly requestsVary?: true;
  /** Number of requests outside the iterations of all tests. */
  readonly phaseRequests: PhaseRequests;
  /** Maximum time from the first start to the start of the last request; see `longestTime`. */
  readonly seconds: number;
  /** True if `seconds` is a maximum, because a test may end earlier; absent otherwise. */
  readonly secondsVary?: true;
  /** Maximum number of tests that run at the same time. */
  readonly concurrentTests: number;
  /** Number of rounds; absent if there is only one. `starts` and `seconds` include all rounds. */
  readonly rounds?: number;
}

/** Maximum load of a machine. */
export interface MachineLoad {
  /** Hosts of the tests that are on this machine. */
  readonly hosts: readonly string[];
  readonly peakConnections: number;
}

/**
 * Returns the maximum time from the start of a test until it begins its last request. The wait for its response is not included,
 * except for requests before and after the load.
 */
export function longestTime({ spec }: RunnableTest): Milliseconds {
  const pace = paceOf(spec);
  const load = spec.teardown === null ? spec.duration + drainTime(pace) : maxLoadTime(pace);
  return milliseconds(load + phaseTimeOf(spec));
}

/** Returns the maximum time of the requests before and after the load. */
export function phaseTimeOf(spec: RunnableTest['spec']): Milliseconds {
  const { timeout } = paceOf(spec);
  const timeOf = (phase: NonNullable<typeof spec.setup>) =>
    phaseTime(phase, { rows: phaseRows(phase), timeout });
  return milliseconds(PHASES.reduce((sum, name) => sum + (spec[name] === null ? 0 : timeOf(spec[name])), 0));
}

/** Reports whether a complete run can be shorter than the longest time of its test. */
function mayEndEarlier(test: RunnableTest): boolean {
  const pace = paceOf(test.spec);
  return (
    longestTime(test) > pace.duration ||
    (isOpenModel(pace) ? pace.maxClients === clientCount(pace) : iterationsOfRun(pace) !== null)
  );
}

/** Returns the maximum number of concurrent connections of one test, by host with its non-default port. */
export function peaksOf({ spec }: RunnableTest): ReadonlyMap<string, number> {
  const requests = spec.targets.map(({ url }) => {
    const host = authorityOf(url) ?? url;
    // The host contains the port if it is not the default port of the scheme.
    const secure = /^https:/i.test(url);
    return { hostname: host, port: 0, secure, resolved: resolvedHostsOf(spec.connection, url) };
  });
  // The connections to several addresses of one machine are the same ones.
  const hostsOf = ({ hostname, resolved }: (typeof requests)[number]) => [
    hostname,
    ...resolved.filter(
      (host, index) => resolved.findIndex((one) => machineOf(one) === machineOf(host)) === index,
    ),
  ];
  const declared = declaredLoadByHost(paceOf(spec), requests, hostsOf);
  const peaks = new Map(Array.from(declared, ([host, { connections }]) => [host, connections]));
  for (const name of PHASES) {
    const phase = spec[name];
    if (phase === null) continue;
    // Phases do not run at the same time as the load.
    for (const { url } of phase.targets) {
      for (const host of [authorityOf(url) ?? url, ...resolvedHostsOf(spec.connection, url)])
        peaks.set(host, Math.max(peaks.get(host) ?? 0, phaseLoadOf(phase).connections));
    }
  }
  return peaks;
}

/** Returns the load of the tests that would start, by a simulation of their run order. */
export function computePlannedLoad(starting: readonly RunnableTest[]): PlannedLoad {
  let waiting = sortByDependencies(starting);
  let running: { readonly test: RunnableTest; readonly end: number }[] = [];
  let now = 0;
  let maxRunning = 0;
  const peaks = new Map<string, number>();
  const machines = new Map<string, MachineLoad>();
  while (waiting.length + running.length > 0) {
    const ready = readyToStart(
      waiting,
      running.map(({ test }) => test),
    );
    waiting = waiting.filter((test) => !ready.includes(test));
    running.push(...ready.map((test) => ({ test, end: now + longestTime(test) })));
    maxRunning = Math.max(maxRunning, running.length);
    const connections = connectionsByHost(running.map(({ test }) => test));
    for (const [host, count] of connections) peaks.set(host, Math.max(peaks.get(host) ?? 0, count));
    for (const [machine, load] of loadByMachine(connections)) {
      const { hosts, peakConnections } = machines.get(machine) ?? load;
      machines.set(machine, {
        hosts: [...new Set([...hosts, ...load.hosts])],
        peakConnections: Math.max(peakConnections, load.peakConnections),
      });
    }
    now = Math.min(...running.map(({ end }) => end));
    running = running.filter(({ end }) => end > now);
  }
  return {
    starts: starting.length,
    peakConnections: peaks,
    machines: [...machines.values()],
    requests: sumOfRequests(starting),
    ...(starting.some(({ spec }) => hasOptionalRequests(paceOf(spec))) ? { requestsVary: true } : {}),
    phaseRequests: addPhaseRequests(
      starting.map(({ spec }) => phaseRequestsOf(spec)),
      1,
    ),
    seconds: now / 1000,
    ...(starting.some(mayEndEarlier) ? { secondsVary: true } : {}),
    concurrentTests: maxRunning,
  };
}

/** Maximum number of requests of each phase, and of the clients before their iterations; `vary` is true if there may be fewer. */
export type PhaseRequests = Readonly<Record<PhaseName | 'onStart', number>> & { readonly vary: boolean };

export function phaseRequestsOf(spec: RunnableTest['spec']): PhaseRequests {
  const countOf = (name: PhaseName) => (spec[name] === null ? 0 : phaseLoadOf(spec[name]).requests);
  const vary = PHASES.some((name) => {
    const load = spec[name] === null ? null : phaseLoadOf(spec[name]);
    return load !== null && load.minRequests < load.requests;
  });
  const onStart = startRequestsOf(paceOf(spec));
  return { setup: countOf('setup'), onStart, teardown: countOf('teardown'), vary };
}

function addPhaseRequests(counts: readonly PhaseRequests[], rounds: number): PhaseRequests {
  const sumOf = (name: PhaseName | 'onStart') => rounds * counts.reduce((sum, one) => sum + one[name], 0);
  const vary = counts.some((one) => one.vary);
  return { setup: sumOf('setup'), onStart: sumOf('onStart'), teardown: sumOf('teardown'), vary };
}

function sumOfRequests(tests: readonly RunnableTest[]): number | null {
  const requests = tests.map(({ spec }) => requestsOf(paceOf(spec)));
  return requests.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

function connectionsByHost(tests: readonly RunnableTest[]): ReadonlyMap<string, number> {
  const connections = new Map<string, number>();
  for (const test of tests) {
    for (const [host, peak] of peaksOf(test)) connections.set(host, (connections.get(host) ?? 0) + peak);
  }
  return connections;
}

/** Adds the connections to all hosts of a machine. */
export function loadByMachine(connections: ReadonlyMap<string, number>): ReadonlyMap<string, MachineLoad> {
  const machines = new Map<string, MachineLoad>();
  for (const [host, count] of connections) {
    const machine = machineOf(host);
    const { hosts, peakConnections } = machines.get(machine) ?? { hosts: [], peakConnections: 0 };
    machines.set(machine, { hosts: [...hosts, host], peakConnections: peakConnections + count });
  }
  return machines;
}

/** Returns the load of several consecutive rounds. */
export function repeatLoad(load: PlannedLoad, rounds: number): PlannedLoad {
  if (rounds === 1 || load.starts === 0) return load;
  const requests = load.requests === null ? null : load.requests * rounds;
  const phaseRequests = addPhaseRequests([load.phaseRequests], rounds);
  return {
    ...load,
    starts: load.starts * rounds,
    requests,
    phaseRequests,
    seconds: load.seconds * rounds,
    rounds,
  };
}
