/** How late a machine lets somebody be who does nothing but wait: what a true measurement may be off by, here and now. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** In ms. */
export interface TimerLateness {
  /** Nine times of ten it is less. */
  readonly typical: number;
  readonly max: number;
}

const RESOLUTION_MS = 2;

export interface LatenessWatch {
  /** Of the time since it was last asked. */
  read(): TimerLateness;
  /** A thread that is watched wakes up every other millisecond. */
  stop(): void;
}

/** Watches this thread from now on. */
export function watchLateness(): LatenessWatch {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return {
    read() {
      const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
      const told = { typical: inMs(delays.percentile(90)), max: inMs(delays.max) };
      delays.reset();
      return told;
    },
    stop() {
      delays.disable();
    },
  };
}
