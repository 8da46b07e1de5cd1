/** The delays of timers on this machine: the possible error of an accurate measurement. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** In ms. */
export interface TimerLateness {
  /** The 90th percentile. */
  readonly typical: number;
  readonly max: number;
}

const RESOLUTION_MS = 2;

export interface LatenessWatch {
  /** Returns the lateness since the previous call. */
  read(): TimerLateness;
  /** Stops the observation, during which the thread wakes up every other millisecond. */
  stop(): void;
}

/** Observes this thread from now on. */
export function watchLateness(): LatenessWatch {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return {
    read() {
      const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
      const output = { typical: inMs(delays.percentile(90)), max: inMs(delays.max) };
      delays.reset();
      return output;
    },
    stop() {
      delays.disable();
    },
  };
}
