/**
 * Messages that are sealed with the secret but malformed: they are rejected and logged, and all other work
 * continues.
 */
import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mailboxNameOf, chunkKey, KEY_PREFIX } from '../../src/cluster/redis-keys.ts';
import { COMMAND_STREAM, sendSealed, toWorkersStream } from '../../src/cluster/sealed-stream.ts';
import { Mailboxes, openWorkerMailbox } from '../../src/cluster/mailbox.ts';
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
const REASON = 'malformed or unsupported message (sealed with the correct secret)';

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

  test('a worker refuses malformed offers in its mailbox and accepts the next valid offer', async () => {
    const workerId = '00000000000000aa';
    const blockingRedis = connect();
    const refused: string[] = [];
    const accepted = new Promise<ShardOffer>((resolve) => {
      const mailbox = openWorkerMailbox({
        redis,
        blockingRedis,
        seal,
        workerId,
        onRefusal: (reason) => refused.push(reason),
        onOffer: (offer) => {
          resolve(offer);
          return Promise.resolve();
        },
      });
      onTestFinished(async () => {
        await mailbox.close();
        blockingRedis.disconnect();
      });
    });
    const queue = new Queue(mailboxNameOf(workerId), { connection: redis, prefix: KEY_PREFIX });
    const envelope = { runId: 'run', epoch: 1, workerId, expires: 1000 };
    const sealed = (text: string): string =>
      seal
        .seal({ purpose: 'part', runId: 'run', epoch: 1, workerId, ordinal: 1000 }, Buffer.from(text))
        .toString('base64');
    for (const text of MALFORMED) await queue.add('part', { ...envelope, sealed: sealed(text), chunks: [] });
    // An envelope sealed with another secret; chunks that are missing, of another type, or too large; an
    // envelope of the wrong shape.
    await queue.add('part', { ...envelope, sealed: randomBytes(100).toString('base64'), chunks: [] });
    await redis.hset(chunkKey('hash'), 'a', 'b');
    await redis.set(chunkKey('large'), Buffer.alloc(1024 * 1024 + 1));
    for (const chunk of ['gone', 'hash', 'large']) {
      await queue.add('part', { ...envelope, sealed: null, chunks: [chunk] });
    }
    await queue.add('part', { ...envelope, sealed: 7, chunks: null });
    await queue.close();
    const mailboxes = new Mailboxes(redis, seal);
    const offer = await offerFor(workerId);
    await mailboxes.offer(offer);
    expect(await accepted).toEqual(JSON.parse(JSON.stringify(offer)));
    const notSealed = 'the shard offer is not sealed for this worker with its secret';
    const invalidChunks = 'chunks of the shard offer are missing or invalid';
    expect(refused).toEqual([
      ...MALFORMED.map(() => REASON),
      notSealed,
      invalidChunks,
      invalidChunks,
      invalidChunks,
      notSealed,
    ]);
    await mailboxes.close();
  });

  test('a worker logs malformed messages of the service and continues its shard', async () => {
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
    const to = { seal, box: toWorkersStream(offer.runId) };
    const send = async (ordinal: number, text: string): Promise<void> => {
      await sendSealed(redis, to, { epoch: 1, workerId: '', ordinal }, Buffer.from(text));
    };
    for (const [ordinal, text] of MALFORMED.entries()) await send(1000 + ordinal, text);
    // A malformed message does not count as received, so a lower ordinal is still accepted.
    await send(0, JSON.stringify({ kind: 'cancel' }));
    expect(await run.ended).toEqual({ end: 'cancelled', reason: null });
    const line = { event: 'message-refused', run: offer.runId, epoch: 1, reason: REASON };
    expect(warned).toEqual(MALFORMED.map(() => line));
  });

  test('a worker logs malformed commands and follows later ones', async () => {
    const warned: unknown[] = [];
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
    const ordinal = Math.round(redisTime(await readRedisClock(redis)));
    const binding = { epoch: 0, workerId: worker.id, ordinal };
    const to = { seal, box: COMMAND_STREAM };
    for (const text of ['not JSON', 'null', '{}', '{"kind":"dance"}']) {
      await sendSealed(redis, to, binding, Buffer.from(text));
    }
    await sendSealed(redis, to, binding, Buffer.from('{"kind":"drain"}'));
    await worker.drained;
    await worker.close(0);
    // Unknown kinds are not logged, because a newer service may send other commands.
    expect(warned).toEqual(Array.from({ length: 3 }, () => ({ event: 'message-refused', reason: REASON })));
  });

  test('the registry reports a malformed heartbeat once and still lists other workers', async () => {
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
    const registry = openWorkerRegistry(redis, seal, {
      onRemoved: () => Promise.resolve(),
      onMalformed: (id) => malformed.push(id),
    });
    onTestFinished(() => {
      registry.close();
    });
    await registry.refresh();
    expect((await registry.refresh()).map(({ id }) => id)).toEqual([good]);
    expect(malformed).toEqual([nameless, other]);
  });
});
