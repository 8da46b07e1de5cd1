/**
 * A service in a child process that tests can kill. Arguments: data directory, mode, and optionally the speed
 * of its clock and the time from which it applies. Prints its address.
 */
import { createPhaseRunner } from '../../src/engine/phase-runner.ts';
import { argv, stdout } from 'node:process';
import { Secret } from '../../src/core/model/secret.ts';
import { openService } from '../../src/server/open-service.ts';
import type { Ticker } from '../../src/server/ticker.ts';
import { createFakeRunner } from './fake-runner.ts';

const silent = () => undefined;
const speed = Number(argv[4] ?? 1);
const since = Number(argv[5] ?? 0);

/** Ticks often enough for a fast clock. */
const ticker: Ticker = {
  start(work) {
    const timer = setInterval(work, 5);
    return () => clearInterval(timer);
  },
};

const service = await openService({
  mode: argv[3] === 'serve' ? 'serve' : 'in-process',
  dataDirectory: argv[2] ?? '',
  host: '127.0.0.1',
  port: 0,
  apiKey: new Secret('LOADTESTS_API_KEY', '0123456789abcdef0123456789abcdef'),
  runner: createFakeRunner(),
  phases: createPhaseRunner(),
  log: { info: silent, warn: silent, error: silent },
  version: '0.0.0-test',
  now: () => since + (Date.now() - since) * speed,
  ...(speed === 1 ? {} : { ticker }),
  allowPrivate: [],
  publicUrl: null,
});
stdout.write(`${service.url}\n`);
