/**
 * Whatever dies, hangs or lies: no part is made twice, no run is stuck, no wrong sum is called complete, and nobody makes
 * load that nobody watches. `FAULTS=all` plays each row in full; `FAULT_SEED` plays one run again; `FAULT_AT_ONCE` is how
 * many scenes are open at a time.
 */
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
const SEED = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));
const TIMES = process.env['FAULT_TIMES'];
/** They wait most of the time. All other tests are played beside a part of them. */
const AT_ONCE = Number(process.env['FAULT_AT_ONCE'] ?? (ALL ? 5 : 2) * availableParallelism());

/** Runs at once. */
const PACE = new AdaptiveLimiter((ALL ? 7 : 3) * availableParallelism());

/** Numbers that a seed gives. */
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

/** What rows are played in. */
interface Stage {
  /** Runs are dealt out to so many scenes; in each of them so many are played side by side. */
  readonly scenes: number;
  readonly beside: number;
  readonly settings: FaultSceneSettings;
}

/** Each run by all workers that are free. */
const ONE_BY_ONE: Stage = { scenes: 3, beside: 1, settings: { maxWorkers: 7 } };

/** What happens hurts its own run alone. */
const SIDE_BY_SIDE: Stage = { scenes: 2, beside: 4, settings: { maxWorkers: 10, perRun: 2 } };

/** What happens hurts all there is. */
const ALONE: Stage = { scenes: 3, beside: 1, settings: { maxWorkers: 2, durable: true } };

interface Row {
  readonly what: string;
  /** How often it is played by `npm test`, and in full. */
  readonly times: readonly [few: number, all: number];
  readonly stage: Stage;
  readonly workers: (dice: Dice) => number;
  readonly plan: (dice: Dice) => LoadPlan;
  /** What happens, from the first request on. */
  readonly meanwhile: (dice: Dice, run: StartedRun, scene: FaultScene) => Promise<void>;
  /** Nothing hurts it: it is played until it is complete. */
  readonly whole: boolean;
}

const PLAN: LoadPlan = { testType: 'non-cycling', total: 120, seconds: 4 };
const two = (): number => 2;
const pauseOf = (from: number, to: number, dice: Dice): Promise<void> => sleep(dice.between(from, to));

const ROWS: readonly Row[] = [
  {
    what: 'nothing: the sum of the parts is what the target saw',
    times: [30, 300],
    stage: ONE_BY_ONE,
    // Few more often than many, since all are alike.
    workers: (dice) => dice.among([1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7]),
    plan: (dice) => ({
      testType: dice.among(['cycling', 'non-cycling', 'per-second']),
      total: Math.ceil(dice.between(5, 60)),
      seconds: Math.ceil(dice.between(0, 3)),
    }),
    meanwhile: () => Promise.resolve(),
    whole: true,
  },
  {
    what: 'a worker is killed',
    times: [15, 100],
    stage: SIDE_BY_SIDE,
    workers: two,
    plan: () => PLAN,
    meanwhile: async (dice, { workers }) => {
      await pauseOf(0, 3500, dice);
      const worker = workers[dice.among([0, 1])];
      if (worker === undefined) throw new Error('two workers have made it');
      worker.process.kill('SIGKILL');
      await worker.process.ended;
    },
    whole: false,
  },
  {
    what: 'a worker stands still',
    times: [5, 20],
    stage: SIDE_BY_SIDE,
    workers: two,
    plan: () => ({ ...PLAN, total: 240, seconds: 8 }),
    meanwhile: async (dice, { workers }) => {
      await pauseOf(0, 3000, dice);
      // One of them, or all that there are.
      const still = workers.slice(0, dice.among([1, 2]));
      for (const { process } of still) process.kill('SIGSTOP');
      await pauseOf(3000, 12_000, dice);
      for (const { process } of still) process.kill('SIGCONT');
    },
    whole: false,
  },
  {
    what: 'Redis restarts with its data, restarts without it, stands still, or is full',
    times: [6, 40],
    stage: ALONE,
    workers: two,
    plan: () => ({ ...PLAN, total: 180, seconds: 6 }),
    meanwhile: async (dice, _run, { cluster: { redis } }) => {
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
          redis.resume();
          return;
        case 'full':
          await redis.command('CONFIG', 'SET', 'maxmemory', 1);
          await pauseOf(500, 8000, dice);
          await redis.command('CONFIG', 'SET', 'maxmemory', 0);
      }
    },
    whole: false,
  },
  {
    what: 'the service is killed, and comes back within the lease, or after it',
    times: [6, 40],
    stage: ALONE,
    workers: two,
    plan: () => ({ ...PLAN, total: 240, seconds: 8 }),
    meanwhile: async (dice, _run, { cluster }) => {
      await pauseOf(0, 3000, dice);
      cluster.service().kill('SIGKILL');
      await cluster.service().ended;
      await pauseOf(0, 9000, dice);
      await cluster.startService();
    },
    whole: false,
  },
  {
    what: 'the wire between workers and Redis is slow, silent or cut',
    times: [10, 100],
    stage: SIDE_BY_SIDE,
    workers: two,
    plan: () => ({ ...PLAN, total: 180, seconds: 6 }),
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
        // What was on its way never arrives.
        if (how === 'lose') wire.disconnect();
        wire.reconnect();
      }
    },
    whole: false,
  },
];

