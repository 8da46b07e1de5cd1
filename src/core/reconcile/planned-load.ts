/** The load that a plan would start. */
import { machineOf } from '../model/app.ts';
import { resolvedHostsOf } from '../model/connection.ts';
import { expectsRedirect } from '../model/expectation.ts';
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
import { possibleDestinations } from '../model/resolved-url.ts';
import { paceOf, type RunnableTest } from '../model/load-test.ts';
import { PHASES, phaseLoadOf, phaseRows, phaseTime, refreshesOf, type PhaseName } from '../model/phase.ts';
import { authorityOf } from '../model/url.ts';
import type { TestKey } from '../model/ids.ts';
import { milliseconds, type Milliseconds } from '../units.ts';
import { sortByDependencies, readyToStart, sharesHost } from './run-order.ts';
import { sumOf, sumOrNull } from '../sum.ts';

export interface PlannedLoad {
  readonly starts: number;
  /** Maximum number of concurrent connections, by host with its non-default port. */
  readonly peakConnections: ReadonlyMap<string, number>;
  readonly machines: readonly MachineLoad[];
  /** Number of requests; null if it depends on the response times of a test. */
  readonly requests: number | null;
  /**
   * True if `requests` is a maximum, because conditions or short lists can reduce the number; absent if it is exact.
   */
  readonly requestsVary?: true;
  /** True if the tests follow redirects, which add to `requests`; absent otherwise. */
  readonly followsRedirects?: true;
  /** Number of requests outside the iterations of all tests. */
  readonly phaseRequests: PhaseRequests;
  /** Maximum time from the start of the first test to the end of the last one, in seconds; see `longestTime`. */
  readonly seconds: number;
  /** True if `seconds` is a maximum, because a test may end earlier; absent otherwise. */
  readonly secondsVary?: true;
  /** Maximum number of tests that run at the same time. */
  readonly concurrentTests: number;
  /** Number of rounds, which `starts` and `seconds` include; absent if there is only one. */
  readonly rounds?: number;
}

/** Maximum load of a machine, which may have several hosts. */
export interface MachineLoad {
  readonly hosts: readonly string[];
  readonly peakConnections: number;
}

/**
 * Returns the maximum time from the start of a test to the end of its teardown. Without a teardown, returns the maximum
 * time to the start of the last request.
 */
export function longestTime({ spec }: RunnableTest): Milliseconds {
  const pace = paceOf(spec);
  const load = spec.teardown === null ? spec.duration + drainTime(pace) : maxLoadTime(pace);
  return milliseconds(load + phaseTimeOf(spec));
}

export function phaseTimeOf(spec: RunnableTest['spec']): Milliseconds {
  const { timeout } = paceOf(spec);
  const timeOf = (phase: NonNullable<typeof spec.setup>) =>
    phaseTime(phase, { rows: phaseRows(phase), timeout });
  return milliseconds(sumOf(PHASES.map((name) => (spec[name] === null ? 0 : timeOf(spec[name])))));
}

/** Reports whether a complete run can be shorter than the maximum time of its test. */
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
    // The port is 0, because the host already includes any port that is not the default of the scheme.
    const secure = /^https:/i.test(url);
    return { hostname: host, port: 0, secure, resolved: resolvedHostsOf(spec.connection, url) };
  });
  // Counts connections to several addresses of one machine only once.
  const hostsOf = ({ hostname, resolved }: (typeof requests)[number]) => [
    hostname,
    ...resolved.filter(
      (host, index) => resolved.findIndex((one) => machineOf(one) === machineOf(host)) === index,
    ),
  ];
  const destinations = possibleDestinations(spec.targets, requests);
  const declared = declaredLoadByHost(paceOf(spec), destinations, hostsOf);
  const peaks = new Map(Array.from(declared, ([host, { connections }]) => [host, connections]));
  for (const name of PHASES) {
    const phase = spec[name];
    if (phase === null) continue;
    const { connections } = phaseLoadOf(phase);
    const hosts = phase.targets.flatMap(({ url }) => [
      authorityOf(url) ?? url,
      ...resolvedHostsOf(spec.connection, url),
    ]);
    for (const host of new Set(hosts)) {
      const ofLoad = peaks.get(host) ?? 0;
      // Only repeated phases run at the same time as the load.
      peaks.set(host, phase.refresh === undefined ? Math.max(ofLoad, connections) : ofLoad + connections);
    }
  }
  return peaks;
}

export function computePlannedLoad(starting: readonly RunnableTest[]): PlannedLoad {
  const { byHost, byMachine } = peaksTogether(starting);
  return {
    starts: starting.length,
    peakConnections: byHost,
    machines: byMachine,
    requests: sumOfRequests(starting),
    ...(starting.some(({ spec }) => hasOptionalRequests(paceOf(spec))) ? { requestsVary: true } : {}),
    ...(starting.some(followsRedirects) ? { followsRedirects: true } : {}),
    phaseRequests: addPhaseRequests(
      starting.map(({ spec }) => phaseRequestsOf(spec)),
      1,
    ),
    seconds: simulatedTime(starting) / 1000,
    ...(starting.some(mayEndEarlier) ? { secondsVary: true } : {}),
    concurrentTests: maxTogether(
      starting.map((test) => ({ test, weight: 1 })),
      createOrder(starting),
    ),
  };
}

