/** Checks the load of a plan against the limits of the file. */
import { counted, listText, withCommas } from '../counted.ts';
import { matchesAny } from '../glob.ts';
import { machineOf } from '../model/app.ts';
import type { RunnableTest } from '../model/load-test.ts';
import type { LimitName, Limits } from '../model/state.ts';
import { problem, type Problem } from '../problem.ts';
import { formatDuration, milliseconds } from '../units.ts';
import { loadByMachine, longestTime, peaksOf, type MachineLoad, type PlannedLoad } from './planned-load.ts';
import { hostsOf } from './run-order.ts';

/** Returns one problem for each machine, host or test that exceeds a limit, except for the limits in `allowed`. */
export function findLimitViolations(input: {
  readonly limits: Limits;
  /** The tests that would start now or at their scheduled time. */
  readonly tests: readonly RunnableTest[];
  readonly load: PlannedLoad;
  readonly rounds: (test: RunnableTest) => number;
  readonly allowed: readonly LimitName[];
  /** Source of limits from outside the file; null for limits in the file. */
  readonly origin?: string | null;
}): Problem[] {
  const { limits, load, allowed, origin = null } = input;
  const fromText = origin === null ? '' : ` (${origin})`;
  const problems: Problem[] = [];
  const addProblem = (name: LimitName, message: string, source: RunnableTest['source'] = null) => {
    if (allowed.includes(name)) return;
    problems.push(
      problem('LT_PLAN_LIMIT', message, {
        source,
        hint:
          origin === null
            ? `to lift the limit for this plan, pass --allow-limit ${name}`
            : `change the test, or ask the administrator who sets ${origin} to change the limit`,
      }),
    );
  };
  for (const { hosts, peakConnections } of listMachines(input.tests, load)) {
    if (limits.maxConnections === null || peakConnections <= limits.maxConnections) continue;
    const oneMachine = hosts.length === 1 ? '' : ', which are on the same machine,';
    addProblem(
      'max_connections',
      `${counted(peakConnections, 'connection')} on ${listText(hosts)}${oneMachine} ${peakConnections === 1 ? 'exceeds' : 'exceed'} the limit of ${withCommas(limits.maxConnections)}${fromText}`,
      largestTestOn(hosts, input.tests),
    );
  }
  for (const host of new Set(input.tests.flatMap(hostsOf))) {
    if (limits.hosts !== null && !matchesAny(limits.hosts, host)) {
      addProblem(
        'hosts',
        `load on ${host} is not allowed${fromText}; allowed hosts: ${limits.hosts.join(', ')}`,
        largestTestOn([host], input.tests),
      );
    }
  }
  for (const test of input.tests) {
    const rounds = input.rounds(test);
    const longest = longestTime(test);
    const lasts = milliseconds(longest * rounds);
    if (limits.maxDuration !== null && lasts > limits.maxDuration) {
      const maximum = formatDuration(limits.maxDuration);
      const inRounds = rounds === 1 ? '' : ` in ${rounds} rounds`;
      const takes =
        longest === test.spec.duration
          ? `${formatDuration(lasts)}${inRounds}`
          : `up to ${formatDuration(lasts)}${inRounds}, including requests outside its duration`;
      addProblem(
        'max_duration',
        `"${test.key}" runs for ${takes}, which exceeds the limit of ${maximum}${fromText}`,
        test.source,
      );
    }
  }
  return problems;
}

/** Returns the location of the test with the highest number of connections to the given hosts. */
export function largestTestOn(
  hosts: readonly string[],
  tests: readonly RunnableTest[],
): RunnableTest['source'] {
  const on = tests.map((test) => {
    const peaks = peaksOf(test);
    return { test, peak: hosts.reduce((sum, host) => sum + (peaks.get(host) ?? 0), 0) };
  });
  const [largest] = on.toSorted((a, b) => b.peak - a.peak);
  return largest?.test.source ?? null;
}

/**
 * Returns, for each machine, the higher of the combined load of the tests that start now and the load of any scheduled
 * test.
 */
function listMachines(tests: readonly RunnableTest[], load: PlannedLoad): readonly MachineLoad[] {
  const machines = new Map<string | undefined, MachineLoad>();
  const loads = [...load.machines, ...tests.flatMap((test) => [...loadByMachine(peaksOf(test)).values()])];
  for (const machine of loads) {
    const [key] = machine.hosts.map(machineOf);
    const other = machines.get(key);
    if (other === undefined || machine.peakConnections > other.peakConnections) machines.set(key, machine);
  }
  return [...machines.values()];
}
