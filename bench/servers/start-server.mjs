/** Starts the processes of a setup on free ports of 127.0.0.1, in a separate directory, and reads the log. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { onExit } from '../cleanup.mjs';
import { pause } from '../pause.mjs';
import { freePorts, createCertificate, waitForPort } from '../target.mjs';
import { isProbe, probeSizes, withHeaderBytes } from './probe.mjs';

/** Maximum lifetime of the servers, even if this program is killed. */
const MAX_SECONDS = 120;
const KILL_AFTER_SECONDS = 5;

/** A log is complete if it has not grown for this time. */
const LOG_CHECK_MS = 500;
const LOG_TIMEOUT_MS = 5000;

/** Output of a process; some servers have no other log. */
export const OUTPUT = 'output.log';

let directories = 0;

/**
 * Starts a server.
 *
 * @param setup - See `setups.mjs`.
 * @returns `missing`: packages to install, without other members; or null. `version`. `port`, `secure`,
 * `paths`: the targets of the load. `end`: stops the server and returns its log without the probes.
 */
export async function startServer(setup, parent) {
  const missing = setup.needs.filter((need) => find(need) === null);
  if (missing.length > 0) return { missing: [...new Set(missing.map(({ install }) => install))].join(', ') };
  const place = await prepareDirectory(setup, parent);
  const running = [];
  for (const { command, port = null, cwd = place.directory, env = {} } of setup.commands(place)) {
    running.push(await startProcess(command, { port, cwd, env, directory: place.directory }));
  }
  const paths = ['/ok', '/big', '/missing', ...(setup.more ?? [])];
  const { secure = false, headers = [], post = '/post', bodyBytes = 1024 } = setup;
  const server = { port: place.port, secure, headers, paths, post, body: 'x'.repeat(bodyBytes) };
  // With TLS, the bytes of the socket are not those of the response.
  const sizes = secure ? new Map() : await probeSizes(server);
  return {
    missing: null,
    version: versionOf(setup.needs[0]),
    ...server,
    end: async () => {
      const file = join(place.directory, setup.log.file);
      if (setup.log.late === true) await waitForLog(file);
      // Proxies first, so that none loses its backend.
      for (const end of running.reverse()) await end();
      return readLog(file, setup.log, sizes);
    },
  };
}

async function prepareDirectory(setup, parent) {
  const directory = join(parent, `${setup.make.replaceAll(/\W+/g, '-').toLowerCase()}-${directories++}`);
  mkdirSync(directory);
  const [port, inner, spare] = await freePorts(3);
  const place = {
    directory,
    port,
    inner,
    spare,
    program: (name) => find({ program: name }),
    module: packageDirectory,
  };
  if (setup.secure) createCertificate([find({ program: 'openssl' })], directory);
  const www = join(directory, 'www');
  mkdirSync(www);
  const files = { 'www/ok': 'ok', 'www/big': 'x'.repeat(100_000), ...setup.files(place) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  // Servers that were started by root read and write as another user.
  for (const path of [parent, directory, www]) chmodSync(path, 0o777);
  return place;
}

async function startProcess([program, ...programArgs], { port, cwd, env, directory }) {
  const output = openSync(join(directory, OUTPUT), 'a');
  // `timeout` forwards signals to the program and its children, and kills a program that does not exit.
  const args = [`--kill-after=${KILL_AFTER_SECONDS}`, String(MAX_SECONDS), program, ...programArgs];
  const child = spawn('timeout', args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = once(child, 'close');
  const end = onExit(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill();
    await ended;
  });
  const lastOutput = () =>
    readFileSync(join(directory, OUTPUT), 'utf8').trim().split('\n').slice(-5).join(' | ');
  const early = ended.then(() => {
    throw new Error(`${program} exited: ${lastOutput()}`);
  });
  early.catch(() => undefined);
  if (port !== null) await Promise.race([waitForPort(port, lastOutput), early]);
  return end;
}

/** Waits until a log that another process writes is complete. */
async function waitForLog(file) {
  const limit = performance.now() + LOG_TIMEOUT_MS;
  for (let size = -1; size !== sizeOf(file) && performance.now() < limit;) {
    size = sizeOf(file);
    await pause(LOG_CHECK_MS);
  }
}

function sizeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads the requests of a log. `strange` contains the lines that are not requests. */
function readLog(file, { read, bytes }, sizes) {
  const lines = existsSync(file) ? readFileSync(file, 'latin1').split('\n').slice(0, -1) : [];
  const requests = [];
  const strange = [];
  for (const line of lines) {
    const request = read(line);
    if (request === null) strange.push(line);
    else if (request !== undefined) requests.push(request);
  }
  const entries =
    { all: requests, body: withHeaderBytes(requests, sizes) }[bytes] ?? requests.map(withoutBytes);
  return { requests: entries.filter((request) => !isProbe(request)), strange };
}

function withoutBytes(request) {
  return { ...request, bytesOut: null };
}

/** Returns the path of a program, file or npm package; null if it is not installed. */
function find({ program, module, file }) {
  if (file !== undefined) return existsSync(file) ? file : null;
  if (module !== undefined) return packageDirectory(module);
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return directories.map((directory) => join(directory, program)).find((path) => existsSync(path)) ?? null;
}

function packageDirectory(name) {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/** Returns a version without the Debian revision; null if the server is not a Debian package. */
function versionOf({ version, module, debian }) {
  if (version !== undefined) return version;
  if (module !== undefined) {
    return JSON.parse(readFileSync(join(packageDirectory(module), 'package.json'), 'utf8')).version;
  }
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', debian], { encoding: 'utf8' });
  return /^(?:\d+:)?([^-+~]+)/.exec(stdout ?? '')?.[1] ?? null;
}
