/** Rules for the load of a test and for its schedule. */
import { canStillBeMet, thresholdOfRule } from '../abort-rule.ts';
import { startLength } from '../iteration.ts';
import { timeText } from '../../instant.ts';
import { MAX_FLOWS, MAX_WEIGHT, flowShares } from '../flow.ts';
import { refreshesOf } from '../phase.ts';
import { MAX_LEVEL_DECIMALS, extentOf, isExactLevel } from '../ramps.ts';
import { formatDuration } from '../../units.ts';
import type { Capabilities } from '../capabilities.ts';
import type { FieldPath } from '../../field-reference.ts';
import { SPEC_DEFAULTS, type LoadTestSpec } from '../load-test.ts';
import type { PayloadFile } from '../payload-file.ts';
import { TEST_FIELDS, URL_FIELDS } from '../test-fields.ts';
import { addFault, truncate, type Fault, type FaultList } from './fault.ts';

export function checkWarmup(found: FaultList, { warmup, duration }: LoadTestSpec): void {
  if (warmup === null || warmup < duration) return;
  const message = `"warmup" must be shorter than the test (${formatDuration(duration)}); only the time after it is measured`;
  addFault(found, { path: [TEST_FIELDS.warmup.name], about: 'value', message });
}

export function checkRefresh(found: FaultList, { setup, duration }: LoadTestSpec): void {
  if (setup?.refresh === undefined || refreshesOf(setup, { duration }) > 0) return;
  const message = `"refresh" must be shorter than the test (${formatDuration(duration)}); use a shorter time or remove it`;
  addFault(found, { path: ['setup', 'refresh'], about: 'value', message });
}

export function checkConnections(found: FaultList, { testType, connections }: LoadTestSpec): void {
  if (connections === null) return;
  const path = [TEST_FIELDS.connections.name];
  if (testType === 'cycling') {
    const message =
      '"connections" applies only to per-second and non-cycling tests; the number of connections of a cycling test is "total"';
    addFault(found, { path, about: 'key', message });
  } else if (!Number.isInteger(connections)) {
    addFault(found, { path, about: 'value', message: `${connections} is not a whole number of connections` });
  }
}

export function checkArrivals(found: FaultList, { testType, arrivals }: LoadTestSpec): void {
  if (arrivals === null || testType !== 'cycling') return;
  const message =
    '"arrivals" applies only to per-second and non-cycling tests; the clients of a cycling test start their next iteration after a response';
  addFault(found, { path: [TEST_FIELDS.arrivals.name], about: 'key', message });
}

export function checkIterations(found: FaultList, spec: LoadTestSpec): void {
  for (const key of ['iterations', 'iterationsPerClient', 'pace'] as const) {
    const value = spec[key];
    const { name } = TEST_FIELDS[key];
    if (value === null) continue;
    const wrong = (message: string, about: Fault['about'] = 'key') =>
      addFault(found, { path: [name], about, message });
    if (spec.testType !== 'cycling') {
      const reason =
        key === 'pace'
          ? 'clients of other tests perform one iteration'
          : `the number of iterations of a ${spec.testType} test is its number of clients`;
      wrong(`"${name}" applies only to cycling tests; ${reason}`);
    } else if (!Number.isInteger(value)) {
      wrong(`${value} is not a whole number; "${name}" is a number of iterations`, 'value');
    } else if (key !== 'pace' && isDecreasing(spec)) {
      wrong(
        `"${name}" cannot be combined with stages that decrease the number of connections, because a connection that closes early cannot complete its iterations; remove "${name}" or those stages`,
      );
    } else if (key === 'iterationsPerClient' && spec.iterations !== null) {
      wrong(`"${name}" and "iterations" cannot be combined; remove one of them`);
    }
  }
}

function isDecreasing({ initial, stages }: LoadTestSpec): boolean {
  const levels = [initial ?? SPEC_DEFAULTS.initial, ...(stages ?? []).map(({ to }) => to)];
  return stages !== null && levels.some((level, index) => level < (levels[index - 1] ?? 0));
}

