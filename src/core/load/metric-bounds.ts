/**
 * Bounds of metrics: for each metric, the values that are possible without the delays of the load generator.
 * @see docs/internals/results.md, section 1
 */
import type { Bounds, Interval } from '../model/sample.ts';
import { ITERATION_METRICS, PERCENTILES, shareOf, type ResultMetric } from '../model/threshold.ts';
import type { IterationReport } from './run-report.ts';
import type { UncertainFailures } from './stall-free.ts';
import { BUSY_THRESHOLD, MIN_STALL_TOLERANCE } from './stall-tolerance.ts';
import { Histogram, rankOf, lastReportedAtMost, sumOfTimes, type Rise } from './histogram.ts';
import { countFinished, type Outcomes } from './snapshot.ts';

export interface MeasuredTimes {
  /** All times, including those of omitted requests. */
  readonly response: Histogram;
  /** Times of omitted requests that were computed instead of recorded. Computed times count as exact. */
  readonly omittedTimes: Histogram;
  /** Lower bounds of the recorded times; see `Tally.lowerBounds`. */
  readonly lowerBounds: Histogram;
  /** Recorded stall-free times; see `StallFreeSamples`. */
  readonly stallFree: Histogram;
  /** Maximum number of timer delays within a measured time: 2 for a request, `Infinity` for an iteration. */
  readonly timerDelays: number;
}

/**
 * Measured values of a run, a flow or a URL, and data about the load generator. `loaded` is the duration of the load
 * without the warm-up, in ms.
 */
export interface Measurements extends MeasuredTimes {
  readonly open: boolean;
  readonly loaded: number;
  readonly outcomes: Outcomes;
  readonly below400: number;
  readonly bytesReceived: number;
  readonly requestsPerSecond: number;
  /** Number of omitted requests, which are not part of `outcomes`: see `Metrics.omitted`. */
  readonly omitted: number;
  readonly uncertainFailures: UncertainFailures;
  /** Number of due requests that the load generator never sent. */
  readonly neverStarted: number;
  readonly maxStalledMs: number;
  readonly maxBusyShare: number;
}

export function boundsOf(measured: Measurements): Bounds {
  return { ...boundsOfTimes(measured), ...boundsOfCounts(measured) };
}

/** @param iterations.declared - declared number of iterations; null if there is none */
export function boundsOfIterations(
  measured: Measurements,
  iterations: MeasuredTimes &
    Pick<IterationReport, 'completed' | 'failed' | 'withErrors'> & { readonly declared: number | null },
): Bounds {
  const { completed, failed, withErrors, declared } = iterations;
  const ended = completed + failed;
  const uncertain = countUncertain(measured.uncertainFailures);
  const high = maxRequestsOf(measured, completed);
  const times: Readonly<Partial<Record<ResultMetric, Interval>>> = boundsOfTimes(iterations);
  return {
    ...Object.fromEntries(
      Object.entries(ITERATION_METRICS).flatMap(([metric, ofRequests]) => {
        const bounds = times[ofRequests];
        return bounds === undefined ? [] : [[metric, bounds]];
      }),
    ),
    iterations: { low: completed, high: high === null ? declared : Math.min(high, declared ?? high) },
    // Each uncertain failure of a request may be the only failure of its iteration.
    ...(ended === 0
      ? {}
      : {
          iteration_error_rate: {
            low: (100 * Math.max(0, withErrors - uncertain)) / ended,
            high: (100 * withErrors) / ended,
          },
        }),
  };
}

/** Computes a metric from times in µs and `others` additional times of 0 µs. */
type TimeMetric = (times: Histogram, others: number) => number;

const TIME_METRICS: readonly (readonly [ResultMetric, TimeMetric])[] = [
  ['min', (times, others) => (others > 0 ? 0 : times.min)],
  ['max', (times) => times.max],
  ['avg_response_time', (times, others) => times.sum / (times.count + others)],
  ...PERCENTILES.map((name): readonly [ResultMetric, TimeMetric] => [
    name,
    (times, others) => {
      const rank = rankOf(shareOf(name) ?? 0, times.count + others) - others;
      return rank <= 0 ? 0 : times.atRank(rank);
    },
  ]),
];

function boundsOfTimes(measured: MeasuredTimes): Bounds {
  if (measured.response.count === 0) return {};
  const minTimes = minTimesIn(measured);
  return Object.fromEntries(
    TIME_METRICS.map(([metric, valueOf]) => [metric, boundsOfTime(valueOf, measured, minTimes)]),
  );
}

/** Histogram from which lower bounds of times are derived. Requests that are not in the histogram count as 0 µs. */
interface MinTimes {
  readonly times: Histogram;
  /** Converts a time in `times` to a lower bound, both in ms. */
  readonly minTimeOf: (ms: number) => number;
}

function minTimesIn({
  omittedTimes,
  lowerBounds,
  stallFree,
  timerDelays,
}: MeasuredTimes): readonly MinTimes[] {
  const withOmitted = (times: Histogram): Histogram => sumOfTimes([times, omittedTimes]);
  return [
    { times: withOmitted(lowerBounds), minTimeOf: (ms: number) => ms },
    { times: withOmitted(stallFree), minTimeOf: (ms: number) => withoutTimerDelays(ms, timerDelays) },
  ];
}

