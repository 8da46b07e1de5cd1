/**
 * Workers of the product in one process, whose engine is played: each second they tell what busy threads would. Bundled,
 * and started with one word: how many of them there are, and where. Tells and is told by messages of its channel.
 */
import process from 'node:process';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { readRedisAddress } from '../src/cluster/redis-address.ts';
import { openRedis } from '../src/cluster/redis-connection.ts';
import { openWorker } from '../src/cluster/worker.ts';
import { workerPolicy } from '../src/cluster/worker-policy.ts';
import { Histogram } from '../src/core/load/histogram.ts';
import { ANSWERED, createTenths, TENTHS, UNSEEN } from '../src/core/load/outage.ts';
import { createOpening, createTally } from '../src/core/load/snapshot.ts';
import { Secret } from '../src/core/model/secret.ts';
import { processTime } from '../src/engine/clock.ts';

/** What a thread makes in a second; answers take some ms, and a few of them far longer. */
const REQUESTS = 5000;
const [MEDIAN_US, SPREAD] = [4000, 0.6];
/** Threads of one process do not all tell in the same instant. */
const LATEST_MS = 60;
/** How often a lease is looked at. */
const LOOK_MS = 20;

const { redis: url, secret, players, threads } = JSON.parse(process.argv[2]);

const MEASURED = { requests: 0, leastLease: Infinity, stopped: [], refused: [], failingSince: null };
let measured = { ...MEASURED };
/** Seconds of many kinds, made once: what they cost is nobody's concern. */
const TIMES = Array.from({ length: 32 }, answerTimes);

const address = readRedisAddress(url);
const redis = await openRedis(address);
const policy = await workerPolicy(address, { allowPrivate: [], health: undefined, redis: redis.endpoints });
const log = {
  info: () => undefined,
  warn: ({ reason }) => measured.refused.push(reason),
};
const crew = await Promise.all(
  Array.from({ length: players }, (_, index) =>
    openWorker({
      ...{ redis, policy, log, threads, version: 'bench', name: `player ${index}` },
      ...{ secret: new Secret('LOADTESTS_WORKER_SECRET', secret), allowPrivate: [] },
      maxConnections: null,
      makeLoad: (work, events) => playLoad(work, events),
    }),
  ),
);
process.on('message', (message) => {
  switch (message) {
    case 'forget':
      measured = { ...MEASURED, stopped: [], refused: [] };
      return;
    case 'fail':
      measured.failingSince = processTime();
      return;
    case 'tell':
      process.send(measured);
      return;
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: crew.length });

/** What `ShareLoad` is, as far as a part of a run knows. */
function playLoad({ job, shares, lease }, events) {
  const seconds = Math.ceil(job.duration / 1000);
  const timers = new Set();
  let begun = null;
  let over = false;
  const later = (at, act) => timers.add(setTimeout(act, Math.max(0, at - processTime())));
  const end = (elapsed) => {
    if (over) return;
    over = true;
    for (const { worker } of shares) events.done(worker, { elapsed, loaded: elapsed });
  };
  later(0, () => events.ready());
  const watch = setInterval(() => {
    if (begun === null || over) return;
    const left = new Float64Array(lease.cell)[0] - processTime();
    measured.leastLease = Math.min(measured.leastLease, left);
    if (!lease.isOver()) return;
    events.lapsed();
    end(processTime() - begun);
  }, LOOK_MS);
  return {
    go(at) {
      begun = at;
      for (const { worker } of shares) {
        const after = Math.random() * LATEST_MS;
        for (let second = 0; second < seconds; second++) {
          later(at + (second + 1) * 1000 + after, () => {
            if (over) return;
            measured.requests += REQUESTS;
            events.slice(secondOf(worker, second, job.targets.length));
            if (second + 1 === seconds) events.done(worker, { elapsed: job.duration, loaded: job.duration });
          });
        }
      }
    },
    stop() {
      if (over || begun === null) return;
      if (measured.failingSince !== null) measured.stopped.push(processTime() - measured.failingSince);
      end(processTime() - begun);
    },
    pulse() {
      const finished = Math.floor((shares.length * REQUESTS * Math.max(0, processTime() - begun)) / 1000);
      return { finished, failed: measured.failingSince === null ? 0 : finished };
    },
    close() {
      clearInterval(watch);
      for (const timer of timers) clearTimeout(timer);
      over = true;
      return Promise.resolve();
    },
  };
}

function secondOf(worker, second, targets) {
  const tallies = Array.from({ length: targets }, () => {
    const tally = createTally('record', false);
    const made = REQUESTS / targets;
    Object.assign(tally, { planned: made, started: made, bytesSent: 150 * made, bytesReceived: 300 * made });
    tally.statuses[200] = made;
    return { ...tally, response: TIMES[Math.floor(Math.random() * TIMES.length)] };
  });
  const tenths = createTenths(TENTHS, UNSEEN);
  tenths.states.fill(ANSWERED);
  tenths.waiting.fill(20);
  return {
    ...{ worker, second, until: (second + 1) * 1000, targets: tallies, warmup: null },
    ...{ connections: 20, peakConnections: 20, tenths, takenBack: {}, surplus: 0 },
    ...{ lag: Histogram.createRecorder(), opening: createOpening('record') },
    thread: { late: 2, lateBefore: 0, stoodStill: 4, busy: 0.5, passedOver: {}, unheld: 0 },
  };
}

/** Lognormal. */
function answerTimes() {
  const times = Histogram.createRecorder();
  for (let request = 0; request < REQUESTS; request++) {
    const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    times.record(MEDIAN_US * Math.exp(SPREAD * normal));
  }
  return times;
}
