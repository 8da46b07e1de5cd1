/**
 * Fault injection for distributed runs. No shard is run twice, every run ends, an incorrect total is never
 * reported as complete, and no load continues unsupervised. `FAULTS=all` runs each row in full with a random seed, `FAULT_SEED`
 * repeats one run, and `FAULT_AT_ONCE` sets the number of concurrent scenes.
 */
// @module-tag load
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forEachConcurrent } from '../../src/apply/concurrency.ts';
import {
  findFaults,
  RunNotStartedError,
  openFaultScene,
  type FaultScene,
  type LoadPlan,
  type ObservedRun,
  type StartedRun,
  type FaultSceneSettings,
} from '../support/fault-scene.ts';
import { AdaptiveLimiter } from '../support/adaptive-limiter.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { createSeededRandom } from '../support/virtual-clock.ts';

const ALL = process.env['FAULTS'] === 'all';
/** From this seed on, six runs without faults have all types of load and one to seven workers. */
const FIRST_SEED = 3;
const SEED = Number(process.env['FAULT_SEED'] ?? (ALL ? Math.floor(Math.random() * 1e9) : FIRST_SEED));
const RUN_COUNT = process.env['FAULT_TIMES'];
/** Number of concurrent scenes, which mostly wait. Other tests run at the same time as some of them. */
const MAX_SCENES = Number(process.env['FAULT_AT_ONCE'] ?? (ALL ? 5 : 2) * availableParallelism());

/** Maximum number of concurrent runs. */
const PACE = new AdaptiveLimiter((ALL ? 7 : 3) * availableParallelism());

/** Seeded random numbers. */
class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createSeededRandom(seed);
  }

  between(from: number, to: number): number {
    return from + this.#random() * (to - from);
  }

  among<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.#random() * values.length)] ?? values[0];
  }
}

/** Environment of rows. */
interface Stage {
  /** Number of scenes over which runs are distributed, and number of concurrent runs in each scene. */
  readonly scenes: number;
  readonly concurrency: number;
  readonly settings: FaultSceneSettings;
}

/** Faults affect only their own run. */
const SIDE_BY_SIDE: Stage = { scenes: 2, concurrency: ALL ? 4 : 2, settings: { maxWorkers: 10, perRun: 2 } };

/** Faults affect the whole scene. */
const ALONE: Stage = { scenes: 3, concurrency: 1, settings: { maxWorkers: 7, durable: true } };

/** Each run uses all free workers. With `FAULTS=all`, in its own scenes, to run at the same time. */
const ONE_BY_ONE: Stage = ALL ? { scenes: 3, concurrency: 1, settings: { maxWorkers: 7 } } : ALONE;

/** As `ALONE`. With `FAULTS=all`, its runs have their own scenes, to run at the same time. */
const OUTAGE: Stage = ALL ? { ...ALONE } : ALONE;

interface Row {
  readonly what: string;
  /** Number of runs with `npm test`, and with `FAULTS=all`. */
  readonly times: readonly [few: number, all: number];
  readonly stage: Stage;
  readonly workers: (dice: Dice) => number;
  readonly plan: (dice: Dice) => LoadPlan;
  /** Injects the fault, starting at the first request. */
  readonly meanwhile: (dice: Dice, run: StartedRun, scene: FaultScene) => Promise<void>;
  /** True if the run must be complete. A run that ends early because the machine stalled is repeated. */
  readonly isFaultless: boolean;
}

const PLAN: LoadPlan = { testType: 'non-cycling', total: 60, seconds: 4 };
const two = (): number => 2;
const pauseOf = (from: number, to: number, dice: Dice): Promise<void> => sleep(dice.between(from, to));

