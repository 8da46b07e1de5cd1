/**
 * The engine's own part of a request: its loop, its parser and its counts, without sockets and with a
 * simulated clock. The kernel's part of a request varies by more than the differences to be measured.
 */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ENGINE = fileURLToPath(new URL('../src/engine', import.meta.url));
const DIAL = fileURLToPath(new URL('simulated-dial.mjs', import.meta.url));

const ENTRY = `
export { LoadLoop } from './load-loop.ts';
export { BodyBudget, createBudgetCell } from './buffered-body.ts';
export { compileJob } from './request-compiler.ts';
export { RunMerger } from '../core/load/run-merger.ts';
export { splitIntoShards } from '../core/load/shard.ts';
export { requestedSockets } from '../egress/dial.ts';
`;

/** Simulated time between two responses, in ms: about the time of a request with sockets. */
const RESPONSE_INTERVAL_MS = 0.01;

const RESPONSE = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'Server: nginx/1.22.1',
    'Date: Sat, 21 Nov 2026 07:31:59 GMT',
    'Content-Type: text/plain',
    'Content-Length: 2',
    'Connection: keep-alive',
    '\r\nok',
  ].join('\r\n'),
);

/**
 * Returns the CPU time of one request of each job, in ns: the minimum of alternating rounds, because
 * disturbances only add to it.
 *
 * @param jobs - Jobs by name, each for one thread.
 */
export async function measureEngineCost({ directory }, jobs, rounds) {
  const engine = await buildWithoutSockets(join(directory, 'without-sockets.mjs'));
  const costs = Object.fromEntries(Object.keys(jobs).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      costs[name] = Math.min(costs[name], await costOfRound(engine, job));
    }
  }
  return costs;
}

async function buildWithoutSockets(outfile) {
  const dial = {
    name: 'simulated-dial',
    setup: ({ onResolve }) => onResolve({ filter: /\/egress\/dial\.ts$/ }, () => ({ path: DIAL })),
  };
  const stdin = { contents: ENTRY, resolveDir: ENGINE, loader: 'ts' };
  await build({
    stdin,
    outfile,
    plugins: [dial],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return await import(pathToFileURL(outfile).href);
}

async function costOfRound(engine, job) {
  const timers = replaceTimers();
  try {
    const load = startLoad(engine, job, timers);
    const before = process.cpuUsage();
    let requests = 0;
    while (!load.isOver()) {
      timers.fire();
      const sockets = engine.requestedSockets.splice(0);
      for (const { onread } of sockets) {
        timers.now += RESPONSE_INTERVAL_MS;
        onread.buffer.set(RESPONSE);
        onread.callback(RESPONSE.length, onread.buffer);
      }
      requests += sockets.length;
      // Connections are opened and closed in the event loop.
      await new Promise(setImmediate);
      if (sockets.length === 0) timers.now++;
    }
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1000) / requests;
  } finally {
    timers.restore();
  }
}

/** Starts the loop of an engine thread, with a merger for its snapshots. */
function startLoad(
  { LoadLoop, BodyBudget, createBudgetCell, compileJob, RunMerger, splitIntoShards },
  job,
  timers,
) {
  const shards = splitIntoShards(job, 1);
  const merger = new RunMerger(job, shards);
  const loop = new LoadLoop(job, compileJob(job), shards[0], {
    now: () => timers.now,
    postSnapshot: (snapshot) => merger.add(snapshot),
    updateLiveCounts: () => undefined,
    onExchange: () => undefined,
    isLeaseExpired: null,
    onLeaseExpired: () => undefined,
    onEnd: (time) => merger.close(0, time),
    bodyBudget: new BodyBudget({ all: createBudgetCell(), own: createBudgetCell() }),
    onOverload: () => undefined,
    measureBusy: () => 0,
  });
  loop.start();
  return { isOver: () => merger.isOver() };
}

/** Replaces `setTimeout` and `clearTimeout` by timers with a simulated clock. */
function replaceTimers() {
  const { setTimeout, clearTimeout } = globalThis;
  const waiting = new Set();
  const timers = {
    now: 0,
    fire: () => {
      for (const timer of waiting) {
        if (timer.due > timers.now) continue;
        waiting.delete(timer);
        timer.callback();
      }
    },
    restore: () => Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
  const wait = (callback, delay) => {
    const timer = { callback, due: timers.now + delay, refresh: () => renew(timer, delay) };
    waiting.add(timer);
    return timer;
  };
  const renew = (timer, delay) => {
    timer.due = timers.now + delay;
    waiting.add(timer);
  };
  Object.assign(globalThis, { setTimeout: wait, clearTimeout: (timer) => waiting.delete(timer) });
  return timers;
}
