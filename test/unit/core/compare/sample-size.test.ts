import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binomialTail } from '../../../../src/core/compare/sample-size.ts';
import { lacksSamples } from '../../../../src/core/compare/verdict-advice.ts';
import { evaluateRun } from '../../../../src/core/compare/run-evaluation.ts';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import { Random } from '../../../../src/core/random.ts';
import type { Sample } from '../../../../src/core/model/sample.ts';
import { parseThreshold, requiredSamples, type Metric } from '../../../../src/core/model/threshold.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import { createResult } from '../../../support/past-run.ts';
import type { IterationRecord } from '../../../../src/core/run-record/run-record.ts';
import { scaleCount } from '../../../support/test-scale.ts';

/** A sample with responses of 10 ms, and `slow` responses of 1 s. */
function sampleOf(count: number, slow: number, generatorMs = 0): Partial<Omit<Sample, 'iterations'>> {
  const [measured, minimum] = [Histogram.createTotal(), Histogram.createTotal()];
  for (const [requests, ms] of [
    [count - slow, 10],
    [slow, 1000],
  ] as const) {
    if (requests === 0) continue;
    measured.recordMany(requests, 1000 * ms);
    minimum.recordMany(requests, 1000 * Math.max(0, ms - generatorMs));
  }
  const stored = measured.toStored();
  const at = (fraction: number): number => (measured.quantile(fraction) ?? 0) / 1000;
  const low = (fraction: number): number => (minimum.quantile(fraction) ?? 0) / 1000;
  return {
    metrics: { requests: count, p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    bounds: {
      p95: { low: low(0.95), high: at(0.95) },
      p99: { low: low(0.99), high: at(0.99) },
    },
    times: stored && { measured: stored, minimum: minimum.toStored() },
  };
}

function evaluate(...args: Parameters<typeof evaluated>) {
  const { verdict, reason } = evaluated(...args);
  return { verdict, reason };
}

function evaluated(
  metric: Metric,
  limit: string,
  sample: Parameters<typeof createResult>[0],
  minSamples?: number,
) {
  const threshold = parseThreshold(metric, limit, null);
  if (threshold === null) throw new Error('no threshold');
  const declared = minSamples === undefined ? threshold : { ...threshold, minSamples };
  const [only] = evaluateRun(thresholdsOf([declared]), createResult(sample)).thresholds;
  if (only === undefined) throw new Error('no evaluated threshold');
  return only;
}

describe('number of responses that a percentile needs', () => {
  test.each([
    ['p50', 20],
    ['p75', 40],
    ['p90', 100],
    ['p95', 200],
    ['p97', 334],
    ['p99', 1000],
    ['p99.9', 10_000],
    ['p99.99', 100_000],
    ['max', null],
    ['error_rate', null],
    ['requests', null],
  ])('for the metric %s, requiredSamples returns %s', (metric, required) => {
    expect(requiredSamples({ metric })).toBe(required);
  });

  test.each([
    ['p99', 999, 'inconclusive'],
    ['p99', 1000, 'pass'],
    ['p95', 199, 'inconclusive'],
    ['p95', 200, 'pass'],
  ] as const)(
    'the threshold %s < 100ms on %i fast responses is evaluated as %s',
    (metric, count, verdict) => {
      expect(evaluate(metric, '< 100ms', sampleOf(count, 0)).verdict).toBe(verdict);
    },
  );

  test('a threshold on p99 is inconclusive with too few responses, and the reason states the actual and the required number', () => {
    expect(evaluate('p99', '< 500ms', sampleOf(120, 0))).toEqual({
      verdict: 'inconclusive',
      reason: '10 ms from 120 responses (at least 1,000 are needed)',
    });
    expect(evaluate('p99', '< 500ms', sampleOf(1, 0)).reason).toBe(
      '10 ms from 1 response (at least 1,000 are needed)',
    );
  });

  test.each([
    ['too few fast responses', 'p99', '< 500ms', sampleOf(120, 0), true],
    ['enough fast responses', 'p99', '< 500ms', sampleOf(1000, 0), false],
    ['slow responses that prove a failure', 'p99', '< 100ms', sampleOf(120, 30), false],
    ['delays of the load generator', 'p99', '< 100ms', sampleOf(120, 30, 950), false],
    ['no value', 'p99', '< 100ms', { metrics: {} }, false],
  ] as const)('lacksSamples returns $4 for a threshold with %s', (_name, metric, limit, sample, lacks) => {
    expect(lacksSamples(evaluated(metric, limit, sample))).toBe(lacks);
  });

  test.each([
    [100, 120, 'pass'],
    [120, 120, 'pass'],
    [121, 120, 'inconclusive'],
    [5000, 2000, 'inconclusive'],
  ])(
    'with min_samples %i, a threshold on the p99 of %i fast responses is evaluated as %s',
    (minSamples, count, verdict) => {
      expect(evaluate('p99', '< 500ms', sampleOf(count, 0), minSamples).verdict).toBe(verdict);
    },
  );
});

describe('failures with few responses', () => {
  test.each([
    // With 120 responses of which 1% may be slow, 5 slow ones have a probability of 0.7%, and 4 one of 3.3%.
    ['p99', 120, 4, 'inconclusive'],
    ['p99', 120, 5, 'fail'],
    ['p95', 20, 3, 'inconclusive'],
    ['p95', 20, 4, 'inconclusive'],
    ['p95', 20, 5, 'fail'],
    ['p50', 6, 6, 'inconclusive'],
    ['p50', 7, 7, 'fail'],
    ['p99', 1000, 11, 'fail'],
  ] as const)(
    'the threshold %s < 100ms on %i responses, of which %i are slow, is evaluated as %s',
    (metric, count, slow, verdict) => {
      expect(evaluate(metric, '< 100ms', sampleOf(count, slow)).verdict).toBe(verdict);
    },
  );

  test('a threshold on p99 is inconclusive, not failed, if delays of the load generator may explain the slow responses', () => {
    expect(evaluate('p99', '< 100ms', sampleOf(120, 30, 950)).verdict).toBe('inconclusive');
    expect(evaluate('p99', '< 100ms', sampleOf(120, 30, 100)).verdict).toBe('fail');
  });

  test.each([
    ['p95 far above the threshold', { requests: 120, p50: 10, p95: 900, p99: 1000 }, 'fail'],
    ['p95 far above the threshold, which is one in 20', { requests: 100, p95: 900, p99: 1000 }, 'fail'],
    ['only p99 above the threshold', { requests: 120, p50: 10, p95: 20, p99: 1000 }, 'inconclusive'],
    [
      'only p99 and a percentile of iterations above the threshold',
      { requests: 120, p95: 20, p99: 1000, iteration_p95: 1000 },
      'inconclusive',
    ],
    ['an unknown number of requests', { p99: 1000 }, 'fail'],
  ])(
    'without a histogram, the threshold p99 < 100ms on a run with %s is evaluated as $2',
    (_name, metrics, verdict) => {
      const sample = { metrics, bounds: null, times: null };
      expect(evaluate('p99', '< 100ms', sample).verdict).toBe(verdict);
    },
  );

  test.each([
    ['the lower bound of p95 far above the threshold', { low: 900, high: 1000 }, 'fail'],
    ['the lower bound of p95 below the threshold', { low: 20, high: 1000 }, 'inconclusive'],
  ])(
    'without a histogram, the threshold p99 < 100ms on a run with %s is evaluated as $2',
    (_name, p95, verdict) => {
      const metrics = { requests: 120, p50: 10, p95: 1000, p99: 1000 };
      const bounds = { p95, p99: { low: 900, high: 1000 } };
      expect(evaluate('p99', '< 100ms', { metrics, bounds, times: null }).verdict).toBe(verdict);
    },
  );

  test('slow responses of a record without bounds prove a failure, but not those of a record without lower bounds of times', () => {
    const earlier = { ...sampleOf(120, 30, 950), bounds: null };
    expect(evaluate('p99', '< 100ms', earlier).verdict).toBe('fail');
    const { times = null, ...sample } = sampleOf(120, 30);
    const withoutMinimum = { ...sample, times: times && { ...times, minimum: null } };
    expect(evaluate('p99', '< 100ms', withoutMinimum).verdict).toBe('inconclusive');
  });

  test('a threshold on iterations that are single requests is evaluated on the responses, and a threshold on other iterations on their durations', () => {
    const { times = null } = sampleOf(120, 30);
    const both = (areRequests: boolean) => ({
      metrics: { requests: 120, p99: 1000, iterations: 5, iteration_p99: 1000 },
      bounds: null,
      times,
      iterations: { times: null, areRequests } as IterationRecord,
    });
    expect(evaluate('iteration_p99', '< 100ms', both(true)).verdict).toBe('fail');
    expect(evaluate('iteration_p99', '< 100ms', both(false))).toEqual({
      verdict: 'inconclusive',
      reason: '1,000 ms from 5 iterations (at least 1,000 are needed)',
    });
  });

  test('the threshold p95 > 100ms fails if 100 responses are faster than 100 ms, and is inconclusive if 80 are', () => {
    expect(evaluate('p95', '> 100ms', sampleOf(80, 0)).verdict).toBe('inconclusive');
    expect(evaluate('p95', '> 100ms', sampleOf(100, 0)).verdict).toBe('fail');
  });

  test('binomialTail returns 1 for a count that does not exceed the mean', () => {
    expect([0, 4, 5].map((count) => binomialTail(10, 0.5, count))).toEqual([1, 1, 1]);
    expect(binomialTail(10, 0.5, 6)).toBeCloseTo(386 / 1024, 12);
  });

  test('binomialTail returns the sum of the binomial probabilities of the given count and all higher counts', () => {
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0.001, max: 0.6, noNaN: true }),
        fc.nat(60),
        (n, p, k) => {
          if (k > n || k <= n * p) return;
          let sum = 0;
          for (let i = k; i <= n; i++) sum += choose(n, i) * p ** i * (1 - p) ** (n - i);
          expect(binomialTail(n, p, k) / sum).toBeCloseTo(1, 6);
        },
      ),
    );
  });
});

