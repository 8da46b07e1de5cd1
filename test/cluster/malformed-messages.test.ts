/**
 * Messages that are sealed with the secret but malformed: they are rejected and logged, and all other work
 * continues.
 */
// @module-tag load
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chunkKey } from '../../src/cluster/redis-keys.ts';
import {
  fromWorkersStream,
  receiveSealed,
  sendSealed,
  STREAM_START,
  toWorkersStream,
} from '../../src/cluster/sealed-stream.ts';
import { mailboxOf, sendDrain, sendOffer } from '../../src/cluster/mailbox.ts';
import { PROTOCOL_VERSION, type ShardOffer, type Heartbeat } from '../../src/cluster/cluster-messages.ts';
import { WorkerRun } from '../../src/cluster/worker-run.ts';
import { openWorkerRegistry, sendHeartbeat } from '../../src/cluster/worker-registry.ts';
import { parseRedisAddress } from '../../src/cluster/redis-address.ts';
import { readRedisClock, redisTime } from '../../src/cluster/redis-clock.ts';
import { openRedis } from '../../src/cluster/redis-connection.ts';
import { Seal } from '../../src/cluster/seal.ts';
import { openWorker } from '../../src/cluster/worker.ts';
import { splitIntoShards } from '../../src/core/load/shard.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { jobOf, targetOf } from '../support/test-engine.ts';
import { startRedis, SKIP_WITHOUT_REDIS, type RedisServer } from '../support/redis-server.ts';

const SECRET = new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know');
const MALFORMED = [
  'not JSON',
  '{"kind":',
  'null',
  '7',
  '[]',
  '{}',
  '{"kind":"fly"}',
  '{"kind":"acknowledged"}',
];
const REASON =
  'malformed or unsupported message; use the same version of loadtests for the service and its workers';

