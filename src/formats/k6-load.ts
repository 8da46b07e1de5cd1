/** Load and thresholds in the options of k6 scripts. */
import type {
  IntakeLoad,
  IntakeNote,
  IntakeStage,
  IntakeThreshold,
  SourcePosition,
} from '../core/intake/intake.ts';
import { canStillBeMet } from '../core/model/abort-rule.ts';
import { parseThreshold, type Metric } from '../core/model/threshold.ts';
import { milliseconds, parseDuration, seconds, type Milliseconds } from '../core/units.ts';
import { itemsOfValue, memberOf, membersOfValue, numberOfValue, stringOf, type Value } from './k6-values.ts';
import { valueNamed } from './names.ts';
import { sumOf } from '../core/sum.ts';

export interface K6Scenario {
  readonly name: string;
  /** Name of the function that each iteration executes. */
  readonly exec: string;
  readonly env: Value | undefined;
  readonly kind: 'connections' | 'rate';
  /** Number of iterations per VU or of all VUs together; null if only the stages limit the iterations. */
  readonly iterations: { readonly count: number; readonly isPerClient: boolean } | null;
  /** Maximum number of concurrent VUs of a scenario with arrivals; null if the script defines none. */
  readonly maxVus: number | null;
  readonly start: Milliseconds;
  readonly initial: number;
  readonly stages: readonly IntakeStage[];
}

export interface K6Load {
  readonly scenarios: readonly K6Scenario[];
  readonly load: IntakeLoad | null;
  /** Maximum number of connections of all clients; null if unlimited. */
  readonly connections: number | null;
  readonly notes: readonly IntakeNote[];
}

/** Options that are converted or do not change the load. */
const WITHOUT_EFFECT = [
  'vus',
  'duration',
  'iterations',
  'stages',
  'scenarios',
  'thresholds',
  'insecureSkipTLSVerify',
  'userAgent',
  'tags',
  'ext',
  'cloud',
  'summaryTrendStats',
  'summaryTimeUnit',
  'systemTags',
  'discardResponseBodies',
  'setupTimeout',
  'teardownTimeout',
  'httpDebug',
  'dns',
  'throw',
  'gracefulStop',
  'noCookiesReset',
  'noConnectionReuse',
];

export function readK6Load(options: Value | undefined, at: SourcePosition): K6Load {
  const notes: IntakeNote[] = [];
  const lose = (message: string) => notes.push({ kind: 'loss', at, message });
  for (const [name, value] of membersOfValue(options)) {
    const isOff = value.kind === 'boolean' && !value.value;
    if (!WITHOUT_EFFECT.includes(name) && !isOff) lose(`the option "${name}" is not converted`);
  }
  const listed = membersOfValue(memberOf(options, 'scenarios'));
  const scenarios =
    listed.length > 0
      ? listed.map(([name, scenario]) => scenarioOf(name, scenario, lose)).filter((one) => one !== null)
      : [scenarioOf('default', { kind: 'map', members: withExecutor(options) }, lose)].filter(
          (one) => one !== null,
        );
  if (scenarios.length === 0) return { scenarios, load: null, connections: null, notes };
  const found = combined(scenarios, lose);
  const limits = found.scenarios.map(({ maxVus }) => maxVus);
  const known = limits.filter((limit) => limit !== null);
  if (known.length === 0 || known.length < limits.length) return { ...found, connections: null, notes };
  const connections = sumOf(known);
  const message = `the limit on VUs (${connections}) becomes a limit on connections; if all connections are in use, requests wait, whereas k6 drops iterations`;
  notes.push({ kind: 'change', at, message });
  return { ...found, connections, notes };
}

/** Default maximum duration of a scenario with a number of iterations. */
const DEFAULT_MAX_DURATION = seconds(600);

const EXAMPLE = { initial: 1, stages: [{ duration: seconds(10), to: 10 }] };

/** Adds the executor that options without scenarios imply. */
function withExecutor(options: Value | undefined): Map<string, Value> {
  const members = new Map(membersOfValue(options));
  const executor = members.has('stages')
    ? 'ramping-vus'
    : members.has('iterations')
      ? 'shared-iterations'
      : members.has('duration')
        ? 'constant-vus'
        : 'shared-iterations';
  const vus = members.get('vus');
  return new Map([
    ...members,
    ['executor', { kind: 'text', text: [executor] }],
    ...(vus === undefined ? [] : [['startVUs', vus] as const]),
  ]);
}

