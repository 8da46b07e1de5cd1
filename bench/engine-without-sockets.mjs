/**
 * The engine's own part of a request: its loop, its parser and its counts, without sockets and on a clock of its own.
 * Most of what a request costs is the system's, which varies by more than what is looked for here.
 */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ENGINE = fileURLToPath(new URL('../src/engine', import.meta.url));
const DIAL = fileURLToPath(new URL('answering-dial.mjs', import.meta.url));

const ENTRY = `
export { LoadLoop } from './loop.ts';
export { BodyRoom, createRoomCell } from './kept-body.ts';
export { compileJob } from './request-bytes.ts';
export { RunMerger } from '../core/load/merge.ts';
export { shard } from '../core/load/shard.ts';
export { asked } from '../egress/dial.ts';
`;

/** Between two answers, in ms: about what a request takes with sockets. */
const ANSWERS_EVERY = 0.01;

const ANSWER = Buffer.from(
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
 * Nanoseconds of CPU for one request of each job, the least of some rounds in turn: whatever comes between only adds to
 * it.
 *
 * @param jobs by name, each of them for one thread
 */
export async function ownParts({ directory }, jobs, rounds) {
  const engine = await buildWithoutSockets(join(directory, 'without-sockets.mjs'));
  const least = Object.fromEntries(Object.keys(jobs).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, job] of Object.entries(jobs)) {
      least[name] = Math.min(least[name], await ownPartOf(engine, job));
    }
  }
  return least;
}

async function buildWithoutSockets(outfile) {
  const dial = {
    name: 'answering-dial',
    setup: ({ onResolve }) => onResolve({ filter: /\/egress\/dial\.ts$/ }, () => ({ path: DIAL })),
  };
  const stdin = { contents: ENTRY, resolveDir: ENGINE, loader: 'ts' };
  await build({
    ...{ stdin, outfile, plugins: [dial] },
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20' },
  });
  return await import(pathToFileURL(outfile).href);
}

async function ownPartOf(engine, job) {
  const timers = takeOverTimers();
  try {
    const load = startLoad(engine, job, timers);
    const before = process.cpuUsage();
    let requests = 0;
    while (!load.isOver()) {
      timers.fire();
      const sockets = engine.asked.splice(0);
      for (const { onread } of sockets) {
        timers.now += ANSWERS_EVERY;
        onread.buffer.set(ANSWER);
        onread.callback(ANSWER.length, onread.buffer);
      }
      requests += sockets.length;
      // Connections are made and closed in between.
      await new Promise(setImmediate);
      if (sockets.length === 0) timers.now++;
    }
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1000) / requests;
  } finally {
    timers.restore();
  }
}

/** With all that a thread of the engine does, and what its slices are merged to. */
function startLoad({ LoadLoop, BodyRoom, createRoomCell, compileJob, RunMerger, shard }, job, timers) {
  const shares = shard(job, 1);
  const merger = new RunMerger(job, shares);
  const loop = new LoadLoop(job, compileJob(job), shares[0], {
    now: () => timers.now,
    post: (slice) => merger.add(slice),
    pulse: () => undefined,
    exchanged: () => undefined,
    isLapsed: null,
    lapsed: () => undefined,
    ended: (time) => merger.close(0, time),
    bodies: new BodyRoom({ all: createRoomCell(), own: createRoomCell() }),
    overloaded: () => undefined,
    busy: () => 0,
  });
  loop.start();
  return { isOver: () => merger.isOver() };
}

/** `setTimeout` by a clock that its owner moves. */
function takeOverTimers() {
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
