/**
 * Workers of the product in one process, with a simulated engine that reports the snapshots of busy threads. The only
 * argument is a JSON object with the number of workers and the Redis. Controlled by messages on its channel: `reset`,
 * `fail` and `report`.
 */
import process from 'node:process';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import { parseRedisAddress } from '../src/cluster/redis-address.ts';
import { openRedis } from '../src/cluster/redis-connection.ts';
import { createWorkerPolicy } from '../src/cluster/worker-policy.ts';
import { openWorker } from '../src/cluster/worker.ts';
import { Histogram } from '../src/core/load/histogram.ts';
import { createTenths, RESPONDED, TENTHS_PER_SECOND, UNOBSERVED } from '../src/core/load/outage.ts';
import { createConnectionSetup, createIterationTally, createTally } from '../src/core/load/snapshot.ts';
import { Secret } from '../src/core/model/secret.ts';
import { processTime } from '../src/engine/clock.ts';

/** Requests per thread and second. */
const REQUESTS = 5000;
/** Parameters of the lognormal response times. */
const [MEDIAN_US, SIGMA] = [4000, 0.6];
/** The threads of a process report within this time after the end of a second. */
const MAX_REPORT_DELAY_MS = 60;
const LEASE_CHECK_MS = 20;

const { redis: url, secret, workers: workerCount, threads } = JSON.parse(process.argv[2]);

const emptyMeasurements = () => ({
  requests: 0,
  minLease: Infinity,
  stopTimes: [],
  refusals: [],
  failingSince: null,
});
let measurements = emptyMeasurements();
/** Response times of some different seconds. Created once, so that their cost is not measured. */
const RESPONSE_TIMES = Array.from({ length: 32 }, createResponseTimes);

const address = parseRedisAddress(url);
const redis = await openRedis(address);
const policy = await createWorkerPolicy(address, {
  allowPrivate: [],
  health: undefined,
  redis: redis.endpoints,
});
const log = {
  info: () => undefined,
  warn: ({ reason }) => measurements.refusals.push(reason),
};
const workers = await Promise.all(
  Array.from({ length: workerCount }, (_, index) =>
    openWorker({
      redis,
      policy,
      log,
      threads,
      version: 'bench',
      name: `worker ${index}`,
      secret: new Secret('LOADTESTS_WORKER_SECRET', secret),
      allowPrivate: [],
      maxConnections: null,
      startLoad: simulateLoad,
    }),
  ),
);
process.on('message', (message) => {
  switch (message) {
    case 'reset':
      measurements = emptyMeasurements();
      return;
    case 'fail':
      measurements.failingSince = processTime();
      return;
    case 'report':
      process.send(measurements);
      return;
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: workers.length });

/** Simulates the load of a worker: see `StartLoad` in `src/cluster/worker-run.ts`. */
function simulateLoad({ job, shards, lease }, events) {
  const seconds = Math.ceil(job.duration / 1000);
  const timers = new Set();
  let startedAt = null;
  let over = false;
  const schedule = (at, callback) => timers.add(setTimeout(callback, Math.max(0, at - processTime())));
  const end = (elapsed) => {
    if (over) return;
    over = true;
    for (const { threadIndex } of shards) events.done(threadIndex, { elapsed, loaded: elapsed });
  };
  schedule(0, () => events.ready());
  const leaseTimer = setInterval(() => {
    if (startedAt === null || over) return;
    const remaining = new Float64Array(lease.cell)[0] - processTime();
    measurements.minLease = Math.min(measurements.minLease, remaining);
    if (!lease.isExpired()) return;
    events.leaseExpired();
    end(processTime() - startedAt);
  }, LEASE_CHECK_MS);
  return {
    start(at) {
      startedAt = at;
      for (const { threadIndex } of shards) {
        const delay = Math.random() * MAX_REPORT_DELAY_MS;
        for (let second = 0; second < seconds; second++) {
          schedule(at + (second + 1) * 1000 + delay, () => {
            if (over) return;
            measurements.requests += REQUESTS;
            events.snapshot(createSnapshot(threadIndex, second, job.targets.length));
            if (second + 1 === seconds) {
              events.done(threadIndex, { elapsed: job.duration, loaded: job.duration });
            }
          });
        }
      }
    },
    stop() {
      if (over || startedAt === null) return;
      const { failingSince, stopTimes } = measurements;
      if (failingSince !== null) stopTimes.push(processTime() - failingSince);
      end(processTime() - startedAt);
    },
    readLiveCounts() {
      const elapsed = startedAt === null ? 0 : Math.max(0, processTime() - startedAt);
      const finished = Math.floor((shards.length * REQUESTS * elapsed) / 1000);
      return { finished, failed: measurements.failingSince === null ? 0 : finished };
    },
    close() {
      clearInterval(leaseTimer);
      for (const timer of timers) clearTimeout(timer);
      over = true;
      return Promise.resolve();
    },
  };
}

function createSnapshot(threadIndex, second, targets) {
  const tallies = Array.from({ length: targets }, () => {
    const tally = createTally('record', false);
    const requests = REQUESTS / targets;
    Object.assign(tally, {
      planned: requests,
      started: requests,
      bytesSent: 150 * requests,
      bytesReceived: 300 * requests,
    });
    tally.statuses[200] = requests;
    return { ...tally, response: RESPONSE_TIMES[Math.floor(Math.random() * RESPONSE_TIMES.length)] };
  });
  const tenths = createTenths(TENTHS_PER_SECOND, UNOBSERVED);
  tenths.states.fill(RESPONDED);
  tenths.waiting.fill(20);
  return {
    threadIndex,
    second,
    until: (second + 1) * 1000,
    targets: tallies,
    warmup: null,
    iterations: [createIterationTally('record')],
    connections: 20,
    peakConnections: 20,
    tenths,
    lag: Histogram.createRecorder(),
    connectionSetup: createConnectionSetup('record'),
    retractions: {},
    surplus: 0,
    pool: null,
    thread: {
      maxTickDelay: 2,
      maxEarlierTickDelay: 0,
      stalledMs: 4,
      busy: 0.5,
      neverStarted: {},
      missingClientMs: 0,
    },
  };
}

/** Creates lognormal response times for one second. */
function createResponseTimes() {
  const times = Histogram.createRecorder();
  for (let request = 0; request < REQUESTS; request++) {
    const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    times.record(MEDIAN_US * Math.exp(SIGMA * normal));
  }
  return times;
}