const ROWS: readonly Row[] = [
  {
    what: 'without faults',
    times: [6, 300],
    stage: ONE_BY_ONE,
    // Small numbers are more frequent, because larger ones differ little.
    workers: (dice) => dice.among([1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7]),
    plan: (dice) => ({
      testType: dice.among(['cycling', 'non-cycling', 'per-second']),
      total: Math.ceil(dice.between(5, 60)),
      seconds: Math.ceil(dice.between(0, 3)),
    }),
    meanwhile: () => Promise.resolve(),
    isFaultless: true,
  },
  {
    what: 'after a worker is killed',
    times: [3, 100],
    stage: SIDE_BY_SIDE,
    workers: two,
    plan: () => PLAN,
    meanwhile: async (dice, { workers }) => {
      await pauseOf(0, 3500, dice);
      const worker = workers[dice.among([0, 1])];
      if (worker === undefined) throw new Error('Bug: the run does not have two workers');
      worker.process.kill('SIGKILL');
      await worker.process.ended;
    },
    isFaultless: false,
  },
  {
    what: 'after a worker hangs',
    times: [1, 20],
    stage: SIDE_BY_SIDE,
    workers: two,
    plan: () => ({ ...PLAN, total: 120, seconds: 8 }),
    meanwhile: async (dice, { workers }) => {
      await pauseOf(0, 3000, dice);
      // One of the workers, or both.
      const paused = workers.slice(0, dice.among([1, 2]));
      for (const { process } of paused) process.kill('SIGSTOP');
      await pauseOf(3000, 12_000, dice);
      for (const { process } of paused) process.kill('SIGCONT');
    },
    isFaultless: false,
  },
  {
    what: 'when Redis restarts with or without its data, hangs, or is full',
    times: [1, 40],
    stage: ALONE,
    workers: two,
    plan: () => ({ ...PLAN, total: 90, seconds: 6 }),
    meanwhile: async (dice, _run, { cluster: { redis } }) => {
      await pauseOf(0, 3000, dice);
      switch (dice.among(['restart', 'data-loss', 'hang', 'full'])) {
        case 'restart':
          await redis.kill();
          await pauseOf(0, 4000, dice);
          await redis.start();
          return;
        case 'data-loss':
          await redis.kill();
          await pauseOf(0, 4000, dice);
          await redis.start({ empty: true });
          return;
        case 'hang':
          redis.pause();
          await pauseOf(500, 8000, dice);
          redis.resume();
          return;
        case 'full':
          await redis.command('CONFIG', 'SET', 'maxmemory', 1);
          await pauseOf(500, 8000, dice);
          await redis.command('CONFIG', 'SET', 'maxmemory', 0);
      }
    },
    isFaultless: false,
  },
  {
    what: 'during a Redis outage of two seconds, and does not end early',
    times: [2, 40],
    stage: OUTAGE,
    workers: two,
    // Longer than the lease after the outage, so that an expired lease ends the run.
    plan: () => ({ ...PLAN, total: 80, seconds: 8 }),
    meanwhile: async (dice, { workers }, { cluster: { redis } }) => {
      await pauseOf(500, 1500, dice);
      const wires = workers.map(({ wire }) => wire);
      const how = dice.among(['restart', 'hang', 'hold']);
      if (how === 'restart') await redis.kill();
      if (how === 'hang') redis.pause();
      for (const wire of how === 'hold' ? wires : []) {
        wire.hold('up');
        wire.hold('down');
      }
      // Redis needs some time to start.
      await sleep(how === 'restart' ? 1700 : 2000);
      if (how === 'restart') await redis.start();
      if (how === 'hang') redis.resume();
      for (const wire of how === 'hold' ? wires : []) {
        wire.disconnect();
        wire.reconnect();
      }
    },
    isFaultless: true,
  },
  {
    what: 'when the service is killed and restarts before or after the lease expires',
    times: [1, 40],
    stage: ALONE,
    workers: two,
    plan: () => ({ ...PLAN, total: 120, seconds: 8 }),
    meanwhile: async (dice, _run, { cluster }) => {
      await pauseOf(0, 3000, dice);
      cluster.service().kill('SIGKILL');
      await cluster.service().ended;
      await pauseOf(0, 9000, dice);
      await cluster.startService();
    },
    isFaultless: false,
  },
  {
    what: 'when the connections between workers and Redis are slow, silent or cut',
    times: [2, 100],
    stage: SIDE_BY_SIDE,
    workers: two,
    plan: () => ({ ...PLAN, total: 90, seconds: 6 }),
    meanwhile: async (dice, { workers }) => {
      const wires = workers.map(({ wire }) => wire);
      await pauseOf(0, 3000, dice);
      const how = dice.among(['delay', 'cut', 'hold up', 'hold down', 'hold all', 'lose']);
      const lasting = dice.between(1000, 10_000);
      if (how === 'delay') {
        for (const direction of ['up', 'down'] as const) {
          const ms = dice.between(10, 2000);
          for (const wire of wires) wire.delay(direction, ms);
        }
      }
      if (how === 'cut') {
        for (let cuts = 0; cuts < 5; cuts++) {
          for (const wire of wires) wire.disconnect();
          await sleep(lasting / 10);
        }
      }
      const [up, down] = [how !== 'hold down', how !== 'hold up'];
      if (how.startsWith('hold') || how === 'lose') {
        for (const wire of wires) {
          if (up) wire.hold('up');
          if (down) wire.hold('down');
        }
      }
      await sleep(lasting);
      for (const wire of wires) {
        // Data in flight never arrives.
        if (how === 'lose') wire.disconnect();
        wire.reconnect();
      }
    },
    isFaultless: false,
  },
];

