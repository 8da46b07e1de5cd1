/** Sends the requests before and after the load. The implementation is imported on first use. */
import type { PhaseRunner } from '../core/ports/phase-runner.ts';

export function createPhaseRunner(): PhaseRunner {
  return {
    run: async (job, options) => {
      const { runPhase } = await import('./phase-iterations.ts');
      return await runPhase(job, options);
    },
  };
}
