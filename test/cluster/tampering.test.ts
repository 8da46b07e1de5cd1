/**
 * Attacks by clients with write access to Redis but without the secret: they change neither the load nor the
 * results.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import {
  mailboxNameOf,
  fromWorkersKey,
  KEY_PREFIX,
  toWorkersKey,
  WORKERS_KEY,
} from '../../src/cluster/redis-keys.ts';
import { findFaults, openFaultScene } from '../support/fault-scene.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { createSeededRandom } from '../support/virtual-clock.ts';

const FORGERIES = process.env['FAULTS'] === 'all' ? 400 : 40;
const SEED = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));

type Fields = Record<string, Buffer | string | number>;

test.skipIf(SKIP_WITHOUT_REDIS !== null)(
  `forged, altered, replayed and expired messages do not affect a run (seed ${SEED})`,
  { timeout: 180_000, retry: 0 },
  async () => {
    const random = createSeededRandom(SEED);
    const scene = await openFaultScene({ maxWorkers: 2 });
    const redis = new Redis({ host: '127.0.0.1', port: scene.cluster.redis.port });
    const connection = redis.duplicate({ maxRetriesPerRequest: null });
    const queues: Queue[] = [];
    let offers = 0;
    const offer = async (workerId: string, data: unknown): Promise<void> => {
      const queue = new Queue(mailboxNameOf(workerId), { connection, prefix: KEY_PREFIX });
      queues.push(queue);
      await queue.add('part', data);
      offers++;
    };
    const add = async (key: string, fields: Fields): Promise<void> => {
      const args = Object.entries(fields).flatMap(([name, value]) => [
        name,
        value instanceof Buffer ? value : String(value),
      ]);
      await redis.xadd(key, '*', ...args);
    };
    const any = <T>(values: readonly T[]): T => {
      const value = values[Math.floor(random() * values.length)];
      if (value === undefined) throw new Error('Bug: no value to choose from');
      return value;
    };
    try {
      let workers: readonly string[] = [];
      let offered: { readonly worker: string; readonly data: Record<string, unknown> }[] = [];
      const plan = { testType: 'non-cycling' as const, total: 200, seconds: 5 };
      const attacked = await scene.runLoad(plan, 2, async ({ runId }) => {
        workers = await redis.zrange(WORKERS_KEY, '0', '-1');
        expect(workers).toHaveLength(2);
        offered = await readOffers(redis, workers);
        const genuine = (
          await Promise.all(
            [fromWorkersKey(runId), toWorkersKey(runId)].map(async (key) =>
              (await entriesOf(redis, key)).map((fields) => ({ key, fields })),
            ),
          )
        ).flat();
        for (let count = 0; count < FORGERIES; count++) {
          const { key, fields } = any(genuine);
          const sealed = Buffer.from(fields['s'] ?? Buffer.alloc(40));
          const ways: readonly (() => Promise<void>)[] = [
            // Messages without a valid seal.
            () => add(key, { ...fields, s: randomBytes(sealed.length) }),
            () => add(key, { s: 'x', e: 'y' }),
            // A flipped bit.
            () => {
              const at = Math.floor(random() * sealed.length);
              sealed[at] = (sealed[at] ?? 0) ^ 1;
              return add(key, { ...fields, s: sealed });
            },
            // A replayed message: unchanged, for another worker, of another epoch, at another position, and
            // in the other stream.
            () => add(key, fields),
            () => add(key, { ...fields, w: any(workers) }),
            () => add(key, { ...fields, e: 99 }),
            () => add(key, { ...fields, n: Math.floor(random() * 50) }),
            () => add(key === fromWorkersKey(runId) ? toWorkersKey(runId) : fromWorkersKey(runId), fields),
          ];
          await any(ways)();
          await sleep(3000 / FORGERIES);
        }
      });
      expect([findFaults(attacked), attacked.result.abort_reason]).toEqual([[], null]);
      expect(offered.length).toBeGreaterThan(0);
      // Offers of the completed run: replayed, sent to another worker, with a later expiry, without a valid
      // seal, and malformed.
      const before = Date.now();
      for (const { worker, data } of offered) {
        await offer(worker, data);
        for (const other of workers) {
          await offer(other, data);
          await offer(other, { ...data, workerId: other, expires: Number(data['expires']) + 600_000 });
          await offer(other, { ...data, workerId: other, sealed: randomBytes(200).toString('base64') });
          await offer(other, { ...data, workerId: other, sealed: null, chunks: null });
          await offer(other, { what: 'is this' });
        }
      }
      const after = await scene.runLoad({ ...plan, total: 40, seconds: 1 }, 2, () => Promise.resolve());
      expect([findFaults(after), after.result.abort_reason]).toEqual([[], null]);
      // The completed run receives no further load.
      expect(attacked.requestsSince(before)).toEqual([]);
      // Mailboxes are processed in order, so a worker that has run a later shard has refused all earlier
      // offers.
      const refusals = scene
        .workers()
        .flatMap(({ process }) => process.output().match(/"part-refused"/g) ?? []);
      expect(refusals).toHaveLength(offers);
    } finally {
      await Promise.all(queues.map((queue) => queue.close()));
      connection.disconnect();
      redis.disconnect();
      await scene.close();
    }
  },
);

/** Returns the offers in the mailboxes while their shards run. */
async function readOffers(redis: Redis, workers: readonly string[]) {
  const offers = await Promise.all(
    workers.map(async (worker) => {
      const keys = await redis.keys(`${KEY_PREFIX}:${mailboxNameOf(worker)}:*`);
      const texts = await Promise.all(
        keys.map(async (key) => ((await redis.type(key)) === 'hash' ? await redis.hget(key, 'data') : null)),
      );
      return texts.flatMap((text) =>
        text === null ? [] : [{ worker, data: JSON.parse(text) as Record<string, unknown> }],
      );
    }),
  );
  return offers.flat();
}

async function entriesOf(redis: Redis, key: string): Promise<readonly Record<string, Buffer>[]> {
  const entries = await redis.xrangeBuffer(key, '-', '+');
  return entries.map(([, elements]) => {
    const fields: Record<string, Buffer> = {};
    for (let at = 0; at + 1 < elements.length; at += 2) {
      const [name, value] = [elements[at], elements[at + 1]];
      if (name !== undefined && value !== undefined) fields[name.toString()] = value;
    }
    return fields;
  });
}