export function checkRowLimit(found: FaultList, spec: LoadTestSpec): void {
  if (spec.testType !== 'cycling') return;
  const other =
    spec.stages !== null ? 'stages' : spec.iterationsPerClient !== null ? 'iterationsPerClient' : null;
  if (other === null) return;
  const check = (path: FieldPath, file: PayloadFile | null | undefined) => {
    if (file?.options?.order !== 'once') return;
    const { name } = TEST_FIELDS[other];
    const message = `"order: once" and "${name}" cannot be combined, because the rows determine the number of iterations; remove one of them`;
    addFault(found, { path: [...path, URL_FIELDS.payloadFile.name], about: 'value', message });
  };
  spec.targets.forEach(({ payloadFile }, index) => check(['urls', index], payloadFile));
  check(['setup', 'urls', 0], spec.setup?.targets[0]?.payloadFile);
}

export function checkKeepAlive(found: FaultList, { testType, keepAlive }: LoadTestSpec): void {
  if (keepAlive !== false || testType === 'cycling') return;
  const message = `"keep_alive" applies only to cycling tests; each client of a ${testType} test already opens new connections`;
  addFault(found, { path: [TEST_FIELDS.keepAlive.name], about: 'key', message });
}

/** Checks the thresholds that end a run. In the file, they are options of `thresholds`, which other rules check. */
export function checkAbortRules(found: FaultList, spec: LoadTestSpec): void {
  spec.abortRules?.forEach((rule, index) => {
    const wrong = (message: string) =>
      addFault(found, { path: [TEST_FIELDS.abortRules.name, index], about: 'value', message });
    const threshold = thresholdOfRule(rule, spec);
    if (threshold === null) {
      wrong(`${truncate(rule.limit)} is not a condition on the metric ${truncate(rule.metric)}`);
      return;
    }
    if (canStillBeMet(threshold))
      wrong(`later requests can still meet "${rule.metric} ${rule.limit}", so it cannot end a run`);
    const urls = [...(rule.url === undefined ? [] : [rule.url]), ...(rule.group?.urls ?? [])];
    if (urls.some((url) => url >= spec.targets.length)) wrong('it refers to a request that does not exist');
    if (rule.flow !== undefined && rule.flow >= (spec.flows?.length ?? 0))
      wrong('it refers to a flow that does not exist');
  });
}

export function checkLevels(found: FaultList, { testType, initial, total, stages }: LoadTestSpec): void {
  const check = (level: number | null, ...path: FieldPath) => {
    if (level === null || Number.isInteger(level)) return;
    const name = String(path.at(-1));
    if (testType !== 'per-second') {
      const counted = testType === 'cycling' ? 'connections' : 'clients';
      const message = `${level} is not a whole number; "${name}" is a number of ${counted} in a ${testType} test`;
      addFault(found, { path, about: 'value', message });
    } else if (!isExactLevel(level)) {
      const message = `${level} has too many decimal places; "${name}" may have up to ${MAX_LEVEL_DECIMALS}`;
      addFault(found, { path, about: 'value', message });
    }
  };
  check(initial, TEST_FIELDS.initial.name);
  // With stages, `total` is the level of one of them, which is checked below.
  if (stages === null) check(total, TEST_FIELDS.total.name);
  stages?.forEach(({ to }, index) => check(to, TEST_FIELDS.stages.name, index, 'to'));
}

export function checkOnStart(found: FaultList, spec: LoadTestSpec): void {
  const { onStart, testType, targets } = spec;
  if (onStart === null) return;
  const path = [TEST_FIELDS.onStart.name];
  if (testType !== 'cycling') {
    const message = `"on_start" applies only to cycling tests; each client of a ${testType} test performs one iteration, so write the requests at its beginning`;
    addFault(found, { path, about: 'key', message });
  } else if (!Number.isInteger(onStart) || onStart < 1 || onStart >= targets.length) {
    const message = `${onStart} is not a number of requests below ${targets.length}, the number of all requests`;
    addFault(found, { path, about: 'value', message });
  }
  targets.slice(0, onStart).forEach(({ payloadFile }, index) => {
    if (payloadFile?.options?.order !== 'once') return;
    const message =
      '"order: once" ends the run when the iterations have used all rows, but "on_start" uses one row for each connection; use another order';
    addFault(found, { path: ['urls', index, URL_FIELDS.payloadFile.name], about: 'key', message });
  });
}

