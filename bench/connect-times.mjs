// Measures connection times through a delayed network: see delayed-network.py. Prints a JSON array of
// { name, secure, engine, bare }, with the median times in ms. Usage: node connect-times.mjs ENGINE_DIRECTORY
// CERTIFICATE KEY
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { jobOf, targetOf } from './jobs.mjs';
import { median } from './paired-runs.mjs';

const SERVER_ADDRESS = '10.9.0.1';
const DELAYED_ADDRESS = '10.9.0.2';
const SECONDS = 1;
const REPEATS = 9;
/** Each load opens this many connections at a time. */
const LOADS = [
  { name: 'cycling, 1 client', together: 1, job: { initial: 1, total: 1 } },
  { name: 'cycling, 10 clients', together: 10, job: { initial: 10, total: 10 } },
  {
    name: 'per-second, 20 clients',
    together: 1,
    job: { testType: 'per-second', initial: 0, total: 20 },
  },
];

const [directory, certificate, key] = process.argv.slice(2);
if (process.send === undefined) await measureAll();
else serve();

function serve() {
  const respond = (_request, response) => response.end('ok');
  const options = { cert: readFileSync(certificate), key: readFileSync(key) };
  const servers = [createServer(respond), createTlsServer(options, respond)];
  Promise.all(servers.map((server) => once(server.listen(0, SERVER_ADDRESS), 'listening'))).then(() =>
    process.send(servers.map((server) => server.address().port)),
  );
  process.on('disconnect', () => process.exit());
}

async function measureAll() {
  const server = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  const [ports] = await once(server, 'message');
  const rows = [];
  for (const secure of [false, true]) {
    for (const { name, together, job } of LOADS) {
      const port = ports[secure ? 1 : 0];
      const target = targetOf(port, '/', { secure, addresses: [DELAYED_ADDRESS] });
      const engine = [];
      const bare = [];
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        engine.push(await engineTimes(jobOf([target], { duration: SECONDS * 1000, ...job })));
        bare.push(await bareTimes(port, secure, together));
      }
      rows.push({ name, secure, engine: medianTimes(engine), bare: medianTimes(bare) });
    }
  }
  server.disconnect();
  console.log(JSON.stringify(rows));
}

/** Runs a job on a new engine, as each command does. */
async function engineTimes(job) {
  const urlOf = (name) => pathToFileURL(join(directory, name));
  const { createEngine } = await import(urlOf('engine.mjs').href);
  const engine = createEngine({ threadUrl: urlOf('thread.mjs'), version: 'bench' });
  const { connect, tls } = await engine.start(job, () => {}).ended;
  await engine.close();
  return { connect: connect.times.p50, tls: tls?.times.p50 ?? null };
}

/** Opens connections with the public API of Node.js, once before the measurement. */
async function bareTimes(port, secure, together) {
  const open = async () => {
    const startedAt = performance.now();
    const socket = connectTcp(port, DELAYED_ADDRESS);
    await once(socket, 'connect');
    const connectedAt = performance.now();
    const secured = secure
      ? connectTls({ socket, secureContext: createSecureContext(), rejectUnauthorized: false })
      : null;
    if (secured !== null) await once(secured, 'secureConnect');
    const times = {
      connect: connectedAt - startedAt,
      tls: secured === null ? null : performance.now() - connectedAt,
    };
    (secured ?? socket).destroy();
    await pause(0);
    return times;
  };
  await open();
  return medianTimes(await Promise.all(Array.from({ length: together }, open)));
}

function medianTimes(samples) {
  const of = (phase) => (samples[0][phase] === null ? null : median(samples.map((sample) => sample[phase])));
  return { connect: of('connect'), tls: of('tls') };
}
