/** Rules for the load of a test and for its schedule. */
import { canStillBeMet, thresholdOfRule } from '../abort-rule.ts';
import { startLength } from '../iteration.ts';
import { counted } from '../../counted.ts';
import { timeText } from '../../instant.ts';
import { MAX_FLOWS, MAX_WEIGHT, flowShares } from '../flow.ts';
import { refreshesOf } from '../phase.ts';
import { MAX_LEVEL_DECIMALS, extentOf, isExactLevel } from '../ramps.ts';
import { formatDuration } from '../../units.ts';
import type { Capabilities } from '../capabilities.ts';
import type { FieldPath } from '../../field-reference.ts';
import { SPEC_DEFAULTS, type LoadTestSpec } from '../load-test.ts';
import type { PayloadFile } from '../payload-file.ts';
import { rowsOfSetup } from '../phase-test.ts';
import { TEST_FIELDS, URL_FIELDS } from '../test-fields.ts';
import { quote } from '../../quote.ts';
import { addFault, type Fault, type FaultList } from './fault.ts';

export function checkLoad(found: FaultList, spec: LoadTestSpec, capabilities: Capabilities): void {
  checkLevels(found, spec);
  checkStages(found, spec);
  checkOnStart(found, spec);
  checkFlows(found, spec);
  checkWarmup(found, spec);
  checkRefresh(found, spec);
  checkAbortRules(found, spec);
  checkArrivals(found, spec);
  checkIterations(found, spec);
  checkRowLimit(found, spec);
  checkConnections(found, spec);
  checkKeepAlive(found, spec);
  checkSchedule(found, spec, capabilities);
}

function checkWarmup(found: FaultList, { warmup, duration }: LoadTestSpec): void {
  if (warmup === null || warmup < duration) return;
  const message = `"warmup" must be shorter than the test (${formatDuration(duration)}), because the metrics exclude the warm-up`;
  addFault(found, { path: [TEST_FIELDS.warmup.name], about: 'value', message });
}

function checkRefresh(found: FaultList, { setup, duration }: LoadTestSpec): void {
  if (setup?.refresh === undefined || refreshesOf(setup, { duration }) > 0) return;
  const message = `"refresh" must be shorter than the test (${formatDuration(duration)}); use a shorter interval, or remove "refresh"`;
  addFault(found, { path: ['setup', 'refresh'], about: 'value', message });
}

function checkConnections(found: FaultList, { testType, connections }: LoadTestSpec): void {
  if (connections === null) return;
  const path = [TEST_FIELDS.connections.name];
  if (testType === 'cycling') {
    const message =
      '"connections" applies only to per-second and non-cycling tests; remove "connections", because "total" or "stages" sets the number of connections of a cycling test';
    addFault(found, { path, about: 'key', message });
  } else if (!Number.isInteger(connections)) {
    addFault(found, {
      path,
      about: 'value',
      message: `${connections} is not a whole number; "connections" is a number of connections`,
    });
  }
}

function checkArrivals(found: FaultList, { testType, arrivals }: LoadTestSpec): void {
  if (arrivals === null || testType !== 'cycling') return;
  const message =
    '"arrivals" applies only to per-second and non-cycling tests; remove "arrivals", because each client of a cycling test starts its next iteration after the previous one';
  addFault(found, { path: [TEST_FIELDS.arrivals.name], about: 'key', message });
}

