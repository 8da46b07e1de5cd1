import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost } from '../goals.mjs';

const DELAY_MS = 20;
const MAX_DIFFERENCE_MS = 2;
const SPARE_MS = 120_000;

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/**
 * Compares the connection times of the engine with those of a warm program that uses the public API of Node.js,
 * through a network with a delay.
 */
export const network = {
  name: 'network',
  title: `Connection and TLS times with a round-trip time of ${2 * DELAY_MS} ms, compared with bare sockets`,
  needs: ['openssl', 'unshare', 'ip', 'python3'],
  async run({ engineDirectory, directory }) {
    const files = ['certificate.pem', 'key.pem'].map((name) => join(directory, name));
    const measure = [process.execPath, pathOf('connect-times.mjs'), engineDirectory, ...files];
    const delayed = ['python3', pathOf('delayed-network.py'), String(DELAY_MS), ...measure];
    const { status, stdout, stderr } = spawnSync('unshare', ['--net', ...delayed], {
      encoding: 'utf8',
      timeout: SPARE_MS,
    });
    if (status !== 0) return { skipped: `without a network namespace: ${stderr.trim().split('\n').at(-1)}` };
    const measured = JSON.parse(stdout);
    return {
      rows: measured.map(({ name, secure, engine, bare }) => ({
        name: secure ? `${name}, TLS` : name,
        'connect, ms': engine.connect,
        'bare connect, ms': bare.connect,
        'TLS, ms': engine.tls,
        'bare TLS, ms': bare.tls,
      })),
      goals: [differenceOf(measured, 'connect'), differenceOf(measured, 'tls')],
    };
  },
};

function differenceOf(measured, phase) {
  const differences = measured
    .filter(({ bare }) => bare[phase] !== null)
    .map(({ engine, bare }) => engine[phase] - bare[phase]);
  const name = phase === 'tls' ? 'TLS' : phase;
  return atMost(
    `${name} p50, largest difference`,
    Math.max(...differences.map(Math.abs)),
    MAX_DIFFERENCE_MS,
    ' ms',
  );
}
