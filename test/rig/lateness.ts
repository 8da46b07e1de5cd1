/** How late a machine lets somebody be who does nothing but wait: what a true measurement may be off by, here and now. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** In ms. */
export interface Lateness {
  /** Nine times of ten it is less. */
  readonly usual: number;
  readonly most: number;
}

const RESOLUTION_MS = 2;

/** Watches this thread from now on; what is returned tells of the time since it was last asked. */
export function watchLateness(): () => Lateness {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const inMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const told = { usual: inMs(delays.percentile(90)), most: inMs(delays.max) };
    delays.reset();
    return told;
  };
}
