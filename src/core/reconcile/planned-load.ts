/** The load that a plan would start, before anyone starts it. */
import { declaredLoadByHost } from '../load/peak-load.ts';
import { paceOf, type RunnableTest } from '../model/load-test.ts';
import { authorityOf } from '../model/url.ts';
import { sortByDependencies, readyToStart } from './run-order.ts';

export interface PlannedLoad {
  readonly starts: number;
  /** Most connections at once, by host with its non-default port. */
  readonly peakConnections: ReadonlyMap<string, number>;
  /** From the first start to the last end, when each takes its duration. */
  readonly seconds: number;
  /** True when no two of the tests would run at the same time. */
  readonly sequential: boolean;
  /** How often all of it is made, where that is more than once: `starts` and `seconds` are those of all rounds. */
  readonly rounds?: number;
}

/** Most connections of one test at once, by host with its non-default port. */
export function peaksOf({ spec }: RunnableTest): ReadonlyMap<string, number> {
  const requests = spec.targets.map(({ url }) => {
    const host = authorityOf(url) ?? url;
    // The host says the port, where it is not that of the scheme.
    return { hostname: host, port: 0, secure: /^https:/i.test(url) };
  });
  const asked = declaredLoadByHost(paceOf(spec), requests, ({ hostname }) => [hostname]);
  return new Map(Array.from(asked, ([host, { connections }]) => [host, connections]));
}

/** Plays the turns of the tests that would start. */
export function computePlannedLoad(starting: readonly RunnableTest[]): PlannedLoad {
  let waiting = sortByDependencies(starting);
  let running: { readonly test: RunnableTest; readonly end: number }[] = [];
  let now = 0;
  let most = 0;
  const peaks = new Map<string, number>();
  while (waiting.length + running.length > 0) {
    const ready = readyToStart(
      waiting,
      running.map(({ test }) => test),
    );
    waiting = waiting.filter((test) => !ready.includes(test));
    running.push(...ready.map((test) => ({ test, end: now + test.spec.duration })));
    most = Math.max(most, running.length);
    for (const [host, connections] of connectionsByHost(running.map(({ test }) => test))) {
      peaks.set(host, Math.max(peaks.get(host) ?? 0, connections));
    }
    now = Math.min(...running.map(({ end }) => end));
    running = running.filter(({ end }) => end > now);
  }
  return { starts: starting.length, peakConnections: peaks, seconds: now / 1000, sequential: most <= 1 };
}

function connectionsByHost(tests: readonly RunnableTest[]): ReadonlyMap<string, number> {
  const connections = new Map<string, number>();
  for (const test of tests) {
    for (const [host, peak] of peaksOf(test)) connections.set(host, (connections.get(host) ?? 0) + peak);
  }
  return connections;
}

/** The same load several times in a row. */
export function repeatLoad(load: PlannedLoad, rounds: number): PlannedLoad {
  if (rounds === 1 || load.starts === 0) return load;
  return { ...load, starts: load.starts * rounds, seconds: load.seconds * rounds, rounds };
}