/** Outcome of a row. */
class Outcome {
  readonly observed: ObservedRun[] = [];
  /** Reasons for repeating runs on a machine that was too busy. */
  readonly repeated: string[] = [];
  /** Each message begins with the command that repeats the run. */
  readonly failures: Error[] = [];
  readonly times: number;
  readonly over: Promise<void>;
  #left: number;
  #end: () => void = () => undefined;

  constructor(times: number) {
    this.times = times;
    this.#left = times;
    this.over = new Promise((resolve) => (this.#end = resolve));
  }

  /** Marks one run as settled. */
  settle(): void {
    if (--this.#left === 0) this.#end();
  }
}

/** One run of a row. */
interface Play {
  readonly row: Row;
  readonly outcome: Outcome;
  readonly seed: number;
  readonly workers: number;
}

function playsOf(row: Row, outcome: Outcome): readonly Play[] {
  return Array.from({ length: outcome.times }, (_, index) => {
    const seed = SEED + index;
    return { row, outcome, seed, workers: row.workers(new Dice(seed)) };
  });
}

function timesOf({ times: [few, all] }: Row): number {
  return RUN_COUNT === undefined ? (ALL ? all : few) : Number(RUN_COUNT);
}

/** One scene and its runs. */
interface Session {
  readonly stage: Stage;
  readonly plays: readonly Play[];
}

/** Opening a scene takes about as long as a run, and most of the CPU time of a few runs. */
const MIN_RUNS_PER_SCENE = 10;

/** Groups runs by number of workers, so that a scene starts no more workers than necessary. */
function sessionsOf(stage: Stage, plays: readonly Play[]): readonly Session[] {
  const sorted = plays.toSorted((one, other) => one.workers - other.workers || one.seed - other.seed);
  const scenes = Math.min(stage.scenes, Math.ceil(plays.length / MIN_RUNS_PER_SCENE));
  return Array.from({ length: scenes }, (_, scene) => {
    const [from, until] = [scene, scene + 1].map((bound) => Math.round((bound * plays.length) / scenes));
    return { stage, plays: sorted.slice(from, until) };
  });
}

/** Number of attempts for a run while the machine is too busy. */
const MAX_ATTEMPTS = 6;

/**
 * Runs and checks one play.
 * @throws Error with the violated guarantees.
 */
async function playOne({ row, outcome, seed }: Play, scene: FaultScene): Promise<ObservedRun> {
  for (let attempt = 1; ; attempt++) {
    const { run, tooBusy } = await PACE.run(async () => {
      const dice = new Dice(seed);
      const workers = row.workers(dice);
      try {
        const observed = await scene.runLoad(row.plan(dice), workers, (run) =>
          row.meanwhile(dice, run, scene),
        );
        const faults = [...findFaults(observed), ...(row.isFaultless ? findHarm(observed) : [])];
        if (faults.length > 0) throw new Error(faults.join('\n'));
        return {
          run: observed,
          tooBusy: row.isFaultless ? lossReasonsOf(observed).join('; ') || null : null,
        };
      } catch (error) {
        if (!(error instanceof RunNotStartedError)) throw error;
        return { run: null, tooBusy: error.message };
      }
    });
    if (run !== null && tooBusy === null) return run;
    const reason = `seed ${seed}: ${tooBusy ?? ''}`;
    if (attempt === MAX_ATTEMPTS) throw new Error(`the run failed ${MAX_ATTEMPTS} times; ${reason}`);
    outcome.repeated.push(reason);
  }
}

function lossReasonsOf({ result }: ObservedRun): readonly string[] {
  return result.workers.flatMap(({ lost }) => lost ?? []);
}

/**
 * Returns the unexpected end of a run without faults. Ends that a stall of the machine explains are accepted.
 */
function findHarm(observed: ObservedRun): readonly string[] {
  const stalled = /^no message for|^lease expired|^it generated none/;
  const reasons = lossReasonsOf(observed);
  const { abort_reason: reason } = observed.result;
  if (
    reason === null ||
    (reason === 'partial' && reasons.length > 0 && reasons.every((lossReason) => stalled.test(lossReason)))
  )
    return [];
  return [`the run ended as "${reason}": ${reasons.join('; ')}`];
}

/** Runs all plays of a session. After a failure, the remaining plays run in a new scene. Never rejects. */
async function playAll({ stage, plays }: Session): Promise<void> {
  const remaining = new Set(plays);
  while (remaining.size > 0) {
    let hasFailed = false;
    try {
      const scene = await openFaultScene(stage.settings);
      try {
        await forEachConcurrent([...remaining], stage.concurrency, async (play) => {
          if (hasFailed) return;
          try {
            play.outcome.observed.push(await playOne(play, scene));
          } catch (cause) {
            hasFailed = true;
            fail(play, cause);
          }
          remaining.delete(play);
          play.outcome.settle();
        });
      } finally {
        await scene.close();
      }
    } catch (cause) {
      // If the scene cannot be opened, all remaining runs fail.
      for (const play of remaining) {
        fail(play, cause);
        play.outcome.settle();
      }
      remaining.clear();
    }
  }
}

function fail({ row, outcome, seed }: Play, cause: unknown): void {
  const command = `FAULT_SEED=${seed} FAULT_TIMES=1 npx vitest run --config test/vitest.config.ts test/cluster/faults -t "${row.what.slice(0, 20)}"`;
  process.stdout.write(`failed: ${command}\n${reasonsOf(cause)}\n`);
  outcome.failures.push(new Error(command, { cause }));
}

function reasonsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined ? cause.message : `${cause.message}\n${reasonsOf(cause.cause)}`;
}

/**
 * Returns the time between the first and last start of the workers, in ms; null with fewer than two starts.
 */
function spanOfStarts({ result }: ObservedRun): number | null {
  const starts = result.workers.flatMap(({ start_skew_ms: skew }) => (skew === null ? [] : [skew]));
  return starts.length < 2 ? null : Math.max(...starts) - Math.min(...starts);
}

/** Example: `after a worker is killed: 15 runs from seed 4711: 14 partial, 1 complete` */
function summaryOf({ what, isFaultless }: Row, { observed, repeated }: Outcome): string {
  const ends = new Map<string, number>();
  for (const { result } of observed) {
    const how = result.abort_reason ?? 'complete';
    ends.set(how, (ends.get(how) ?? 0) + 1);
  }
  const parts = [...ends].map(([how, count]) => `${count} ${how}`);
  const spans = observed.flatMap((run) => spanOfStarts(run) ?? []).sort((one, other) => one - other);
  const [median, max] = [spans[Math.floor(spans.length / 2)], spans.at(-1)];
  if (isFaultless && median !== undefined && max !== undefined) {
    parts.push(`starts within ${median.toFixed(2)} ms (median) and ${max.toFixed(2)} ms (maximum)`);
  }
  const lines = [`${what}: ${observed.length} runs from seed ${SEED}: ${parts.join(', ')}`];
  return [...lines, ...repeated.map((why) => `  repeated, ${why}`)].join('\n');
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('distributed runs with faults', () => {
  const rows = ROWS.map((row) => ({ row, outcome: new Outcome(timesOf(row)) }));

  let playing: Promise<unknown> | null = null;
  // Vitest calls the tests one after another, but all rows run concurrently.
  // oxlint-disable-next-line no-empty-pattern -- vitest requires a destructuring pattern here
  beforeAll(({}, suite) => {
    const selected = rows.filter((_, index) => suite.tasks[index]?.mode === 'run');
    const sessions = [...new Set([ONE_BY_ONE, SIDE_BY_SIDE, ALONE, OUTAGE])].flatMap((stage) => {
      const stageRows = selected.filter(({ row }) => row.stage === stage);
      return sessionsOf(
        stage,
        stageRows.flatMap(({ row, outcome }) => playsOf(row, outcome)),
      );
    });
    playing = forEachConcurrent(sessions, MAX_SCENES, playAll);
  });
  // All runs must end before their scenes are closed.
  afterAll(() => playing);

  test.for(rows)(
    'a distributed run keeps its documented guarantees $row.what',
    { timeout: 6 * 3_600_000, retry: 0 },
    async ({ row, outcome }) => {
      await outcome.over;
      process.stdout.write(`${summaryOf(row, outcome)}\n`);
      const { failures, observed, times } = outcome;
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} failed, see above`);
      expect(observed).toHaveLength(times);
    },
  );
});
