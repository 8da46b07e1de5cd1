/** Compared load generators and helper programs, with their packages and command lines. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** `from` is the package to install; `version` contains the arguments that print the version. */
const PROGRAMS = {
  nginx: { from: 'Debian package nginx-light', version: ['-v'] },
  taskset: { from: 'Debian package util-linux', version: ['-V'] },
  openssl: { from: 'Debian package openssl', version: ['version'] },
  unshare: { from: 'Debian package util-linux', version: ['--version'] },
  ip: { from: 'Debian package iproute2', version: ['-V'] },
  python3: { from: 'Debian package python3', version: ['--version'] },
  strace: { from: 'Debian package strace', version: ['-V'] },
  wrk: { from: 'Debian package wrk', version: ['-v'] },
  ab: { from: 'Debian package apache2-utils', version: ['-V'] },
  h2load: { from: 'Debian package nghttp2-client', version: ['--version'] },
  // hey cannot print its version.
  hey: { from: 'Debian package hey', version: null },
  k6: { from: 'k6, which Debian does not have', version: ['version'] },
  autocannon: { from: 'npm package autocannon', version: ['--version'] },
};

/** Finds the installed programs. `found` maps names to `{ command, version }`; `missing` lists the others. */
export function findPrograms() {
  const found = {};
  const missing = [];
  for (const [name, { from, version }] of Object.entries(PROGRAMS)) {
    const command = commandOf(name);
    if (command === null) missing.push({ name, from });
    else found[name] = { command, version: version === null ? null : versionOf(command, version) };
  }
  return { found, missing };
}

function commandOf(name) {
  if (name === 'autocannon') {
    const script = packageScript(name);
    if (script !== null) return [process.execPath, script];
  }
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const path = directories.map((directory) => join(directory, name)).find((one) => existsSync(one));
  return path === undefined ? null : [path];
}

/** Returns the script of an installed npm package. */
function packageScript(name) {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    return join(dirname(manifest), typeof bin === 'string' ? bin : bin[name]);
  } catch {
    return null;
  }
}

/** Returns the first dotted number in the output of a program, regardless of its exit code. */
function versionOf([program, ...args], question) {
  const { stdout, stderr } = spawnSync(program, [...args, ...question], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  return /\d+(\.\d+)+/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
}

/**
 * Command lines of the compared load generators for GET requests, on persistent connections or with a new
 * connection for each request. All use the same number of seconds and connections, and one thread, except
 * wrk, which uses `threads`.
 */
export const COMMANDS = {
  wrk: ({ url, connections, seconds, threads = 1, options = [] }) => [
    `-t${threads}`,
    `-c${connections}`,
    `-d${seconds}s`,
    ...options,
    url,
  ],
  autocannon: ({ url, connections, seconds }) =>
    ['-j', '-n', '-c', connections, '-d', seconds, url].map(String),
  hey: ({ url, connections, seconds, keepAlive = true }) => [
    ...['-cpus', '1', '-z', `${seconds}s`, '-c', String(connections)],
    ...(keepAlive ? [] : ['-disable-keepalive']),
    url,
  ],
  ab: ({ url, connections, seconds, keepAlive = true }) => [
    ...['-q', '-t', String(seconds), '-n', '100000000', '-c', String(connections)],
    ...(keepAlive ? ['-k'] : []),
    url,
  ],
  h2load: ({ url, connections, seconds }) => [
    '--h1',
    '-t1',
    `-c${connections}`,
    `--duration=${seconds}`,
    url,
  ],
  k6: ({ url, connections, seconds, script }) => [
    ...['run', '--quiet', '--no-usage-report', '--no-thresholds'],
    ...['--vus', String(connections), '--duration', `${seconds}s`, '--env', `URL=${url}`, script],
  ],
};