function scenarioOf(name: string, scenario: Value, lose: (message: string) => void): K6Scenario | null {
  const number = (key: string) => numberOfValue(memberOf(scenario, key));
  const duration = (key: string) => durationOf(memberOf(scenario, key));
  const executor = stringOf(memberOf(scenario, 'executor')) ?? '';
  const common = {
    name,
    exec: stringOf(memberOf(scenario, 'exec')) ?? 'default',
    env: memberOf(scenario, 'env'),
    start: duration('startTime') ?? seconds(0),
    iterations: null,
    maxVus: number('maxVUs') ?? number('preAllocatedVUs'),
  };
  const unknown = (what: string): K6Scenario => {
    lose(
      `the load of the scenario ${JSON.stringify(name)} is not converted, because ${what}; replace the example load of the test`,
    );
    return { ...common, kind: 'connections', ...EXAMPLE };
  };
  const stages = itemsOfValue(memberOf(scenario, 'stages')).map((stage) => ({
    duration: durationOf(memberOf(stage, 'duration')),
    to: numberOfValue(memberOf(stage, 'target')),
  }));
  const known = stages.filter((stage): stage is IntakeStage => stage.duration !== null && stage.to !== null);
  const perSecond = 1000 / (duration('timeUnit') ?? 1000);
  switch (executor) {
    case 'constant-vus': {
      const [vus, time] = [number('vus') ?? 1, duration('duration')];
      if (time === null) return unknown('its duration is missing or not constant');
      return { ...common, kind: 'connections', initial: vus, stages: [{ duration: time, to: vus }] };
    }
    case 'ramping-vus':
      if (known.length < stages.length || stages.length === 0)
        return unknown('its stages are missing or not constant');
      return { ...common, kind: 'connections', initial: number('startVUs') ?? 1, stages: known };
    case 'constant-arrival-rate': {
      const [rate, time] = [number('rate'), duration('duration')];
      if (rate === null || time === null) return unknown('its rate or duration is missing or not constant');
      return {
        ...common,
        kind: 'rate',
        initial: rate * perSecond,
        stages: [{ duration: time, to: rate * perSecond }],
      };
    }
    case 'ramping-arrival-rate':
      if (known.length < stages.length || stages.length === 0)
        return unknown('its stages are missing or not constant');
      return {
        ...common,
        kind: 'rate',
        initial: (number('startRate') ?? 0) * perSecond,
        stages: known.map((stage) => ({ ...stage, to: stage.to * perSecond })),
      };
    case 'shared-iterations':
    case 'per-vu-iterations': {
      const [vus, count] = [number('vus') ?? 1, number('iterations') ?? 1];
      const isPerClient = executor === 'per-vu-iterations';
      return {
        ...common,
        kind: 'connections',
        iterations: { count, isPerClient },
        initial: isPerClient ? vus : Math.min(vus, count),
        stages: [{ duration: duration('maxDuration') ?? DEFAULT_MAX_DURATION, to: vus }],
      };
    }
    default:
      lose(
        `the scenario ${JSON.stringify(name)} is omitted, because its executor ${JSON.stringify(executor)} is not supported`,
      );
      return null;
  }
}

/** Combines the scenarios that have the load model of the first scenario. */
function combined(
  scenarios: readonly K6Scenario[],
  lose: (message: string) => void,
): { readonly scenarios: readonly K6Scenario[]; readonly load: IntakeLoad | null } {
  const [first] = scenarios;
  if (first === undefined) return { scenarios, load: null };
  const isLike = ({ kind, iterations }: K6Scenario) =>
    kind === first.kind && (iterations === null) === (first.iterations === null);
  const used = scenarios.filter(isLike);
  for (const { name } of scenarios.filter((scenario) => !isLike(scenario)))
    lose(
      `the scenario ${JSON.stringify(name)} is omitted, because its load model differs from that of the first scenario`,
    );
  if (new Set(used.map(({ exec }) => exec)).size > 1 && new Set(used.map(shapeOf)).size > 1)
    lose(
      'the scenarios become flows with constant shares of the total load, although their loads change differently over time',
    );
  if (first.iterations !== null) {
    const limits = used.map(({ iterations }) => JSON.stringify(iterations));
    if (new Set(limits).size > 1)
      lose(
        'the scenarios have different iteration limits; the test uses the limit of the first scenario for each of them',
      );
    const { count, isPerClient } = first.iterations;
    return {
      scenarios: used,
      load: {
        kind: 'iterations',
        clients: used.reduce((sum, { initial }) => sum + initial, 0),
        count: isPerClient ? count : count * used.length,
        isPerClient,
        maxDuration: first.stages[0]?.duration ?? null,
      },
    };
  }
  const [only, ...others] = used;
  if (only !== undefined && others.length === 0) {
    const delayed: readonly IntakeStage[] =
      only.start > 0
        ? [{ duration: only.start, to: 0 }, { duration: seconds(0), to: only.initial }, ...only.stages]
        : only.stages;
    return {
      scenarios: used,
      load: { kind: first.kind, initial: only.start > 0 ? 0 : only.initial, stages: delayed },
    };
  }
  const times = [...new Set(used.flatMap(timesOf))].sort((a, b) => a - b);
  const sumAt = (time: number, isAfter: boolean) =>
    used.reduce((sum, scenario) => sum + levelAt(scenario, time, isAfter), 0);
  const stages = times.slice(1).flatMap((time, index): readonly IntakeStage[] => {
    const before = times[index] ?? 0;
    const [reached, next] = [sumAt(time, false), sumAt(time, true)];
    const isLast = index === times.length - 2;
    return [
      { duration: milliseconds(time - before), to: reached },
      ...(isLast || Math.abs(next - reached) < 1e-9 ? [] : [{ duration: seconds(0), to: next }]),
    ];
  });
  return { scenarios: used, load: { kind: first.kind, initial: sumAt(times[0] ?? 0, true), stages } };
}

