/**
 * Between which two values each figure lies, whatever the generator did to it. Pure.
 *
 * Source: docs/internals/results.md, section 1.
 */
import type { ResultMetric } from '../model/threshold.ts';
import type { UncertainFailures } from './stall-free.ts';
import { BUSY_THRESHOLD, stallToleranceFor, type StallTolerance } from './stall-tolerance.ts';
import { Histogram, rankOf, lastReportedAtMost, type Rise } from './histogram.ts';
import type { Bounds, Interval } from './run-report.ts';
import { countFinished, type Outcomes } from './snapshot.ts';

const PERCENTILES = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, 'p99.9': 0.999 } as const;

/** What was measured, and what is known of the generator. Times in ms. */
export interface Measurements {
  readonly open: boolean;
  readonly timeout: number;
  /** In which load was made. */
  readonly loaded: number;
  readonly outcomes: Outcomes;
  readonly bytesReceived: number;
  readonly requestsPerSecond: number;
  /** Requests that the target's outages kept from being made: failures beyond those that the outcomes hold. */
  readonly omitted: number;
  /** Of all requests, those that were missed among them. */
  readonly response: Histogram;
  /** Of those that were counted while the run went on: what is missed comes later, and is certain. */
  readonly recorded: Histogram;
  readonly stallFree: readonly StallFreeTimes[];
  readonly uncertainFailures: UncertainFailures;
  /** Requests that this machine never made, though they were due. */
  readonly neverStarted: number;
  readonly maxStalledMs: number;
  readonly maxBusyShare: number;
}

/** The ends of every figure that a limit can name; none of those that the run does not have. */
export function boundsOf(measured: Measurements): Bounds {
  return { ...boundsOfTimes(measured), ...boundsOfCounts(measured) };
}

/** A figure of times in µs, beside which others took none at all. */
type TimeMetric = (times: Histogram, others: number) => number;

const TIME_METRICS: readonly (readonly [ResultMetric, TimeMetric])[] = [
  ['min', (times, others) => (others > 0 ? 0 : times.min)],
  ['max', (times) => times.max],
  ['avg_response_time', (times, others) => times.sum / (times.count + others)],
  ...Object.entries(PERCENTILES).map(([name, share]): readonly [ResultMetric, TimeMetric] => [
    // The keys are figures.
    name as keyof typeof PERCENTILES,
    (times, others) => {
      const rank = rankOf(share, times.count + others) - others;
      return rank <= 0 ? 0 : times.atRank(rank);
    },
  ]),
];

function boundsOfTimes(measured: Measurements): Bounds {
  if (measured.response.count === 0) return {};
  const stallFree = stallFreeTimes(measured);
  return Object.fromEntries(
    TIME_METRICS.map(([metric, figure]) => [metric, boundsOfTime(figure, measured, stallFree)]),
  );
}

/** Times of requests in calm. */
export interface StallFreeTimes {
  readonly tolerance: StallTolerance;
  readonly times: Histogram;
}

/** With those of what was missed: they are certain. */
function stallFreeTimes({ response, recorded, stallFree }: Measurements): readonly StallFreeTimes[] {
  return stallFree.map(({ tolerance, times }) => ({
    tolerance,
    times: response.count === recorded.count ? times : times.with(response, recorded),
  }));
}

/**
 * What requests took at least, in their order: the low end of any percentile, as `boundsOf` has it for those that it
 * names. Null without requests.
 */
export function minTimesOf(measured: Measurements): Histogram | null {
  const { response, timeout } = measured;
  if (response.count === 0) return null;
  const stallFree = stallFreeTimes(measured).filter(({ times }) => times.count > 0);
  const walks = stallFree.map(({ tolerance, times }) => ({
    step: tolerance,
    at: valueReaderOf(times.rises(response.count - times.count)),
  }));
  const high = valueReaderOf(response.rises(0));
  const ends = [response, ...stallFree.map(({ times }) => times)].flatMap((times) =>
    times.rises(response.count - times.count).map(({ upTo }) => upTo),
  );
  const least = Histogram.createTotal();
  let before = 0;
  for (const end of [...new Set(ends)].sort((a, b) => a - b)) {
    const lows = walks.map(({ step, at }) => minTimeOf(at(end) / 1000, step, timeout) * 1000);
    const low = Math.max(0, Math.min(high(end), ...(lows.length === 0 ? [0] : [Math.max(...lows)])));
    least.recordMany(end - before, lastReportedAtMost(low));
    before = end;
  }
  return least;
}

