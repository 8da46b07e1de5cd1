/**
 * Simulated runs with known response times and a stalling load generator. No verdict may contradict the truth,
 * and few may be inconclusive if the generator is stall-free most of the time.
 */
import { describe, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../../../src/contract/result-codec.ts';
import { evaluateRun } from '../../../../src/core/compare/run-evaluation.ts';
import type { RunVerdict } from '../../../../src/core/model/run-verdict.ts';
import { Random } from '../../../../src/core/random.ts';
import type { RunReport } from '../../../../src/core/load/run-report.ts';
import { summarizeRun } from '../../../../src/core/load/run-summary.ts';
import { RunTotals } from '../../../../src/core/load/run-totals.ts';
import type { TestType } from '../../../../src/core/model/load-test.ts';
import { parseThreshold, shareOf, type Metric } from '../../../../src/core/model/threshold.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import type { RunResult } from '../../../../src/core/run-record/run-result.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { jobOf, targetOf } from '../../../support/test-engine.ts';
import { sampleRows, scaleCount } from '../../../support/test-scale.ts';
import { TEST_GENERATOR } from '../../../support/snapshots.ts';
import {
  queueServiceTime,
  measureRun,
  QUEUE_UTILIZATION,
  type StallingRun,
  type GeneratorStall,
  type SimulatedTarget,
} from '../../../support/stalling-generator.ts';

const DURATION = 60_000;
/** Long enough for 60,000 responses of the fastest target to one client. */
const FAST_DURATION = 15_000;
const SEEDS = Array.from({ length: scaleCount(2) }, (_, index) => index + 1);

/** One stall per period, at a random time in it. */
function oncePer(period: number, length: number, seed: number): readonly GeneratorStall[] {
  const random = new Random(seed, 9);
  return Array.from({ length: Math.ceil(DURATION / period) }, (_, index) => {
    const from = index * period + random.below((period - length) * 1000) / 1000;
    return { from, to: from + length };
  });
}

/** Stalls in the second half of each period. */
function halfOf(period: number): readonly GeneratorStall[] {
  return Array.from({ length: Math.ceil(DURATION / period) }, (_, index) => ({
    from: index * period + period / 2,
    to: (index + 1) * period,
  }));
}

type Stalls = (seed: number) => readonly GeneratorStall[];

/** Stall-free in at least nine of ten seconds. */
const RARE_STALLS: Readonly<Record<string, Stalls>> = {
  'no stalls': () => [],
  '300 ms per 20 s': (seed) => oncePer(20_000, 300, seed),
  '500 ms per minute': (seed) => oncePer(60_000, 500, seed),
};

const FREQUENT_STALLS: Readonly<Record<string, Stalls>> = {
  '100 ms per second': (seed) => oncePer(1000, 100, seed),
  '50 ms per 100 ms': () => halfOf(100),
  '4 ms per 8 ms': () => halfOf(8),
  '9.5 ms per 19 ms': () => halfOf(19),
  '48 ms per 96 ms': () => halfOf(96),
  '245 ms per 490 ms': () => halfOf(490),
};

/** A queue is always busy in the closed model. */
function clientsOf(testType: TestType, target: SimulatedTarget, utilization = QUEUE_UTILIZATION): number {
  const { kind, p95 } = target;
  if (testType === 'cycling') return kind === 'queue' || p95 > 100 ? 4 : 1;
  return kind !== 'queue' ? 50 : Math.round((1000 * utilization) / queueServiceTime(target));
}

/** Metrics with a known true value. Records do not name p97. */
type KnownMetric = 'p50' | 'p95' | 'p97' | 'p99' | 'max' | 'avg_response_time';

interface SimulatedRun {
  readonly result: RunResult;
  /** Null if unknown. */
  readonly truth: Readonly<Record<KnownMetric, number>> | null;
}

function simulate(run: StallingRun): SimulatedRun {
  const { snapshots, truth, passedOver } = measureRun(run);
  const job = jobOf([targetOf(80)], {
    testType: run.testType,
    initial: run.clients,
    duration: run.duration,
    timeout: 60_000,
    total: run.testType === 'non-cycling' ? (run.clients * run.duration) / 1000 : run.clients,
  });
  const totals = new RunTotals(job, 1);
  for (const snapshot of snapshots) totals.add(snapshot);
  const end = {
    elapsed: milliseconds(run.duration),
    loaded: milliseconds(run.duration),
    abortReason: null,
    threads: 1,
    environment: TEST_GENERATOR,
    exchanges: [],
  };
  const report: RunReport = summarizeRun(job, totals, end);
  expect(report.delivery).toMatchObject(
    run.testType === 'cycling' ? { heldShare: 1 } : { neverStarted: passedOver },
  );
  const record = encodeResult({ id: 'r', startedAt: 0 }, report, true);
  return { result: decodeResult(record), truth: truth.length === 0 ? null : metricsOf(truth) };
}

function metricsOf(times: readonly number[]): NonNullable<SimulatedRun['truth']> {
  const sorted = Float64Array.from(times).sort();
  const at = (fraction: number): number => sorted[Math.max(1, Math.ceil(fraction * sorted.length)) - 1] ?? 0;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const percentile = (metric: 'p50' | 'p95' | 'p97' | 'p99'): number => at(shareOf(metric) ?? 0);
  return {
    p50: percentile('p50'),
    p95: percentile('p95'),
    p97: percentile('p97'),
    p99: percentile('p99'),
    max: at(1),
    avg_response_time: mean,
  };
}

function verdictOn(result: RunResult, metric: Metric, below: number): RunVerdict['verdict'] {
  const threshold = parseThreshold(metric, `< ${below.toFixed(6)}ms`, null);
  if (threshold === null) throw new Error('no threshold');
  return evaluateRun(thresholdsOf([threshold]), result).verdict;
}

/** Ratios of a threshold to the true value. Histograms are off by up to 0.4%, so closer thresholds are not tested. */
const FACTORS = [1 / 3, 1 / 1.5, 0.9, 0.99, 1.01, 1.1, 1.5, 3];
/**
 * Minimum distance from the true value. Times of a queue depend on the exact arrival of requests, and a client within
 * 3 ms of its due time is on time.
 */
const MIN_DISTANCE = { apart: 0.01, fixed: 0.01, queue: 0.05 } as const;

function factorsOf({ kind }: SimulatedTarget): readonly number[] {
  return FACTORS.filter((factor) => Math.abs(factor - 1) >= MIN_DISTANCE[kind] - 1e-9);
}

const TYPES = ['cycling', 'non-cycling', 'per-second'] as const;
const TARGETS: readonly SimulatedTarget[] = [
  ...[0.5, 20, 200].map((p95) => ({ kind: 'apart', p95 }) as const),
  ...[20, 200].map((p95) => ({ kind: 'queue', p95 }) as const),
  { kind: 'fixed', p95: 40 },
];
/** Clients of both open models start at the same times, so half of the targets suffice for one of the models. */
const CASES = TYPES.flatMap((testType) =>
  sampleRows(TARGETS, testType === 'non-cycling' ? 3 : TARGETS.length).map((target) => ({
    testType,
    target,
  })),
);

describe.each(CASES)(
  'a $testType test with a simulated target (kind: $target.kind, p95: $target.p95 ms)',
  (testCase) => {
    const clients = clientsOf(testCase.testType, testCase.target);
    const isFast = testCase.testType === 'cycling' && testCase.target.p95 < 1;
    const duration = isFast ? FAST_DURATION : DURATION;
    const done = new Map<string, SimulatedRun>();
    const runOf = (all: readonly GeneratorStall[], seed: number): SimulatedRun => {
      const stalls = all.filter(({ from }) => from < duration);
      const key = JSON.stringify([seed, stalls[0], stalls.length]);
      const run = done.get(key) ?? simulate({ ...testCase, duration, clients, stalls, seed });
      done.set(key, run);
      return run;
    };
    /** The p95 of a run without stalls replaces an unknown truth, with a random error. */
    const stallFreeP95 = (seed: number): number => runOf([], seed).result.record.metrics.p95 ?? 0;

    test.each(Object.entries({ ...RARE_STALLS, ...FREQUENT_STALLS }))(
      'no verdict contradicts the true metrics of the target (stalls of the load generator: %s)',
      (_name, stalls) => {
        const wrong: string[] = [];
        for (const seed of SEEDS) {
          const { result, truth } = runOf(stalls(seed), seed);
          const allFactors = factorsOf(testCase.target);
          const factors =
            truth !== null ? allFactors : allFactors.filter((factor) => factor < 0.7 || factor > 1.4);
          for (const [metric, value] of Object.entries(truth ?? { p95: stallFreeP95(seed) })) {
            for (const factor of factors) {
              // The keys of the truth are metrics.
              const verdict = verdictOn(result, metric as Metric, value * factor);
              if (verdict === 'inconclusive' || verdict === (factor > 1 ? 'pass' : 'fail')) continue;
              wrong.push(`seed ${seed}: ${metric} ${value} below ${value * factor}: ${verdict}`);
            }
          }
        }
        expect(wrong).toEqual([]);
      },
    );

    test('at most 5% of the verdicts on p95 are inconclusive if the load generator stalls in at most one of ten seconds', () => {
      const inconclusive: string[] = [];
      let count = 0;
      for (const [name, stalls] of Object.entries(RARE_STALLS)) {
        for (const seed of SEEDS) {
          const { result, truth } = runOf(stalls(seed), seed);
          const p95 = truth?.p95 ?? stallFreeP95(seed);
          for (const factor of [1.5, 1 / 1.5]) {
            count++;
            if (verdictOn(result, 'p95', p95 * factor) === 'inconclusive')
              inconclusive.push(`${name}, ${factor}, ${seed}`);
          }
        }
      }
      expect(inconclusive.length, inconclusive.join('; ')).toBeLessThanOrEqual(count / 20);
    });
  },
);

test.each(TYPES)(
  'in a %s test with short stalls in every second, a threshold passes 10 percent above a constant response time and fails 10 percent below',
  (testType) => {
    const target: SimulatedTarget = { kind: 'fixed', p95: 40 };
    for (const seed of SEEDS) {
      const lengths = new Random(seed, 8);
      const stalls = oncePer(1000, 0, seed).map(({ from }) => ({ from, to: from + 3 + lengths.below(6) }));
      const clients = clientsOf(testType, target);
      const { result } = simulate({ testType, target, duration: DURATION, clients, stalls, seed });
      for (const metric of ['p50', 'p95', 'p99'] as const) {
        expect(verdictOn(result, metric, 36), `${metric}, seed ${seed}`).toBe('fail');
        expect(verdictOn(result, metric, 44), `${metric}, seed ${seed}`).toBe('pass');
      }
    }
  },
);

describe('verdicts on p95 with few and with just enough responses', () => {
  const RUNS = scaleCount(8);
  const SHORT = 12_000;
  const P95 = 200;
  /** Mean time of the target, in ms: its times have a lognormal distribution. */
  const MEAN = 0.5 * P95;
  const REQUIRED = 200;

  /** Returns the numbers of verdicts on limits that are 1.5 times the true percentile, or 1.5 times below it. */
  function countVerdicts(stalls: Stalls, responses: number) {
    const counts = { right: 0, wrong: 0, passed: 0, inconclusive: 0 };
    for (const testType of ['per-second', 'cycling'] as const) {
      const isOpen = testType !== 'cycling';
      const duration = isOpen ? SHORT : responses * MEAN;
      const clients = isOpen ? (responses * 1000) / SHORT : 1;
      const target: SimulatedTarget = { kind: 'apart', p95: P95 };
      for (let seed = 1; seed <= RUNS; seed++) {
        const before = stalls(seed).filter(({ from }) => from < duration);
        const { result } = simulate({ testType, target, duration, clients, stalls: before, seed });
        for (const factor of [1.5, 1 / 1.5]) {
          const verdict = verdictOn(result, 'p95', P95 * factor);
          if (verdict === 'pass') counts.passed++;
          if (verdict === 'inconclusive') counts.inconclusive++;
          else counts[verdict === (factor > 1 ? 'pass' : 'fail') ? 'right' : 'wrong']++;
        }
      }
    }
    return { ...counts, all: 4 * RUNS };
  }

  test.each(Object.entries({ ...RARE_STALLS, ...FREQUENT_STALLS }))(
    'at most 1 percent of the verdicts on p95 are wrong, and no run with too few responses passes (stalls of the load generator: %s)',
    (_name, stalls) => {
      const few = countVerdicts(stalls, REQUIRED / 4);
      const enough = countVerdicts(stalls, 1.2 * REQUIRED);
      expect(few.wrong + enough.wrong).toBeLessThanOrEqual((few.all + enough.all) / 100);
      expect(few.passed).toBe(0);
    },
  );

  test('with enough responses and rare stalls, at most 5% of the verdicts on p95 are inconclusive', () => {
    const counts = Object.values(RARE_STALLS).map((stalls) => countVerdicts(stalls, 1.2 * REQUIRED));
    const sum = (name: 'inconclusive' | 'all') => counts.reduce((total, one) => total + one[name], 0);
    expect(sum('inconclusive')).toBeLessThanOrEqual(sum('all') / 20);
  });
});

test('if a stall of the load generator causes a burst that raises p95, p99 and max of a queueing target by more than 50%, thresholds on these metrics are inconclusive', () => {
  const target: SimulatedTarget = { kind: 'queue', p95: 200 };
  const run: StallingRun = {
    testType: 'per-second',
    duration: DURATION,
    clients: clientsOf('per-second', target, 0.92),
    stalls: [{ from: 20_000, to: 20_900 }],
    target,
    seed: 1,
  };
  const { result, truth } = simulate(run);
  for (const metric of ['p95', 'p99', 'max'] as const) {
    expect(result.record.metrics[metric]).toBeGreaterThan(1.5 * (truth?.[metric] ?? 0));
    expect(verdictOn(result, metric, 1.5 * (truth?.[metric] ?? 0)), metric).toBe('inconclusive');
  }
});