describe('simulated runs with few responses', () => {
  const RUNS = scaleCount(1000);
  /** 1%, and three standard deviations of its estimate from a limited number of runs. */
  const MAX_WRONG = 0.01 + 3 * Math.sqrt((0.01 * 0.99) / RUNS);

  /** Exponential times with a mean of 100 ms. A slow generator delays one response in twenty by up to a second. */
  function simulate(
    seed: number,
    count: number,
    generator: 'fast' | 'slow',
  ): Partial<Omit<Sample, 'iterations'>> {
    const random = new Random(seed, count);
    const [measured, minimum] = [Histogram.createTotal(), Histogram.createTotal()];
    for (let request = 0; request < count; request++) {
      const real = -100_000 * Math.log(1 - random.fraction());
      const isDelayed = generator === 'slow' && random.fraction() < 0.05;
      measured.record(real + (isDelayed ? 1_000_000 * random.fraction() : 0));
      minimum.record(real);
    }
    const stored = measured.toStored();
    const ends = (fraction: number) => ({
      low: (minimum.quantile(fraction) ?? 0) / 1000,
      high: (measured.quantile(fraction) ?? 0) / 1000,
    });
    const bounds = { p90: ends(0.9), p95: ends(0.95) };
    const metrics = { requests: count, p90: bounds.p90.high, p95: bounds.p95.high };
    return { metrics, bounds, times: stored && { measured: stored, minimum: minimum.toStored() } };
  }

  /** Returns the shares of the verdicts on a limit, which is the true percentile times a factor. */
  function sharesOf(metric: 'p90' | 'p95', count: number, factor: number, generator: 'fast' | 'slow') {
    const real = -100 * Math.log(1 - Number(metric.slice(1)) / 100);
    const counts = { pass: 0, fail: 0, inconclusive: 0 };
    for (let run = 0; run < RUNS; run++) {
      const found = evaluate(metric, `< ${(real * factor).toFixed(3)}ms`, simulate(run, count, generator));
      counts[found.verdict] += 1 / RUNS;
    }
    return counts;
  }

  const CASES = (['fast', 'slow'] as const).flatMap((generator) =>
    (['p90', 'p95'] as const).map((metric) => ({
      generator,
      metric,
      required: requiredSamples({ metric }) ?? 0,
    })),
  );

  test.each(CASES)(
    'with a $generator load generator and too few responses for $metric, no simulated run passes, and at most about 1% fail wrongly',
    ({ metric, generator, required }) => {
      for (const count of [Math.ceil(required / 10), required - 1]) {
        // A limit slightly above the true percentile is the hardest one that the target meets.
        const met = sharesOf(metric, count, 1.01, generator);
        expect(met.fail).toBeLessThanOrEqual(MAX_WRONG);
        expect(met.pass).toBe(0);
        expect(sharesOf(metric, count, 0.5, generator).pass).toBe(0);
      }
    },
  );

  test.each(CASES)(
    'with a $generator load generator and enough responses for $metric, at most about 1% of the verdicts are wrong',
    ({ metric, generator, required }) => {
      const [met, missed] = [1.5, 1 / 1.5].map((factor) => sharesOf(metric, required, factor, generator));
      expect(met?.fail).toBeLessThanOrEqual(MAX_WRONG);
      expect(missed?.pass).toBeLessThanOrEqual(MAX_WRONG);
      if (generator === 'slow') return;
      expect(met?.inconclusive).toBeLessThanOrEqual(0.05);
      expect(missed?.inconclusive).toBeLessThanOrEqual(0.05);
    },
  );
});
