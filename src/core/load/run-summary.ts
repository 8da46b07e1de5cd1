import { milliseconds, type Milliseconds } from '../units.ts';
import type { RequestLedger } from './request-ledger.ts';
import { boundsOf, boundsOfIterations, minTimesOf, type Measurements } from './metric-bounds.ts';
import type { UncertainFailures } from './stall-free.ts';
import type { GeneratorEnvironment } from './generator-totals.ts';
import { Histogram, sumOfTimes } from './histogram.ts';
import { INVALID_URL, INVALID_URL_TEXT } from '../model/resolved-url.ts';
import type { LoadJob } from './load-job.ts';
import { withOmittedRequests } from './omitted-requests.ts';
import { TENTH_MS, TENTHS_PER_SECOND, type Outage } from './outage.ts';
import { areSingleRequests, iterationsOf, type Iteration } from '../model/iteration.ts';
import { clientCount, intervalOf, isOpenModel } from '../model/pace.ts';
import { PERCENTILES, shareOf, type NamedPercentile } from '../model/threshold.ts';
import {
  MAX_OUTAGE_PERIODS,
  type AbortReason,
  type ErrorStop,
  type IterationReport,
  type TracedExchange,
  type Metrics,
  type LatencySummary,
  type LoadProgress,
  type ConnectionSetupTimes,
  type OutagePeriod,
  type PoolReport,
  type PartReport,
  type RunReport,
  type TimelineSecond,
  type UrlReport,
  type Warmup,
} from './run-report.ts';
import {
  addIterationTally,
  addOutcomes,
  addTally,
  createIterationTally,
  createTally,
  countFinished,
  httpErrorsOf,
  ledgerOf,
  noOutcomes,
  countNotStarted,
  outcomesOf,
  countBelow400,
  statusCodesOf,
  type IterationTally,
  type Tally,
  type TallyData,
} from './snapshot.ts';
import { responseFaultText, UNCERTAIN_TIME } from './unexpected-response.ts';
import type { RunTotals, SecondSums } from './run-totals.ts';
import { sumOf } from '../sum.ts';

const MAX_ERROR_SAMPLES = 10;

/**
 * 99th percentile of the scheduling lag, in ms, above which the generator counts as overloaded. The lag must also
 * exceed a tenth of the interval between clients.
 */
const MAX_LAG_MS = 20;

export interface RunEnd {
  readonly elapsed: Milliseconds;
  /** Duration of the load, which is `elapsed` without the drain. */
  readonly loaded: Milliseconds;
  readonly abortReason: AbortReason | null;
  readonly loadStartedAt?: number | null;
  readonly errorStop?: ErrorStop | null;
  readonly threads: number;
  readonly environment: GeneratorEnvironment;
  readonly exchanges: readonly TracedExchange[];
  /** True if the run is in progress. In the report, requests in flight then count as abandoned. */
  readonly inProgress?: true;
}

