import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle-options.mjs';
import { cpuOf, startConsenting, startRedis, startService, WORKER_SECRET } from '../cluster-processes.mjs';
import { atLeast, atMost, equal } from '../goals.mjs';
import { pause } from '../pause.mjs';
import { overChannel } from '../child-program.mjs';

const LEAST_SECONDS = 20;
/** Offers, the start and the end are measured with the whole, and not with what goes on. */
const [FROM_SECOND, BEFORE_END] = [4, 4];
const FAIL_AFTER_SECONDS = 4;
const WARM_UP_SECONDS = 2;
/** One worker on each of many machines; fewer and larger ones with as many threads. */
const SHAPES = [
  { players: 200, threads: 1 },
  { players: 25, threads: 8 },
];

export const fleet = {
  name: 'fleet',
  title: 'A service and the streams of 200 workers, played through a Redis',
  needs: ['nginx'],
  async run(bench) {
    const directory = join(bench.directory, 'fleet');
    mkdirSync(directory);
    const script = await buildPlayers(directory);
    const target = await startConsenting(bench.programs.nginx.command, directory);
    const seconds = Math.max(bench.seconds, LEAST_SECONDS);
    const measured = [];
    for (const shape of SHAPES) measured.push(await measure({ directory, script, target, seconds, shape }));
    const [many] = measured;
    return {
      rows: measured.map(({ row }) => row),
      goals: [
        equal('requests that were counted otherwise than told', many.miscounted, 0),
        equal('workers that were not ready within 5 s', many.idle, 0),
        equal('workers that were lost', many.lost, 0),
        atMost('CPU of the service, for a worker and second', many.row['ms/worker·s'], 2.5, ' ms'),
        atMost('through Redis, for a worker and second', many.row['KiB/worker·s'], 64, ' KiB'),
        atLeast('the least that a lease had left', many.row['least lease, s'], 2.5, ' s'),
        atMost('from too many failures to the end everywhere', many.row['judged in, s'], 1, ' s'),
      ],
    };
  },
};

async function measure({ directory, script, target, seconds, shape }) {
  const { players, threads } = shape;
  const redis = await startRedis(directory);
  const service = await startService(directory, target, `service-${players}`, [
    ...['--redis', redis.url, '--max-host-rate', '1000000000'],
  ]);
  const crew = await startPlayers(script, { ...shape, redis: redis.url, secret: WORKER_SECRET });
  await service.sees(players);
  const idle = await costOf(service, redis, () => pause(3000));
  const load = {
    ...{ test_type: 'cycling', initial: players * threads, total: players * threads, duration: seconds },
    urls: [{ url: `http://${target.host}/` }],
  };
  // What is made once: queues of the service, connections, compiled code.
  await service.run({ ...load, duration: WARM_UP_SECONDS });
  await service.sees(players);
  let going = null;
  let connections = 0;
  crew.tell('forget');
  let result = null;
  const whole = await costOf(service, redis, async () => {
    result = await service.run(load, async () => {
      await pause(FROM_SECOND * 1000);
      connections = await redis.figure('clients', 'connected_clients');
      going = await costOf(service, redis, () => pause((seconds - FROM_SECOND - BEFORE_END) * 1000));
    });
  });
  if (result.workers === undefined)
    throw new Error(`it was not made: ${result.error_samples[0]?.error ?? result.abort_reason}`);
  const told = await crew.ask('tell');
  const made = result.workers.length;
  crew.tell('forget');
  const failing = { ...load, error_threshold: 50 };
  await service.sees(players);
  const failed = await service.run(failing, async () => {
    await pause(FAIL_AFTER_SECONDS * 1000);
    crew.tell('fail');
  });
  const stopped = await crew.ask('tell');
  await crew.close();
  const judged = failed.abort_reason === 'error_threshold';
  return {
    miscounted: Math.abs(result.requests - told.requests),
    lost: result.workers.filter(({ lost }) => lost !== null).length,
    idle: players - made,
    row: {
      name: `${players} workers of ${threads === 1 ? 'one thread' : `${threads} threads`}`,
      'ms/worker·s': (1000 * going.service) / going.seconds / made,
      'of a core': going.service / going.seconds,
      'idle, of a core': idle.service / idle.seconds,
      'whole run, s of CPU': whole.service,
      'Redis, of a core': going.redis / going.seconds,
      'KiB/worker·s': going.bytes / 1024 / going.seconds / made,
      'connections to Redis': connections,
      'least lease, s': told.leastLease / 1000,
      'judged in, s': judged ? Math.max(...stopped.stopped) / 1000 : Infinity,
    },
  };
}

/** CPU seconds and bytes while something goes on. */
async function costOf(service, redis, act) {
  const [own, theirs, bytes, began] = [cpuOf(service), cpuOf(redis), await redis.bytes(), performance.now()];
  await act();
  return {
    service: cpuOf(service) - own,
    redis: cpuOf(redis) - theirs,
    bytes: (await redis.bytes()) - bytes,
    seconds: (performance.now() - began) / 1000,
  };
}

async function buildPlayers(directory) {
  const script = join(directory, 'players.mjs');
  const { outputFiles } = await bundle({ entryPoints: ['bench/simulated-workers.mjs'], outfile: script });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  return script;
}

async function startPlayers(script, how) {
  const words = [JSON.stringify(how)];
  return await overChannel(fork(script, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
}
