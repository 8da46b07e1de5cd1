/** Runs the `web_server` of a configuration file during a command. */
import { spawn } from 'node:child_process';
import { request as http } from 'node:http';
import { request as https } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebServerConfig } from '../../config/lower-service.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { formatDuration } from '../../core/units.ts';
import { codeOf } from '../../core/unknown-value.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';

export interface WebServerRequest extends WebServerConfig {
  readonly directory: string;
  readonly reuseExisting: boolean;
}

export interface WebServer {
  /** Stops the server if this command started it. Additional calls have no effect. */
  close(): Promise<void>;
}

/**
 * Starts a server and waits until it responds. Reuses a running server if the request permits it.
 * @throws ProblemError LT_CLI_WEB_SERVER if the server exits, does not respond before the timeout or a signal, or must
 * not be reused.
 */
export async function startWebServer(context: Context, request: WebServerRequest): Promise<WebServer> {
  if (await isResponding(request.url)) {
    if (request.reuseExisting) return { close: () => Promise.resolve() };
    throw webServerError(
      `a server already responds at "${request.url}", but "reuse_existing" is false (the default in CI)`,
      'stop this server, or set "reuse_existing: true" under "web_server"',
    );
  }
  const child = spawn('sh', ['-c', request.command], {
    cwd: request.directory,
    env: childEnvironment(context.env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const appendOutput = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2000));
  child.stdout.on('data', appendOutput);
  child.stderr.on('data', appendOutput);
  const state = { ended: false };
  const end = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      appendOutput(Buffer.from(error.message));
      state.ended = true;
      resolve();
    });
    child.once('exit', () => {
      state.ended = true;
      resolve();
    });
  });
  const { pid } = child;
  let closed = false;
  const kill = (signal: 'SIGTERM' | 'SIGKILL') => {
    // After the process group has ended, another group may have its ID.
    if (pid !== undefined && !closed) context.killGroup(pid, signal);
  };
  const unregister = context.onExit(() => kill('SIGKILL'));
  const close = async () => {
    kill('SIGTERM');
    await Promise.race([end, sleep(5000, undefined, { ref: false })]);
    kill('SIGKILL');
    closed = true;
    unregister();
  };
  const deadline = Date.now() + request.timeout;
  for (;;) {
    if (await isResponding(request.url)) return { close };
    if (state.ended) {
      await close();
      throw webServerError(`"${request.command}" exited before "${request.url}" responded`, lastLine(output));
    }
    if (Date.now() > deadline || context.interruption.signal.aborted) {
      await close();
      if (context.interruption.signal.aborted)
        throw new ProblemError(
          problem('LT_CLI_INTERRUPTED', `interrupted before "${request.url}" responded`),
        );
      const waited = formatDuration(request.timeout);
      throw webServerError(`"${request.url}" did not respond within ${waited}`, lastLine(output));
    }
    await sleep(50);
  }
}

/** Maximum duration of a check in ms, including the response body. */
const PROBE_TIMEOUT_MS = 2000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Reports whether a server sends a response with any status. The response is read and the connection is closed, so that
 * a single-threaded server remains available.
 */
export async function isResponding(url: string): Promise<boolean> {
  const send = url.startsWith('https:') ? https : http;
  return await new Promise((resolve) => {
    let responded = false;
    // Without an agent, the connection is closed after the request.
    const request = send(url, { agent: false, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }, (response) => {
      responded = true;
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_RESPONSE_BYTES) request.destroy();
      });
      response.on('error', () => undefined);
    });
    request.on('error', () => undefined);
    request.on('close', () => resolve(responded));
    request.end();
  });
}

/**
 * Reports whether a host refuses connections. Without a port, the host must refuse connections on both port 80 and port
 * 443.
 */
export async function hasNoListener(host: string): Promise<boolean> {
  const hosts = /:\d+$/.test(host) ? [host] : [`${host}:80`, `${host}:443`];
  const refused = await Promise.all(hosts.map(refusesConnection));
  return refused.every(Boolean);
}

async function refusesConnection(host: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const request = http(`http://${host}/`, { agent: false, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    request.on('socket', (socket) => socket.once('connect', () => request.destroy()));
    let refused = false;
    request.on('error', (error) => {
      refused = codeOf(error) === 'ECONNREFUSED';
    });
    request.on('close', () => resolve(refused));
  });
}

function lastLine(output: string): string | null {
  const line = output.trim().split('\n').at(-1) ?? '';
  return line === '' ? null : `last output of the web server command: ${line}`;
}

function webServerError(message: string, hint: string | null): ProblemError {
  return new ProblemError(problem('LT_CLI_WEB_SERVER', message, { hint }));
}