/** Returns the report of a run. Closes the stall-free samples unless the run is in progress. */
export function summarizeRun(job: LoadJob, totals: RunTotals, end: RunEnd): RunReport {
  const { outages, targets: counted } = withOmittedRequests(job, totals, end.abortReason === null);
  const balanced = end.inProgress === true ? balanceTally : (tally: Tally) => tally;
  const targets = counted.map((target) => ({ ...target, tally: balanced(target.tally) }));
  const { generator } = totals;
  if (end.inProgress === undefined) generator.stallFree.close();
  const {
    response: stallFreeTimes,
    iterations: stallFreeIterations,
    uncertainFailures,
  } = generator.stallFree;
  const countsIn = ({ first, end }: Pick<Iteration, 'first' | 'end'>) => {
    const parts = targets.slice(first, end);
    return {
      tally: sumOfTallies(parts.map(({ tally }) => tally)),
      omitted: sumOf(parts.map(({ omitted }) => omitted)),
      omittedTimes: sumOfTimes(parts.map(({ omittedTimes }) => omittedTimes)),
      stallFree: sumOfTimes(stallFreeTimes.slice(first, end)),
      uncertainFailures: sumOfUncertainFailures(uncertainFailures.slice(first, end)),
    };
  };
  const all = countsIn({ first: 0, end: targets.length });
  const lagP99 = inMilliseconds(generator.lag.quantile(0.99)) ?? 0;
  const late = lagP99 > Math.max(MAX_LAG_MS, intervalOf(job) / 10);
  const finished = countFinished(outcomesOf(all.tally));
  const loaded = milliseconds(Math.max(0, end.loaded - job.warmup));
  const requestsPerSecond = requestRate(finished - totals.surplus, loaded);
  const warmup = warmupOf(job, totals.warmup.targets.map(balanced), end);
  const ofGenerator = {
    open: isOpenModel(job),
    loaded,
    maxStalledMs: generator.maxStalledMs(),
    maxBusyShare: generator.maxBusyShare(),
  };
  const summaryOf = (requests: CountedRequests) => {
    const measured: Measurements = { ...measurementsOf(requests), ...ofGenerator };
    return {
      measured,
      metrics: metricsOf(requests.tally, requests.omitted),
      bounds: boundsOf(measured),
      minTimes: minTimesOf(measured)?.toStored() ?? null,
    };
  };
  const iterationsWithin = (
    tally: IterationTally,
    stallFree: Histogram,
    { measured, declared }: { readonly measured: Measurements; readonly declared: number | null },
  ) => {
    const { durations, lowerBounds } = tally;
    const omittedTimes = Histogram.createTotal();
    const times = { response: durations, omittedTimes, lowerBounds, stallFree, timerDelays: Infinity };
    const recorded = measured.response.count - measured.omittedTimes.count;
    const areRequests = areSingleRequests(job) && durations.count === recorded;
    const stored = areRequests ? null : durations.toStored();
    const iterations: IterationReport = {
      started: tally.started,
      completed: tally.completed,
      failed: tally.failed,
      withErrors: tally.withErrors,
      missing: declared === null ? null : declared - countEnded(tally),
      areRequests,
      durations: areRequests ? null : latencySummary(durations),
      times: stored && { measured: stored, minimum: minTimesOf(times)?.toStored() ?? null },
    };
    const bounds = areRequests ? {} : boundsOfIterations(measured, { ...times, ...iterations, declared });
    return { iterations, bounds };
  };
  const reportOf = (range: Pick<Iteration, 'first' | 'end'>) => {
    const counts = countsIn(range);
    const fraction = finished === 0 ? 0 : countFinished(outcomesOf(counts.tally)) / finished;
    const rate = rounded(fraction * requestsPerSecond);
    const { measured, metrics, ...ranges } = summaryOf({ ...counts, requestsPerSecond: rate });
    const report: PartReport = { ...metrics, requestsPerSecond: rate, ...ranges };
    return { report, measured };
  };
  const flowReportOf = (iteration: Iteration) => {
    const { report, measured } = reportOf(iteration);
    const { iterations, bounds } = iterationsWithin(
      totals.iterations[iteration.flow] ?? createIterationTally('total'),
      stallFreeIterations[iteration.flow] ?? Histogram.createTotal(),
      { measured, declared: null },
    );
    return {
      name: job.flows?.[iteration.flow]?.name ?? '',
      ...report,
      iterations,
      bounds: { ...report.bounds, ...bounds },
    };
  };
  const total = summaryOf({ ...all, requestsPerSecond });
  const { iterations, bounds: iterationBounds } = iterationsWithin(
    sumOfIterations(totals.iterations),
    sumOfTimes(stallFreeIterations),
    { measured: total.measured, declared: declaredIterationsOf(job) },
  );
  return {
    timeout: job.timeout,
    loadStartedAt: end.loadStartedAt ?? null,
    elapsed: end.elapsed,
    knownUntil: end.inProgress === true ? end.elapsed : null,
    errorStop: end.errorStop ?? null,
    thresholdStop: null,
    abortReason: end.abortReason,
    total: total.metrics,
    targets: job.targets.map(({ url, method }, index) => ({
      url: withoutUserInfo(url),
      method,
      ...reportOf({ first: index, end: index + 1 }).report,
      ...urlTimelineMember(totals.seconds, index),
    })),
    iterations,
    flows: job.flows && iterationsOf(job).map(flowReportOf),
    seed: job.seed,
    setup: null,
    teardown: null,
    outage: {
      spans: outages.length,
      // Removes floating-point errors of the sum.
      seconds: rounded(sumOf(outages.map(({ seconds }) => seconds))),
      periods: outagePeriodsOf(job, outages),
    },
    requestsPerSecond,
    peakConnections: totals.peakConnections,
    pool: job.connections === null ? null : poolReportOf(totals),
    addresses: Object.entries(totals.addresses)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, use]) => ({ address, ...use })),
    connect: connectionSetupTimes(totals.connectionSetup.connect),
    tls: connectionSetupTimes(totals.connectionSetup.tls),
    generator: {
      lagP99: milliseconds(lagP99),
      overloaded: late || totals.overloaded || all.tally.saturated > 0 || all.tally.noSocket > 0,
      threads: end.threads,
      version: end.environment.version,
    },
    bounds: { ...total.bounds, ...iterationBounds },
    minTimes: total.minTimes,
    delivery: generator.delivery(end.loaded),
    warmup: warmup?.report ?? null,
    machine: generator.machine(end.environment),
    workers: null,
    abortCertain:
      end.abortReason === 'error_threshold'
        ? isAbortCertain(
            job,
            [all.tally, ...(warmup === null ? [] : [warmup.tally])],
            [all.uncertainFailures, generator.stallFree.uncertainFailuresInWarmup],
          )
        : null,
    timeline: totals.seconds.map((sums, index) => {
      const second = index * totals.span;
      return timelineSecond(sums, { second, span: totals.span, warmup: second * 1000 < job.warmup });
    }),
    errorSamples: errorSamplesOf(job, totals.ledger.targets),
    exchanges: end.exchanges,
  };
}

