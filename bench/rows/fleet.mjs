import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle-options.mjs';
import { connectProgram } from '../child-program.mjs';
import {
  cpuSecondsOf,
  startRedis,
  startService,
  startVerifiedTarget,
  WORKER_SECRET,
} from '../cluster-processes.mjs';
import { atLeast, atMost, equal } from '../goals.mjs';
import { pause } from '../pause.mjs';

const MIN_SECONDS = 20;
/** Seconds at the start and at the end of a run that are not part of the steady state. */
const [STEADY_AFTER, STEADY_BEFORE_END] = [4, 4];
const FAIL_AFTER_SECONDS = 4;
const WARM_UP_SECONDS = 2;
/** Many small workers; fewer and larger workers with the same number of threads. */
const SHAPES = [
  { workers: 200, threads: 1 },
  { workers: 25, threads: 8 },
];

export const fleet = {
  name: 'fleet',
  title: 'A service with 200 simulated workers on a real Redis',
  needs: ['nginx'],
  async run(bench) {
    const directory = join(bench.directory, 'fleet');
    mkdirSync(directory);
    const script = await buildSimulatedWorkers(directory);
    const target = await startVerifiedTarget(bench.programs.nginx.command, directory);
    const seconds = Math.max(bench.seconds, MIN_SECONDS);
    const measured = [];
    for (const shape of SHAPES) measured.push(await measure({ directory, script, target, seconds, shape }));
    const [many] = measured;
    return {
      rows: measured.map(({ row }) => row),
      goals: [
        equal('wrongly counted requests', many.miscounted, 0),
        equal('workers that were not ready within 5 s', many.notReady, 0),
        equal('lost workers', many.lost, 0),
        atMost('CPU of the service per worker and second', many.row['ms/worker·s'], 2.5, ' ms'),
        atMost('Redis traffic per worker and second', many.row['KiB/worker·s'], 64, ' KiB'),
        atLeast('minimum remaining time of a lease', many.row['min lease, s'], 2.5, ' s'),
        atMost('time from the error threshold to the end of all load', many.row['stopped in, s'], 1, ' s'),
      ],
    };
  },
};

async function measure({ directory, script, target, seconds, shape }) {
  const { workers: workerCount, threads } = shape;
  const redis = await startRedis(directory);
  const service = await startService(directory, target, `service-${workerCount}`, [
    '--redis',
    redis.url,
    '--max-host-rate',
    '1000000000',
  ]);
  const workers = await startSimulatedWorkers(script, { ...shape, redis: redis.url, secret: WORKER_SECRET });
  await service.waitForWorkers(workerCount);
  const idle = await costOf(service, redis, () => pause(3000));
  const load = {
    test_type: 'cycling',
    initial: workerCount * threads,
    total: workerCount * threads,
    duration: seconds,
    urls: [{ url: `http://${target.host}/` }],
  };
  // The first run creates queues and connections of the service, and compiles its code.
  await service.run({ ...load, duration: WARM_UP_SECONDS });
  await service.waitForWorkers(workerCount);
  let steady = null;
  let connections = 0;
  workers.send('reset');
  let result = null;
  const total = await costOf(service, redis, async () => {
    result = await service.run(load, async () => {
      await pause(STEADY_AFTER * 1000);
      connections = await redis.readInfo('clients', 'connected_clients');
      const steadySeconds = seconds - STEADY_AFTER - STEADY_BEFORE_END;
      steady = await costOf(service, redis, () => pause(steadySeconds * 1000));
    });
  });
  if (result.workers === undefined) {
    throw new Error(`no worker sent load: ${result.error_samples[0]?.error ?? result.abort_reason}`);
  }
  const report = await workers.request('report');
  const active = result.workers.length;
  workers.send('reset');
  await service.waitForWorkers(workerCount);
  const failed = await service.run({ ...load, error_threshold: 50 }, async () => {
    await pause(FAIL_AFTER_SECONDS * 1000);
    workers.send('fail');
  });
  const { stopTimes } = await workers.request('report');
  await workers.close();
  const endedByThreshold = failed.abort_reason === 'error_threshold';
  return {
    miscounted: Math.abs(result.requests - report.requests),
    lost: result.workers.filter(({ lost }) => lost !== null).length,
    notReady: workerCount - active,
    row: {
      name: `${workerCount} workers with ${threads === 1 ? 'one thread' : `${threads} threads`}`,
      'ms/worker·s': (1000 * steady.service) / steady.seconds / active,
      'of a core': steady.service / steady.seconds,
      'idle, of a core': idle.service / idle.seconds,
      'whole run, s of CPU': total.service,
      'Redis, of a core': steady.redis / steady.seconds,
      'KiB/worker·s': steady.bytes / 1024 / steady.seconds / active,
      'connections to Redis': connections,
      'min lease, s': report.minLease / 1000,
      'stopped in, s': endedByThreshold ? Math.max(...stopTimes) / 1000 : Infinity,
    },
  };
}

/** Measures CPU seconds and bytes during an action. */
async function costOf(service, redis, action) {
  const [serviceCpu, redisCpu, bytes, start] = [
    cpuSecondsOf(service),
    cpuSecondsOf(redis),
    await redis.bytes(),
    performance.now(),
  ];
  await action();
  return {
    service: cpuSecondsOf(service) - serviceCpu,
    redis: cpuSecondsOf(redis) - redisCpu,
    bytes: (await redis.bytes()) - bytes,
    seconds: (performance.now() - start) / 1000,
  };
}

async function buildSimulatedWorkers(directory) {
  const script = join(directory, 'simulated-workers.mjs');
  const { outputFiles } = await bundle({ entryPoints: ['bench/simulated-workers.mjs'], outfile: script });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  return script;
}

async function startSimulatedWorkers(script, options) {
  const args = [JSON.stringify(options)];
  return await connectProgram(fork(script, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
}
