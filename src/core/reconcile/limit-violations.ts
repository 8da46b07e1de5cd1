/** The limits of the file against the load of a plan. */
import { matchesAny } from '../glob.ts';
import type { RunnableTest } from '../model/load-test.ts';
import type { LimitName, Limits } from '../model/state.ts';
import { problem, type Problem } from '../problem.ts';
import { formatDuration, milliseconds } from '../units.ts';
import { peaksOf, type PlannedLoad } from './planned-load.ts';

/** One problem per limit and offender; those of allowed limits are left out. */
export function findLimitViolations(given: {
  readonly limits: Limits;
  /** Those that would start, now or at their time. */
  readonly tests: readonly RunnableTest[];
  readonly load: PlannedLoad;
  /** How often a test runs. */
  readonly rounds: (test: RunnableTest) => number;
  readonly allowed: readonly LimitName[];
}): Problem[] {
  const { limits, load, allowed } = given;
  const problems: Problem[] = [];
  const broken = (name: LimitName, message: string, source: RunnableTest['source'] = null) => {
    if (allowed.includes(name)) return;
    problems.push(
      problem('LT_PLAN_LIMIT', message, {
        source,
        hint: `--allow-limit ${name} lifts the limit for this plan`,
      }),
    );
  };
  for (const [host, connections] of peaksOfAll(given.tests, load)) {
    if (limits.maxConnections !== null && connections > limits.maxConnections) {
      broken(
        'max_connections',
        `${connections} connections on ${host} exceed the limit of ${limits.maxConnections}`,
        largestTestOn(host, given.tests),
      );
    }
    if (limits.hosts !== null && !matchesAny(limits.hosts, host)) {
      broken(
        'hosts',
        `load on ${host} is not allowed; the limit allows ${limits.hosts.join(', ')}`,
        largestTestOn(host, given.tests),
      );
    }
  }
  for (const test of given.tests) {
    const rounds = given.rounds(test);
    const lasts = milliseconds(test.spec.duration * rounds);
    if (limits.maxDuration !== null && lasts > limits.maxDuration) {
      const longest = formatDuration(limits.maxDuration);
      const often = rounds === 1 ? '' : ` in ${rounds} rounds`;
      broken(
        'max_duration',
        `"${test.key}" runs for ${formatDuration(lasts)}${often}, which exceeds the limit of ${longest}`,
        test.source,
      );
    }
  }
  return problems;
}

/** The place of the test with the most connections to a host. */
function largestTestOn(host: string, tests: readonly RunnableTest[]): RunnableTest['source'] {
  const on = tests.map((test) => ({ test, peak: peaksOf(test).get(host) ?? 0 }));
  const most = Math.max(...on.map(({ peak }) => peak));
  return on.find(({ peak }) => peak > 0 && peak === most)?.test.source ?? null;
}

/** The peaks of what starts now, and of each scheduled test by itself: nobody knows what runs beside it then. */
function peaksOfAll(tests: readonly RunnableTest[], load: PlannedLoad): ReadonlyMap<string, number> {
  const peaks = new Map(load.peakConnections);
  for (const test of tests) {
    for (const [host, peak] of peaksOf(test)) peaks.set(host, Math.max(peaks.get(host) ?? 0, peak));
  }
  return peaks;
}