function declaredIterationsOf(job: LoadJob): number | null {
  const { iterations, iterationsPerClient } = job;
  return iterationsPerClient === null ? iterations : iterationsPerClient * clientCount(job);
}

/** Returns the number of ended iterations, including iterations of the warm-up. */
function countEnded({ completed, failed, endedInWarmup }: IterationTally): number {
  return completed + failed + endedInWarmup;
}

function sumOfIterations(each: readonly IterationTally[]): IterationTally {
  const sum = createIterationTally('total');
  for (const tally of each) addIterationTally(sum, tally);
  return sum;
}

function poolReportOf({ pool, peakConnections }: RunTotals): PoolReport {
  const { opened, requests, waits } = pool;
  // Requests that did not wait have the lowest ranks.
  const rank = 0.99 * requests - (requests - waits.count);
  const waitP99 = rank <= 0 ? 0 : (inMilliseconds(waits.quantile(rank / waits.count)) ?? 0);
  return { opened, peak: peakConnections, waited: waits.count, waitP99 };
}

/**
 * Returns the periods of the longest outages, in chronological order. The times in `outages` are relative to the end of
 * the warm-up.
 */
function outagePeriodsOf({ warmup }: LoadJob, outages: readonly Outage[]): readonly OutagePeriod[] {
  const start = Math.floor(warmup / TENTH_MS) / TENTHS_PER_SECOND;
  return outages
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_OUTAGE_PERIODS)
    .toSorted((a, b) => a.from - b.from)
    .map(({ from, to }) => ({ from: rounded(start + from), to: rounded(start + to) }));
}

/** Counts of a run, or of one of its flows or URLs. */
interface CountedRequests {
  /** Tally that includes the times of omitted requests. */
  readonly tally: Tally;
  readonly omitted: number;
  readonly omittedTimes: Histogram;
  readonly stallFree: Histogram;
  readonly uncertainFailures: UncertainFailures;
  readonly requestsPerSecond: number;
}

function measurementsOf({ tally, uncertainFailures, ...counted }: CountedRequests) {
  return {
    ...counted,
    outcomes: outcomesOf(tally),
    below400: countBelow400(tally),
    bytesReceived: tally.bytesReceived,
    response: tally.response,
    lowerBounds: tally.lowerBounds,
    timerDelays: 2,
    uncertainFailures: { ...uncertainFailures, error: tally.unexpected[UNCERTAIN_TIME] ?? 0 },
    neverStarted: tally.saturated + tally.noSocket,
  };
}

function sumOfUncertainFailures(each: readonly UncertainFailures[]): UncertainFailures {
  return each.reduce(
    (sum, one) => ({
      timeoutError: sum.timeoutError + one.timeoutError,
      networkError: sum.networkError + one.networkError,
    }),
    { timeoutError: 0, networkError: 0 },
  );
}

