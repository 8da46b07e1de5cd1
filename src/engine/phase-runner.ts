/** Sender of the requests before and after the load. Its code is loaded when it is first used. */
import type { PhaseRunner } from '../core/ports/phase-runner.ts';

export function createPhaseRunner(): PhaseRunner {
  return {
    run: async (job, options) => {
      const { runPhase } = await import('./phase-iterations.ts');
      return await runPhase(job, options);
    },
  };
}
