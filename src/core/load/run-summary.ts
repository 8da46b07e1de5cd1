/** Turns what was added up into what is told: at the end, and once a second. */
import { milliseconds, type Milliseconds } from '../units.ts';
import type { RequestLedger } from './request-ledger.ts';
import { boundsOf, minTimesOf, type StallFreeTimes, type Measurements } from './metric-bounds.ts';
import type { UncertainFailures } from './stall-free.ts';
import type { GeneratorEnvironment } from './generator-totals.ts';
import { Histogram } from './histogram.ts';
import type { LoadJob } from './load-job.ts';
import { withOmittedRequests } from './omitted-requests.ts';
import { intervalOf, isOpenModel } from './pace.ts';
import type {
  AbortReason,
  Exchange,
  Metrics,
  LatencySummary,
  LoadProgress,
  ConnectionSetupTimes,
  RunReport,
  TimelineSecond,
  Warmup,
} from './run-report.ts';
import {
  addTally,
  createTally,
  countFinished,
  httpErrorsOf,
  ledgerOf,
  countNotStarted,
  outcomesOf,
  statusCodesOf,
  type Outcomes,
  type Tally,
  type TallyData,
} from './snapshot.ts';
import { responseFaultText } from './unexpected-response.ts';
import type { RunTotals, SecondSums } from './run-totals.ts';

/** A few failures are told in words; the ledger has them all. */
const MAX_ERROR_SAMPLES = 10;

/** Above this, and above a tenth of the time between two clients, the generator was too slow to be believed. */
const MAX_LAG_MS = 20;

export interface RunEnd {
  readonly elapsed: Milliseconds;
  /** Of it, the time in which load was made: without the drain. */
  readonly loaded: Milliseconds;
  readonly abortReason: AbortReason | null;
  readonly threads: number;
  readonly environment: GeneratorEnvironment;
  readonly exchanges: readonly Exchange[];
  /** It is not over: more comes, and what is in flight counts as abandoned in this report alone. */
  readonly inProgress?: true;
}