function warmupOf(
  { warmup }: LoadJob,
  tallies: readonly Tally[],
  { loaded }: RunEnd,
): { readonly report: Warmup; readonly tally: Tally } | null {
  if (warmup === 0) return null;
  const tally = sumOfTallies(tallies);
  const report = { seconds: warmup / 1000, complete: loaded > warmup, ledger: ledgerOf(tally) };
  return { report, tally };
}

/**
 * Returns the number of requests per second of load.
 * @param requests - number of finished requests, minus the sum of `Snapshot.surplus`
 */
function requestRate(requests: number, loaded: Milliseconds): number {
  return loaded === 0 ? 0 : rounded((requests * 1000) / loaded);
}

/**
 * Reports whether the error threshold would have been reached even without the failures that the load generator may
 * have caused.
 */
function isAbortCertain(
  job: LoadJob,
  tallies: readonly Tally[],
  uncertain: readonly UncertainFailures[],
): boolean {
  const { timeoutError, networkError } = sumOfUncertainFailures(uncertain);
  const slow = sumOf(tallies.map(({ unexpected }) => unexpected[UNCERTAIN_TIME] ?? 0));
  const uncertainCount = timeoutError + networkError + slow;
  const outcomes = tallies.map(outcomesOf);
  const finished = sumOf(outcomes.map(countFinished));
  const success = sumOf(outcomes.map((one) => one.success));
  return uncertainCount === 0 || (finished - success - uncertainCount) * 100 >= job.errorThreshold * finished;
}

/**
 * Returns the progress of a run up to the end of a second: see `RunProgress`.
 * @param until - end of the reported time, in ms from the start of the run, which limits `elapsed`
 */
export function summarizeProgress(
  job: LoadJob,
  totals: RunTotals,
  second: number,
  until: number,
): LoadProgress {
  const latest = totals.at(second);
  const covered = (second % totals.span) + 1;
  const sums = noOutcomes();
  const finishedIn = ({ targets }: RequestLedger): readonly number[] =>
    targets.map((target) => {
      const outcomes = outcomesOf(target);
      addOutcomes(sums, outcomes);
      return countFinished(outcomes);
    });
  const targets = finishedIn(totals.ledger);
  const warmupTargets = finishedIn(totals.warmup);
  const elapsed = milliseconds(Math.min((second + 1) * 1000, Math.round(until)));
  return {
    elapsed,
    warmingUp: elapsed < job.warmup,
    connections: totals.connections(),
    ...sums,
    requestsPerSecond: latest === null ? 0 : rounded(countFinished(latest) / covered),
    p95: latest === null ? null : inMilliseconds(latest.response.quantile(0.95)),
    targets: targets.map((finished, index) => finished + (warmupTargets[index] ?? 0)),
  };
}

/**
 * Returns a balanced copy of a tally. Requests in flight count as abandoned, and planned requests that have not started
 * count as aborted.
 */
function balanceTally(unbalanced: Tally): Tally {
  const tally = sumOfTallies([unbalanced]);
  tally.abandoned += Math.max(0, tally.started - countFinished(outcomesOf(tally)) - tally.abandoned);
  tally.aborted += Math.max(0, tally.planned - tally.started - countNotStarted(tally));
  return tally;
}

function sumOfTallies(tallies: readonly Tally[]): Tally {
  const sum = createTally(
    'total',
    tallies.some(({ service }) => service !== null),
  );
  for (const tally of tallies) addTally(sum, tally);
  return sum;
}

export function metricsOf(tally: Tally, omitted: number): Metrics {
  const latency = latencySummary(tally.response);
  const latencyHistogram = tally.response.toStored();
  return {
    ledger: ledgerOf(tally),
    statusCodes: statusCodesOf(tally),
    bytesSent: tally.bytesSent,
    bytesReceived: tally.bytesReceived,
    latency,
    serviceTime: tally.service === null ? latency : latencySummary(tally.service),
    omitted,
    latencyHistogram,
    serviceTimeHistogram: tally.service === null ? latencyHistogram : tally.service.toStored(),
  };
}

