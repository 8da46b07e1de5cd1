/** Old results go, where the operator says which. */
import type { ServiceLog } from '../log.ts';
import type { KeptResults, ResultStore } from '../store/results.ts';

export interface RetentionParts {
  readonly results: ResultStore;
  readonly keep: KeptResults;
  readonly log: ServiceLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Retention {
  /** Deletes some of what is too much. Never throws: nobody waits for it. */
  tick(): void;
}

/** Between two looks, where the last one found nothing. */
const PAUSE_MS = 60_000;
/** Of each second: meanwhile the service answers nobody. */
const STEP_MS = 25;

export function openRetention({ results, keep, log, now }: RetentionParts): Retention {
  let nextLook = Number.NEGATIVE_INFINITY;
  return {
    tick() {
      if (performance.now() < nextLook) return;
      try {
        const end = performance.now() + STEP_MS;
        const count = results.prune(keep, now(), () => performance.now() >= end);
        if (count === 0) nextLook = performance.now() + PAUSE_MS;
        else log.info({ event: 'results-pruned', count });
      } catch (error) {
        nextLook = performance.now() + PAUSE_MS;
        log.error({ event: 'results-not-pruned', reason: error instanceof Error ? error.message : '' });
      }
    },
  };
}
