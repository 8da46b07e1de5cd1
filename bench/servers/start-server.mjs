/** Starts the processes of one set-up on free ports of 127.0.0.1, in a directory of its own, and reads its log. */
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
import { atEnd } from '../cleanup.mjs';
import { pause } from '../pause.mjs';
import { freePorts, makeCertificate, untilItListens } from '../target.mjs';
import { isProbe, probeSizes, withHeads } from './probe.mjs';

/** Whatever becomes of this program, its servers end. */
const LONGEST_SECONDS = 120;
const KILL_AFTER_SECONDS = 5;

/** A log that grows no more for so long is complete. */
const REST_MS = 500;
const REST_LIMIT_MS = 5000;

/** What a process prints; some servers have no other log. */
export const OUTPUT = 'output.log';

let directories = 0;

/**
 * @param setUp see `set-ups.mjs`.
 * @returns `missing`: what to install, and nothing else, or null. `version`. `port`, `secure`, `paths`: what can be
 *          loaded. `end`: stops it and gives the lines of its log, without those of the probes.
 */
export async function startServer(setUp, parent) {
  const missing = setUp.needs.filter((need) => find(need) === null);
  if (missing.length > 0) return { missing: [...new Set(missing.map(({ install }) => install))].join(', ') };
  const place = await preparePlace(setUp, parent);
  const running = [];
  for (const { command, port = null, cwd = place.directory, env = {} } of setUp.commands(place)) {
    running.push(await startProcess(command, { port, cwd, env, directory: place.directory }));
  }
  const paths = ['/ok', '/big', '/missing', ...(setUp.more ?? [])];
  const { secure = false, headers = [], post = '/post', bodyBytes = 1024 } = setUp;
  const server = { port: place.port, secure, headers, paths, post, body: 'x'.repeat(bodyBytes) };
  // Over TLS a socket counts other bytes.
  const sizes = secure ? new Map() : await probeSizes(server);
  return {
    missing: null,
    version: versionOf(setUp.needs[0]),
    ...server,
    end: async () => {
      const file = join(place.directory, setUp.log.file);
      if (setUp.log.late === true) await untilItRests(file);
      // Those in front first, so that nobody loses the server behind it.
      for (const end of running.reverse()) await end();
      return readLog(file, setUp.log, sizes);
    },
  };
}

async function preparePlace(setUp, parent) {
  const directory = join(parent, `${setUp.make.replaceAll(/\W+/g, '-').toLowerCase()}-${directories++}`);
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
  if (setUp.secure) makeCertificate([find({ program: 'openssl' })], directory);
  const www = join(directory, 'www');
  mkdirSync(www);
  const files = { 'www/ok': 'ok', 'www/big': 'x'.repeat(100_000), ...setUp.files(place) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  // Servers that were started by root read and write as somebody else.
  for (const path of [parent, directory, www]) chmodSync(path, 0o777);
  return place;
}

async function startProcess([program, ...args], { port, cwd, env, directory }) {
  const output = openSync(join(directory, OUTPUT), 'a');
  // `timeout` passes signals on to the program and whatever that has started, and kills what does not end.
  const words = [`--kill-after=${KILL_AFTER_SECONDS}`, String(LONGEST_SECONDS), program, ...args];
  const child = spawn('timeout', words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = once(child, 'close');
  const end = atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill();
    await ended;
  });
  const said = () => readFileSync(join(directory, OUTPUT), 'utf8').trim().split('\n').slice(-5).join(' | ');
  const early = ended.then(() => {
    throw new Error(`${program} ended: ${said()}`);
  });
  early.catch(() => undefined);
  if (port !== null) await Promise.race([untilItListens(port, said), early]);
  return end;
}

/** Until nothing more comes, where another process writes the log. */
async function untilItRests(file) {
  const limit = performance.now() + REST_LIMIT_MS;
  for (let size = -1; size !== sizeOf(file) && performance.now() < limit;) {
    size = sizeOf(file);
    await pause(REST_MS);
  }
}

function sizeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** A log as lines of requests. `strange`: lines that are none. */
function readLog(file, { read, bytes }, sizes) {
  const lines = existsSync(file) ? readFileSync(file, 'latin1').split('\n').slice(0, -1) : [];
  const requests = [];
  const strange = [];
  for (const line of lines) {
    const request = read(line);
    if (request === null) strange.push(line);
    else if (request !== undefined) requests.push(request);
  }
  const whole = { all: requests, body: withHeads(requests, sizes) }[bytes] ?? requests.map(withoutBytes);
  return { requests: whole.filter((request) => !isProbe(request)), strange };
}

function withoutBytes(request) {
  return { ...request, bytesOut: null };
}

/** The path of a program, a file or a package of npm; null where it is not installed. */
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

/** Without the revision of Debian; null where the server came in another way. */
function versionOf({ version, module, debian }) {
  if (version !== undefined) return version;
  if (module !== undefined) {
    return JSON.parse(readFileSync(join(packageDirectory(module), 'package.json'), 'utf8')).version;
  }
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', debian], { encoding: 'utf8' });
  return /^(?:\d+:)?([^-+~]+)/.exec(stdout ?? '')?.[1] ?? null;
}
