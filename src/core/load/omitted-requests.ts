/** Adds omitted requests to the tallies of a run: see `Metrics.omitted`. */
import { Histogram } from './histogram.ts';
import { requestShares } from '../model/iteration.ts';
import type { LoadJob } from './load-job.ts';
import { findOutages, type Outage } from './outage.ts';
import { isOpenModel } from '../model/pace.ts';
import { addTally, createTally, outcomesOf, type Tally } from './snapshot.ts';
import type { RunTotals } from './run-totals.ts';
import { sumOf } from '../sum.ts';

export interface OmittedRequests {
  readonly outages: readonly Outage[];
  readonly targets: readonly OmittedOfTarget[];
}

interface OmittedOfTarget {
  /** Tally whose response times include `omittedTimes`. */
  readonly tally: Tally;
  readonly omitted: number;
  /** See `MeasuredTimes.omittedTimes`; empty in the open models. */
  readonly omittedTimes: Histogram;
}

/**
 * Returns the outages, and the tallies including omitted requests.
 *
 * In the closed model, omitted requests are those that clients would have sent during outages. Their times are evenly
 * distributed between the median response time and the length of the outage. In the open models, omitted requests are
 * those that were not sent because the run ended normally during their iteration. Their times are already in the
 * tallies.
 * @param isComplete - true if the run did not end early
 */
export function withOmittedRequests(job: LoadJob, totals: RunTotals, isComplete: boolean): OmittedRequests {
  const { targets: counted } = totals.ledger;
  const outages = findOutages(totals.observations.between(job.warmup, job.duration), {
    responses: counted.reduce((sum, tally) => sum + countResponses(tally), 0),
    slowResponseMs: Math.max(0, ...counted.map((tally) => responseTimeAt(tally, 0.9) / 1000)),
  });
  if (isOpenModel(job)) {
    const omittedTimes = Histogram.createTotal();
    const targets = counted.map((tally) => ({
      tally,
      omitted: isComplete ? tally.stopped : 0,
      omittedTimes,
    }));
    return { outages, targets };
  }
  const targets = counted.map((tally, index) => {
    const omitted = outages.map((outage) => omittedOfTarget(job, outage.omitted, index));
    const omittedTimes = timesOfOmitted(tally, outages, omitted);
    const sum = createTally('total', false);
    addTally(sum, tally);
    sum.response.add(omittedTimes);
    return { tally: sum, omitted: omittedTimes.count, omittedTimes };
  });
  return { outages, targets };
}

/**
 * Returns the number of omitted requests of one URL, in proportion to its share of all requests. The results for all
 * URLs add up to `omitted`.
 */
function omittedOfTarget(job: LoadJob, omitted: number, index: number): number {
  const shares = requestShares(job);
  const sumUntil = (end: number) => sumOf(shares.slice(0, end));
  const countUntil = (end: number) => Math.floor((omitted * sumUntil(end)) / sumUntil(shares.length));
  return countUntil(index + 1) - countUntil(index);
}

function timesOfOmitted(tally: Tally, outages: readonly Outage[], omitted: readonly number[]): Histogram {
  const times = Histogram.createTotal();
  const median = responseTimeAt(tally, 0.5);
  outages.forEach(({ seconds }, index) =>
    times.recordEvenly(omitted[index] ?? 0, seconds * 1e6, Math.min(median, seconds * 1e6)),
  );
  return times;
}

function countResponses(tally: Tally): number {
  const { success, error } = outcomesOf(tally);
  return success + error;
}

/** Returns a quantile of the response times in µs. Requests without a response are assumed to be the slowest. */
function responseTimeAt(tally: Tally, fraction: number): number {
  const times: Histogram = tally.service ?? tally.response;
  return times.quantile((fraction * countResponses(tally)) / Math.max(1, times.count)) ?? 0;
}
