/**
 * Verdicts on targets whose times are known, by a generator whose machine stands still: none may contradict the truth,
 * and few may be left open where the machine is calm most of the time.
 */
import { describe, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../../../src/contract/result-codec.ts';
import { evaluateRun } from '../../../../src/core/run-evaluation.ts';
import type { RunVerdict } from '../../../../src/core/model/run-verdict.ts';
import { Random } from '../../../../src/core/load/random.ts';
import type { RunReport } from '../../../../src/core/load/run-report.ts';
import { summarizeRun } from '../../../../src/core/load/run-summary.ts';
import { RunTotals } from '../../../../src/core/load/run-totals.ts';
import type { TestType } from '../../../../src/core/model/load-test.ts';
import { parseThreshold, shareOf, type Metric } from '../../../../src/core/model/threshold.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import type { RunResult } from '../../../../src/core/model/run-result.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { jobOf, targetOf } from '../../../support/test-engine.ts';
import { scaleCount } from '../../../support/test-scale.ts';
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
const SEEDS = Array.from({ length: scaleCount(2) }, (_, index) => index + 1);

/** Once in each period, anywhere in it. */
function oncePer(period: number, lasting: number, seed: number): readonly GeneratorStall[] {
  const random = new Random(seed, 9);
  return Array.from({ length: Math.ceil(DURATION / period) }, (_, index) => {
    const from = index * period + random.below((period - lasting) * 1000) / 1000;
    return { from, to: from + lasting };
  });
}

/** The second half of each period. */
function halfOf(period: number): readonly GeneratorStall[] {
  return Array.from({ length: Math.ceil(DURATION / period) }, (_, index) => ({
    from: index * period + period / 2,
    to: (index + 1) * period,
  }));
}

type Stalls = (seed: number) => readonly GeneratorStall[];

/** Calm nine seconds in ten, or more. */
const CALM: Readonly<Record<string, Stalls>> = {
  'no stall': () => [],
  '300 ms per 20 s': (seed) => oncePer(20_000, 300, seed),
  '500 ms a minute': (seed) => oncePer(60_000, 500, seed),
};

const RESTLESS: Readonly<Record<string, Stalls>> = {
  '100 ms each second': (seed) => oncePer(1000, 100, seed),
  'half a CPU, by a quota': () => halfOf(100),
  'half a CPU, shared with another': () => halfOf(8),
  'just less than 10 ms, half the time': () => halfOf(19),
  'just less than 50 ms, half the time': () => halfOf(96),
  'just less than 250 ms, half the time': () => halfOf(490),
};

/** In the closed model a queue is always busy. */
function clientsOf(testType: TestType, target: SimulatedTarget, utilisation = QUEUE_UTILIZATION): number {
  const { kind, p95 } = target;
  if (testType === 'cycling') return kind === 'queue' || p95 > 100 ? 4 : 1;
  return kind === 'apart' ? 50 : Math.round((1000 * utilisation) / queueServiceTime(target));
}

/** p97: one that no record names. */
type Known = 'p50' | 'p95' | 'p97' | 'p99' | 'max' | 'avg_response_time';

interface Judged {
  readonly result: RunResult;
  /** Null where it is not known. */
  readonly truth: Readonly<Record<Known, number>> | null;
}

function judged(run: StallingRun): Judged {
  const { snapshots, truth, passedOver } = measureRun(run);
  const job = jobOf([targetOf(80)], {
    ...{ testType: run.testType, initial: run.clients, duration: run.duration, timeout: 60_000 },
    total: run.testType === 'non-cycling' ? (run.clients * run.duration) / 1000 : run.clients,
  });
  const totals = new RunTotals(job, 1);
  for (const snapshot of snapshots) totals.add(snapshot);
  const end = {
    elapsed: milliseconds(DURATION),
    loaded: milliseconds(DURATION),
    abortReason: null,
    threads: 1,
    environment: TEST_GENERATOR,
    exchanges: [],
  };
  const report: RunReport = summarizeRun(job, totals, end);
  expect(report.delivery).toMatchObject(run.testType === 'cycling' ? { held: 1 } : { never: passedOver });
  const record = encodeResult({ id: 'r', startedAt: 0 }, report, true);
  return { result: decodeResult(record), truth: truth.length === 0 ? null : figuresOf(truth) };
}

function figuresOf(times: readonly number[]): NonNullable<Judged['truth']> {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const of = (metric: 'p50' | 'p95' | 'p97' | 'p99'): number => at(shareOf(metric) ?? 0);
  return {
    p50: of('p50'),
    p95: of('p95'),
    p97: of('p97'),
    p99: of('p99'),
    max: at(1),
    avg_response_time: mean,
  };
}

function verdictOn(result: RunResult, metric: Metric, below: number): RunVerdict['verdict'] {
  const threshold = parseThreshold(metric, `< ${below.toFixed(6)}ms`, null);
  if (threshold === null) throw new Error('no threshold');
  return evaluateRun(thresholdsOf([threshold]), result).verdict;
}

/** What a verdict says of a limit is so, however close to the truth that is; a histogram is off by 0.4 %. */
const FACTORS = [1 / 3, 1 / 1.5, 0.9, 0.99, 1.01, 1.1, 1.5, 3];
/** A queue also depends on when exactly requests come, and a client within 3 ms of its time is in time. */
const CLOSEST = { apart: 0.01, queue: 0.05 } as const;

function factorsOf({ kind }: SimulatedTarget): readonly number[] {
  return FACTORS.filter((factor) => Math.abs(factor - 1) >= CLOSEST[kind] - 1e-9);
}

const TYPES = ['cycling', 'non-cycling', 'per-second'] as const;
const TARGETS: readonly SimulatedTarget[] = [
  ...[0.5, 20, 200].map((p95) => ({ kind: 'apart', p95 }) as const),
  ...[20, 200].map((p95) => ({ kind: 'queue', p95 }) as const),
];
const CASES = TYPES.flatMap((testType) => TARGETS.map((target) => ({ testType, target })));

describe.each(CASES)('a $testType test of a target, $target.kind, with a p95 of $target.p95 ms', (given) => {
  const clients = clientsOf(given.testType, given.target);
  const done = new Map<string, Judged>();
  const runOf = (stalls: readonly GeneratorStall[], seed: number): Judged => {
    const key = JSON.stringify([seed, stalls[0], stalls.length]);
    const run = done.get(key) ?? judged({ ...given, duration: DURATION, clients, stalls, seed });
    done.set(key, run);
    return run;
  };
  /** Where the requests would have been others, a run without a stall tells what is true; it is off by chance. */
  const calmTruth = (seed: number): number => runOf([], seed).result.metrics.p95 ?? 0;

  test.each(Object.entries({ ...CALM, ...RESTLESS }))(
    'is never judged against the truth: %s',
    (_name, stalls) => {
      const wrong: string[] = [];
      for (const seed of SEEDS) {
        const { result, truth } = runOf(stalls(seed), seed);
        const close = factorsOf(given.target);
        const factors = truth !== null ? close : close.filter((factor) => factor < 0.7 || factor > 1.4);
        for (const [metric, value] of Object.entries(truth ?? { p95: calmTruth(seed) })) {
          for (const factor of factors) {
            // The keys of figures are metrics.
            const verdict = verdictOn(result, metric as Metric, value * factor);
            if (verdict === 'inconclusive' || verdict === (factor > 1 ? 'pass' : 'fail')) continue;
            wrong.push(`seed ${seed}: ${metric} ${value} below ${value * factor}: ${verdict}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test('is mostly judged where the machine is calm nine seconds in ten', () => {
    const open: string[] = [];
    let count = 0;
    for (const [name, stalls] of Object.entries(CALM)) {
      for (const seed of SEEDS) {
        const { result, truth } = runOf(stalls(seed), seed);
        const p95 = truth?.p95 ?? calmTruth(seed);
        for (const factor of [1.5, 1 / 1.5]) {
          count++;
          if (verdictOn(result, 'p95', p95 * factor) === 'inconclusive')
            open.push(`${name}, ${factor}, ${seed}`);
        }
      }
    }
    expect(open.length, open.join('; ')).toBeLessThanOrEqual(count / 20);
  });
});

test('a queue that is nearly always busy is not charged with the burst after a standstill', () => {
  const target: SimulatedTarget = { kind: 'queue', p95: 200 };
  const run: StallingRun = {
    ...{ testType: 'per-second', duration: DURATION, clients: clientsOf('per-second', target, 0.92) },
    ...{ stalls: [{ from: 20_000, to: 20_900 }], target, seed: 1 },
  };
  const { result, truth } = judged(run);
  for (const metric of ['p95', 'p99', 'max'] as const) {
    expect(result.metrics[metric]).toBeGreaterThan(1.5 * (truth?.[metric] ?? 0));
    expect(verdictOn(result, metric, 1.5 * (truth?.[metric] ?? 0)), metric).toBe('inconclusive');
  }
});
