/** The slow target, which keeps its own books. */
import { fileURLToPath } from 'node:url';
import { pause } from './pause.mjs';
import { startProgram } from './child-program.mjs';

const PROGRAM = fileURLToPath(new URL('delay-server.mjs', import.meta.url));

/** Answers that are on their way when the client has ended. */
const SETTLE_MS = 200;

export async function startDelayTarget(programs) {
  const { ready, close, tell, ask } = await startProgram(programs, PROGRAM);
  return {
    port: ready.port,
    close,
    /** `delay`: "fixed" for always the same, "spread" for an exponential one with this mean over 20 ms. */
    begin: (delay, ms) => tell({ delay, ms }),
    report: async () => {
      await pause(SETTLE_MS);
      return await ask({ report: true });
    },
  };
}
