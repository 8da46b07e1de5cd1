/**
 * Whatever dies, hangs or lies: no part is made twice, no run is stuck, no wrong sum is called complete, and nobody makes
 * load that nobody watches. `FAULTS=all` plays each row in full; `FAULT_SEED` plays one again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { findFaults, openFaultScene, type FaultScene, type LoadPlan } from '../rig/fault-scene.ts';
import { WITHOUT_REDIS } from '../rig/redis.ts';
import { seededRandom } from '../rig/virtual-clock.ts';

const ALL = process.env['FAULTS'] === 'all';
const SEED = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));
const TIMES = process.env['FAULT_TIMES'];

/** Numbers that a seed gives. */
class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  between(from: number, to: number): number {
    return from + this.#random() * (to - from);
  }

  among<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.#random() * values.length)] ?? values[0];
  }
}

interface Row {
  readonly what: string;
  /** How often it is played by `npm test`, and in full. */
  readonly times: readonly [few: number, all: number];
  readonly workers: (dice: Dice) => number;
  readonly plan: (dice: Dice) => LoadPlan;
  /** What happens, from the first request on; and whether the run may not be hurt by it. */
  readonly meanwhile: (scene: FaultScene, dice: Dice, runId: string) => Promise<void>;
  readonly whole: boolean;
  readonly durable?: boolean;
}

const PLAN: LoadPlan = { testType: 'non-cycling', total: 120, seconds: 4 };
const short = (): LoadPlan => PLAN;
const two = (): number => 2;
const pauseOf = (from: number, to: number, dice: Dice): Promise<void> => sleep(dice.between(from, to));

/** The longest first: a few are played at once. */
const ROWS: readonly Row[] = [
  {
    what: 'a worker stands still',
    times: [1, 20],
    workers: (dice) => dice.among([1, 2]),
    plan: () => ({ ...PLAN, total: 240, seconds: 8 }),
    meanwhile: async (scene, dice) => {
      await pauseOf(0, 3000, dice);
      const [worker] = scene.workers();
      worker?.kill('SIGSTOP');
      await pauseOf(3000, 12_000, dice);
      worker?.kill('SIGCONT');
    },
    whole: false,
  },
  {
    what: 'the wire between workers and Redis is slow, silent or cut',
    times: [1, 100],
    workers: two,
    plan: () => ({ ...PLAN, total: 180, seconds: 6 }),
    meanwhile: async ({ proxy }, dice) => {
      await pauseOf(0, 3000, dice);
      const how = dice.among(['delay', 'cut', 'hold up', 'hold down', 'hold all', 'lose']);
      const lasting = dice.between(1000, 10_000);
      if (how === 'delay') {
        for (const direction of ['up', 'down'] as const) proxy.delay(direction, dice.between(10, 2000));
      }
      if (how === 'cut') {
        for (let cuts = 0; cuts < 5; cuts++) {
          proxy.cut();
          await sleep(lasting / 10);
        }
      }
      if (how === 'hold up' || how === 'hold all' || how === 'lose') proxy.hold('up');
      if (how === 'hold down' || how === 'hold all' || how === 'lose') proxy.hold('down');
      await sleep(lasting);
      // What was on its way never arrives.
      if (how === 'lose') proxy.cut();
      proxy.heal();
    },
    whole: false,
  },
  {
    what: 'a worker is killed',
    times: [1, 100],
    workers: two,
    plan: short,
    meanwhile: async (scene, dice) => {
      await pauseOf(0, 3500, dice);
      const worker = scene.workers()[dice.among([0, 1])];
      if (worker === undefined) throw new Error('there are two workers');
      worker.kill('SIGKILL');
      await worker.ended;
      await scene.replace(worker);
    },
    whole: false,
  },
  {
    what: 'the service is killed, and comes back within the lease, or after it',
    times: [1, 40],
    workers: two,
    plan: () => ({ ...PLAN, total: 240, seconds: 8 }),
    meanwhile: async ({ rig }, dice) => {
      await pauseOf(0, 3000, dice);
      rig.service().kill('SIGKILL');
      await rig.service().ended;
      await pauseOf(0, 9000, dice);
      await rig.startService();
    },
    whole: false,
  },
  {
    what: 'nothing: the sum of the parts is what the target saw',
    times: [1, 300],
    workers: (dice) => Math.floor(dice.between(1, ALL || TIMES !== undefined ? 8 : 4)),
    plan: (dice) => ({
      testType: dice.among(['cycling', 'non-cycling', 'per-second']),
      total: Math.ceil(dice.between(5, 60)),
      seconds: Math.ceil(dice.between(1, 3)),
    }),
    meanwhile: () => Promise.resolve(),
    whole: true,
  },
  {
    what: 'Redis restarts with its data, restarts without it, stands still, or is full',
    times: [1, 40],
    workers: two,
    plan: () => ({ ...PLAN, total: 180, seconds: 6 }),
    durable: true,
    meanwhile: async ({ rig: { redis } }, dice) => {
      await pauseOf(0, 3000, dice);
      switch (dice.among(['kept', 'lost', 'still', 'full'])) {
        case 'kept':
          await redis.kill();
          await pauseOf(0, 4000, dice);
          await redis.start();
          return;
        case 'lost':
          await redis.kill();
          await pauseOf(0, 4000, dice);
          await redis.start({ empty: true });
          return;
        case 'still':
          redis.pause();
          await pauseOf(500, 8000, dice);
          redis.goOn();
          return;
        case 'full':
          await redis.command('CONFIG', 'SET', 'maxmemory', 1);
          await pauseOf(500, 8000, dice);
          await redis.command('CONFIG', 'SET', 'maxmemory', 0);
      }
    },
    whole: false,
  },
];

describe.skipIf(WITHOUT_REDIS !== null)('a run made by workers', () => {
  test.concurrent.for(ROWS)(
    'holds what it promises: $what',
    { timeout: 6 * 3_600_000, retry: 0 },
    async (row) => {
      const [few, all] = row.times;
      const times = TIMES === undefined ? (ALL ? all : few) : Number(TIMES);
      const ended = new Map<string, number>();
      for (let seed = SEED; seed < SEED + times; seed++) {
        const dice = new Dice(seed);
        const again = `FAULT_SEED=${seed} FAULT_TIMES=1 npx vitest run --config test/vitest.config.ts test/cluster/faults -t "${row.what}"`;
        const scene = await openFaultScene(row.workers(dice), { durable: row.durable ?? false });
        try {
          const played = await scene.play(row.plan(dice), (runId) => row.meanwhile(scene, dice, runId));
          expect(findFaults(played, row.whole), again).toEqual([]);
          const how = played.result.abort_reason ?? 'complete';
          ended.set(how, (ended.get(how) ?? 0) + 1);
        } catch (cause) {
          throw new Error(again, { cause });
        } finally {
          await scene.close();
        }
      }
      if (ALL || TIMES !== undefined) {
        const ends = [...ended].map(([how, count]) => `${count} ${how}`).join(', ');
        process.stdout.write(`${row.what}: ${times} runs from seed ${SEED}: ${ends}\n`);
      }
    },
  );
});