/** What came out of a row. */
class Outcome {
  readonly played: ObservedRun[] = [];
  /** Why runs were begun once more: the machine was too busy for them. */
  readonly repeated: string[] = [];
  /** Each begins with how it is played again. */
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

  /** One of its runs needs nothing more. */
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
  return TIMES === undefined ? (ALL ? all : few) : Number(TIMES);
}

/** One scene, and what is played in it. */
interface Sitting {
  readonly stage: Stage;
  readonly plays: readonly Play[];
}

/** To open a scene takes about as long as a run. */
const LEAST_IN_SCENE = 5;

/** Those with as many workers come together, so that a scene starts no more of them than it needs. */
function sittingsOf(stage: Stage, plays: readonly Play[]): readonly Sitting[] {
  const sorted = plays.toSorted((one, other) => one.workers - other.workers || one.seed - other.seed);
  const scenes = Math.min(stage.scenes, Math.ceil(plays.length / LEAST_IN_SCENE));
  return Array.from({ length: scenes }, (_, scene) => {
    const [from, until] = [scene, scene + 1].map((bound) => Math.round((bound * plays.length) / scenes));
    return { stage, plays: sorted.slice(from, until) };
  });
}

/** How often a run is begun that the machine is too busy for. */
const TRIES = 6;

/** One run, with what its seed gives, judged. Errors: an Error that says what is not as it must be. */
async function playOne({ row, outcome, seed }: Play, scene: FaultScene): Promise<ObservedRun> {
  for (let tries = 1; ; tries++) {
    const { run, tooBusy } = await PACE.run(async () => {
      const dice = new Dice(seed);
      const workers = row.workers(dice);
      try {
        const played = await scene.runLoad(row.plan(dice), workers, (under) =>
          row.meanwhile(dice, under, scene),
        );
        const faults = [...findFaults(played), ...(row.whole ? findHarm(played) : [])];
        if (faults.length > 0) throw new Error(faults.join('\n'));
        return { run: played, tooBusy: row.whole ? whyLost(played).join('; ') || null : null };
      } catch (error) {
        if (!(error instanceof RunNotStartedError)) throw error;
        return { run: null, tooBusy: error.message };
      }
    });
    if (run !== null && tooBusy === null) return run;
    const why = `seed ${seed}: ${tooBusy ?? ''}`;
    if (tries === TRIES) throw new Error(`it was begun ${TRIES} times; ${why}`);
    outcome.repeated.push(why);
  }
}

function whyLost({ result }: ObservedRun): readonly string[] {
  return result.workers.flatMap(({ lost }) => lost ?? []);
}

/** Of a run that nothing should hurt: how it ended, unless a machine stood still for longer than a lease or a start bears. */
function findHarm(played: ObservedRun): readonly string[] {
  const still = /^it said nothing|^its lease ended|^it made no load/;
  const reasons = whyLost(played);
  const { abort_reason: reason } = played.result;
  if (
    reason === null ||
    (reason === 'partial' && reasons.length > 0 && reasons.every((why) => still.test(why)))
  )
    return [];
  return [`it ended as "${reason}": ${reasons.join('; ')}`];
}

