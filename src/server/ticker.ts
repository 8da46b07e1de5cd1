/** The beat of the service: once a second somebody looks at what has come due. */

export interface Ticker {
  /** Calls `work` about once a second until what it gives is called. Work takes no longer than a moment. */
  start(work: () => void): () => void;
}

const SECOND_MS = 1000;

/**
 * Ticks by the wall clock, at every full second: that is when tests are scheduled.
 *
 * Shape: a clock that is set forward or back, and a machine that slept, cost at most one late tick: what is due is
 *        looked up anew each time, and no timer runs longer than a second.
 */
export const wallClockTicker: Ticker = {
  start(work) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      timer = setTimeout(tick, SECOND_MS - (Date.now() % SECOND_MS)).unref();
    };
    const tick = () => {
      wait();
      work();
    };
    wait();
    return () => {
      clearTimeout(timer);
    };
  },
};
