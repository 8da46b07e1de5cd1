/** An nginx target, whose access log is an independent count. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import { sendRaw } from './raw-request.ts';

/** A line of the access log. */
export interface LoggedRequest {
  readonly connection: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly status: number;
  /** Including headers. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface NginxTarget {
  readonly port: number;
  /** Returns the entries since the previous call. */
  log(): Promise<readonly LoggedRequest[]>;
  close(): Promise<void>;
}

const LOG_FORMAT = '$connection $request_method $request_uri $status $request_length $bytes_sent';

/**
 * Responds with 200 to everything, with 503 to `/flaky/` numbers that end with 7, and with files by name;
 * bodies are read.
 *
 * @param options - `keptFor`: number of requests after which a connection is closed
 */
export async function startNginx(
  options: { readonly files?: Readonly<Record<string, Buffer>>; readonly keptFor?: number } = {},
): Promise<NginxTarget> {
  const directory = mkdtempSync(join(tmpdir(), 'nginx-'));
  for (const [name, content] of Object.entries(options.files ?? {})) {
    writeFileSync(join(directory, name), content, { mode: 0o644 });
  }
  const port = await findFreePort();
  const config = join(directory, 'nginx.conf');
  writeFileSync(config, nginxConfiguration({ directory, port, keptFor: options.keptFor ?? 1000 }));
  const child = spawn(programPath(), ['-p', directory, '-c', config, '-e', join(directory, 'error.log')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'close');
  const failed = ended.then(() => {
    throw new Error(`nginx ended: ${readFileSync(join(directory, 'error.log'), 'utf8')}`);
  });
  failed.catch(() => undefined);
  await Promise.race([waitUntilListening(port), failed]);
  let readBytes = 0;
  return {
    port,
    log: async () => {
      // nginx has one thread and logs a request before it reads the next one.
      await sendRaw(port, 'GET /silent HTTP/1.1\r\nHost: nginx\r\nConnection: close\r\n\r\n');
      const text = readFileSync(join(directory, 'access.log'), 'latin1');
      const lines = text.slice(readBytes).split('\n').slice(0, -1);
      readBytes = text.length;
      return lines.map(parseLine);
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

function programPath(): string {
  // Debian installs it in a directory outside the PATH of users.
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const found = directories.map((directory) => join(directory, 'nginx')).find((path) => existsSync(path));
  if (found === undefined) throw new Error('nginx is not installed: apt-get install nginx-light');
  return found;
}

function nginxConfiguration(options: {
  readonly directory: string;
  readonly port: number;
  readonly keptFor: number;
}): string {
  const { directory, port, keptFor } = options;
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  return `
    daemon off;
    master_process off;
    pid ${directory}/nginx.pid;
    events { worker_connections 8192; }
    http {
      ${scratch.join('\n')}
      log_format counts '${LOG_FORMAT}';
      access_log ${directory}/access.log counts;
      default_type text/plain;
      client_max_body_size 0;
      tcp_nodelay on;
      keepalive_requests ${keptFor};
      server {
        listen 127.0.0.1:${port} backlog=4096;
        location / { return 200 'ok'; }
        location ~ ^/flaky/[0-9]*7$ { return 503 'no'; }
        location /files/ { alias ${directory}/; }
        location = /silent { access_log off; return 204; }
        # A discarded body is not counted; a proxy reads it first.
        location /post/ { proxy_pass http://unix:${directory}/inner.sock; }
      }
      server {
        listen unix:${directory}/inner.sock;
        access_log off;
        location / { return 200 'ok'; }
      }
    }`;
}

function parseLine(line: string): LoggedRequest {
  const [connection, method = '', path = '', status, bytesIn, bytesOut] = line.split(' ');
  const logged = {
    connection: Number(connection),
    method,
    path,
    status: Number(status),
    bytesIn: Number(bytesIn),
    bytesOut: Number(bytesOut),
  };
  if (Number.isNaN(logged.bytesOut)) throw new Error(`not a line of the access log: ${line}`);
  return logged;
}

async function waitUntilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await wait(5);
    } finally {
      socket.destroy();
    }
  }
}