export function checkFlows(found: FaultList, spec: LoadTestSpec): void {
  const { flows, targets } = spec;
  if (flows === null) return;
  const at = TEST_FIELDS.flows.name;
  const wrong = (path: FieldPath, message: string) => addFault(found, { path, about: 'value', message });
  if (flows.length > MAX_FLOWS) wrong([at], `"flows" must have at most ${MAX_FLOWS} entries`);
  const names = new Set<string>();
  flows.forEach(({ name }, index) => {
    if (names.has(name)) wrong([at, index, 'name'], `two flows have the name ${truncate(name)}`);
    names.add(name);
  });
  const requests = flows.reduce((sum, { urls }) => sum + urls, 0);
  // Only a create request can violate this rule. In the file, each flow contains its requests.
  const ofIterations = targets.length - startLength(spec);
  if (requests !== ofIterations) {
    wrong([at], `the flows have ${requests} requests, but "urls" has ${ofIterations}`);
  }
  const { sum } = flowShares(flows);
  if (sum > MAX_WEIGHT) {
    const message = `the weights of the flows, divided by their greatest common divisor, add up to ${sum}; the sum must be at most ${MAX_WEIGHT}, so use rounder weights`;
    wrong([at], message);
  }
}

export function checkStages(found: FaultList, spec: LoadTestSpec): void {
  const { stages } = spec;
  if (stages === null) return;
  const name = TEST_FIELDS.stages.name;
  const wrong = (path: FieldPath, message: string, about: Fault['about'] = 'value') =>
    addFault(found, { path, about, message });
  if (spec.testType === 'non-cycling') {
    wrong(
      [name],
      'a non-cycling test cannot have stages; use "test_type: per-second" or "test_type: cycling"',
      'key',
    );
    return;
  }
  stages.forEach(({ duration }, index) => {
    const at = [name, index, 'for'];
    if (duration > 0) return;
    if (index === stages.length - 1)
      wrong(at, 'the last stage is a step, so its level has no effect; add a stage with a duration');
    else if (stages[index + 1]?.duration === 0)
      wrong(at, 'two consecutive stages are steps; remove the first');
  });
  const initial = spec.initial ?? SPEC_DEFAULTS.initial;
  if (initial > 0 && stages[0]?.duration === 0) {
    const message = '"initial" has no effect, because the first stage is a step; remove one of them';
    wrong([TEST_FIELDS.initial.name], message, 'key');
  }
  const { highest, lasts } = extentOf(initial, stages);
  if (highest === 0) wrong([name], 'the stages generate no load; at least one level must be above 0');
  // In the file, `stages` replaces `total` and `duration`, but a create request must contain all three.
  if (spec.total !== highest) {
    wrong([TEST_FIELDS.total.name], `"total" must be the highest level of the stages, ${highest}`);
  }
  if (spec.duration !== lasts) {
    wrong([TEST_FIELDS.duration.name], `"duration" must be the sum of the stages, ${lasts / 1000} s`);
  }
}

export function checkSchedule(
  found: FaultList,
  { scheduledAt }: LoadTestSpec,
  { schedules }: Capabilities,
): void {
  if (scheduledAt === null) return;
  const path = [TEST_FIELDS.scheduledAt.name];
  if (schedules === false) {
    const message =
      '"scheduled_at" requires a permanently running service; start "loadtests serve" and set "service.base_url" to its address';
    addFault(found, { path, about: 'key', message });
  } else if (schedules.after !== null && scheduledAt <= schedules.after) {
    const message = `"scheduled_at" is in the past; the current time is ${timeText(schedules.after)}`;
    addFault(found, { path, about: 'value', message });
  }
}
