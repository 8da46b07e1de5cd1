import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  cpuSecondsOf,
  launch,
  startVerifiedTarget,
  startRedis,
  startService,
} from '../cluster-processes.mjs';
import { atMost, equal } from '../goals.mjs';
import { median } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const WORKERS = 2;

export const workers = {
  name: 'workers',
  title: `The same load by ${WORKERS} workers through Redis and by ${WORKERS} threads of the service`,
  needs: ['nginx'],
  async run(bench) {
    const directory = join(bench.directory, 'workers');
    mkdirSync(directory);
    const target = await startVerifiedTarget(bench.programs.nginx.command, directory);
    const redis = await startRedis(directory);
    const local = await startService(directory, target, 'local', ['--threads', String(WORKERS)]);
    const distributed = await startService(directory, target, 'distributed', ['--redis', redis.url]);
    const workerProcesses = [];
    while (workerProcesses.length < WORKERS)
      workerProcesses.push(
        await launch(directory, ['worker', '--redis', redis.url, '--threads', '1'], '"ready"'),
      );
    await distributed.waitForWorkers(WORKERS);
    const load = {
      test_type: 'cycling',
      initial: CONNECTIONS,
      total: CONNECTIONS,
      duration: bench.seconds,
      urls: [{ url: `http://${target.host}/` }],
    };
    const [ratios, localCosts, distributedCosts, bytesPerWorker] = [[], [], [], []];
    for (let round = 0; round < bench.rounds; round++) {
      const localCost = await cost(local, [local], load);
      const bytes = await redis.bytes();
      const distributedCost = await cost(distributed, [distributed, ...workerProcesses], load);
      bytesPerWorker.push(((await redis.bytes()) - bytes) / WORKERS / bench.seconds);
      localCosts.push(localCost);
      distributedCosts.push(distributedCost);
      ratios.push(distributedCost.perRequest / localCost.perRequest);
    }
    const incomplete = [...localCosts, ...distributedCosts].filter(
      ({ abort_reason: reason, requests, success }) => reason !== null || requests !== success,
    );
    return {
      rows: [
        rowOf('threads of the service', localCosts),
        rowOf(`${WORKERS} workers and their service`, distributedCosts),
      ],
      goals: [
        atMost('CPU per request, workers / threads', median(ratios), 1.05, ' ×'),
        atMost('Redis traffic per worker and second', median(bytesPerWorker) / 1024, 64, ' KiB'),
        equal('incomplete runs', incomplete.length, 0),
      ],
    };
  },
};

function rowOf(name, costs) {
  return {
    name,
    'µs/request': median(costs.map(({ perRequest }) => perRequest)) * 1e6,
    'of which the service': median(costs.map(({ own }) => own)) * 1e6,
    requests: median(costs.map(({ requests }) => requests)),
  };
}

/** Returns the CPU time of the processes per request of a run, in seconds. */
async function cost(service, processes, load) {
  const before = processes.map(cpuSecondsOf);
  const result = await service.run(load);
  const each = processes.map((one, index) => cpuSecondsOf(one) - before[index]);
  const seconds = each.reduce((sum, one) => sum + one, 0);
  return { perRequest: seconds / result.requests, own: each[0] / result.requests, ...result };
}