/** Returns a string that is equal for loads that differ only by a factor. */
function shapeOf({ start, initial, stages }: K6Scenario): string {
  const peak = Math.max(initial, ...stages.map(({ to }) => to), 1e-9);
  return JSON.stringify([start, initial / peak, stages.map(({ duration, to }) => [duration, to / peak])]);
}

function timesOf({ start, stages }: K6Scenario): readonly number[] {
  const times: number[] = [0, start];
  for (const { duration } of stages) times.push((times.at(-1) ?? 0) + duration);
  return times;
}

/** Returns the level at a given time, before or after any step at that time. */
function levelAt({ start, initial, stages }: K6Scenario, time: number, isAfter: boolean): number {
  let [from, level]: [number, number] = [start, initial];
  if (time < start || (time === start && !isAfter)) return 0;
  for (const { duration, to } of stages) {
    const end = from + duration;
    if (time < end || (time === end && !isAfter && duration > 0))
      return level + ((to - level) * (time - from)) / duration;
    [from, level] = [end, to];
  }
  return time > from || isAfter ? 0 : level;
}

/**
 * Returns the number of iterations if the scenario limits it. Otherwise, returns the integral of the VUs, or of the
 * arrivals per second, over time.
 */
export function weightOf({ iterations, initial, stages }: K6Scenario): number {
  if (iterations !== null) return iterations.isPerClient ? initial * iterations.count : iterations.count;
  let level = initial;
  let sum = 0;
  for (const { duration, to } of stages) {
    sum += ((level + to) / 2) * duration;
    level = to;
  }
  return sum / 1000;
}

function durationOf(value: Value | undefined): Milliseconds | null {
  if (value?.kind === 'number') return milliseconds(value.value);
  const text = stringOf(value);
  return text === null ? null : text === '0' ? seconds(0) : parseDuration(text.replaceAll(/\s/g, ''));
}

export function readK6Thresholds(
  options: Value | undefined,
  at: SourcePosition,
): { readonly thresholds: readonly IntakeThreshold[]; readonly notes: readonly IntakeNote[] } {
  const notes: IntakeNote[] = [];
  const thresholds = membersOfValue(memberOf(options, 'thresholds')).flatMap(([name, value]) =>
    (value.kind === 'list' ? value.items : [value]).flatMap((item): readonly IntakeThreshold[] => {
      const text = stringOf(item.kind === 'map' ? memberOf(item, 'threshold') : item) ?? '';
      const [, statistic = '', operator = '', number = ''] =
        /^\s*(p\(\s*[\d.]+\s*\)|\w+)\s*(<=|>=|<|>|===?)\s*([\d.]+)\s*$/.exec(text) ?? [];
      const found = metricOf(name, statistic.replaceAll(/\s/g, ''), Number(number));
      if (found === null || operator.startsWith('=')) {
        notes.push({
          kind: 'loss',
          at,
          message: `the threshold ${JSON.stringify(`${name}: ${text}`)} is not converted`,
        });
        return [];
      }
      const threshold = { at, metric: found.metric, limit: `${operator} ${found.value}` };
      const abortOnFail = memberOf(item, 'abortOnFail');
      if (abortOnFail?.kind !== 'boolean' || !abortOnFail.value) return [threshold];
      const condition = parseThreshold(found.metric, threshold.limit, null);
      if (condition !== null && canStillBeMet(condition)) {
        const message = `the threshold ${JSON.stringify(`${name}: ${text}`)} does not stop the test early ("abortOnFail"), because later requests can still meet it`;
        notes.push({ kind: 'change', at, message });
        return [threshold];
      }
      const delay = durationOf(memberOf(item, 'delayAbortEval')) ?? 0;
      return [{ ...threshold, abortAfter: seconds(Math.ceil(delay / 1000)) }];
    }),
  );
  return { thresholds, notes };
}

const TIME_METRICS: Readonly<Record<string, Metric>> = {
  med: 'p50',
  avg: 'avg_response_time',
  min: 'min',
  max: 'max',
};

function metricOf(
  name: string,
  statistic: string,
  value: number,
): { readonly metric: Metric; readonly value: string } | null {
  const [, percent] = /^p\(([\d.]+)\)$/.exec(statistic) ?? [];
  if (name === 'http_req_duration') {
    const metric =
      percent !== undefined
        ? (`p${Number(percent)}` as Metric) // The name is a percentile.
        : valueNamed(statistic, TIME_METRICS);
    return metric === undefined ? null : { metric, value: `${value}ms` };
  }
  if (name === 'http_req_failed' && statistic === 'rate')
    return { metric: 'http_error_rate', value: `${Number((value * 100).toFixed(6))}%` };
  if (name === 'http_reqs' && (statistic === 'rate' || statistic === 'count'))
    return { metric: statistic === 'rate' ? 'requests_per_second' : 'requests', value: String(value) };
  return null;
}
