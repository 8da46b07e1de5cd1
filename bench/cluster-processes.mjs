/** Processes for the rows on distributed load: Redis, services, CLI commands, and a verified target. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { fetch } from 'undici';
import { onExit } from './cleanup.mjs';
import { TEMPORARY_PATHS } from './nginx-directives.mjs';
import { pause } from './pause.mjs';
import { accountOf } from './process-stats.mjs';
import { freePorts, waitForPort } from './target.mjs';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const KEY = 'bench-key-0123456789abcdef01234567';
export const WORKER_SECRET = 'bench-secret-0123456789abcdef0123';
const ENV = { PATH: process.env.PATH, LOADTESTS_API_KEY: KEY, LOADTESTS_WORKER_SECRET: WORKER_SECRET };

/** Returns the CPU time of all threads of a process, in seconds. */
export function cpuSecondsOf({ pid }) {
  const { user, system } = accountOf(pid);
  return user + system;
}

/**
 * Starts a Redis server. `bytes` returns its network traffic so far, in both directions; `readInfo` returns a
 * number from INFO.
 */
export async function startRedis(directory) {
  const [port] = await freePorts(1);
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--save', ''];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await waitForOutput(child, 'Ready to accept connections');
  const redis = new Redis({ host: '127.0.0.1', port });
  onExit(() => redis.disconnect());
  const readInfo = async (section, name) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.info(section))[1]);
  return {
    pid: child.pid,
    url: `redis://127.0.0.1:${port}`,
    readInfo,
    bytes: async () =>
      (await readInfo('stats', 'total_net_input_bytes')) +
      (await readInfo('stats', 'total_net_output_bytes')),
  };
}

/** Starts a service and verifies its target. */
export async function startService(directory, target, name, flags) {
  const args = ['serve', '--port', '0', '--data', join(directory, name), ...flags];
  const started = await launch(directory, args, '"listening"');
  const { url } = JSON.parse(started.output().split('\n')[0]);
  const call = async (method, path, body) => {
    const headers = { 'service-auth': KEY, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return await response.json();
  };
  const app = await call('POST', '/v2/apps', { app: target.host });
  target.publish(app.verification_id);
  await call('POST', `/v2/apps/${app.app_id}/verify`, { method: 'http' });
  return {
    pid: started.pid,
    call,
    /** Waits until this number of workers is ready. The service updates its list every second. */
    async waitForWorkers(count) {
      const countReady = async () =>
        (await call('GET', '/v2/workers')).filter(({ state }) => state === 'ready').length;
      while ((await countReady()) < count) await pause(200);
    },
    /** Runs a load, calls `meanwhile` concurrently, and returns the result. */
    async run(load, meanwhile = () => undefined) {
      const { test_id: id, result_id: resultId } = await call('POST', '/v2/tests', load);
      const concurrent = Promise.resolve(meanwhile());
      while ((await call('GET', `/v2/tests/${id}`)).status !== 'complete') await pause(100);
      await concurrent;
      return await call('GET', `/v2/tests/${id}/results/${resultId}`);
    },
  };
}

/** Starts a CLI command and waits until it prints `readiness`. */
export async function launch(directory, args, readiness) {
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], {
    cwd: directory,
    env: ENV,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { pid: child.pid, output: await waitForOutput(child, readiness) };
}

/**
 * Waits until a program prints `readiness`, and returns a function that reads its output so far. The program
 * is killed at the end of the benchmark.
 */
async function waitForOutput(child, readiness) {
  let output = '';
  killAtEnd(child);
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`the program exited before it was ready: ${output}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes(readiness)) resolve();
    });
  });
  return () => output;
}

/** Starts an nginx that responds immediately and serves verification files. */
export async function startVerifiedTarget(command, directory) {
  const [port] = await freePorts(1);
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
  const [program, ...args] = command;
  const nginx = spawn(program, [...args, '-e', 'stderr', '-p', directory, '-c', config], { stdio: 'ignore' });
  killAtEnd(nginx);
  await waitForPort(port, () => '');
  return {
    host: `127.0.0.1:${port}`,
    publish: (token) => writeFileSync(join(directory, `${token}.txt`), token),
  };
}

function killAtEnd(child) {
  const ended = once(child, 'close');
  onExit(async () => {
    child.kill('SIGKILL');
    await ended;
  });
}
