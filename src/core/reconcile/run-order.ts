/**
 * Whose turn it is: tests that share a host run one after another, unless they are parallel;
 * a test starts after those it needs have ended.
 *
 * Source: docs/internals/command-line.md, section 2, "Run order".
 */
import type { TestKey } from '../model/ids.ts';
import type { RunnableTest } from '../model/load-test.ts';
import { authorityOf } from '../model/url.ts';

/** The hosts that a test puts load on, each once, in the order of its URLs. */
export function hostsOf(test: Pick<RunnableTest, 'spec'>): readonly string[] {
  return [...new Set(test.spec.targets.map((target) => authorityOf(target.url) ?? target.url))];
}

/** Sorts by `needs`, then by the order given. Circles were refused when the file was read. */
export function sortByDependencies(tests: readonly RunnableTest[]): readonly RunnableTest[] {
  const byKey = new Map(tests.map((test) => [test.key, test]));
  const sorted = new Set<RunnableTest>();
  const visit = (test: RunnableTest, above: readonly TestKey[]) => {
    if (sorted.has(test) || above.includes(test.key)) return;
    for (const need of test.needs) {
      const needed = byKey.get(need);
      if (needed !== undefined) visit(needed, [...above, test.key]);
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
 * Those of the waiting ones that may start now.
 *
 * Shape:  `waiting` is in turn order; what the result holds is meant to start at once, all of it.
 *         A needed test that is neither waiting nor running has ended, or has no part in this command.
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
    // Nobody passes one that waits for the same host.
    for (const host of hosts) taken.add(host);
  }
  return ready;
}

/** The hosts that nobody else may put load on meanwhile, but for parallel tests. */
function exclusiveHostsOf(test: RunnableTest): readonly string[] {
  return test.parallel ? [] : hostsOf(test);
}