/** The value of each rank, for ranks that ascend; 0 below the first rise. */
function valueReaderOf(rises: readonly Rise[]): (rank: number) => number {
  let index = 0;
  return (rank) => {
    while (index < rises.length - 1 && rank > (rises[index]?.upTo ?? 0)) index++;
    const rise = rises[index];
    return rise === undefined || rank <= rise.after ? 0 : rise.value;
  };
}

/**
 * The high end is what was measured: the generator can only have made it longer. The low end takes what was measured in
 * calm, with the generator's own part taken off; every other request counts as 0 ms. The step that says most counts.
 */
function boundsOfTime(
  figure: TimeMetric,
  { response, timeout }: Measurements,
  stallFree: readonly StallFreeTimes[],
): Interval {
  let low = 0;
  for (const { tolerance, times } of stallFree) {
    if (times.count === 0) continue;
    low = Math.max(low, minTimeOf(figure(times, response.count - times.count) / 1000, tolerance, timeout));
  }
  const high = figure(response, 0) / 1000;
  return { low: Math.min(low, high), high };
}

/** What a time in calm was without the generator's own part, in ms. Who was given up for time in calm has taken all of it. */
function minTimeOf(at: number, step: StallTolerance, timeout: number): number {
  const without = at - generatorDelayOf(step, at);
  return at >= timeout && step <= stallToleranceFor(timeout) ? Math.max(timeout, without) : without;
}

/**
 * What of a time the generator may have added in calm, in ms: once where the request began, and once where its answer was
 * read. At the least step, which timers alone may reach, it is a tenth at most.
 */
function generatorDelayOf(step: StallTolerance, ms: number): number {
  return step === 2 ? Math.min(2 * step, ms / 10) : 2 * step;
}

function boundsOfCounts(measured: Measurements): Bounds {
  const { outcomes, uncertainFailures, omitted, requestsPerSecond, bytesReceived } = measured;
  const requests = countFinished(outcomes);
  const atMost = maxRequestsOf(measured, requests);
  /** More requests would have had more of each kind. */
  const upTo = (count: number): number | null =>
    atMost === null ? null : requests === 0 ? atMost : (count * atMost) / requests;
  const { success, error, timeoutError, networkError } = outcomes;
  const doubted = uncertainFailures.timeoutError + uncertainFailures.networkError;
  const counts: Bounds = {
    requests: { low: requests, high: atMost },
    success: { low: success, high: upTo(success + doubted) },
    error: { low: error, high: upTo(error) },
    timeout_error: { low: timeoutError - uncertainFailures.timeoutError, high: upTo(timeoutError) },
    network_error: { low: networkError - uncertainFailures.networkError, high: upTo(networkError) },
    data_received: { low: bytesReceived, high: upTo(bytesReceived) },
    requests_per_second: { low: requestsPerSecond, high: upTo(requestsPerSecond) },
  };
  const asked = requests + omitted;
  if (asked === 0) return counts;
  const failed = asked - success;
  const [low, high] = [(100 * (failed - doubted)) / asked, (100 * failed) / asked];
  return { ...counts, error_rate: { low, high }, success_rate: { low: 100 - high, high: 100 - low } };
}

/** The requests that a generator without a fault might have made; null where that is not known. */
function maxRequestsOf(measured: Measurements, requests: number): number | null {
  const { open, neverStarted, loaded, maxStalledMs, maxBusyShare } = measured;
  if (open) return requests + neverStarted;
  if (maxBusyShare > BUSY_THRESHOLD || maxStalledMs >= loaded) return null;
  return (requests * loaded) / (loaded - maxStalledMs);
}
