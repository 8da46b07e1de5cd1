/** What was sealed with the secret, and is no message that this version knows: it is refused and told, and all goes on. */
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
const STRANGE = [
  'not JSON',
  '{"kind":',
  'null',
  '7',
  '[]',
  '{}',
  '{"kind":"fly"}',
  '{"kind":"acknowledged"}',
];
const REASON = 'it was sealed with the secret, and is nothing that this version understands';

/** No load is made here. */
function nobody(): never {
  throw new Error('Bug: there is no load to make');
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('what nobody understands', () => {
  const seal = new Seal(SECRET);
  let rig: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    rig = await startRedis();
    redis = new Redis({ host: '127.0.0.1', port: rig.port, maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    redis.disconnect();
    await rig.close();
  });

  const connect = (): Redis => redis.duplicate();

  async function offerFor(workerId: string): Promise<ShardOffer> {
    const job = jobOf([targetOf(80)]);
    const expires = Math.round(redisTime(await readRedisClock(redis)) + 60_000);
    return {
      ...{ protocol: PROTOCOL_VERSION, runId: job.runId, epoch: 1, workerId, expires },
      ...{ job, hosts: [], threadShards: splitIntoShards(job, 1) },
    };
  }

  test('in a mailbox is refused, and the next part is taken', async () => {
    const workerId = '00000000000000aa';
    const blockingRedis = connect();
    const refused: string[] = [];
    const taken = new Promise<ShardOffer>((resolve) => {
      const mailbox = openWorkerMailbox({
        ...{ redis, blockingRedis, seal, workerId, onRefusal: (reason) => refused.push(reason) },
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
    const about = { runId: 'run', epoch: 1, workerId, expires: 1000 };
    const sealed = (text: string): string =>
      seal
        .seal({ purpose: 'part', runId: 'run', epoch: 1, workerId, ordinal: 1000 }, Buffer.from(text))
        .toString('base64');
    for (const text of STRANGE) await queue.add('part', { ...about, sealed: sealed(text), chunks: [] });
    // Sealed with another secret; pieces that are gone, none at all, or larger than any piece.
    await queue.add('part', { ...about, sealed: randomBytes(100).toString('base64'), chunks: [] });
    await redis.hset(chunkKey('hash'), 'a', 'b');
    await redis.set(chunkKey('large'), Buffer.alloc(1024 * 1024 + 1));
    for (const piece of ['gone', 'hash', 'large']) {
      await queue.add('part', { ...about, sealed: null, chunks: [piece] });
    }
    await queue.add('part', { ...about, sealed: 7, chunks: null });
    await queue.close();
    const mailboxes = new Mailboxes(redis, seal);
    const offer = await offerFor(workerId);
    await mailboxes.offer(offer);
    expect(await taken).toEqual(JSON.parse(JSON.stringify(offer)));
    const notSealed = 'a part was not sealed for this worker with its secret';
    const noPieces = 'the pieces of a part are not there, or are none';
    expect(refused).toEqual([
      ...STRANGE.map(() => REASON),
      notSealed,
      noPieces,
      noPieces,
      noPieces,
      notSealed,
    ]);
    await mailboxes.close();
  });

  test('from the service of a run is told, and its part goes on', async () => {
    const offer = await offerFor('00000000000000bb');
    const warned: unknown[] = [];
    const part = new WorkerRun(offer, {
      ...{ redis, seal, connect, name: 'one', version: '1', startLoad: nobody },
      readCapacity: () => ({ connections: null, ports: null, portReuse: 'none' }),
      // It is not ready yet.
      resolveTargets: () => new Promise(() => undefined),
      warn: (line) => warned.push(line),
    });
    const to = { seal, box: toWorkersStream(offer.runId) };
    const say = async (ordinal: number, text: string): Promise<void> => {
      await sendSealed(redis, to, { epoch: 1, workerId: '', ordinal }, Buffer.from(text));
    };
    for (const [ordinal, text] of STRANGE.entries()) await say(1000 + ordinal, text);
    // What nobody understands does not stand for anything that was heard either.
    await say(0, JSON.stringify({ kind: 'cancel' }));
    expect(await part.ended).toEqual({ end: 'cancelled', reason: null });
    const told = { event: 'message-refused', run: offer.runId, epoch: 1, reason: REASON };
    expect(warned).toEqual(STRANGE.map(() => told));
  });

  test('among orders is told, and later orders are followed', async () => {
    const warned: unknown[] = [];
    const worker = await openWorker({
      ...{ redis: await openRedis(parseRedisAddress(rig.url)), secret: SECRET, name: 'one', threads: 1 },
      ...{ maxConnections: null, allowPrivate: [], policy: () => null, version: '1' },
      startLoad: nobody,
      log: { info: () => undefined, warn: (line) => warned.push(line) },
    });
    const ordinal = Math.round(redisTime(await readRedisClock(redis)));
    const about = { epoch: 0, workerId: worker.id, ordinal };
    const to = { seal, box: COMMAND_STREAM };
    for (const text of ['not JSON', 'null', '{}', '{"kind":"dance"}']) {
      await sendSealed(redis, to, about, Buffer.from(text));
    }
    await sendSealed(redis, to, about, Buffer.from('{"kind":"drain"}'));
    await worker.drained;
    await worker.close(0);
    // A later service may give other orders.
    expect(warned).toEqual(Array.from({ length: 3 }, () => ({ event: 'message-refused', reason: REASON })));
  });

  test('of a worker that says it is there is told once, and hides no other worker', async () => {
    const clock = await readRedisClock(redis);
    const presence = (id: string): Heartbeat => ({
      ...{ protocol: PROTOCOL_VERSION, id, name: id, version: '1', since: 0, state: 'ready', runId: null },
      ...{ threads: 1, connections: null, ports: null, portReuse: 'none', families: [4], load: 0 },
      clock: { offsetMs: 0, uncertaintyMs: 0 },
    });
    const [good, nameless, other] = ['00000000000000c1', '00000000000000c2', '00000000000000c3'] as const;
    await sendHeartbeat(redis, seal, presence(good), clock);
    // Of another make, which does not say all that is needed.
    const { name: _name, ...without } = presence(nameless);
    await sendHeartbeat(redis, seal, without as Heartbeat, clock);
    await sendHeartbeat(redis, seal, { ...presence(other), clock: null as never }, clock);
    const strange: string[] = [];
    const registry = openWorkerRegistry(redis, seal, {
      onRemoved: () => Promise.resolve(),
      onMalformed: (id) => strange.push(id),
    });
    onTestFinished(() => {
      registry.close();
    });
    await registry.refresh();
    expect((await registry.refresh()).map(({ id }) => id)).toEqual([good]);
    expect(strange).toEqual([nameless, other]);
  });
});
