import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOf, launch, startConsenting, startRedis, startService } from '../cluster-processes.mjs';
import { atMost, equal } from '../goals.mjs';
import { median } from '../paired-runs.mjs';

const CONNECTIONS = 64;
const WORKERS = 2;

export const workers = {
  name: 'workers',
  title: `The same load by ${WORKERS} workers over Redis, and by as many threads of the service itself`,
  needs: ['nginx'],
  async run(bench) {
    const directory = join(bench.directory, 'workers');
    mkdirSync(directory);
    const target = await startConsenting(bench.programs.nginx.command, directory);
    const redis = await startRedis(directory);
    const local = await startService(directory, target, 'local', ['--threads', String(WORKERS)]);
    const far = await startService(directory, target, 'far', ['--redis', redis.url]);
    const crew = [];
    while (crew.length < WORKERS)
      crew.push(await launch(directory, ['worker', '--redis', redis.url, '--threads', '1'], '"ready"'));
    await far.sees(WORKERS);
    const load = {
      ...{ test_type: 'cycling', initial: CONNECTIONS, total: CONNECTIONS, duration: bench.seconds },
      urls: [{ url: `http://${target.host}/` }],
    };
    const [ratios, alones, parteds, told] = [[], [], [], []];
    for (let round = 0; round < bench.rounds; round++) {
      const alone = await cost(local, [local], load);
      const bytes = await redis.bytes();
      const parted = await cost(far, [far, ...crew], load);
      told.push(((await redis.bytes()) - bytes) / WORKERS / bench.seconds);
      alones.push(alone);
      parteds.push(parted);
      ratios.push(parted.perRequest / alone.perRequest);
    }
    const broken = [...alones, ...parteds].filter(
      ({ abort_reason: reason, requests, success }) => reason !== null || requests !== success,
    );
    return {
      rows: [
        rowOf('by the service itself', alones),
        rowOf(`by ${WORKERS} workers and their service`, parteds),
      ],
      goals: [
        atMost('CPU of a request, with workers', median(ratios), 1.05, ' of that without'),
        atMost('through Redis, for a worker and second', median(told) / 1024, 64, ' KiB'),
        equal('runs that were not whole', broken.length, 0),
      ],
    };
  },
};

function rowOf(name, costs) {
  return {
    name,
    'µs/request': median(costs.map(({ perRequest }) => perRequest)) * 1e6,
    'of it the service': median(costs.map(({ own }) => own)) * 1e6,
    requests: median(costs.map(({ requests }) => requests)),
  };
}

/** CPU seconds that processes took for each request of a run. */
async function cost(service, processes, load) {
  const before = processes.map(cpuOf);
  const result = await service.run(load);
  const each = processes.map((one, index) => cpuOf(one) - before[index]);
  const seconds = each.reduce((sum, one) => sum + one, 0);
  return { perRequest: seconds / result.requests, own: each[0] / result.requests, ...result };
}
