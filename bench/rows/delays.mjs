import { runDelayed, withDelayTarget } from '../delay-target.mjs';
import { atMost, equal } from '../goals.mjs';
import { countResponses, closedJob, targetOf } from '../jobs.mjs';
import { alternate, medianOf, pairedRatio } from '../paired-runs.mjs';

const CONNECTIONS = 400;
const WAIT_MS = 100;

/**
 * Subjects with the same rate and the same connections: either the target waits, or the clients do (think
 * time).
 */
const SUBJECTS = { 'slow target': { ms: WAIT_MS, delay: 0 }, delay: { ms: 1, delay: WAIT_MS - 1 } };

export const delays = {
  name: 'delays',
  title: `${CONNECTIONS} clients with ${WAIT_MS} ms of think time, compared with clients of a target that takes ${WAIT_MS} ms`,
  needs: ['taskset'],
  run: (bench) =>
    withDelayTarget(bench, async (target) => {
      const sample = async ({ ms, delay }) => {
        const changes = { delay: delay === 0 ? null : { min: delay, max: delay } };
        const targets = [targetOf(target.port, '/', changes)];
        const job = closedJob(targets, { connections: CONNECTIONS, seconds: bench.seconds });
        const { cost, report, counted } = await runDelayed(bench, target, { job, ms });
        const { requests } = counted;
        const metrics = {
          requests,
          answered: countResponses(report.total),
          'µs/request': (cost.cpuMs * 1000) / requests,
        };
        bench.log(`${requests} requests, ${metrics['µs/request'].toFixed(1)} µs`);
        return metrics;
      };
      const samples = await alternate(
        bench.rounds,
        Object.entries(SUBJECTS).map(([name, subject]) => ({ name, sample: () => sample(subject) })),
      );
      const [slow, used] = Object.keys(SUBJECTS).map((name) => samples.get(name));
      const wrong = [...slow, ...used].filter((one) => one.answered !== one.requests);
      return {
        rows: Object.keys(SUBJECTS).map((name) => ({
          name,
          requests: medianOf(samples.get(name), 'requests'),
          'µs/request': medianOf(samples.get(name), 'µs/request'),
        })),
        samples: Object.fromEntries(samples),
        goals: [
          atMost('delay / slow target', pairedRatio(used, slow, 'µs/request'), 1.1, ' ×'),
          equal('runs whose counts differ from those of the target', wrong.length, 0),
        ],
      };
    }),
};