/** Fails if load is started. */
function unexpectedLoad(): never {
  throw new Error('Bug: unexpected start of load');
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('malformed messages', () => {
  const seal = new Seal(SECRET);
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis({ host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });

  const connect = (): Redis => redis.duplicate();

  async function offerFor(workerId: string): Promise<ShardOffer> {
    const job = jobOf([targetOf(80)]);
    const expires = Math.round(redisTime(await readRedisClock(redis)) + 60_000);
    return {
      protocol: PROTOCOL_VERSION,
      runId: job.runId,
      epoch: 1,
      workerId,
      expires,
      job,
      hosts: [],
      threadShards: splitIntoShards(job, 1),
    };
  }

  async function startWorker() {
    const warned: Record<string, unknown>[] = [];
    const worker = await openWorker({
      redis: await openRedis(parseRedisAddress(server.url)),
      secret: SECRET,
      name: 'one',
      threads: 1,
      maxConnections: null,
      allowPrivate: [],
      policy: () => null,
      version: '1',
      startLoad: unexpectedLoad,
      log: { info: () => undefined, warn: (line) => warned.push(line) },
    });
    onTestFinished(() => worker.close(0));
    return { worker, warned };
  }

  test('a worker logs malformed mailbox messages, refuses invalid offers with the reason, and processes later messages', async () => {
    const { worker, warned } = await startWorker();
    const offer = await offerFor(worker.id);
    const { runId, expires } = offer;
    const binding = { epoch: 1, workerId: worker.id, ordinal: expires };
    const to = { seal, stream: mailboxOf(worker.id) };
    const send = async (text: string): Promise<void> => {
      await sendSealed(redis, to, binding, Buffer.from(text));
    };
    for (const text of MALFORMED) await send(text);
    // Offers that are malformed or sealed with another secret, and chunks that are missing, of another type, or
    // too large.
    const sealed = MALFORMED.map((text) =>
      seal.seal({ ...binding, purpose: 'offer', runId }, Buffer.from(text)),
    );
    const values = [...sealed, randomBytes(100), Buffer.alloc(1024 * 1024 + 1)];
    const idOf = (index: number): string => String(index).padStart(32, '0');
    for (const [index, bytes] of values.entries())
      await redis.set(chunkKey(idOf(index)), bytes, 'PX', 60_000);
    await redis.hset(chunkKey(idOf(values.length)), 'a', 'b');
    const chunks = Array.from({ length: values.length + 2 }, (_, index) => idOf(index));
    for (const chunk of chunks) await send(JSON.stringify({ kind: 'offer', runId, chunks: [chunk] }));
    // An expired offer is accepted without load. After it, offers with this epoch are refused without a message.
    await sendOffer(redis, seal, { ...offer, expires: 1 });
    await sendOffer(redis, seal, offer);
    await expect.poll(() => worker.counts().refusedShards).toBe(chunks.length + 2);
    await sendDrain(redis, seal, worker.id);
    await worker.drained;
    const invalidChunks = 'the chunks of the shard offer are missing or invalid';
    const reasons = [...MALFORMED.map(() => REASON), ...[1, 2, 3, 4].map(() => invalidChunks)];
    const line = { event: 'shard-refused', run: runId, epoch: 1 };
    expect(warned).toEqual([
      ...MALFORMED.map(() => ({ event: 'message-refused', reason: REASON })),
      ...reasons.map((reason) => ({ ...line, reason })),
      { ...line, reason: 'the worker has already accepted a shard of this run' },
    ]);
    const from = { seal, stream: fromWorkersStream(runId) };
    const { messages } = await receiveSealed(redis, from, STREAM_START, 1);
    const lengthBytes = 4;
    expect(messages.map(({ body }) => JSON.parse(body.subarray(lengthBytes).toString()) as unknown)).toEqual(
      reasons.map((reason) => ({ kind: 'refused', reason })),
    );
  });

  test('a worker logs malformed messages from the service, and processes later messages of the run', async () => {
    const offer = await offerFor('00000000000000bb');
    const warned: unknown[] = [];
    const run = new WorkerRun(offer, {
      redis,
      seal,
      connect,
      name: 'one',
      version: '1',
      startLoad: unexpectedLoad,
      readCapacity: () => ({ connections: null, ports: null, portReuse: 'none' }),
      // The run does not become ready.
      resolveTargets: () => new Promise(() => undefined),
      warn: (line) => warned.push(line),
    });
    const to = { seal, stream: toWorkersStream(offer.runId) };
    const send = async (ordinal: number, text: string): Promise<void> => {
      await sendSealed(redis, to, { epoch: 1, workerId: '', ordinal }, Buffer.from(text));
    };
    for (const [ordinal, text] of MALFORMED.entries()) await send(1000 + ordinal, text);
    // A malformed message does not count as received, so a lower ordinal is still accepted.
    await send(0, JSON.stringify({ kind: 'cancel' }));
    expect(await run.ended).toEqual({ end: 'canceled', reason: null });
    const line = { event: 'message-refused', run: offer.runId, epoch: 1, reason: REASON };
    expect(warned).toEqual(MALFORMED.map(() => line));
  });

  test('the worker registry reports two malformed heartbeats once each, and lists the worker with a valid heartbeat', async () => {
    const clock = await readRedisClock(redis);
    const heartbeatOf = (id: string): Heartbeat => ({
      protocol: PROTOCOL_VERSION,
      id,
      name: id,
      version: '1',
      since: 0,
      state: 'ready',
      runId: null,
      threads: 1,
      connections: null,
      ports: null,
      portReuse: 'none',
      families: [4],
      load: 0,
      clock: { offsetMs: 0, uncertaintyMs: 0 },
    });
    const [good, nameless, other] = ['00000000000000c1', '00000000000000c2', '00000000000000c3'] as const;
    await sendHeartbeat(redis, seal, heartbeatOf(good), clock);
    // A heartbeat of another version that lacks a member.
    const { name: _name, ...withoutName } = heartbeatOf(nameless);
    await sendHeartbeat(redis, seal, withoutName as Heartbeat, clock);
    await sendHeartbeat(redis, seal, { ...heartbeatOf(other), clock: null as never }, clock);
    const malformed: string[] = [];
    const registry = openWorkerRegistry(redis, seal, (id) => malformed.push(id));
    onTestFinished(() => registry.close());
    await registry.refresh();
    expect((await registry.refresh()).map(({ id }) => id)).toEqual([good]);
    expect(malformed).toEqual([nameless, other]);
  });
});
