export interface Ticker {
  /** Calls `work` about once per second until the returned function is called. `work` must be short. */
  start(work: () => void): () => void;
}

const SECOND_MS = 1000;

/**
 * Calls `work` at full seconds of the wall clock, because scheduled tests are due at full seconds.
 *
 * @remarks After a clock change or a suspension of the machine, at most one tick is late, because no timer runs longer
 * than one second.
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
    return () => clearTimeout(timer);
  },
};