/** Never rejects. Where something has failed, the rest is played in another scene. */
async function playAll({ stage, plays }: Sitting): Promise<void> {
  const left = new Set(plays);
  while (left.size > 0) {
    let spoiled = false;
    try {
      const scene = await openFaultScene(stage.settings);
      try {
        await forEachConcurrent([...left], stage.beside, async (play) => {
          if (spoiled) return;
          try {
            play.outcome.played.push(await playOne(play, scene));
          } catch (cause) {
            spoiled = true;
            fail(play, cause);
          }
          left.delete(play);
          play.outcome.settle();
        });
      } finally {
        await scene.close();
      }
    } catch (cause) {
      // No scene, no runs.
      for (const play of left) {
        fail(play, cause);
        play.outcome.settle();
      }
      left.clear();
    }
  }
}

function fail({ row, outcome, seed }: Play, cause: unknown): void {
  const what = `FAULT_SEED=${seed} FAULT_TIMES=1 npx vitest run --config test/vitest.config.ts test/cluster/faults -t "${row.what.slice(0, 20)}"`;
  process.stdout.write(`failed: ${what}\n${reasonsOf(cause)}\n`);
  outcome.failures.push(new Error(what, { cause }));
}

function reasonsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined ? cause.message : `${cause.message}\n${reasonsOf(cause.cause)}`;
}

/** How far apart, in ms, the starts of its workers lay, as its result says; null: there are not two of them. */
function spanOfStarts({ result }: ObservedRun): number | null {
  const starts = result.workers.flatMap(({ start_skew_ms: skew }) => (skew === null ? [] : [skew]));
  return starts.length < 2 ? null : Math.max(...starts) - Math.min(...starts);
}

/** `a worker is killed: 15 runs from seed 4711: 14 partial, 1 complete` */
function summaryOf({ what, whole }: Row, { played, repeated }: Outcome): string {
  const ends = new Map<string, number>();
  for (const { result } of played) {
    const how = result.abort_reason ?? 'complete';
    ends.set(how, (ends.get(how) ?? 0) + 1);
  }
  const said = [...ends].map(([how, count]) => `${count} ${how}`);
  const spans = played.flatMap((run) => spanOfStarts(run) ?? []).sort((one, other) => one - other);
  const [median, most] = [spans[Math.floor(spans.length / 2)], spans.at(-1)];
  if (whole && median !== undefined && most !== undefined) {
    said.push(`starts within ${median.toFixed(2)} ms (median) and ${most.toFixed(2)} ms (most)`);
  }
  const lines = [`${what}: ${played.length} runs from seed ${SEED}: ${said.join(', ')}`];
  return [...lines, ...repeated.map((why) => `  begun once more, ${why}`)].join('\n');
}

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('a run made by workers', () => {
  const rows = ROWS.map((row) => ({ row, outcome: new Outcome(timesOf(row)) }));

  let playing: Promise<unknown> | null = null;
  // Rows are asked for one after another, and are played at once.
  // oxlint-disable-next-line no-empty-pattern -- vitest takes nothing else as the first one
  beforeAll(({}, suite) => {
    const wanted = rows.filter((_, index) => suite.tasks[index]?.mode === 'run');
    const sittings = [ONE_BY_ONE, SIDE_BY_SIDE, ALONE].flatMap((stage) => {
      const here = wanted.filter(({ row }) => row.stage === stage);
      return sittingsOf(
        stage,
        here.flatMap(({ row, outcome }) => playsOf(row, outcome)),
      );
    });
    playing = forEachConcurrent(sittings, AT_ONCE, playAll);
  });
  // Runs are over before their scenes are closed.
  afterAll(async () => {
    await playing;
  });

  test.for(rows)(
    'holds what it promises: $row.what',
    { timeout: 6 * 3_600_000, retry: 0 },
    async ({ row, outcome }) => {
      await outcome.over;
      process.stdout.write(`${summaryOf(row, outcome)}\n`);
      const { failures, played, times } = outcome;
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} failed, see above`);
      expect(played).toHaveLength(times);
    },
  );
});
