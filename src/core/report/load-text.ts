/** Text about the load of a test. */
import { counted, withCommas } from '../counted.ts';
import { subjectText } from '../model/threshold.ts';
import { formatDuration, milliseconds, seconds } from '../units.ts';
import type { Load, PlannedAction, TestLoad } from './generated/documents.ts';

export function loadText(load: TestLoad): string {
  return loadLines(load).join('; ');
}

/** Returns one line each for the load, its flows, and the thresholds that end the run. */
export function loadLines(load: TestLoad): readonly string[] {
  return [profileText(load), flowsText(load), abortRulesText(load)].filter((line) => line !== null);
}

/**
 * Formats the thresholds that end a run: `ends early if a threshold fails: p95 < 3s after 30s`; null if there are none.
 */
function abortRulesText({ abort_rules: rules = [] }: TestLoad): string | null {
  const texts = rules.map((rule) => {
    const after = rule.after_seconds === 0 ? '' : ` after ${formatDuration(seconds(rule.after_seconds))}`;
    return `${subjectText(rule)} ${rule.limit}${after}`;
  });
  return texts.length === 0 ? null : `ends early if a threshold fails: ${texts.join(', ')}`;
}

/** Formats a load without its flows: `cycling 0 → 250 connections, 1m on www.example.com`. */
function profileText(load: TestLoad): string {
  const { phase_seconds: time = 0 } = load;
  const takes = time === 0 ? '' : ` in up to ${formatDuration(seconds(time))}`;
  return `${modelText(load)}${rowLimitText(load)}${phaseRequestsText(load)}${takes}`;
}

export type ScheduledAction = Pick<PlannedAction, 'verb' | 'scheduled_at'>;

/**
 * Formats the tests that the service starts later: `; 2 tests start at the scheduled time`; empty if there are none.
 */
export function scheduledStartsText(actions: readonly ScheduledAction[]): string {
  const later = actions.filter(
    ({ verb, scheduled_at: at }) => at !== null && (verb === 'create' || verb === 'replace'),
  ).length;
  return later === 0
    ? ''
    : `; ${counted(later, 'test')} ${later === 1 ? 'starts' : 'start'} at the scheduled time`;
}

/** Formats the order of several tests: ` one after another`, ` in parallel`, `, up to 3 in parallel`. */
export function runOrderText({
  concurrent_tests: concurrent,
  starts,
}: Pick<Load, 'concurrent_tests' | 'starts'>): string {
  if (concurrent <= 1) return ' one after another';
  return concurrent === starts ? ' in parallel' : `, up to ${withCommas(concurrent)} in parallel`;
}

/** Formats the number of requests of a plan, such as `up to 25 requests plus any redirects`. */
export function plannedRequestsText(
  load: Pick<Load, 'requests_vary' | 'follows_redirects'>,
  count: string,
): string {
  const bound = load.requests_vary === true ? 'up to ' : '';
  const redirects = load.follows_redirects === true ? ' plus any redirects' : '';
  return `${bound}${count}${redirects}`;
}

/** Returns text like `, + 50 setup requests, 10 on_start requests, 1 teardown request`; empty if there are none. */
export function phaseRequestsText({
  setup_requests: setup = 0,
  on_start_requests: onStart = 0,
  teardown_requests: teardown = 0,
  phase_requests_vary: vary,
}: Pick<
  TestLoad,
  'setup_requests' | 'on_start_requests' | 'teardown_requests' | 'phase_requests_vary'
>): string {
  const parts = [
    ...(setup === 0 ? [] : [counted(setup, 'setup request')]),
    ...(onStart === 0 ? [] : [counted(onStart, 'on_start request')]),
    ...(teardown === 0 ? [] : [counted(teardown, 'teardown request')]),
  ];
  return parts.length === 0 ? '' : `, + ${vary === true ? 'up to ' : ''}${parts.join(', ')}`;
}

function modelText(load: TestLoad): string {
  const { total, initial, test_type: model } = load;
  const peak = counted(load.connections, 'connection');
  const reached = load.pool === undefined ? `, up to ${peak}` : ` over ${poolText(load.pool, load.hosts)}`;
  const lasts = formatDuration(seconds(load.seconds)) + warmupText(load) + drainText(load);
  const hosts = load.hosts.join(', ');
  const reuse = load.keep_alive === false ? ', each request on a new connection' : '';
  const lanes = load.connections_per_client;
  const each = lanes === undefined ? '' : `; each client with up to ${counted(lanes, 'connection')}`;
  const arrivals = load.arrivals === 'random' ? ' at random times' : '';
  const atMost = load.iterations === undefined && load.row_limit === undefined ? '' : 'at most ';
  const length = `${atMost}${lasts} on ${hosts}${reuse}${each}`;
  if (load.stages !== null) {
    const stages = stagesText(initial, load.stages);
    return load.clients === null
      ? `cycling ${stages}; up to ${peak}${totalsText(load)}${iterationText(load)}${paceText(load)}, ${length}`
      : `per-second ${stages}${arrivals}; ${countsText(load)} in ${atMost}${lasts}, up to ${total}/s${load.pool === undefined ? ` and ${peak}` : reached} on ${hosts}${each}`;
  }
  switch (model) {
    case 'cycling':
      return `cycling ${initial} → ${lanes === undefined ? counted(total, 'connection') : `${counted(total, 'client')}${reached}`}${totalsText(load)}${iterationText(load)}${paceText(load)}, ${length}`;
    case 'non-cycling':
      return `non-cycling, ${countsText(load)} in total${arrivals}${reached}, ${length}`;
    case 'per-second':
      return load.flows === undefined
        ? `per-second, ${counted(total, 'client')} per second${arrivals}, ${countsText(load)}${reached}, ${length}`
        : `per-second, ${counted(total, 'client')} per second${arrivals}${reached}, ${length}`;
  }
}

