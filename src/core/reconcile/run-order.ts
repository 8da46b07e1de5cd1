/**
 * Run order of tests. Tests with a common host run one after another unless at least one of them is parallel.
 * @see docs/internals/command-line.md, section 2, "Run order"
 */
import type { TestKey } from '../model/ids.ts';
import type { RunnableTest } from '../model/load-test.ts';
import { allTargetsOf } from '../model/phase.ts';
import { machineOf } from '../model/app.ts';
import { resolvedHostsOf } from '../model/connection.ts';
import { authorityOf } from '../model/url.ts';

/** Hosts by test, computed once, because a plan compares each test with all others. */
const HOSTS = new WeakMap<Pick<RunnableTest, 'spec'>, readonly string[]>();

/** Returns the distinct hosts of a test in order, including the addresses that the test sets for a host. */
export function hostsOf(test: Pick<RunnableTest, 'spec'>): readonly string[] {
  const known = HOSTS.get(test);
  if (known !== undefined) return known;
  const { spec } = test;
  const named = allTargetsOf<{ readonly url: string }>(spec).flatMap(({ url }) => [
    authorityOf(url) ?? url,
    ...resolvedHostsOf(spec.connection, url),
  ]);
  const hosts = [...new Set(named)];
  HOSTS.set(test, hosts);
  return hosts;
}

export function machinesOf(
  tests: readonly Pick<RunnableTest, 'spec'>[],
  urls: readonly string[],
): ReadonlySet<string> {
  const hosts = [...tests.flatMap(hostsOf), ...urls.map((url) => authorityOf(url) ?? url)];
  return new Set(hosts.map(machineOf));
}

export interface ConcurrentProject {
  /** The resources that only one project may use at a time. */
  readonly resources: ReadonlySet<string>;
}

/**
 * Returns the waiting projects that can start now.
 * @param parallel - maximum number of running projects
 */
export function projectsToStart<Project extends ConcurrentProject>(
  waiting: readonly Project[],
  running: readonly Project[],
  parallel: number,
): readonly Project[] {
  const free = withoutShared(waiting, running, { resourcesOf: ({ resources }) => resources });
  return free.slice(0, Math.max(0, parallel - running.length));
}

/** Sorts each test after the tests that it needs, and otherwise preserves the order. */
export function sortByDependencies(tests: readonly RunnableTest[]): readonly RunnableTest[] {
  const byKey = new Map(tests.map((test) => [test.key, test]));
  const sorted = new Set<RunnableTest>();
  const visit = (test: RunnableTest, dependents: readonly TestKey[]) => {
    if (sorted.has(test) || dependents.includes(test.key)) return;
    for (const need of test.needs) {
      const needed = byKey.get(need);
      if (needed !== undefined) visit(needed, [...dependents, test.key]);
    }
    sorted.add(test);
  };
  for (const test of tests) visit(test, []);
  return [...sorted];
}

export function sharesHost(a: RunnableTest, b: RunnableTest): boolean {
  if (a.parallel || b.parallel) return false;
  const hosts = hostsOf(b);
  return hostsOf(a).some((host) => hosts.includes(host));
}

/**
 * Returns the waiting tests, given in run order, that can start now, all at the same time.
 * @remarks A needed test that is neither waiting nor running has ended or is not part of this command.
 */
export function readyToStart(
  waiting: readonly RunnableTest[],
  running: readonly RunnableTest[],
): readonly RunnableTest[] {
  const unfinished = new Set([...waiting, ...running].map((test) => test.key));
  return withoutShared(waiting, running, {
    resourcesOf: (test) => (test.parallel ? [] : hostsOf(test)),
    mustWait: ({ key, needs }) => needs.some((need) => need !== key && unfinished.has(need)),
  });
}

/**
 * Returns the waiting items that share no resources with running or earlier waiting items.
 * @param mustWait - reports whether an item must wait for a different reason; later items still wait for its resources
 */
export function withoutShared<T>(
  waiting: readonly T[],
  running: readonly T[],
  {
    resourcesOf,
    mustWait = () => false,
  }: { readonly resourcesOf: (item: T) => Iterable<string>; readonly mustWait?: (item: T) => boolean },
): readonly T[] {
  const taken = new Set(running.flatMap((item) => [...resourcesOf(item)]));
  const free: T[] = [];
  for (const item of waiting) {
    const resources = [...resourcesOf(item)];
    if (!mustWait(item) && !resources.some((one) => taken.has(one))) free.push(item);
    // An item must not start before an earlier item that waits for the same resource.
    for (const one of resources) taken.add(one);
  }
  return free;
}
