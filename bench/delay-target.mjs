/** The target with a delay: starts `delay-target-server.mjs` in its own process. */
import { fileURLToPath } from 'node:url';
import { startProgram } from './child-program.mjs';
import { reportOf } from './load-comparison.mjs';
import { measure } from './measure-command.mjs';
import { pause } from './pause.mjs';

const PROGRAM = fileURLToPath(new URL('delay-target-server.mjs', import.meta.url));

/** Time for responses that are in transit when the client ends. */
const SETTLE_MS = 200;

/** Time for start and end, and for delays on a busy machine, in addition to the load itself. */
export const SPARE_SECONDS = 30;

/** Starts a target, returns the result of `run`, and stops the target. */
export async function withDelayTarget({ programs }, run) {
  const target = await startDelayTarget(programs);
  try {
    return await run(target);
  } finally {
    await target.close();
  }
}

/** Sends a load to the target. Returns its cost, the report of the engine, and the report of the target. */
export async function runDelayed(bench, target, { job, delay = 'fixed', ms }) {
  target.begin(delay, ms);
  const limit = job.duration / 1000 + SPARE_SECONDS;
  const cost = await measure(bench.engineCommand(job), { core: bench.clientCore, limit });
  return { cost, report: reportOf(cost), counted: await target.report() };
}

async function startDelayTarget(programs) {
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