/** The report of a run whose slices are all in. */
export function summarizeRun(job: LoadJob, totals: RunTotals, end: RunEnd): RunReport {
  const { outages, targets: told } = withOmittedRequests(job, totals, end.abortReason === null);
  const targets = end.inProgress === true ? told.map(balanceTally) : told;
  const all = sumOf(targets.map(({ tally }) => tally));
  const missedInAll = targets.reduce((sum, { omitted }) => sum + omitted, 0);
  const { generator } = totals;
  if (end.inProgress === undefined) generator.stallFree.close();
  const { samples, uncertainFailures } = generator.stallFree;
  const outcomes = outcomesOf(all);
  const lagP99 = inMilliseconds(generator.lag.quantile(0.99)) ?? 0;
  const late = lagP99 > Math.max(MAX_LAG_MS, intervalOf(job) / 10);
  const finished = countFinished(outcomes);
  const loaded = measuredTimeOf(job, end);
  const requestsPerSecond = requestRate(finished - totals.surplus, loaded);
  const warmup = warmupOf(job, totals, end);
  const inAll: CountedRequests = {
    ...{
      tally: all,
      omitted: missedInAll,
      requestsPerSecond,
      recorded: sumOf(totals.ledger.targets).response,
    },
    stallFree: samples.map(({ tolerance, response }) => ({ tolerance, times: sumOfTimes(response) })),
    uncertainFailures: sumOfUncertainFailures(uncertainFailures),
  };
  const endsOf = (counted: CountedRequests) => {
    const measured: Measurements = {
      ...measurementsOf(counted),
      ...sharedMeasurementsOf(job, totals, loaded),
    };
    return { bounds: boundsOf(measured), minTimes: minTimesOf(measured)?.toStored() ?? null };
  };
  const ofUrl = (index: number, tally: Tally, omitted: number) => {
    const share = finished === 0 ? 0 : countFinished(outcomesOf(tally)) / finished;
    const rate = rounded(share * requestsPerSecond);
    const ends = endsOf({
      ...{ tally, omitted, requestsPerSecond: rate },
      recorded: totals.ledger.targets[index]?.response ?? tally.response,
      stallFree: samples.map(({ tolerance, response }) => ({
        tolerance,
        times: response[index] ?? Histogram.createTotal(),
      })),
      uncertainFailures: uncertainFailures[index] ?? { timeoutError: 0, networkError: 0 },
    });
    return { requestsPerSecond: rate, ...ends };
  };
  return {
    timeout: job.timeout,
    elapsed: end.elapsed,
    abortReason: end.abortReason,
    total: metricsOf(all, missedInAll),
    targets: targets.map(({ tally, omitted }, index) => ({
      url: withoutUserInfo(job.targets[index]?.url ?? ''),
      method: job.targets[index]?.method ?? '',
      ...metricsOf(tally, omitted),
      ...ofUrl(index, tally, omitted),
    })),
    outage: {
      spans: outages.length,
      // Tenths of a second add up to more digits than they have.
      seconds: rounded(outages.reduce((sum, { seconds }) => sum + seconds, 0)),
    },
    requestsPerSecond,
    peakConnections: totals.peakConnections,
    connect: connectionSetupTimes(totals.connectionSetup.connect),
    tls: connectionSetupTimes(totals.connectionSetup.tls),
    generator: {
      lagP99: milliseconds(lagP99),
      overloaded: late || totals.overloaded || all.saturated > 0 || all.noSocket > 0,
      threads: end.threads,
      version: end.environment.version,
    },
    ...endsOf(inAll),
    delivery: generator.delivery(),
    warmup: warmup?.told ?? null,
    machine: generator.machine(end.environment),
    workers: null,
    abortCertain:
      end.abortReason === 'error_threshold'
        ? isAbortCertain(
            job,
            [outcomes, ...(warmup === null ? [] : [outcomesOf(warmup.tally)])],
            [inAll.uncertainFailures, generator.stallFree.uncertainFailuresInWarmup],
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

/** What was counted of a run, or of one of its URLs. */
interface CountedRequests {
  /** With the times of what was missed. */
  readonly tally: Tally;
  readonly omitted: number;
  /** Without them. */
  readonly recorded: Histogram;
  readonly stallFree: readonly StallFreeTimes[];
  readonly uncertainFailures: UncertainFailures;
  readonly requestsPerSecond: number;
}

function measurementsOf({
  tally,
  omitted,
  recorded,
  stallFree,
  uncertainFailures,
  requestsPerSecond,
}: CountedRequests) {
  return {
    ...{ outcomes: outcomesOf(tally), bytesReceived: tally.bytesReceived, requestsPerSecond },
    ...{ omitted, response: tally.response, recorded, stallFree, uncertainFailures },
    neverStarted: tally.saturated + tally.noSocket,
  };
}

/** What the figures of all URLs have alike. */
function sharedMeasurementsOf(job: LoadJob, { generator }: RunTotals, loaded: Milliseconds) {
  return {
    open: isOpenModel(job),
    timeout: job.timeout,
    loaded,
    maxStalledMs: generator.maxStalledMs(),
    maxBusyShare: generator.maxBusyShare(),
  };
}

function sumOfTimes(each: readonly Histogram[]): Histogram {
  const sum = Histogram.createTotal();
  for (const times of each) sum.add(times);
  return sum;
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

/** The time that the figures are of: without the warm-up. */
function measuredTimeOf({ warmup }: LoadJob, { loaded }: RunEnd): Milliseconds {
  return milliseconds(Math.max(0, loaded - warmup));
}

/** Null where the test has none. */
function warmupOf(
  { warmup }: LoadJob,
  totals: RunTotals,
  end: RunEnd,
): { readonly told: Warmup; readonly tally: Tally } | null {
  if (warmup === 0) return null;
  const targets = totals.warmup.targets.map((tally) => ({ tally }));
  const tally = sumOf(
    (end.inProgress === true ? targets.map(balanceTally) : targets).map(({ tally: one }) => one),
  );
  return { told: { seconds: warmup / 1000, complete: end.loaded > warmup, ledger: ledgerOf(tally) }, tally };
}

/**
 * Requests per second of the time in which load was made: to wait for the last answers makes none.
 *
 * Shape: in the open models each request counts that was due in that time; in the closed one those count that were made in
 *        it, and of one that ended behind it the share of its time that lay before: see `Slice.surplus`.
 */
function requestRate(requests: number, loaded: Milliseconds): number {
  return loaded === 0 ? 0 : rounded((requests * 1000) / loaded);
}

/** Whether so many failures would have ended the run without those that the generator may have made itself. */
function isAbortCertain(
  job: LoadJob,
  parts: readonly Outcomes[],
  doubtful: readonly UncertainFailures[],
): boolean {
  const { timeoutError, networkError } = sumOfUncertainFailures(doubtful);
  const doubted = timeoutError + networkError;
  const finished = parts.reduce((sum, part) => sum + countFinished(part), 0);
  const success = parts.reduce((sum, part) => sum + part.success, 0);
  return doubted === 0 || (finished - success - doubted) * 100 >= job.errorThreshold * finished;
}

/**
 * What is told while the run goes on, once a second is complete. `until`: when that was, in ms from the start.
 *
 * Shape: counts are since the start, with the warm-up; rate and p95 are of the latest entry of the series.
 */
export function summarizeProgress(
  job: LoadJob,
  totals: RunTotals,
  second: number,
  until: number,
): LoadProgress {
  const latest = totals.at(second);
  /** Seconds of that entry so far. */
  const covered = (second % totals.span) + 1;
  const sums = { success: 0, error: 0, timeoutError: 0, networkError: 0 };
  const finishedIn = ({ targets }: RequestLedger): readonly number[] =>
    targets.map((target) => {
      const outcomes = outcomesOf(target);
      sums.success += outcomes.success;
      sums.error += outcomes.error;
      sums.timeoutError += outcomes.timeoutError;
      sums.networkError += outcomes.networkError;
      return countFinished(outcomes);
    });
  const [targets, warming] = [finishedIn(totals.ledger), finishedIn(totals.warmup)];
  const elapsed = milliseconds(Math.min((second + 1) * 1000, Math.round(until)));
  return {
    elapsed,
    warmingUp: elapsed < job.warmup,
    connections: totals.connections(),
    ...sums,
    requestsPerSecond: latest === null ? 0 : rounded(countFinished(latest) / covered),
    p95: latest === null ? null : inMilliseconds(latest.response.quantile(0.95)),
    targets: targets.map((finished, index) => finished + (warming[index] ?? 0)),
  };
}

/** What is in flight is abandoned, and what is still to come is not started. */
function balanceTally<T extends { readonly tally: Tally }>(target: T): T {
  const tally = createTally('total', target.tally.service !== null);
  addTally(tally, target.tally);
  tally.abandoned += Math.max(0, tally.started - countFinished(outcomesOf(tally)) - tally.abandoned);
  tally.aborted += Math.max(0, tally.planned - tally.started - countNotStarted(tally));
  return { ...target, tally };
}

function sumOf(tallies: readonly Tally[]): Tally {
  const all = createTally(
    'total',
    tallies.some(({ service }) => service !== null),
  );
  for (const tally of tallies) addTally(all, tally);
  return all;
}

function metricsOf(tally: Tally, omitted: number): Metrics {
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

/** Null without records. */
export function latencySummary(histogram: Histogram): LatencySummary | null {
  if (histogram.count === 0) return null;
  const at = (share: number): number => inMilliseconds(histogram.quantile(share)) ?? 0;
  return {
    min: rounded(histogram.min / 1000),
    mean: inMilliseconds(histogram.mean()) ?? 0,
    p50: at(0.5),
    p75: at(0.75),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    'p99.9': at(0.999),
    max: rounded(histogram.max / 1000),
  };
}

function connectionSetupTimes(times: Histogram): ConnectionSetupTimes | null {
  const [summary, histogram] = [latencySummary(times), times.toStored()];
  return summary === null || histogram === null ? null : { count: times.count, times: summary, histogram };
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
    connections: sums.peaks.reduce((total, peak) => total + peak, 0),
    bytesSent: sums.bytesSent,
    bytesReceived: sums.bytesReceived,
    p50: inMilliseconds(sums.response.quantile(0.5)),
    p95: inMilliseconds(sums.response.quantile(0.95)),
    p99: inMilliseconds(sums.response.quantile(0.99)),
  };
}

function errorSamplesOf(job: LoadJob, tallies: readonly TallyData[]): RunReport['errorSamples'] {
  const samples: { url: string; error: string; count: number }[] = [];
  tallies.forEach((tally, index) => {
    const url = withoutUserInfo(job.targets[index]?.url ?? '');
    const add = (error: string, count: number): void => {
      if (count > 0) samples.push({ url, error, count });
    };
    for (const [status, count] of Object.entries(httpErrorsOf(tally))) add(`answered ${status}`, count);
    const expectation = job.targets[index]?.expect ?? null;
    for (const [fault, count] of Object.entries(tally.unexpected))
      add(responseFaultText(fault, expectation), count);
    add('timed out while connecting', tally.timeoutConnect);
    add('timed out in the TLS handshake', tally.timeoutTls);
    add('timed out waiting for the response', tally.timeoutResponse);
    for (const [code, count] of Object.entries(tally.network)) add(`network: ${code}`, count);
    for (const [fault, count] of Object.entries(tally.protocol)) add(`protocol: ${fault}`, count);
    add('not sent: a variable is undefined', tally.undefinedVariable);
    add('not sent: no socket available on this machine', tally.noSocket);
  });
  return samples.sort((a, b) => b.count - a.count).slice(0, MAX_ERROR_SAMPLES);
}

function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
}

/** From µs to ms, as far as anybody wants to read them. */
function inMilliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : rounded(microseconds / 1000);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