function checkIterations(found: FaultList, spec: LoadTestSpec): void {
  for (const key of ['iterations', 'iterationsPerClient', 'pace'] as const) {
    const value = spec[key];
    const { name } = TEST_FIELDS[key];
    if (value === null) continue;
    const wrong = (message: string, about: Fault['about'] = 'key') =>
      addFault(found, { path: [name], about, message });
    if (spec.testType !== 'cycling') {
      wrong(
        `"${name}" applies only to cycling tests; remove "${name}", because each client of a ${spec.testType} test performs one iteration`,
      );
    } else if (!Number.isInteger(value)) {
      const unit = key === 'pace' ? 'milliseconds' : 'iterations';
      wrong(`${value} is not a whole number; "${name}" is a number of ${unit}`, 'value');
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
  const start = initial ?? SPEC_DEFAULTS.initial;
  return stages?.some(({ to }, index) => to < (stages[index - 1]?.to ?? start)) === true;
}

function checkRowLimit(found: FaultList, spec: LoadTestSpec): void {
  if (spec.testType !== 'cycling') return;
  const other =
    spec.stages !== null ? 'stages' : spec.iterationsPerClient !== null ? 'iterationsPerClient' : null;
  if (other === null) return;
  const check = (path: FieldPath, file: PayloadFile | null) => {
    if (file?.options?.order !== 'once') return;
    const { name } = TEST_FIELDS[other];
    const message = `"order: once" and "${name}" cannot be combined, because the rows determine the number of iterations; remove one of them`;
    addFault(found, { path: [...path, URL_FIELDS.payloadFile.name], about: 'value', message });
  };
  spec.targets.forEach(({ payloadFile }, index) => check(['urls', index], payloadFile));
  check(['setup', 'urls', 0], rowsOfSetup(spec));
}

function checkKeepAlive(found: FaultList, { testType, keepAlive }: LoadTestSpec): void {
  if (keepAlive !== false || testType === 'cycling') return;
  const message = `"keep_alive" applies only to cycling tests; remove "keep_alive", because each client of a ${testType} test opens new connections unless "connections" is set`;
  addFault(found, { path: [TEST_FIELDS.keepAlive.name], about: 'key', message });
}

function checkAbortRules(found: FaultList, spec: LoadTestSpec): void {
  spec.abortRules?.forEach((rule, index) => {
    const wrong = (message: string) =>
      addFault(found, { path: [TEST_FIELDS.abortRules.name, index], about: 'value', message });
    const threshold = thresholdOfRule(rule, spec);
    if (threshold === null) {
      wrong(
        `the metric ${quote(rule.metric)} with the condition ${quote(rule.limit)} is not a valid threshold; write, for example, "p95" and "< 300ms"`,
      );
      return;
    }
    if (canStillBeMet(threshold))
      wrong(
        `the threshold "${rule.metric} ${rule.limit}" cannot end a run early, because later requests can still meet it; remove this rule`,
      );
    const urls = [...(rule.url === undefined ? [] : [rule.url]), ...(rule.group?.urls ?? [])];
    if (urls.some((url) => url >= spec.targets.length))
      wrong('the rule refers to a request that is not in "urls"');
    if (rule.flow !== undefined && rule.flow >= (spec.flows?.length ?? 0))
      wrong('the rule refers to a flow that is not in "flows"');
  });
}

function checkLevels(found: FaultList, { testType, initial, total, stages }: LoadTestSpec): void {
  const check = (level: number | null, ...path: FieldPath) => {
    if (level === null || Number.isInteger(level)) return;
    const name = String(path.at(-1));
    if (testType !== 'per-second') {
      const unit = testType === 'cycling' ? 'connections' : 'clients';
      const message = `${level} is not a whole number; "${name}" is a number of ${unit} in a ${testType} test`;
      addFault(found, { path, about: 'value', message });
    } else if (!isExactLevel(level)) {
      const message = `${level} has too many decimal places; "${name}" can have at most ${MAX_LEVEL_DECIMALS}`;
      addFault(found, { path, about: 'value', message });
    }
  };
  check(initial, TEST_FIELDS.initial.name);
  // With stages, `total` must be the highest level of the stages, and all their levels are checked below.
  if (stages === null) check(total, TEST_FIELDS.total.name);
  stages?.forEach(({ to }, index) => check(to, TEST_FIELDS.stages.name, index, 'to'));
}

function checkOnStart(found: FaultList, spec: LoadTestSpec): void {
  const { onStart, testType, targets } = spec;
  if (onStart === null) return;
  const path = [TEST_FIELDS.onStart.name];
  if (testType !== 'cycling') {
    const message = `"on_start" applies only to cycling tests; each client of a ${testType} test performs one iteration, so move the requests of "on_start" to the beginning of the iteration`;
    addFault(found, { path, about: 'key', message });
  } else if (!Number.isInteger(onStart) || onStart < 1 || onStart >= targets.length) {
    const message = `"on_start" is ${onStart}, but the test has ${counted(targets.length, 'request')} in total; "on_start" must be at least 1 and leave at least 1 request for the iterations`;
    addFault(found, { path, about: 'value', message });
  }
  targets.slice(0, onStart).forEach(({ payloadFile }, index) => {
    if (payloadFile?.options?.order !== 'once') return;
    const message =
      '"order: once" ends the run when the iterations have used all rows, but a request in "on_start" uses one row for each connection; use a different "order"';
    addFault(found, { path: ['urls', index, URL_FIELDS.payloadFile.name], about: 'key', message });
  });
}

function checkFlows(found: FaultList, spec: LoadTestSpec): void {
  const { flows, targets } = spec;
  if (flows === null) return;
  const at = TEST_FIELDS.flows.name;
  const wrong = (path: FieldPath, message: string) => addFault(found, { path, about: 'value', message });
  if (flows.length > MAX_FLOWS) wrong([at], `"flows" must have at most ${MAX_FLOWS} entries`);
  const names = new Set<string>();
  flows.forEach(({ name }, index) => {
    if (names.has(name))
      wrong([at, index, 'name'], `two flows have the name ${quote(name)}; rename one of them`);
    names.add(name);
  });
  const requests = flows.reduce((sum, { urls }) => sum + urls, 0);
  // In the file, each flow contains its requests, so only a create request can violate this rule.
  const ofIterations = targets.length - startLength(spec);
  if (requests !== ofIterations) {
    const rest = ofIterations < targets.length ? ' after those of "on_start"' : '';
    wrong(
      [at],
      `the flows have ${counted(requests, 'request')} in total, but "urls" has ${ofIterations}${rest}; the numbers must be equal`,
    );
  }
  const { sum } = flowShares(flows);
  if (sum > MAX_WEIGHT) {
    const message = `the weights of the flows, divided by their greatest common divisor, add up to ${sum}; the sum must be at most ${MAX_WEIGHT}, so use rounder numbers`;
    wrong([at], message);
  }
}

function checkStages(found: FaultList, spec: LoadTestSpec): void {
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
      wrong(
        at,
        'the last stage has a duration of 0, so its level has no effect; add another stage with a longer duration after it',
      );
    else if (stages[index + 1]?.duration === 0)
      wrong(at, 'this stage and the next one have a duration of 0, so this stage has no effect; remove it');
  });
  const initial = spec.initial ?? SPEC_DEFAULTS.initial;
  if (initial > 0 && stages[0]?.duration === 0) {
    const message =
      '"initial" has no effect, because the first stage has a duration of 0; remove "initial" or the first stage';
    wrong([TEST_FIELDS.initial.name], message, 'key');
  }
  const { highest, lasts } = extentOf(initial, stages);
  if (highest === 0) wrong([name], 'the stages generate no load; set at least one level above 0');
  // In the file, `stages` replaces `total` and `duration`, but a create request must contain all three.
  if (spec.total !== highest) {
    wrong([TEST_FIELDS.total.name], `"total" must be equal to the highest level of the stages, ${highest}`);
  }
  if (spec.duration !== lasts) {
    wrong(
      [TEST_FIELDS.duration.name],
      `"duration" must be equal to the total duration of the stages, ${lasts / 1000} s`,
    );
  }
}

function checkSchedule(found: FaultList, { scheduledAt }: LoadTestSpec, { schedules }: Capabilities): void {
  if (scheduledAt === null) return;
  const path = [TEST_FIELDS.scheduledAt.name];
  if (schedules === false) {
    const message =
      '"scheduled_at" requires a permanently running service; start "loadtests serve" and set "service.base_url" to its address';
    addFault(found, { path, about: 'key', message });
  } else if (schedules.after !== null && scheduledAt <= schedules.after) {
    const message = `"scheduled_at" must be in the future; the current time of the service is ${timeText(schedules.after)}`;
    addFault(found, { path, about: 'value', message });
  }
}
