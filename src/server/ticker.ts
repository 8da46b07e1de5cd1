/** The beat of the service: once a second somebody looks at what has come due. */
import { Cron } from 'croner';

export interface Ticker {
  /** Calls `work` about once a second until what it gives is called. Work takes no longer than a moment. */
  start(work: () => void): () => void;
}

/**
 * Ticks by the wall clock, at every full second.
 *
 * Shape: a clock that is set forward or back, and a machine that slept, cost at most one late tick: what is due is
 *        looked up anew each time, and no timer runs longer than a second.
 */
export const wallClockTicker: Ticker = {
  start(work) {
    const job = new Cron('* * * * * *', { timezone: 'UTC', unref: true }, work);
    return () => {
      job.stop();
    };
  },
};
