/** The target: one nginx on 127.0.0.1 with one worker process on its own core. It counts the requests. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { onExit } from './cleanup.mjs';
import { TEMPORARY_PATHS } from './nginx-directives.mjs';
import { pause } from './pause.mjs';

export const TARGET_CORE = 0;

/**
 * Log of the requests to `/logged/…`, one per line: path, `id` of the query, status, bytes of the request,
 * and bytes of the response.
 */
export const REQUEST_LOG = 'requests.log';

// The background process ends with its parent in any case, because the pipe to bash's input then closes.
const WITH_PARENT = 'trap \'kill "$child"; wait "$child"\' EXIT; "$@" & child=$!; read -r';

const START_LIMIT_MS = 30_000;

/**
 * Starts the target.
 *
 * @param options - `workers`: number of worker processes. `addresses`: addresses without TLS.
 */
export async function startTarget(programs, directory, { workers = 1, addresses = ['127.0.0.1'] } = {}) {
  const [plain, secure, status] = await freePorts(3);
  // Only TLS needs openssl.
  if (programs.openssl !== undefined) createCertificate(programs.openssl.command, directory);
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    configuration({
      plain,
      secure: programs.openssl === undefined ? null : secure,
      status,
      workers,
      addresses,
    }),
  );
  const nginx = [...programs.nginx.command, '-e', 'stderr', '-p', directory, '-c', config];
  const pinned = [...programs.taskset.command, '-c', String(TARGET_CORE), ...nginx];
  const shell = spawn('bash', ['-c', WITH_PARENT, 'bash', ...pinned], { stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => shell.once('close', resolve));
  let output = '';
  shell.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  onExit(() => {
    shell.stdin.destroy();
    return ended;
  });
  await waitForPort(plain, () => output);
  return {
    port: plain,
    securePort: secure,
    url: (path = '/') => `http://127.0.0.1:${plain}${path}`,
    secureUrl: (path = '/') => `https://127.0.0.1:${secure}${path}`,
    ...createCounters(status),
    requestLog: join(directory, REQUEST_LOG),
  };
}

function configuration({ plain, secure, status, workers, addresses }) {
  const files = fileLimit();
  const kibibyte = 'x'.repeat(1024);
  const locations = `
    location / { return 200 "ok"; }
    location = /closing { keepalive_timeout 0; return 200 "ok"; }
    location = /exchange { set $kibibyte "${kibibyte}"; return 200 "${'$kibibyte'.repeat(10)}"; }
    # Including the headers of every response: 40 headers in 3 KB, and 12 headers of which one always differs.
    location = /heads/40 { ${addedHeaders(35)} return 200 "ok"; }
    location = /heads/12 { ${addedHeaders(6)} add_header X-Request-Id $request_id; return 200 "ok"; }
    # Takes some seconds, so that the cost is that of open connections.
    location = /held { limit_rate 60; return 200 "ok"; }
    location = /feature/token { add_header X-Token 1000000; return 200 "ok"; }
    location = /feature/cookie { add_header Set-Cookie "id=1000000; Path=/"; return 200 "ok"; }
    location = /feature/header { add_header Xet-Cookie "id=1000000; Path=/"; return 200 "ok"; }
    location = /feature/json { default_type application/json; return 200 '{"id": "1000000", "pad": "${kibibyte.slice(33)}"}'; }
    location = /feature/moved { absolute_redirect off; return 302 /feature/found?token=1000000; }
    # The same number of bytes, without a location.
    location = /feature/still { add_header X-Pad 1000000000000000000 always; return 302 ""; }
    location = /feature/found { return 200 "ok"; }
    location /logged/ {
      access_log ${REQUEST_LOG} exchange buffer=256k flush=1s;
      location = /logged/found { return 200 "ok"; }
      location = /logged/missing { return 404 "there is no such page"; }
      location = /logged/broken { return 500 "it does not work"; }
    }`;
  return `
daemon off;
worker_processes ${workers};
worker_rlimit_nofile ${files};
pid nginx.pid;
error_log stderr crit;
events { worker_connections ${files - 100}; multi_accept on; use epoll; }
http {
  access_log off;
  log_format exchange '$uri $arg_id $status $request_length $bytes_sent';
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  default_type text/plain;
  ${TEMPORARY_PATHS}
  server {
    ${addresses.map((address) => `listen ${address}:${plain} backlog=65535 reuseport;`).join(' ')}${locations}
  }
  ${secure === null ? '' : secureServer(secure, locations)}
  server {
    listen 127.0.0.1:${status};
    location / { stub_status; }
  }
}
`;
}

function addedHeaders(count) {
  return Array.from({ length: count }, (_, index) => {
    return `add_header X-Header-Number-${10 + index} "${'The value of a header. '.repeat(3)}";`;
  }).join(' ');
}

function secureServer(port, locations) {
  return `server {
    listen 127.0.0.1:${port} ssl backlog=65535;
    ssl_certificate certificate.pem;
    ssl_certificate_key key.pem;
    # Accepts clients with and without a certificate.
    ssl_verify_client optional_no_ca;
    ssl_protocols TLSv1.3;
    # The same cipher for every client.
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;${locations}
  }`;
}

/** Writes `certificate.pem` and `key.pem` for the name target.test. */
export function createCertificate([openssl], directory) {
  const { status, stderr } = spawnSync(
    openssl,
    [
      ...['req', '-x509', '-newkey', 'ec'],
      ...['-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=target.test'],
      ...['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'certificate.pem')],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl did not create a certificate: ${stderr}`);
}

/** Returns the maximum number of open files of a process; sockets of the target count as well. */
export function fileLimit() {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const soft = Number(/^Max open files\s+(\S+)/m.exec(limits)?.[1]);
  return Number.isSafeInteger(soft) ? Math.min(soft, 100_000) : 100_000;
}

/** Reads the counters of nginx. Each reading is a request on its own connection. */
function createCounters(port) {
  let statusRequests = 0;
  const readStatus = async (pattern) => {
    statusRequests++;
    return Number(pattern.exec(await textFrom(port))?.[1]);
  };
  return {
    /** Returns the number of requests so far, excluding readings. */
    requests: async () => (await readStatus(/^\s*\d+ \d+ (\d+)/m)) - statusRequests,
    /** Returns the number of open connections, excluding the one of the reading. */
    connections: async () => (await readStatus(/^Active connections: (\d+)/m)) - 1,
  };
}

function textFrom(port) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.once('end', () => resolve(text));
    }).once('error', reject);
  });
}

export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(
    servers.map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/**
 * Waits until a port accepts connections.
 *
 * @throws Error with the output of the server if it does not start in time.
 */
export async function waitForPort(port, readOutput) {
  const limit = performance.now() + START_LIMIT_MS;
  while (!(await accepts(port))) {
    if (performance.now() > limit) throw new Error(`the server did not start: ${readOutput()}`);
    await pause(20);
  }
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