/**
 * Returns a histogram whose percentiles are the lower bounds of the measured percentiles; null if no times were
 * measured.
 */
export function minTimesOf(measured: MeasuredTimes): Histogram | null {
  const { response } = measured;
  if (response.count === 0) return null;
  const known = minTimesIn(measured);
  const readers = known.map(({ times, minTimeOf }) => ({
    minTimeOf,
    valueAt: valueReaderOf(times.rises(response.count - times.count)),
  }));
  const highAt = valueReaderOf(response.rises(0));
  const ends = [response, ...known.map(({ times }) => times)].flatMap((times) =>
    times.rises(response.count - times.count).map(({ upTo }) => upTo),
  );
  const minTimes = Histogram.createTotal();
  let before = 0;
  for (const end of [...new Set(ends)].sort((a, b) => a - b)) {
    const lows = readers.map(({ minTimeOf, valueAt }) => minTimeOf(valueAt(end) / 1000) * 1000);
    const low = Math.min(highAt(end), Math.max(0, ...lows));
    minTimes.recordMany(end - before, lastReportedAtMost(low));
    before = end;
  }
  return minTimes;
}

/**
 * Returns a function that maps a rank to a value: 0 for ranks below the first rise. Call the function with ranks in
 * ascending order.
 */
function valueReaderOf(rises: readonly Rise[]): (rank: number) => number {
  let index = 0;
  return (rank) => {
    while (rank > (rises[index]?.upTo ?? Infinity)) index++;
    const rise = rises[index];
    return rise === undefined || rank <= rise.after ? 0 : rise.value;
  };
}

/** The upper bound is the measured value, because delays of the load generator can only increase times. */
function boundsOfTime(
  valueOf: TimeMetric,
  { response }: MeasuredTimes,
  minTimes: readonly MinTimes[],
): Interval {
  const low = Math.max(
    0,
    ...minTimes.map(({ times, minTimeOf }) => minTimeOf(valueOf(times, response.count - times.count) / 1000)),
  );
  const high = valueOf(response, 0) / 1000;
  return { low: Math.min(low, high), high };
}

/**
 * Subtracts normal timer delays, but at most a tenth, from a stall-free time in ms. Such a delay can occur when a
 * request starts and when its response is read.
 */
function withoutTimerDelays(ms: number, delays: number): number {
  return ms - Math.min(delays * MIN_STALL_TOLERANCE, ms / 10);
}

function boundsOfCounts(measured: Measurements): Bounds {
  const { outcomes, below400, uncertainFailures, omitted, requestsPerSecond, bytesReceived } = measured;
  const requests = countFinished(outcomes);
  const maxRequests = maxRequestsOf(measured, requests);
  /** Scales a count in proportion to the upper bound for the number of requests; null if there is none. */
  const upTo = (count: number): number | null =>
    maxRequests === null ? null : requests === 0 ? maxRequests : (count * maxRequests) / requests;
  const { success, error, timeoutError, networkError } = outcomes;
  const slow = uncertainFailures.error ?? 0;
  const uncertain = countUncertain(uncertainFailures);
  const counts: Bounds = {
    requests: { low: requests, high: maxRequests },
    success: { low: success, high: upTo(success + uncertain) },
    error: { low: error - slow, high: upTo(error) },
    timeout_error: { low: timeoutError - uncertainFailures.timeoutError, high: upTo(timeoutError) },
    network_error: { low: networkError - uncertainFailures.networkError, high: upTo(networkError) },
    data_received: { low: bytesReceived, high: upTo(bytesReceived) },
    requests_per_second: { low: requestsPerSecond, high: upTo(requestsPerSecond) },
  };
  const total = requests + omitted;
  if (total === 0) return counts;
  const rateOf = (failed: number, unsure: number): Interval => ({
    low: (100 * (failed - unsure)) / total,
    high: (100 * failed) / total,
  });
  const errorRate = rateOf(total - success, uncertain);
  return {
    ...counts,
    error_rate: errorRate,
    success_rate: { low: 100 - (errorRate.high ?? 100), high: 100 - errorRate.low },
    // Failures because of the response time do not count here, because this rate depends only on the status.
    http_error_rate: rateOf(total - below400, uncertain - slow),
  };
}

function countUncertain({ timeoutError, networkError, error = 0 }: UncertainFailures): number {
  return timeoutError + networkError + error;
}

/**
 * Returns an upper bound for the number of requests or iterations without delays of the load generator; null if there
 * is none.
 */
function maxRequestsOf(measured: Measurements, requests: number): number | null {
  const { open, neverStarted, loaded, maxStalledMs, maxBusyShare } = measured;
  if (open) return requests + neverStarted;
  if (maxBusyShare > BUSY_THRESHOLD || maxStalledMs >= loaded) return null;
  return (requests * loaded) / (loaded - maxStalledMs);
}