function followsRedirects({ spec }: RunnableTest): boolean {
  return spec.targets.some(({ expect }) => expect === null || !expectsRedirect(expect));
}

/** Returns the maximum total time of the tests, in ms. */
function simulatedTime(starting: readonly RunnableTest[]): number {
  let waiting = sortByDependencies(starting);
  let running: { readonly test: RunnableTest; readonly end: number }[] = [];
  let now = 0;
  while (waiting.length + running.length > 0) {
    const ready = readyToStart(
      waiting,
      running.map(({ test }) => test),
    );
    waiting = waiting.filter((test) => !ready.includes(test));
    running.push(...ready.map((test) => ({ test, end: now + longestTime(test) })));
    now = Math.min(...running.map(({ end }) => end));
    running = running.filter(({ end }) => end > now);
  }
  return now;
}

/** A test and its number of connections to a host or machine. */
interface WeightedTest {
  readonly test: RunnableTest;
  readonly weight: number;
}

/** Returns the maximum numbers of connections by host and by machine. */
function peaksTogether(starting: readonly RunnableTest[]) {
  const isOrdered = createOrder(starting);
  const byHost = new Map<string, WeightedTest[]>();
  const byMachine = new Map<string, { readonly hosts: Set<string>; readonly tests: WeightedTest[] }>();
  for (const test of starting) {
    const peaks = peaksOf(test);
    for (const [host, weight] of peaks) addTo(byHost, host, [], (tests) => tests.push({ test, weight }));
    for (const [machine, { hosts, peakConnections: weight }] of loadByMachine(peaks)) {
      addTo(byMachine, machine, { hosts: new Set<string>(), tests: [] }, (entry) => {
        for (const host of hosts) entry.hosts.add(host);
        entry.tests.push({ test, weight });
      });
    }
  }
  return {
    byHost: new Map(Array.from(byHost, ([host, tests]) => [host, maxTogether(tests, isOrdered)])),
    byMachine: Array.from(byMachine.values(), ({ hosts, tests }): MachineLoad => {
      return { hosts: [...hosts], peakConnections: maxTogether(tests, isOrdered) };
    }),
  };
}

function addTo<T>(map: Map<string, T>, key: string, empty: T, add: (value: T) => void): void {
  const value = map.get(key) ?? empty;
  map.set(key, value);
  add(value);
}

/**
 * Returns an upper bound for the sum of the weights of tests that run at the same time. Divides the tests into groups
 * whose members never run at the same time, so each group contributes only its largest weight.
 */
function maxTogether(
  tests: readonly WeightedTest[],
  isOrdered: (a: RunnableTest, b: RunnableTest) => boolean,
): number {
  const groups: WeightedTest[][] = [];
  for (const one of tests.toSorted((a, b) => b.weight - a.weight)) {
    const group = groups.find((members) =>
      members.every(({ test }) => sharesHost(test, one.test) || isOrdered(test, one.test)),
    );
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return sumOf(groups.map(([largest]) => largest?.weight ?? 0));
}

/** Creates a function that reports whether one of two tests must wait for the end of the other because of `needs`. */
function createOrder(tests: readonly RunnableTest[]): (a: RunnableTest, b: RunnableTest) => boolean {
  const needed = new Map<TestKey, ReadonlySet<TestKey>>();
  for (const { key, needs } of sortByDependencies(tests))
    needed.set(key, new Set(needs.flatMap((need) => [need, ...(needed.get(need) ?? [])])));
  return (a, b) => needed.get(a.key)?.has(b.key) === true || needed.get(b.key)?.has(a.key) === true;
}

/** Maximum numbers of requests outside iterations; `vary` is true if there may be fewer. */
export type PhaseRequests = Readonly<Record<PhaseName | 'onStart', number>> & { readonly vary: boolean };

export function phaseRequestsOf(spec: RunnableTest['spec']): PhaseRequests {
  const refreshes = refreshesOf(spec.setup, spec);
  const countOf = (name: PhaseName) =>
    spec[name] === null ? 0 : phaseLoadOf(spec[name]).requests * (name === 'setup' ? 1 + refreshes : 1);
  const vary =
    refreshes > 0 ||
    PHASES.some((name) => {
      const load = spec[name] === null ? null : phaseLoadOf(spec[name]);
      return load !== null && load.minRequests < load.requests;
    });
  const onStart = startRequestsOf(paceOf(spec));
  return { setup: countOf('setup'), onStart, teardown: countOf('teardown'), vary };
}

function addPhaseRequests(counts: readonly PhaseRequests[], rounds: number): PhaseRequests {
  const total = (name: PhaseName | 'onStart') => rounds * sumOf(counts.map((one) => one[name]));
  const vary = counts.some((one) => one.vary);
  return { setup: total('setup'), onStart: total('onStart'), teardown: total('teardown'), vary };
}

function sumOfRequests(tests: readonly RunnableTest[]): number | null {
  return sumOrNull(tests.map(({ spec }) => requestsOf(paceOf(spec))));
}

export function loadByMachine(connections: ReadonlyMap<string, number>): ReadonlyMap<string, MachineLoad> {
  const machines = new Map<string, MachineLoad>();
  for (const [host, count] of connections) {
    const machine = machineOf(host);
    const { hosts, peakConnections } = machines.get(machine) ?? { hosts: [], peakConnections: 0 };
    machines.set(machine, { hosts: [...hosts, host], peakConnections: peakConnections + count });
  }
  return machines;
}

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
