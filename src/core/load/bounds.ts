/**
 * Between which two values each figure lies, whatever the generator did to it. Pure.
 *
 * Source: docs/design/results.md, section 1.
 */
import type { Figure } from '../model/threshold.ts';
import type { Doubtful } from './calm.ts';
import { BUSY, stepWithin, type Step } from './calmness.ts';
import { Histogram, rankOf, toldAsNoMore, type Rise } from './histogram.ts';
import type { Bounds, Interval } from './report.ts';
import { finishedOf, type Outcomes } from './slice.ts';

const SHARES = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, 'p99.9': 0.999 } as const;

/** What was measured, and what is known of the generator. Times in ms. */
export interface Measured {
  readonly open: boolean;
  readonly timeout: number;
  /** In which load was made. */
  readonly loaded: number;
  readonly outcomes: Outcomes;
  readonly bytesReceived: number;
  readonly requestsPerSecond: number;
  /** Requests that the target's outages kept from being made: failures beyond those that the outcomes hold. */
  readonly missed: number;
  /** Of all requests, those that were missed among them. */
  readonly response: Histogram;
  /** Of those that were counted while the run went on: what is missed comes later, and is certain. */
  readonly counted: Histogram;
  readonly calm: readonly CalmTimes[];
  readonly doubtful: Doubtful;
  /** Requests that this machine never made, though they were due. */
  readonly never: number;
  readonly stoodStill: number;
  readonly busiest: number;
}

/** The ends of every figure that a limit can name; none of those that the run does not have. */
export function boundsOf(measured: Measured): Bounds {
  return { ...boundsOfTimes(measured), ...boundsOfCounts(measured) };
}

/** A figure of times in µs, beside which others took none at all. */
type TimeFigure = (times: Histogram, others: number) => number;

const TIME_FIGURES: readonly (readonly [Figure, TimeFigure])[] = [
  ['min', (times, others) => (others > 0 ? 0 : times.min)],
  ['max', (times) => times.max],
  ['avg_response_time', (times, others) => times.sum / (times.count + others)],
  ...Object.entries(SHARES).map(([name, share]): readonly [Figure, TimeFigure] => [
    // The keys are figures.
    name as keyof typeof SHARES,
    (times, others) => {
      const rank = rankOf(share, times.count + others) - others;
      return rank <= 0 ? 0 : times.atRank(rank);
    },
  ]),
];

function boundsOfTimes(measured: Measured): Bounds {
  if (measured.response.count === 0) return {};
  const calm = calmTimes(measured);
  return Object.fromEntries(
    TIME_FIGURES.map(([metric, figure]) => [metric, boundsOfTime(figure, measured, calm)]),
  );
}

/** Times of requests in calm. */
export interface CalmTimes {
  readonly step: Step;
  readonly times: Histogram;
}

/** With those of what was missed: they are certain. */
function calmTimes({ response, counted, calm }: Measured): readonly CalmTimes[] {
  return calm.map(({ step, times }) => ({
    step,
    times: response.count === counted.count ? times : times.with(response, counted),
  }));
}

/**
 * What requests took at least, in their order: the low end of any percentile, as `boundsOf` has it for those that it
 * names. Null without requests.
 */
export function leastTimesOf(measured: Measured): Histogram | null {
  const { response, timeout } = measured;
  if (response.count === 0) return null;
  const calm = calmTimes(measured).filter(({ times }) => times.count > 0);
  const walks = calm.map(({ step, times }) => ({
    step,
    at: walkOf(times.rises(response.count - times.count)),
  }));
  const high = walkOf(response.rises(0));
  const ends = [response, ...calm.map(({ times }) => times)].flatMap((times) =>
    times.rises(response.count - times.count).map(({ upTo }) => upTo),
  );
  const least = Histogram.createTotal();
  let before = 0;
  for (const end of [...new Set(ends)].sort((a, b) => a - b)) {
    const lows = walks.map(({ step, at }) => leastOf(at(end) / 1000, step, timeout) * 1000);
    const low = Math.max(0, Math.min(high(end), ...(lows.length === 0 ? [0] : [Math.max(...lows)])));
    least.recordMany(end - before, toldAsNoMore(low));
    before = end;
  }
  return least;
}

/** The value of each rank, for ranks that ascend; 0 below the first rise. */
function walkOf(rises: readonly Rise[]): (rank: number) => number {
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
  figure: TimeFigure,
  { response, timeout }: Measured,
  calm: readonly CalmTimes[],
): Interval {
  let low = 0;
  for (const { step, times } of calm) {
    if (times.count === 0) continue;
    low = Math.max(low, leastOf(figure(times, response.count - times.count) / 1000, step, timeout));
  }
  const high = figure(response, 0) / 1000;
  return { low: Math.min(low, high), high };
}

/** What a time in calm was without the generator's own part, in ms. Who was given up for time in calm has taken all of it. */
function leastOf(at: number, step: Step, timeout: number): number {
  const without = at - ownShare(step, at);
  return at >= timeout && step <= stepWithin(timeout) ? Math.max(timeout, without) : without;
}

/**
 * What of a time the generator may have added in calm, in ms: once where the request began, and once where its answer was
 * read. At the least step, which timers alone may reach, it is a tenth at most.
 */
function ownShare(step: Step, ms: number): number {
  return step === 2 ? Math.min(2 * step, ms / 10) : 2 * step;
}

function boundsOfCounts(measured: Measured): Bounds {
  const { outcomes, doubtful, missed, requestsPerSecond, bytesReceived } = measured;
  const requests = finishedOf(outcomes);
  const atMost = highOfRequests(measured, requests);
  /** More requests would have had more of each kind. */
  const upTo = (count: number): number | null =>
    atMost === null ? null : requests === 0 ? atMost : (count * atMost) / requests;
  const { success, error, timeoutError, networkError } = outcomes;
  const doubted = doubtful.timeoutError + doubtful.networkError;
  const counts: Bounds = {
    requests: { low: requests, high: atMost },
    success: { low: success, high: upTo(success + doubted) },
    error: { low: error, high: upTo(error) },
    timeout_error: { low: timeoutError - doubtful.timeoutError, high: upTo(timeoutError) },
    network_error: { low: networkError - doubtful.networkError, high: upTo(networkError) },
    data_received: { low: bytesReceived, high: upTo(bytesReceived) },
    requests_per_second: { low: requestsPerSecond, high: upTo(requestsPerSecond) },
  };
  const asked = requests + missed;
  if (asked === 0) return counts;
  const failed = asked - success;
  const [low, high] = [(100 * (failed - doubted)) / asked, (100 * failed) / asked];
  return { ...counts, error_rate: { low, high }, success_rate: { low: 100 - high, high: 100 - low } };
}

/** The requests that a generator without a fault might have made; null where that is not known. */
function highOfRequests(measured: Measured, requests: number): number | null {
  const { open, never, loaded, stoodStill, busiest } = measured;
  if (open) return requests + never;
  if (busiest > BUSY || stoodStill >= loaded) return null;
  return (requests * loaded) / (loaded - stoodStill);
}
