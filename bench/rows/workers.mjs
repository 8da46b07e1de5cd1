import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { fetch } from 'undici';
import { atMost, equal } from '../goals.mjs';
import { atEnd } from '../leftovers.mjs';
import { TEMPORARY_PATHS } from '../nginx.mjs';
import { pause } from '../pause.mjs';
import { median } from '../pairs.mjs';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const KEY = 'bench-key-0123456789abcdef01234567';
const ENV = {
  PATH: process.env.PATH,
  LOADTESTS_API_KEY: KEY,
  LOADTESTS_WORKER_SECRET: 'bench-secret-0123456789abcdef0123',
};
const CONNECTIONS = 64;
/** What the service costs for a worker is the difference between few and many, at a load that is next to nothing. */
const [FEW, MANY] = [2, 8];
const SMALL_RATE = 16;
/** Of the times in /proc: what Linux gives everywhere. */
const TICKS = 100;

export const workers = {
  name: 'workers',
  title: `The same load by ${FEW} workers over Redis, and by as many threads of the service itself`,
  needs: ['nginx'],
  async run(bench) {
    const folder = join(bench.folder, 'workers');
    mkdirSync(folder);
    const target = await startTarget(bench.programs.nginx.command, folder);
    const redisPort = await freePort();
    const redis = await startRedis(folder, redisPort);
    const url = `redis://127.0.0.1:${redisPort}`;
    const local = await startService(folder, target, 'local', ['--threads', String(FEW)]);
    const far = await startService(folder, target, 'far', ['--redis', url]);
    const crew = [];
    const hire = async (count) => {
      while (crew.length < count)
        crew.push(await launch(folder, ['worker', '--redis', url, '--threads', '1'], '"ready"', crew.length));
      // The service looks every second.
      while ((await far.call('GET', '/v2/workers')).length < count) await pause(200);
    };
    await hire(FEW);
    const load = {
      ...{ test_type: 'cycling', initial: CONNECTIONS, total: CONNECTIONS, duration: bench.seconds },
      urls: [{ url: `http://${target.host}/` }],
    };
    const [ratios, alones, parteds, told] = [[], [], [], []];
    for (let round = 0; round < bench.rounds; round++) {
      const alone = await cost(local, [local], load);
      const bytes = await netBytes(redis);
      const parted = await cost(far, [far, ...crew], load);
      told.push(((await netBytes(redis)) - bytes) / FEW / bench.seconds);
      alones.push(alone);
      parteds.push(parted);
      ratios.push(parted.perRequest / alone.perRequest);
    }
    const small = { test_type: 'per-second', total: SMALL_RATE, duration: bench.seconds, urls: load.urls };
    const withFew = await cost(far, [far], small);
    await hire(MANY);
    const withMany = await cost(far, [far], small);
    const perWorker = ((withMany.seconds - withFew.seconds) * 1000) / (MANY - FEW) / bench.seconds;
    const counted = await far.counted();
    return {
      rows: [rowOf('by the service itself', alones), rowOf(`by ${FEW} workers and their service`, parteds)],
      goals: [
        atMost('CPU of a request, with workers', median(ratios), 1.05, ' of that without'),
        atMost('through Redis, for a worker and second', median(told) / 1024, 64, ' KiB'),
        atMost('CPU of the service, for a worker and second', perWorker, 10, ' ms'),
        equal('runs that were not whole', counted, 0),
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

/** CPU seconds that processes took for a run, and for each of its requests. */
async function cost(service, processes, load) {
  const before = processes.map(cpuOf);
  const result = await service.run(load);
  const each = processes.map((one, index) => cpuOf(one) - before[index]);
  const seconds = each.reduce((sum, one) => sum + one, 0);
  return { seconds, perRequest: seconds / result.requests, own: each[0] / result.requests, ...result };
}

/** Of all threads of a process, in seconds. */
function cpuOf({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function netBytes(redis) {
  const info = await redis.info('stats');
  return ['total_net_input_bytes', 'total_net_output_bytes'].reduce(
    (sum, name) => sum + Number(new RegExp(`${name}:(\\d+)`).exec(info)[1]),
    0,
  );
}

async function startService(folder, target, name, flags) {
  const words = ['serve', '--port', '0', '--data', join(folder, name), ...flags];
  const started = await launch(folder, words, '"listening"', name);
  const { url } = JSON.parse(started.said().split('\n')[0]);
  const call = async (method, path, body) => {
    const headers = { 'service-auth': KEY, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return await answer.json();
  };
  const app = await call('POST', '/v2/apps', { app: target.host });
  target.publish(app.verification_id);
  await call('POST', `/v2/apps/${app.app_id}/verify`, { method: 'http' });
  let broken = 0;
  return {
    pid: started.pid,
    call,
    counted: () => broken,
    async run(load) {
      const { test_id: id, result_id: resultId } = await call('POST', '/v2/tests', load);
      while ((await call('GET', `/v2/tests/${id}`)).status !== 'complete') await pause(100);
      const result = await call('GET', `/v2/tests/${id}/results/${resultId}`);
      if (result.abort_reason !== null || result.requests !== result.success) broken++;
      return result;
    },
  };
}

async function launch(folder, words, readiness) {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--json'], {
    ...{ cwd: folder, env: ENV, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  return { pid: child.pid, said: await until(child, readiness) };
}

async function startRedis(folder, port) {
  const words = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', ''];
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  await until(child, 'Ready to accept connections');
  const redis = new Redis({ host: '127.0.0.1', port });
  atEnd(() => redis.disconnect());
  return redis;
}

/** A program's words so far, once it has said that it is ready. It is ended at the end. */
async function until(child, readiness) {
  let said = '';
  const ended = once(child, 'close');
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`it ended before it was ready: ${said}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (said.includes(readiness)) resolve();
    });
  });
  return () => said;
}

/** An nginx that answers at once, and shows tokens. */
async function startTarget(command, folder) {
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/nginx.pid;
    events { worker_connections 8192; }
    http {
      ${TEMPORARY_PATHS}
      access_log off; default_type text/plain; keepalive_requests 100000000; root ${folder};
      server {
        listen 127.0.0.1:${port} backlog=4096;
        location / { return 200 'ok'; }
        location ~ [.]txt$ { }
      }
    }`,
  );
  const [program, ...words] = command;
  const child = spawn(program, [...words, '-e', 'stderr', '-p', folder, '-c', config], { stdio: 'ignore' });
  const ended = once(child, 'close');
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      break;
    } catch {
      await pause(50);
    }
  }
  return {
    host: `127.0.0.1:${port}`,
    publish: (token) => writeFileSync(join(folder, `${token}.txt`), token),
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
