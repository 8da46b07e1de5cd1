/** What rows about workers start: a Redis, services, processes of the command line, and a target that consents. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { fetch } from 'undici';
import { atEnd } from './cleanup.mjs';
import { TEMPORARY_PATHS } from './nginx-directives.mjs';
import { pause } from './pause.mjs';
import { accountOf } from './process-stats.mjs';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const KEY = 'bench-key-0123456789abcdef01234567';
export const WORKER_SECRET = 'bench-secret-0123456789abcdef0123';
const ENV = { PATH: process.env.PATH, LOADTESTS_API_KEY: KEY, LOADTESTS_WORKER_SECRET: WORKER_SECRET };

/** Of all threads of a process, in seconds. */
export function cpuOf({ pid }) {
  const { user, system } = accountOf(pid);
  return user + system;
}

/** A Redis of its own. `bytes`: what went over its network so far, both ways. `figure`: a number that INFO tells. */
export async function startRedis(directory) {
  const port = await freePort();
  const words = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--save', ''];
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  await until(child, 'Ready to accept connections');
  const redis = new Redis({ host: '127.0.0.1', port });
  atEnd(() => redis.disconnect());
  const figure = async (section, name) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.info(section))[1]);
  return {
    pid: child.pid,
    url: `redis://127.0.0.1:${port}`,
    figure,
    bytes: async () =>
      (await figure('stats', 'total_net_input_bytes')) + (await figure('stats', 'total_net_output_bytes')),
  };
}

/** A service whose target has consented. */
export async function startService(directory, target, name, flags) {
  const words = ['serve', '--port', '0', '--data', join(directory, name), ...flags];
  const started = await launch(directory, words, '"listening"');
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
  return {
    pid: started.pid,
    call,
    /** Until so many workers wait for work; the service looks every second. */
    async sees(count) {
      const waiting = async () =>
        (await call('GET', '/v2/workers')).filter(({ state }) => state === 'ready').length;
      while ((await waiting()) < count) await pause(200);
    },
    /** The result of a run; `meanwhile` goes on beside it. */
    async run(load, meanwhile = () => undefined) {
      const { test_id: id, result_id: resultId } = await call('POST', '/v2/tests', load);
      const beside = Promise.resolve(meanwhile());
      while ((await call('GET', `/v2/tests/${id}`)).status !== 'complete') await pause(100);
      await beside;
      return await call('GET', `/v2/tests/${id}/results/${resultId}`);
    },
  };
}

/** A command of ours, once it has said that it is ready. */
export async function launch(directory, words, readiness) {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--json'], {
    ...{ cwd: directory, env: ENV, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  return { pid: child.pid, said: await until(child, readiness) };
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
export async function startConsenting(command, directory) {
  const port = await freePort();
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${directory}/nginx.pid;
    events { worker_connections 8192; }
    http {
      ${TEMPORARY_PATHS}
      access_log off; default_type text/plain; keepalive_requests 100000000; root ${directory};
      server {
        listen 127.0.0.1:${port} backlog=4096;
        location / { return 200 'ok'; }
        location ~ [.]txt$ { }
      }
    }`,
  );
  const [program, ...words] = command;
  const child = spawn(program, [...words, '-e', 'stderr', '-p', directory, '-c', config], {
    stdio: 'ignore',
  });
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
    publish: (token) => writeFileSync(join(directory, `${token}.txt`), token),
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
