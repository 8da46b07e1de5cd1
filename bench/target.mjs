/** The target: one nginx on 127.0.0.1 with one worker on a core of its own. It counts the requests. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { atEnd } from './cleanup.mjs';
import { TEMPORARY_PATHS } from './nginx-directives.mjs';
import { pause } from './pause.mjs';

export const TARGET_CORE = 0;

/**
 * Requests to `/logged/…` are written down one by one: path, `id` of the query, status, bytes of the request,
 * bytes of the answer.
 */
export const REQUEST_LOG = 'requests.log';

// The background process ends with its parent, however that ends: then the pipe to bash's input closes.
const WITH_PARENT = 'trap \'kill "$child"; wait "$child"\' EXIT; "$@" & child=$!; read -r';

const START_LIMIT_MS = 30_000;

/** `workers`: processes that answer; `addresses`: where it listens, besides TLS. */
export async function startTarget(programs, directory, { workers = 1, addresses = ['127.0.0.1'] } = {}) {
  const [plain, secure, status] = await freePorts(3);
  // Without openssl there is no TLS; nothing else needs it.
  if (programs.openssl !== undefined) makeCertificate(programs.openssl.command, directory);
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    configuration({
      ...{ plain, secure: programs.openssl === undefined ? null : secure, status },
      ...{ workers, addresses },
    }),
  );
  const nginx = [...programs.nginx.command, '-e', 'stderr', '-p', directory, '-c', config];
  const pinned = [...programs.taskset.command, '-c', String(TARGET_CORE), ...nginx];
  const shell = spawn('bash', ['-c', WITH_PARENT, 'bash', ...pinned], { stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => shell.once('close', resolve));
  let said = '';
  shell.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  atEnd(() => {
    shell.stdin.destroy();
    return ended;
  });
  await untilItListens(plain, () => said);
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
    # With those that every answer has, 40 headers in 3 KB, and 12 of which one is another each time.
    location = /heads/40 { ${addedHeaders(35)} return 200 "ok"; }
    location = /heads/12 { ${addedHeaders(6)} add_header X-Request-Id $request_id; return 200 "ok"; }
    # Some seconds for an answer, so that holding connections is what costs.
    location = /held { limit_rate 60; return 200 "ok"; }
    location = /feature/token { add_header X-Token 1000000; return 200 "ok"; }
    location = /feature/cookie { add_header Set-Cookie "id=1000000; Path=/"; return 200 "ok"; }
    location = /feature/header { add_header Xet-Cookie "id=1000000; Path=/"; return 200 "ok"; }
    location = /feature/json { default_type application/json; return 200 '{"id": "1000000", "pad": "${kibibyte.slice(33)}"}'; }
    location = /feature/moved { absolute_redirect off; return 302 /feature/found?token=1000000; }
    # As many bytes, and leads nowhere.
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
    ssl_protocols TLSv1.3;
    # Every client gets the same cipher, whatever it likes best.
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;${locations}
  }`;
}

/** Writes `certificate.pem` and `key.pem`, for the name target.test. */
export function makeCertificate([openssl], directory) {
  const { status, stderr } = spawnSync(
    openssl,
    [
      ...['req', '-x509', '-newkey', 'ec'],
      ...['-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=target.test'],
      ...['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'certificate.pem')],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
}

/** Descriptors that a process may have: sockets of the target count as well. */
export function fileLimit() {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const soft = Number(/^Max open files\s+(\S+)/m.exec(limits)?.[1]);
  return Number.isSafeInteger(soft) ? Math.min(soft, 100_000) : 100_000;
}

/** Each asking is a request itself, on a connection of its own. */
function createCounters(port) {
  let asked = 0;
  const ask = async (pattern) => {
    asked++;
    return Number(pattern.exec(await textFrom(port))?.[1]);
  };
  return {
    /** Requests so far, without those that ask. */
    requests: async () => (await ask(/^\s*\d+ \d+ (\d+)/m)) - asked,
    /** Connections that are open now, without the one that asks. */
    connections: async () => (await ask(/^Active connections: (\d+)/m)) - 1,
  };
}

function textFrom(port) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.once('end', () => resolve(text));
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

/** Errors: when nobody does within some seconds, with what the server has said. */
export async function untilItListens(port, complaints) {
  const limit = performance.now() + START_LIMIT_MS;
  while (!(await accepts(port))) {
    if (performance.now() > limit) throw new Error(`the server does not start: ${complaints()}`);
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
