/** The requests that were not made because a target did not answer: as many as would have been, with their times. */
import type { Histogram } from './histogram.ts';
import type { LoadJob } from './job.ts';
import { findOutages, type Outage } from './outage.ts';
import { isOpenModel } from './pace.ts';
import { addTally, createTally, outcomesOf, type Tally } from './slice.ts';
import type { RunTotals } from './totals.ts';

export interface WithMissed {
  readonly outages: readonly Outage[];
  /** Of each target, with the times of what was missed. */
  readonly targets: readonly { readonly tally: Tally; readonly missed: number }[];
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
export function withMissed(job: LoadJob, totals: RunTotals, overByItself: boolean): WithMissed {
  const { targets: counted } = totals.books;
  const outages = findOutages(totals.watch.between(job.warmup, job.duration), {
    answered: counted.reduce((sum, tally) => sum + answeredOf(tally), 0),
    slow: Math.max(0, ...counted.map((tally) => answerTime(tally, 0.9) / 1000)),
  });
  if (isOpenModel(job)) {
    const targets = counted.map((tally) => ({ tally, missed: overByItself ? tally.stopped : 0 }));
    return { outages, targets };
  }
  const targets = counted.map((tally, index) => {
    const missed = outages.map((outage) => shareOf(outage.missed, index, counted.length));
    const sum = missed.reduce((all, one) => all + one, 0);
    return { tally: sum === 0 ? tally : withTimes(tally, outages, missed), missed: sum };
  });
  return { outages, targets };
}

/** The URLs of a pass are asked equally often. */
function shareOf(missed: number, index: number, targets: number): number {
  return Math.floor((missed + index) / targets);
}

function withTimes(tally: Tally, outages: readonly Outage[], missed: readonly number[]): Tally {
  const whole = createTally('total', tally.service !== null);
  addTally(whole, tally);
  const usual = answerTime(tally, 0.5);
  outages.forEach(({ seconds }, index) => {
    whole.response.recordEvenly(missed[index] ?? 0, seconds * 1e6, Math.min(usual, seconds * 1e6));
  });
  return whole;
}

function answeredOf(tally: Tally): number {
  const { success, error } = outcomesOf(tally);
  return success + error;
}

/** What a share of the answers took at most, in µs; requests without an answer took longer than all of them. */
function answerTime(tally: Tally, share: number): number {
  const times: Histogram = tally.service ?? tally.response;
  return times.quantile((share * answeredOf(tally)) / Math.max(1, times.count)) ?? 0;
}
