import { spawn } from 'node:child_process';
import { SPARE_SECONDS, withDelayTarget } from '../delay-target.mjs';
import { onExit } from '../cleanup.mjs';
import { atLeast, equal } from '../goals.mjs';
import { closedJob, openJob, targetOf } from '../jobs.mjs';
import { reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';

const REPEATS = 20;
const SECONDS = 2;
const DELAY_MS = 40;
/** Ratios of the threshold to the time that the target measures itself. */
const FACTORS = { below: 0.9, above: 1.1 };
/** Each load makes about 1,000 requests. */
const LOADS = {
  closed: (targets) => closedJob(targets, { connections: 20, seconds: SECONDS }),
  open: (targets) => openJob(targets, { perSecond: 500, seconds: SECONDS }),
};
const PERCENTILES = { p50: 18, p95: 18, p99: 15 };
/** Number of other processes that use all of their CPU time. */
const BUSY_PROCESSES = [0, 1, 2];
/** With two busy processes on two cores, only a wrong verdict is a failure. */
const MAX_JUDGED_BUSY = 1;

export const verdicts = {
  name: 'verdicts',
  title: `Verdicts of ${REPEATS} runs of ${SECONDS} s on thresholds 10% below and above the response time of a target that takes ${DELAY_MS} ms`,
  needs: ['taskset'],
  async run(bench) {
    const rows = [];
    await withDelayTarget(bench, async (target) => {
      for (const busy of BUSY_PROCESSES) {
        const stop = startBusyProcesses(busy);
        for (const [model, jobFor] of Object.entries(LOADS)) {
          const job = jobFor([targetOf(target.port)]);
          const counts = await countVerdicts(bench, target, job);
          bench.log(`${model}, ${busy} busy: ${JSON.stringify(counts)}`);
          rows.push({ name: `${model}, ${busy} busy processes`, busy, counts });
        }
        await stop();
      }
    });
    return {
      rows: rows.map(({ name, counts }) => ({
        name,
        ...Object.fromEntries(
          Object.entries(counts).map(([key, { right, wrong }]) => [key, `${right} right, ${wrong} wrong`]),
        ),
      })),
      goals: rows.flatMap(({ name, busy, counts }) => [
        ...(busy > MAX_JUDGED_BUSY
          ? []
          : Object.entries(counts).map(([key, { right }]) =>
              atLeast(`${name}, ${key}: right verdicts`, right, PERCENTILES[key.split(' ')[0]]),
            )),
        equal(
          `${name}: wrong verdicts`,
          Object.values(counts).reduce((sum, { wrong }) => sum + wrong, 0),
          0,
        ),
      ]),
    };
  },
};

async function countVerdicts(bench, target, job) {
  const counts = Object.fromEntries(
    Object.keys(PERCENTILES).flatMap((percentile) =>
      Object.keys(FACTORS).map((side) => [`${percentile} ${side}`, { right: 0, wrong: 0 }]),
    ),
  );
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    target.begin('fixed', DELAY_MS);
    const cost = await measure(bench.engineCommand(job), { limit: SECONDS + SPARE_SECONDS });
    const { bounds } = reportOf(cost);
    const truth = await target.report();
    for (const percentile of Object.keys(PERCENTILES)) {
      for (const [side, factor] of Object.entries(FACTORS)) {
        const threshold = truth[percentile] * factor;
        const { low, high } = bounds[percentile];
        const verdict = high < threshold ? 'pass' : low >= threshold ? 'fail' : 'inconclusive';
        if (verdict === 'inconclusive') continue;
        counts[`${percentile} ${side}`][
          verdict === (side === 'above' ? 'pass' : 'fail') ? 'right' : 'wrong'
        ]++;
      }
    }
  }
  return counts;
}

/** Starts processes that never sleep. Returns a function that ends them. */
function startBusyProcesses(count) {
  const closers = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' });
    return onExit(() => child.kill('SIGKILL'));
  });
  return () => Promise.all(closers.map((close) => close()));
}
