/** The target with a delay: starts `delay-target-server.mjs` in its own process. */
import { fileURLToPath } from 'node:url';
import { pause } from './pause.mjs';
import { startProgram } from './child-program.mjs';

const PROGRAM = fileURLToPath(new URL('delay-target-server.mjs', import.meta.url));

/** Time for responses that are in transit when the client ends. */
const SETTLE_MS = 200;

export async function startDelayTarget(programs) {
  const { ready, close, send, request } = await startProgram(programs, PROGRAM);
  return {
    port: ready.port,
    close,
    /**
     * Sets the delay: "fixed" for a constant delay, or "spread" for an exponential one with this mean above
     * 20 ms.
     */
    begin: (delay, ms) => send({ delay, ms }),
    report: async () => {
      await pause(SETTLE_MS);
      return await request({ report: true });
    },
  };
}
