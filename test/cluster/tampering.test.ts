/**
 * Attacks by clients with write access to Redis but without the secret: they change neither the load nor the
 * results.
 */
// @module-tag load
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import {
  chunkKey,
  fromWorkersKey,
  mailboxKey,
  toWorkersKey,
  WORKERS_KEY,
} from '../../src/cluster/redis-keys.ts';
import { findFaults, openFaultScene } from '../support/fault-scene.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { createSeededRandom } from '../support/virtual-clock.ts';

const ALL = process.env['FAULTS'] === 'all';
const FORGERIES = ALL ? 400 : 40;
const SEED = Number(process.env['FAULT_SEED'] ?? (ALL ? Math.floor(Math.random() * 1e9) : 1));

type Fields = Record<string, Buffer | string | number>;

test.skipIf(SKIP_WITHOUT_REDIS !== null)(
  `forged, altered and replayed messages do not affect a run (seed ${SEED})`,
  { retry: 0 },
  async () => {
    const random = createSeededRandom(SEED);
    const scene = await openFaultScene({ maxWorkers: 2 });
    const redis = new Redis({ host: '127.0.0.1', port: scene.cluster.redis.port });
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
      let offered: readonly { readonly worker: string; readonly fields: Fields }[] = [];
      const plan = { testType: 'non-cycling' as const, total: 200, seconds: 5 };
      const attacked = await scene.runLoad(plan, 2, async ({ runId }) => {
        workers = await redis.zrange(WORKERS_KEY, '0', '-1');
        expect(workers).toHaveLength(2);
        offered = await readMailboxes(redis, workers);
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
      expect(offered.map(({ worker }) => worker)).toEqual(workers);
      // Offers of the completed run: copied to another worker, with a later expiry, without a valid seal, and
      // malformed. Workers ignore them.
      const before = Date.now();
      for (const { worker, fields } of offered) {
        for (const other of workers) {
          const key = mailboxKey(other);
          if (other !== worker) await add(key, fields);
          if (other !== worker) await add(key, { ...fields, w: other });
          await add(key, { ...fields, w: other, n: Number(fields['n']) + 600_000 });
          await add(key, { ...fields, w: other, s: randomBytes(200) });
          await add(key, { what: 'is this' });
        }
      }
      // Replayed to the same worker, and with other chunks. Workers refuse them and log the refusal.
      for (const { worker, fields } of offered) await add(mailboxKey(worker), fields);
      for (const key of await redis.keys(chunkKey('*'))) await redis.set(key, randomBytes(200), 'PX', 60_000);
      for (const { worker, fields } of offered) await add(mailboxKey(worker), fields);
      const after = await scene.runLoad({ ...plan, total: 40, seconds: 1 }, 2, () => Promise.resolve());
      expect([findFaults(after), after.result.abort_reason]).toEqual([[], null]);
      // The completed run receives no further load.
      expect(attacked.requestsSince(before)).toEqual([]);
      // Mailboxes are processed in order, so a worker that has accepted a later shard has refused all earlier
      // offers.
      const log = scene.workers().map(({ process }) => process.output());
      const countLines = (event: string) => log.join('\n').split(`"event":"${event}"`).length - 1;
      expect(countLines('shard-accepted')).toBe(2 * workers.length);
      expect(countLines('shard-refused')).toBe(2 * offered.length);
    } finally {
      redis.disconnect();
      await scene.close();
    }
  },
);

/** Returns the messages in the mailboxes of workers. */
async function readMailboxes(redis: Redis, workers: readonly string[]) {
  const mailboxes = workers.map(async (worker) =>
    (await entriesOf(redis, mailboxKey(worker))).map((fields) => ({ worker, fields })),
  );
  return (await Promise.all(mailboxes)).flat();
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
