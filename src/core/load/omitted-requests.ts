/** The requests that were not made because a target did not answer: as many as would have been, with their times. */
import type { Histogram } from './histogram.ts';
import type { LoadJob } from './load-job.ts';
import { findOutages, type Outage } from './outage.ts';
import { isOpenModel } from './pace.ts';
import { addTally, createTally, outcomesOf, type Tally } from './snapshot.ts';
import type { RunTotals } from './run-totals.ts';

export interface OmittedRequests {
  readonly outages: readonly Outage[];
  /** Of each target, with the times of what was missed. */
  readonly targets: readonly { readonly tally: Tally; readonly omitted: number }[];
}

/**
 * Puts what was missed beside what was counted.
 *
 * In the closed model that is what clients would have made in outages; each such request has waited until the end of its
 * outage, which the one that came last saw for no longer than an answer usually takes. In the open models every request
 * is planned, so those of passes that were cut off by the end of the run were missed; the worker has recorded them.
 *
 * @param overByItself not ended before its time
 */
export function withOmittedRequests(job: LoadJob, totals: RunTotals, overByItself: boolean): OmittedRequests {
  const { targets: counted } = totals.ledger;
  const outages = findOutages(totals.observations.between(job.warmup, job.duration), {
    responses: counted.reduce((sum, tally) => sum + countResponses(tally), 0),
    slowResponseMs: Math.max(0, ...counted.map((tally) => responseTimeAt(tally, 0.9) / 1000)),
  });
  if (isOpenModel(job)) {
    const targets = counted.map((tally) => ({ tally, omitted: overByItself ? tally.stopped : 0 }));
    return { outages, targets };
  }
  const targets = counted.map((tally, index) => {
    const omitted = outages.map((outage) => omittedOfTarget(outage.omitted, index, counted.length));
    const sum = omitted.reduce((all, one) => all + one, 0);
    return { tally: sum === 0 ? tally : withOmittedTimes(tally, outages, omitted), omitted: sum };
  });
  return { outages, targets };
}

/** The URLs of a pass are asked equally often. */
function omittedOfTarget(omitted: number, index: number, targets: number): number {
  return Math.floor((omitted + index) / targets);
}

function withOmittedTimes(tally: Tally, outages: readonly Outage[], omitted: readonly number[]): Tally {
  const whole = createTally('total', tally.service !== null);
  addTally(whole, tally);
  const usual = responseTimeAt(tally, 0.5);
  outages.forEach(({ seconds }, index) => {
    whole.response.recordEvenly(omitted[index] ?? 0, seconds * 1e6, Math.min(usual, seconds * 1e6));
  });
  return whole;
}

function countResponses(tally: Tally): number {
  const { success, error } = outcomesOf(tally);
  return success + error;
}

/** What a share of the answers took at most, in µs; requests without an answer took longer than all of them. */
function responseTimeAt(tally: Tally, share: number): number {
  const times: Histogram = tally.service ?? tally.response;
  return times.quantile((share * countResponses(tally)) / Math.max(1, times.count)) ?? 0;
}
