/** Old results go, where the operator says which. */
import type { ServiceLog } from '../log.ts';
import type { RetentionPolicy, ResultStore } from '../store/result-store.ts';

export interface RetentionDeps {
  readonly results: ResultStore;
  readonly policy: RetentionPolicy;
  readonly log: ServiceLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Retention {
  /** Deletes some of what is too much. Never throws: nobody waits for it. */
  tick(): void;
}

/** Between two looks, where the last one found nothing. */
const IDLE_INTERVAL_MS = 60_000;
/** Of each second: meanwhile the service answers nobody. */
const MAX_STEP_MS = 25;

export function createRetention({ results, policy, log, now }: RetentionDeps): Retention {
  let nextLook = Number.NEGATIVE_INFINITY;
  return {
    tick() {
      if (performance.now() < nextLook) return;
      try {
        const end = performance.now() + MAX_STEP_MS;
        const count = results.prune(policy, now(), () => performance.now() >= end);
        if (count === 0) nextLook = performance.now() + IDLE_INTERVAL_MS;
        else log.info({ event: 'results-pruned', count });
      } catch (error) {
        nextLook = performance.now() + IDLE_INTERVAL_MS;
        log.error({ event: 'results-not-pruned', reason: error instanceof Error ? error.message : '' });
      }
    },
  };
}