function poolText(pool: number, hosts: TestLoad['hosts']): string {
  return `at most ${counted(pool, 'connection')}${hosts.length > 1 ? ' per host' : ''}`;
}

/** Formats the numbers of an open model: `60 clients and 120 requests`. */
function countsText(load: TestLoad): string {
  const { clients, requests, flows = [] } = load;
  const ofClients = counted(clients ?? 0, 'client');
  return requests === undefined || flows.length > 0
    ? ofClients
    : `${ofClients} and ${requestsText(load, requests)}${boundsText(load)}`;
}

/** Formats the number of requests of a run, with `up to` if conditions or lists can skip requests. */
function requestsText({ min_requests_per_iteration: min }: TestLoad, requests: number): string {
  return min === undefined ? counted(requests, 'request') : `up to ${counted(requests, 'request')}`;
}

/** Returns text like ` (3 to 5 per iteration)`; empty if all iterations have the same length. */
function boundsText({ requests_per_iteration: max = 0, min_requests_per_iteration: min }: TestLoad): string {
  return min === undefined ? '' : ` (${withCommas(min)} to ${withCommas(max)} per iteration)`;
}

/** Returns text like `3,750 clients: browse 2,625, buy 1,125; 8,250 requests` or `iterations: browse 70%, buy 30%`. */
function flowsText(load: TestLoad): string | null {
  const { flows = [], clients, iterations, requests = 0 } = load;
  if (flows.length === 0) return null;
  if (clients === null && iterations === undefined) {
    const sum = flows.reduce((all, { weight }) => all + weight, 0);
    const shares = flows.map(
      ({ name, weight }) => `${name} ${Number(((100 * weight) / sum).toPrecision(3))}%`,
    );
    return `iterations: ${shares.join(', ')}`;
  }
  const counts = flows.map((flow) => `${flow.name} ${withCommas(flow.clients ?? 0)}`);
  const total = clients === null ? counted(iterations ?? 0, 'iteration') : counted(clients, 'client');
  return `${total}: ${counts.join(', ')}; ${requestsText(load, requests)}${clients === null ? '' : boundsText(load)}`;
}

/** Formats the end of a run that uses each row once: `, ends when 500 rows are used`. */
function rowLimitText({ row_limit: rows }: TestLoad): string {
  return rows === undefined ? '' : `, ends when ${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} used`;
}

/** Formats a fixed number of iterations: `, 2,000 iterations, 6,000 requests`. */
function totalsText(load: TestLoad): string {
  const { iterations, requests, flows = [] } = load;
  if (iterations === undefined || flows.length > 0) return '';
  const ofRequests = requests === undefined ? '' : `, ${requestsText(load, requests)}`;
  return `, ${counted(iterations, 'iteration')}${ofRequests}`;
}

/** Formats the pace: `, each starting at most one iteration every 1s`. */
function paceText({ pace_ms: pace }: TestLoad): string {
  return pace === undefined
    ? ''
    : `, each starting at most one iteration every ${formatDuration(milliseconds(pace))}`;
}

/** Formats the length of iterations with groups: `, 200 requests per iteration`, `, 3 to 5 requests per iteration`. */
function iterationText({ requests_per_iteration: max, min_requests_per_iteration: min }: TestLoad): string {
  if (max === undefined) return '';
  return `, ${min === undefined ? '' : `${withCommas(min)} to `}${counted(max, 'request')} per iteration`;
}

function warmupText({ warmup }: TestLoad): string {
  return warmup === null ? '' : ` (${formatDuration(seconds(warmup))} warm-up)`;
}

function drainText({ drain_seconds: drain = 0 }: TestLoad): string {
  return drain === 0 ? '' : ` plus up to ${formatDuration(seconds(drain))} for the last iterations`;
}

/** Maximum number of stages to display; longer lists are abbreviated. */
const MAX_STAGES = 8;

/**
 * Formats stages: `0 → 200 in 30s, 200 for 2m, 200 → 0 in 10s`. A stage with the duration 0 becomes `50 immediately`.
 */
function stagesText(initial: number, stages: NonNullable<TestLoad['stages']>): string {
  const texts = stages.flatMap(({ seconds: lasts, to }, index) => {
    const from = stages[index - 1]?.to ?? initial;
    // At the start of the load, a stage with the duration 0 replaces the initial level.
    if (lasts === 0) return index === 0 ? [] : [`${withCommas(to)} immediately`];
    const duration = formatDuration(seconds(lasts));
    return [
      from === to
        ? `${withCommas(to)} for ${duration}`
        : `${withCommas(from)} → ${withCommas(to)} in ${duration}`,
    ];
  });
  const shown =
    texts.length <= MAX_STAGES ? texts : [...texts.slice(0, MAX_STAGES - 2), '…', ...texts.slice(-1)];
  return shown.join(', ');
}
