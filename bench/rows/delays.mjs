import { startDelayTarget } from '../delay-target.mjs';
import { atMost, equal } from '../goals.mjs';
import { answered, closedJob, targetOf } from '../jobs.mjs';
import { reportOf } from '../load-comparison.mjs';
import { measure } from '../measure-command.mjs';
import { alternate, medianOf, pairedRatio } from '../paired-runs.mjs';

const CONNECTIONS = 400;
const WAIT_MS = 100;
const SPARE_SECONDS = 30;

/** Who waits: the clients, since the test says so, or the target, so that the rate and the connections are the same. */
const SUBJECTS = { 'slow target': { ms: WAIT_MS, delay: 0 }, delay: { ms: 1, delay: WAIT_MS - 1 } };

export const delays = {
  name: 'delays',
  title: `${CONNECTIONS} clients with ${WAIT_MS} ms of think time, beside a target that takes so long`,
  needs: ['taskset'],
  async run(bench) {
    const target = await startDelayTarget(bench.programs);
    const sample = async ({ ms, delay }) => {
      const changes = { delay: delay === 0 ? null : { least: delay, most: delay } };
      const targets = [targetOf(target.port, '/', changes)];
      const job = closedJob(targets, { connections: CONNECTIONS, seconds: bench.seconds });
      target.begin('fixed', ms);
      const limit = bench.seconds + SPARE_SECONDS;
      const cost = await measure(bench.engineCommand(job), { core: bench.clientCore, limit });
      const { total } = reportOf(cost);
      const { requests } = await target.report();
      const figures = { requests, answered: answered(total), 'µs/request': (cost.cpuMs * 1000) / requests };
      bench.say(`${requests} requests, ${figures['µs/request'].toFixed(1)} µs`);
      return figures;
    };
    try {
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
          equal('runs whose counts differ from the target', wrong.length, 0),
        ],
      };
    } finally {
      await target.close();
    }
  },
};
