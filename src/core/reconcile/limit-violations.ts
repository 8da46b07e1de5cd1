/** Checks the load of a plan against the limits of the file. */
import { matchesAny } from '../glob.ts';
import type { RunnableTest } from '../model/load-test.ts';
import type { LimitName, Limits } from '../model/state.ts';
import { problem, type Problem } from '../problem.ts';
import { formatDuration, milliseconds } from '../units.ts';
import { peaksOf, type PlannedLoad } from './planned-load.ts';

/**
 * Returns one problem for each violated limit and host or test. Limits that the user allowed to be exceeded are
 * ignored.
 */
export function findLimitViolations(input: {
  readonly limits: Limits;
  /** The tests that would start, now or at their scheduled time. */
  readonly tests: readonly RunnableTest[];
  readonly load: PlannedLoad;
  /** Number of rounds of a test. */
  readonly rounds: (test: RunnableTest) => number;
  readonly allowed: readonly LimitName[];
}): Problem[] {
  const { limits, load, allowed } = input;
  const problems: Problem[] = [];
  const addProblem = (name: LimitName, message: string, source: RunnableTest['source'] = null) => {
    if (allowed.includes(name)) return;
    problems.push(
      problem('LT_PLAN_LIMIT', message, {
        source,
        hint: `to lift the limit for this plan, pass --allow-limit ${name}`,
      }),
    );
  };
  for (const [host, connections] of peaksOfAll(input.tests, load)) {
    if (limits.maxConnections !== null && connections > limits.maxConnections) {
      addProblem(
        'max_connections',
        `${connections} connections on ${host} exceed the limit of ${limits.maxConnections}`,
        largestTestOn(host, input.tests),
      );
    }
    if (limits.hosts !== null && !matchesAny(limits.hosts, host)) {
      addProblem(
        'hosts',
        `load on ${host} is not allowed; allowed hosts: ${limits.hosts.join(', ')}`,
        largestTestOn(host, input.tests),
      );
    }
  }
  for (const test of input.tests) {
    const rounds = input.rounds(test);
    const lasts = milliseconds(test.spec.duration * rounds);
    if (limits.maxDuration !== null && lasts > limits.maxDuration) {
      const maximum = formatDuration(limits.maxDuration);
      const inRounds = rounds === 1 ? '' : ` in ${rounds} rounds`;
      addProblem(
        'max_duration',
        `"${test.key}" runs for ${formatDuration(lasts)}${inRounds}, which exceeds the limit of ${maximum}`,
        test.source,
      );
    }
  }
  return problems;
}

/** Returns the location of the test with the highest number of connections to a host. */
function largestTestOn(host: string, tests: readonly RunnableTest[]): RunnableTest['source'] {
  const on = tests.map((test) => ({ test, peak: peaksOf(test).get(host) ?? 0 }));
  const maximum = Math.max(...on.map(({ peak }) => peak));
  return on.find(({ peak }) => peak > 0 && peak === maximum)?.test.source ?? null;
}

/**
 * Returns the peaks of all tests that start now, taken together, and of each scheduled test alone, because it is
 * unknown which other tests will run at its start time.
 */
function peaksOfAll(tests: readonly RunnableTest[], load: PlannedLoad): ReadonlyMap<string, number> {
  const peaks = new Map(load.peakConnections);
  for (const test of tests) {
    for (const [host, peak] of peaksOf(test)) peaks.set(host, Math.max(peaks.get(host) ?? 0, peak));
  }
  return peaks;
}
