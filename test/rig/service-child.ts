/**
 * A process of its own with a service in it, to be killed. Its arguments are the data folder and
 * the mode; it prints its address.
 */
import { argv, stdout } from 'node:process';
import { Secret } from '../../src/core/model/secret.ts';
import { openService } from '../../src/server/service.ts';
import { fakeRunner } from './fake-runner.ts';

const silent = () => undefined;

const service = await openService({
  mode: argv[3] === 'serve' ? 'serve' : 'in-process',
  dataFolder: argv[2] ?? '',
  host: '127.0.0.1',
  port: 0,
  apiKey: new Secret('LOADTESTS_API_KEY', '0123456789abcdef0123456789abcdef'),
  runner: fakeRunner(),
  log: { info: silent, warn: silent, error: silent },
  version: '0.0.0-test',
  now: Date.now,
  allowPrivate: [],
  publicUrl: null,
});
stdout.write(`${service.url}\n`);
