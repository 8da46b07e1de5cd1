import { messageOf } from '../../core/unknown-value.ts';
import type { ServiceLog } from '../log.ts';
import type { RetentionPolicy, ResultStore } from '../store/result-store.ts';

export interface RetentionDeps {
  readonly results: ResultStore;
  readonly policy: RetentionPolicy;
  readonly log: ServiceLog;
  readonly now: () => number;
}

export interface Retention {
  /** Deletes some of the results that exceed the policy. Never throws: failures are logged. */
  tick(): void;
}

const IDLE_INTERVAL_MS = 60_000;
/** Approximate time limit in ms for the deletions of one tick, during which the service does not respond. */
const MAX_STEP_MS = 25;

export function createRetention({ results, policy, log, now }: RetentionDeps): Retention {
  let nextCheck = Number.NEGATIVE_INFINITY;
  return {
    tick() {
      if (performance.now() < nextCheck) return;
      try {
        const end = performance.now() + MAX_STEP_MS;
        const count = results.prune(policy, now(), () => performance.now() >= end);
        if (count === 0) nextCheck = performance.now() + IDLE_INTERVAL_MS;
        else log.info({ event: 'results-pruned', count });
      } catch (error) {
        nextCheck = performance.now() + IDLE_INTERVAL_MS;
        log.error({ event: 'results-not-pruned', reason: messageOf(error) });
      }
    },
  };
}
