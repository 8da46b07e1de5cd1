/** A bug while the seconds of workers are added up ends that run, with what is known, and is logged. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BEGINNING, ofWorkersBox, receive, send, toWorkersBox } from '../../src/cluster/letters.ts';
import { Mailboxes } from '../../src/cluster/mailbox.ts';
import {
  PROTOCOL_VERSION,
  type OfWorker,
  type Presence,
  type ToWorkers,
} from '../../src/cluster/messages.ts';
import { RunElsewhere } from '../../src/cluster/run-elsewhere.ts';
import { Seal } from '../../src/cluster/seal.ts';
import { packMessage } from '../../src/cluster/told-codec.ts';
import { createTally } from '../../src/core/load/slice.ts';
import { Secret } from '../../src/core/model/secret.ts';
import type { KeptRun } from '../../src/core/ports/run-keep.ts';
import { jobOf, targetOf } from '../rig/engine.ts';
import { startRedis, WITHOUT_REDIS, type RedisRig } from '../rig/redis.ts';
import { NOBODY, secondOf } from '../rig/slices.ts';

const WORKER: Presence = {
  ...{ protocol: PROTOCOL_VERSION, id: '0123456789abcdef', name: 'one', version: '1', since: 0 },
  ...{ state: 'ready', runId: null, threads: 1, connections: null, ports: null },
  ...{ portReuse: 'none', families: [4] },
  ...{ clock: { offsetMs: 0, uncertaintyMs: 0 }, load: 0 },
};

describe.skipIf(WITHOUT_REDIS !== null)('a second that cannot be added up', () => {
  let rig: RedisRig;
  beforeAll(async () => {
    rig = await startRedis();
  });
  afterAll(async () => {
    await rig.close();
  });

  test('ends the run as partial, names its workers, and is logged', async () => {
    const redis = new Redis({ host: '127.0.0.1', port: rig.port, maxRetriesPerRequest: null });
    const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know'));
    const mailboxes = new Mailboxes(redis, seal);
    const keep = new Map<string, KeptRun>();
    const logged: Record<string, unknown>[] = [];
    const job = jobOf([targetOf(80)], { duration: 60_000 });
    const { runId } = job;
    const run = RunElsewhere.begin(
      { job, hosts: [], workers: [WORKER] },
      {
        ...{ redis, seal, mailboxes, version: '1', connect: () => redis.duplicate() },
        keep: { put: (id, kept) => keep.set(id, kept), get: (id) => keep.get(id) ?? null },
        warn: (line) => logged.push(line),
      },
      () => {
        throw new Error('a bug');
      },
    );
    const tell = async (mark: number, message: OfWorker): Promise<void> => {
      const to = { seal, box: ofWorkersBox(runId) };
      const about = { epoch: keep.get(runId)?.epoch ?? 0, workerId: WORKER.id, mark };
      await send(redis, to, about, packMessage(message));
    };
    try {
      await tell(0, { kind: 'ready', name: 'one', uncertaintyMs: 1, surroundings: NOBODY });
      await started(redis, seal, runId);
      const tally = createTally('record', true);
      tally.started = 1;
      tally.statuses[200] = 1;
      await tell(1, {
        ...{ kind: 'told', slices: [secondOf(0, 0, [tally])], exchanges: [], done: [], lost: [] },
        overloaded: false,
      });
      expect(await run.ended).toMatchObject({
        abortReason: 'partial',
        workers: [{ name: 'one', started: 1, lost: 'what it told could not be added up' }],
      });
      expect(logged).toContainEqual({ event: 'merge-failed', run: runId, reason: 'a bug' });
      expect(logged).toContainEqual(expect.objectContaining({ event: 'worker-lost', worker: 'one' }));
    } finally {
      await run.close(0);
      await mailboxes.close();
      redis.disconnect();
    }
  });
});

describe.skipIf(WITHOUT_REDIS !== null)('a worker that gets ready while its run is given up', () => {
  test('is named as too late', async () => {
    const rig = await startRedis();
    const redis = new Redis({ host: '127.0.0.1', port: rig.port, maxRetriesPerRequest: null });
    const seal = new Seal(new Secret('LOADTESTS_WORKER_SECRET', 'a secret that both sides know'));
    const mailboxes = new Mailboxes(redis, seal);
    const keep = new Map<string, KeptRun>();
    const job = jobOf([targetOf(80)], { duration: 60_000 });
    const to = { seal, box: ofWorkersBox(job.runId) };
    const ready: OfWorker = { kind: 'ready', name: 'one', uncertaintyMs: 1, surroundings: NOBODY };
    // A Redis that answers late: what is said of the end comes behind what is heard meanwhile.
    const late = new Proxy(redis, {
      get: (from, name) => {
        const value: unknown = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        if (name !== 'xadd') return value.bind(from) as unknown;
        return async () => {
          const about = { epoch: 1, workerId: WORKER.id, mark: 0 };
          await send(redis, to, about, packMessage(ready));
          await expect.poll(() => heard, { timeout: 10_000 }).toBe(true);
        };
      },
    });
    let heard = false;
    const listening = redis.duplicate();
    const reading = listening.xreadBuffer.bind(listening) as (...words: unknown[]) => Promise<unknown>;
    Object.assign(listening, {
      xreadBuffer: async (...words: unknown[]) => {
        const answer = await reading(...words);
        // What came is taken before anything else happens.
        if (answer !== null) setImmediate(() => (heard = true));
        return answer;
      },
    });
    const run = RunElsewhere.begin(
      { job, hosts: [], workers: [WORKER] },
      {
        ...{ redis: late, seal, mailboxes, version: '1', connect: () => listening, warn: () => undefined },
        keep: { put: (id, kept) => keep.set(id, kept), get: (id) => keep.get(id) ?? null },
      },
      () => undefined,
    );
    try {
      await expect(run.ended).rejects.toThrow('worker "one" not ready within 5 s');
    } finally {
      listening.disconnect();
      await mailboxes.close();
      redis.disconnect();
      await rig.close();
    }
  });
});

/** The service has told its workers to start. */
async function started(redis: Redis, seal: Seal, runId: string): Promise<void> {
  const from = { seal, box: toWorkersBox(runId) };
  const own = redis.duplicate();
  let after = BEGINNING;
  for (let go = false; !go;) {
    const { letters, last } = await receive(own, from, after, 1000);
    after = last;
    go = letters.some(({ body }) => (JSON.parse(body.toString()) as ToWorkers).kind === 'go'); // sealed by the service
  }
  own.disconnect();
}
