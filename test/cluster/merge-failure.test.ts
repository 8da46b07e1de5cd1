/** Exceptions while merging the snapshots of workers, and workers that reply too late. */
// @module-tag load
import { randomInt } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  STREAM_START,
  fromWorkersStream,
  receiveSealed,
  sendSealed,
  toWorkersStream,
} from '../../src/cluster/sealed-stream.ts';
import {
  PROTOCOL_VERSION,
  type ProgressMessage,
  type WorkerMessage,
  type Heartbeat,
  type ServiceMessage,
} from '../../src/cluster/cluster-messages.ts';
import { toWorkersKey } from '../../src/cluster/redis-keys.ts';
import { DistributedRun } from '../../src/cluster/distributed-run.ts';
import { Seal } from '../../src/cluster/seal.ts';
import { encodeMessage } from '../../src/cluster/message-codec.ts';
import { createTally, type Snapshot, type Tally } from '../../src/core/load/snapshot.ts';
import { Secret } from '../../src/core/model/secret.ts';
import type { RunCheckpoint } from '../../src/core/ports/checkpoint-store.ts';
import { jobOf, targetOf } from '../support/test-engine.ts';
import { startRedis, SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';
import { TEST_GENERATOR, snapshotOf } from '../support/snapshots.ts';

const WORKER: Heartbeat = {
  protocol: PROTOCOL_VERSION,
  id: '0123456789abcdef',
  name: 'one',
  version: '1',
  since: 0,
  state: 'ready',
  runId: null,
  threads: 1,
  connections: null,
  ports: null,
  portReuse: 'none',
  families: [4],
  clock: { offsetMs: 0, uncertaintyMs: 0 },
  load: 0,
};

const PROGRESS: ProgressMessage = {
  kind: 'progress',
  snapshots: [],
  exchanges: [],
  done: [],
  lost: [],
  overloaded: false,
};

/** The lease of a worker limits the load that it has not reported. */
const MISSING = '; up to 5 s of its load is not counted';
const INVALID_MESSAGE = `sent an invalid message${MISSING}`;
const OTHER_SHARD = `reported a shard of another worker${MISSING}`;

function tallied(changes: Partial<Tally>, more: Partial<Snapshot> = {}): Snapshot {
  return snapshotOf(0, 1, [{ ...createTally('record', true), ...changes }], more);
}

const EXCHANGE = {
  ...{ target: 0, url: 'http://shop.test/', method: 'GET', redirected: false, resent: false },
  ...{
    requestHeader: '',
    requestBody: '',
    status: 200,
    responseHeader: '',
    responseBody: '',
    bytes: 100,
    error: null,
  },
  ...{ ms: { connect: 1, tls: null, wait: 0.5, total: 2 }, success: true, unexpected: null, variables: {} },
};

function tallyOf(started: number): Tally {
  const tally = createTally('record', true);
  tally.started = started;
  return tally;
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('merge failures', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  /** Starts a run of one worker, whose messages the test publishes. */
  async function startRun(onProgress: () => void) {
    const redis = new Redis({ host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null });
    const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know'));
    const checkpoints = new Map<string, RunCheckpoint>();
    const logged: Record<string, unknown>[] = [];
    const job = jobOf([targetOf(80)], { runId: `run-${randomInt(1e9)}`, duration: 60_000 });
    const { runId } = job;
    const run = DistributedRun.start(
      { job, hosts: [], workers: [WORKER] },
      {
        redis,
        seal,
        version: '1',
        connect: () => redis.duplicate(),
        checkpoints: {
          put: (id, checkpoint) => checkpoints.set(id, checkpoint),
          get: (id) => checkpoints.get(id) ?? null,
        },
        warn: (line) => logged.push(line),
      },
      onProgress,
    );
    onTestFinished(async () => {
      await run.close(0);
      redis.disconnect();
    });
    const publish = async (ordinal: number, message: WorkerMessage): Promise<void> => {
      const to = { seal, stream: fromWorkersStream(runId) };
      const binding = { epoch: checkpoints.get(runId)?.epoch ?? 0, workerId: WORKER.id, ordinal };
      await sendSealed(redis, to, binding, encodeMessage(message));
    };
    await publish(0, { kind: 'ready', name: 'one', uncertaintyMs: 1, environment: TEST_GENERATOR });
    await awaitStart(redis, seal, runId);
    return { run, runId, publish, logged };
  }

  test('an exception while counts are merged is logged, the run ends as partial, and its worker is reported as lost', async () => {
    const { run, runId, publish, logged } = await startRun(() => {
      throw new Error('a bug');
    });
    await publish(1, { ...PROGRESS, snapshots: [snapshotOf(0, 0, [tallyOf(1)])] });
    expect(await run.ended).toMatchObject({
      abortReason: 'partial',
      workers: [
        { name: 'one', started: 1, lossReason: `its counts could not be merged (internal error)${MISSING}` },
      ],
    });
    expect(logged).toContainEqual({ event: 'merge-failed', run: runId, reason: 'a bug' });
    expect(logged).toContainEqual(expect.objectContaining({ event: 'worker-lost', worker: 'one' }));
  });

  test.each([
    ['a negative total', { snapshots: [snapshotOf(0, 1, [tallyOf(-2)])] }, INVALID_MESSAGE],
    ['an unknown shard as finished', { done: [{ shard: 1, time: { elapsed: 0, loaded: 0 } }] }, OTHER_SHARD],
    ['an unknown shard as lost', { lost: [7] }, OTHER_SHARD],
    ['fewer bytes than it reported before', { snapshots: [tallied({ bytesSent: -1e15 })] }, INVALID_MESSAGE],
    [
      'more failed than received responses',
      { snapshots: [tallied({ unexpected: { status: 5 } })] },
      INVALID_MESSAGE,
    ],
    [
      'a request rate correction above the number of requests',
      { snapshots: [tallied({}, { surplus: 1e12 })] },
      INVALID_MESSAGE,
    ],
    [
      'a shard that took longer than the run',
      { done: [{ shard: 0, time: { elapsed: 9e8, loaded: 0 } }] },
      INVALID_MESSAGE,
    ],
    ['an exchange that was not requested', { exchanges: [EXCHANGE] }, INVALID_MESSAGE],
    [
      'counts for a second after the end of the run',
      { snapshots: [snapshotOf(0, 9_999, [tallyOf(1)])] },
      INVALID_MESSAGE,
    ],
    ['counts of an unknown thread', { snapshots: [snapshotOf(7, 1, [tallyOf(1)])] }, INVALID_MESSAGE],
    [
      'requests of a URL that the run does not contain',
      { snapshots: [snapshotOf(0, 1, [tallyOf(1), tallyOf(1)])] },
      INVALID_MESSAGE,
    ],
    [
      'a request rate correction that is not a number',
      { snapshots: [tallied({}, { surplus: Number.NaN })] },
      INVALID_MESSAGE,
    ],
  ] as const)('a run ends as partial if its worker reports %s', async (_, changes, lossReason) => {
    const { run, runId, publish, logged } = await startRun(() => undefined);
    await publish(1, { ...PROGRESS, snapshots: [snapshotOf(0, 0, [tallyOf(1)])] });
    await publish(2, { ...PROGRESS, ...changes });
    expect(await run.ended).toMatchObject({
      abortReason: 'partial',
      workers: [{ name: 'one', started: 1, lossReason }],
    });
    expect(logged).toEqual([{ event: 'worker-lost', run: runId, worker: 'one', reason: lossReason }]);
  });

  test('a worker that reports more than 20,000 different error names counts as lost, and only 20,000 names are stored', async () => {
    const { run, publish } = await startRun(() => undefined);
    const namesOf = (second: number) =>
      Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`E${second}-${index}`, 1]));
    for (let second = 0; second < 12; second++) {
      const tally = { ...tallyOf(2000), network: namesOf(second) };
      await publish(second + 1, { ...PROGRESS, snapshots: [snapshotOf(0, second, [tally])] });
    }
    const report = await run.ended;
    expect(report).toMatchObject({
      abortReason: 'partial',
      workers: [{ name: 'one', started: 20_000, lossReason: INVALID_MESSAGE }],
    });
    expect(Object.keys(report.total.ledger.network)).toHaveLength(20_000);
  });
});

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('late workers', () => {
  test('a run fails because its worker was not ready within 5 s, even if the worker becomes ready while the run is canceled', async () => {
    const server = await startRedis();
    const redis = new Redis({ host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null });
    const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know'));
    const checkpoints = new Map<string, RunCheckpoint>();
    const job = jobOf([targetOf(80)], { duration: 60_000 });
    const to = { seal, stream: fromWorkersStream(job.runId) };
    const ready: WorkerMessage = {
      kind: 'ready',
      name: 'one',
      uncertaintyMs: 1,
      environment: TEST_GENERATOR,
    };
    // A slow Redis: the service reads the ready message before its cancel command is acknowledged.
    const slowRedis = new Proxy(redis, {
      get: (from, name) => {
        const value: unknown = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        const method = value.bind(from) as (...args: unknown[]) => unknown;
        if (name !== 'xadd') return method;
        return async (key: string, ...args: unknown[]) => {
          if (key !== toWorkersKey(job.runId)) return await method(key, ...args);
          const binding = { epoch: 1, workerId: WORKER.id, ordinal: 0 };
          await sendSealed(redis, to, binding, encodeMessage(ready));
          await expect.poll(() => isReceived).toBe(true);
          return null;
        };
      },
    });
    let isReceived = false;
    const listening = redis.duplicate();
    const read = listening.xreadBuffer.bind(listening) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(listening, {
      xreadBuffer: async (...args: unknown[]) => {
        const response = await read(...args);
        // Runs after the service has processed the messages.
        if (response !== null) setImmediate(() => (isReceived = true));
        return response;
      },
    });
    const run = DistributedRun.start(
      { job, hosts: [], workers: [WORKER] },
      {
        redis: slowRedis,
        seal,
        version: '1',
        connect: () => listening,
        warn: () => undefined,
        checkpoints: {
          put: (id, checkpoint) => checkpoints.set(id, checkpoint),
          get: (id) => checkpoints.get(id) ?? null,
        },
      },
      () => undefined,
    );
    try {
      await expect(run.ended).rejects.toThrow('worker "one" did not become ready within 5 s');
    } finally {
      listening.disconnect();
      redis.disconnect();
      await server.close();
    }
  });
});

/** Waits until the service has sent the start command. */
async function awaitStart(redis: Redis, seal: Seal, runId: string): Promise<void> {
  const from = { seal, stream: toWorkersStream(runId) };
  const reader = redis.duplicate();
  let after = STREAM_START;
  for (let isStarted = false; !isStarted;) {
    const { messages, last } = await receiveSealed(reader, from, after, 1000);
    after = last;
    isStarted = messages.some(({ body }) => (JSON.parse(body.toString()) as ServiceMessage).kind === 'start'); // sealed by the service
  }
  reader.disconnect();
}