export function latencySummary(histogram: Histogram): LatencySummary | null {
  if (histogram.count === 0) return null;
  const at = (fraction: number) => inMilliseconds(histogram.quantile(fraction)) ?? 0;
  const percentiles = PERCENTILES.map((name) => [name, at(shareOf(name) ?? 0)]);
  return {
    min: rounded(histogram.min / 1000),
    mean: inMilliseconds(histogram.mean()) ?? 0,
    // `Object.fromEntries` loses the key type.
    ...(Object.fromEntries(percentiles) as Record<NamedPercentile, number>),
    max: rounded(histogram.max / 1000),
  };
}

function connectionSetupTimes(times: Histogram): ConnectionSetupTimes | null {
  const [summary, histogram] = [latencySummary(times), times.toStored()];
  return summary && histogram && { count: times.count, times: summary, histogram };
}

function urlTimelineMember(seconds: readonly SecondSums[], index: number): Pick<UrlReport, 'timeline'> {
  const sums = seconds.flatMap(({ urls }) => urls[index] ?? []);
  if (sums.length === 0) return {};
  const times = sums.map(({ response }) => timesOf(response));
  return {
    timeline: {
      success: sums.map(({ success }) => success),
      error: sums.map(({ error }) => error),
      timeoutError: sums.map(({ timeoutError }) => timeoutError),
      networkError: sums.map(({ networkError }) => networkError),
      p50: times.map(({ p50 }) => p50),
      p95: times.map(({ p95 }) => p95),
      p99: times.map(({ p99 }) => p99),
    },
  };
}

type EntryTimes = Pick<TimelineSecond, 'p50' | 'p95' | 'p99'>;

/**
 * Cached percentiles by histogram, valid while the count of the histogram is unchanged. Each report on a run in
 * progress contains all earlier entries again.
 */
const knownTimes = new WeakMap<Histogram, { readonly count: number; readonly times: EntryTimes }>();

function timesOf(histogram: Histogram): EntryTimes {
  const known = knownTimes.get(histogram);
  // Stryker disable next-line ConditionalExpression: without the cache, only the speed differs
  if (known?.count === histogram.count) return known.times;
  const at = (share: number) => inMilliseconds(histogram.quantile(share));
  const times = { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  // Stryker disable next-line ObjectLiteral: without the cache, only the speed differs
  knownTimes.set(histogram, { count: histogram.count, times });
  return times;
}

function timelineSecond(
  sums: SecondSums,
  entry: Pick<TimelineSecond, 'second' | 'span' | 'warmup'>,
): TimelineSecond {
  return {
    ...entry,
    started: sums.started,
    success: sums.success,
    error: sums.error,
    timeoutError: sums.timeoutError,
    networkError: sums.networkError,
    connections: sumOf(sums.peaks),
    bytesSent: sums.bytesSent,
    bytesReceived: sums.bytesReceived,
    ...timesOf(sums.response),
  };
}

function errorSamplesOf(job: LoadJob, tallies: readonly TallyData[]): RunReport['errorSamples'] {
  const samples: { url: string; error: string; count: number }[] = [];
  tallies.forEach((tally, index) => {
    const url = withoutUserInfo(job.targets[index]?.url ?? '');
    const add = (error: string, count: number): void => {
      if (count > 0) samples.push({ url, error, count });
    };
    for (const [status, count] of Object.entries(httpErrorsOf(tally))) add(`status ${status}`, count);
    const expectation = job.targets[index]?.expect ?? null;
    for (const [fault, count] of Object.entries(tally.unexpected))
      add(responseFaultText(fault, expectation), count);
    add('timed out while connecting', tally.timeoutConnect);
    add('timed out during the TLS handshake', tally.timeoutTls);
    add('timed out waiting for the response', tally.timeoutResponse);
    for (const [code, count] of Object.entries(tally.network))
      add(code === INVALID_URL ? `not sent: ${INVALID_URL_TEXT}` : `network: ${code}`, count);
    for (const [fault, count] of Object.entries(tally.protocol)) add(`protocol: ${fault}`, count);
    add('not sent: a variable had no value', tally.undefinedVariable);
    add('not sent: no socket available on the load generator', tally.noSocket);
  });
  return samples.sort((a, b) => b.count - a.count).slice(0, MAX_ERROR_SAMPLES);
}

function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}

/** Converts µs to ms, rounded to three decimal places. */
function inMilliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : rounded(microseconds / 1000);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
