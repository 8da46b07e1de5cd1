/**
 * Run order of tests. Tests with a common host run one after another unless they are parallel. A test starts after
 * the tests that it needs have ended.
 *
 * @see docs/internals/command-line.md, section 2, "Run order"
 */
import type { TestKey } from '../model/ids.ts';
import type { RunnableTest } from '../model/load-test.ts';
import { allTargetsOf } from '../model/phase.ts';
import { authorityOf } from '../model/url.ts';

/** Returns the target hosts of a test without repetitions, in the order in which it sends requests. */
export function hostsOf(test: Pick<RunnableTest, 'spec'>): readonly string[] {
  return [
    ...new Set(
      allTargetsOf<{ readonly url: string }>(test.spec).map(
        (target) => authorityOf(target.url) ?? target.url,
      ),
    ),
  ];
}

/**
 * Sorts tests so that each test follows those that it needs. Otherwise, the given order is kept. Cycles are rejected
 * when the file is read.
 */
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
 * Returns the waiting tests that can start now, all at the same time.
 *
 * @param waiting - Waiting tests in run order.
 * @remarks A needed test that is neither waiting nor running has ended or is not part of this command.
 */
export function readyToStart(
  waiting: readonly RunnableTest[],
  running: readonly RunnableTest[],
): readonly RunnableTest[] {
  const unfinished = new Set([...waiting, ...running].map((test) => test.key));
  const taken = new Set(running.flatMap(exclusiveHostsOf));
  const ready: RunnableTest[] = [];
  for (const test of waiting) {
    const hosts = exclusiveHostsOf(test);
    const needsWait = test.needs.some((need) => need !== test.key && unfinished.has(need));
    if (!needsWait && !hosts.some((host) => taken.has(host))) ready.push(test);
    // A test must not start before an earlier test that waits for the same host.
    for (const host of hosts) taken.add(host);
  }
  return ready;
}

/** Returns the hosts on which no other test can run at the same time, except parallel tests. */
function exclusiveHostsOf(test: RunnableTest): readonly string[] {
  return test.parallel ? [] : hostsOf(test);
}
