import { describe, expect, test } from 'vitest';
import { evaluateRun, selectDisplayedVerdict } from '../../../src/core/compare/run-evaluation.ts';
import { encodeHistogram } from '../../../src/core/run-record/histogram-record.ts';
import { Histogram } from '../../../src/core/load/histogram.ts';
import type { GeneratorMachine, LoadDelivery } from '../../../src/core/load/run-report.ts';
import { testKey } from '../../../src/core/model/ids.ts';
import type { RunVerdict } from '../../../src/core/model/run-verdict.ts';
import type { Interval } from '../../../src/core/model/sample.ts';
import { readRunVerdict } from '../../../src/core/run-record/read-verdict.ts';
import { encodeRunVerdict } from '../../../src/contract/verdict-codec.ts';
import { readRunRecord } from '../../../src/core/run-record/read-record.ts';
import type { RunResult } from '../../../src/core/run-record/run-result.ts';
import { evaluateResult } from '../../../src/apply/runs/evaluation.ts';
import { lessLoadAdvice } from '../../../src/core/compare/verdict-advice.ts';
import { declaredTest, thresholdsOf } from '../../support/declared-state.ts';
import { createResult, createUrl, type ResultChanges } from '../../support/past-run.ts';

const { thresholds } = declaredTest('home', { thresholds: { error_rate: '< 1%', p95: '< 300ms' } }, []);

function result(changes: ResultChanges = {}): RunResult {
  return createResult({ metrics: { error_rate: 0.5, p95: 212.4, requests: 300 }, ...changes });
}

const OVERLOADED = { lagP99: null, overloaded: true, threads: null, version: null };
const ENDED_IN_WARMUP = { seconds: 10, complete: false, requests: 0, ledger: null };

const STOP = 'loadtests stop (process 4711)';
const STOPS = [
  ['by another command', { cause: 'request', client: STOP }, `stopped by ${STOP}`],
  ['by an anonymous client', { cause: 'request', client: null }, `stopped by a request`],
  [
    'by the deletion of its app',
    { cause: 'app_deleted', client: STOP },
    `stopped because ${STOP} deleted the app of the test`,
  ],
  [
    'by the shutdown of the service',
    { cause: 'closed', client: null },
    `stopped because the service shut down`,
  ],
] as const;

/** Ten requests each that took 1 to 100 ms. */
const TIMES = Histogram.createTotal();
const MINIMUM_TIMES = Histogram.createTotal();
for (let ms = 1; ms <= 100; ms++) {
  TIMES.recordMany(10, 1000 * ms);
  MINIMUM_TIMES.recordMany(10, 900 * ms);
}

describe('thresholds on the rate of HTTP errors', () => {
  const counts = { success: 90, error: 6, timeout_error: 3, network_error: 1 };
  // Four responses of status 404 are expected, and five of status 200 do not meet an expectation.
  const statuses = { status_codes: { 200: 90, 302: 1, 404: 4, 500: 1 } };
  test.each([
    ['counts statuses of 400 and above and requests without a response', { ...counts, ...statuses }, 9],
    ['counts omitted requests', { ...counts, ...statuses, outage: { omitted: 100 } }, 54.5],
    ['is unknown without the response counts by status code', counts, null],
  ])('the metric http_error_rate %s', (_, json, value) => {
    const { thresholds } = declaredTest('home', { thresholds: { http_error_rate: '< 1%' } }, []);
    const record = readRunRecord({ status: 'ready', ...json });
    const verdict = evaluateRun(thresholdsOf(thresholds), { ...result(), record });
    expect(verdict.thresholds).toMatchObject([
      { metric: 'http_error_rate', value, verdict: value === null ? 'inconclusive' : 'fail' },
    ]);
    if (value === null) expect(verdict.reason).toBe('the result has no http_error_rate');
  });
});

describe('thresholds on iterations', () => {
  const evaluate = (limits: Readonly<Record<string, string>>, json: Readonly<Record<string, unknown>>) => {
    const { thresholds } = declaredTest('home', { thresholds: limits }, []);
    const record = readRunRecord({ status: 'ready', requests: 300, latency: { p95: 20 }, ...json });
    return evaluateRun(thresholdsOf(thresholds), { ...result(), record });
  };
  const measured = {
    iterations: {
      ...{ started: 130, completed: 100, failed: 20, with_errors: 30 },
      duration: { mean: 50.5, p95: 95, max: 100 },
    },
    iteration_histogram: encodeHistogram(TIMES.toStored()),
    iteration_low_histogram: encodeHistogram(MINIMUM_TIMES.toStored()),
  };

  test.each([
    ['iterations', '>= 100', 100, 'pass'],
    ['iterations', '> 100', 100, 'fail'],
    ['iteration_error_rate', '< 26%', 25, 'pass'],
    ['iteration_error_rate', '< 25%', 25, 'fail'],
    ['iteration_mean', '< 51ms', 50.5, 'pass'],
    ['iteration_max', '< 1s', 100, 'pass'],
    ['iteration_p95', '< 90ms', 95, 'fail'],
    ['iteration_p97', '< 98ms', 97, 'pass'],
    ['iteration_p75', '< 98ms', null, 'inconclusive'],
  ])(
    'the threshold %s %s is evaluated with the value %s and the verdict %s',
    (metric, limit, value, verdict) => {
      const [evaluated] = evaluate({ [metric]: limit }, measured).thresholds;
      expect(evaluated?.verdict).toBe(verdict);
      if (value === null) expect(evaluated?.value).toBeNull();
      else expect(evaluated?.value).toBeCloseTo(value, 0);
    },
  );

  test('the bounds of iteration_p97 are computed from the histograms of iteration durations', () => {
    const { verdict, thresholds } = evaluate({ iteration_p97: '< 90ms' }, { ...measured, bounds: {} });
    expect(verdict).toBe('inconclusive');
    expect(thresholds[0]?.bounds?.low).toBeCloseTo(87, 0);
  });

  test('if each iteration is one request, iteration_p95 equals the p95 of the responses', () => {
    const json = { iterations: { started: 300, completed: 300, failed: 0 } };
    const { thresholds } = evaluate({ iterations: '>= 300', iteration_p95: '< 30ms' }, json);
    expect(thresholds.map(({ value, verdict }) => [value, verdict])).toEqual([
      [300, 'pass'],
      [20, 'pass'],
    ]);
  });

  test('a threshold on iteration_p95 is inconclusive if the result has no iterations', () => {
    expect(evaluate({ iteration_p95: '< 30ms' }, {})).toMatchObject({
      verdict: 'inconclusive',
      reason: 'the result has no iteration_p95',
    });
  });

  test('the reason for a verdict states how many declared iterations did not finish, and is null if all of them finished', () => {
    const iterations = { started: 110, completed: 100, failed: 0, missing: 1900, duration: null };
    expect(evaluate({ iterations: '>= 1' }, { iterations })).toMatchObject({
      verdict: 'pass',
      reason: '1,900 declared iterations did not finish before "duration" ended the run',
    });
    expect(evaluate({}, { iterations: { ...iterations, missing: 1 } }).reason).toMatch(
      /^1 declared iteration did not finish/,
    );
    expect(evaluate({}, { iterations: { ...iterations, missing: 0 } }).reason).toBeNull();
  });
});

describe('thresholds on percentiles that results do not list', () => {
  const evaluateP97 = (limit: string, changed: ResultChanges) => {
    const { thresholds } = declaredTest('home', { thresholds: { p97: limit } }, []);
    const { verdict, thresholds: each, reason } = evaluateRun(thresholdsOf(thresholds), result(changed));
    return { verdict, value: each[0]?.value, bounds: each[0]?.bounds, reason };
  };
  const [measured, minimum] = [TIMES.toStored(), MINIMUM_TIMES.toStored()];
  if (measured === null) throw new Error('no times');
  const both = { measured, minimum };
  const stallFree = { bounds: {} };

  test.each([
    ['passes by its value if it has no bounds', '< 98ms', { times: { ...both, minimum: null } }, 'pass'],
    ['fails by its value if it has no bounds', '< 96ms', { times: { ...both, minimum: null } }, 'fail'],
    ['passes if its upper bound meets the limit', '< 98ms', { times: both, ...stallFree }, 'pass'],
    ['fails if its lower bound does not meet the limit', '< 86ms', { times: both, ...stallFree }, 'fail'],
    [
      'is inconclusive if the limit is between its bounds',
      '< 90ms',
      { times: both, ...stallFree },
      'inconclusive',
    ],
    [
      'is inconclusive for an earlier record without a lower bound',
      '< 86ms',
      { times: { ...both, minimum: null }, ...stallFree },
      'inconclusive',
    ],
    ['is inconclusive without a histogram', '< 98ms', {}, 'inconclusive'],
  ])('a threshold on p97 %s', (_name, limit, changed, verdict) => {
    expect(evaluateP97(limit, changed)).toMatchObject({ verdict });
  });

  test('an evaluated p97 has a value and bounds, and the reason for an inconclusive verdict names a missing p97', () => {
    const evaluated = evaluateP97('< 98ms', { times: both, ...stallFree });
    expect(evaluated.value).toBeCloseTo(97, -0.5);
    expect(evaluated.bounds?.low).toBeCloseTo(87.3, -0.5);
    expect(evaluateP97('< 98ms', {}).reason).toBe('the result has no p97');
  });
});

describe('thresholds on one URL', () => {
  const [p95] = declaredTest('home', { thresholds: { p95: '< 300ms' } }, []).thresholds;
  if (p95 === undefined) throw new Error('no threshold');
  const onPay = { ...p95, url: { index: 1, label: 'pay' } };
  const fast = createUrl({ metrics: { p95: 10, requests: 1000 }, bounds: { p95: { low: 9, high: 10 } } });
  const slow = createUrl({
    metrics: { p95: 400, requests: 1000 },
    bounds: { p95: { low: 100, high: 400 } },
  });

  test.each([
    ['by the metrics of the URL, regardless of the metrics of the run', [slow, fast], 900, 'pass', null],
    ['by the bounds of the URL', [fast, slow], 10, 'inconclusive', null],
    ['by the metrics of a URL without bounds', [fast, { ...slow, bounds: null }], 10, 'fail', null],
    [
      'as inconclusive if the result contains no URLs',
      null,
      10,
      'inconclusive',
      'the result has no p95 of "pay"',
    ],
    [
      'as inconclusive if the result contains fewer URLs',
      [fast],
      10,
      'inconclusive',
      'the result has no p95 of "pay"',
    ],
  ] as const)('a threshold on one URL is evaluated %s', (_name, urls, runP95, verdict, reason) => {
    const evaluated = evaluateRun(
      thresholdsOf([onPay]),
      result({ metrics: { p95: runP95, requests: 2000 }, urls }),
    );
    expect(evaluated).toMatchObject({ verdict, reason });
    expect(evaluated.thresholds[0]).toMatchObject({ metric: 'p95', url: 'pay', verdict });
  });

  test.each([
    ['by the metrics of the flow', [fast, slow], 'inconclusive', null],
    ['by the metrics of a flow without bounds', [fast, { ...slow, bounds: null }], 'fail', null],
    [
      'as inconclusive if the result contains no flows',
      null,
      'inconclusive',
      'the result has no p95 of the flow "buy"',
    ],
  ] as const)('a threshold on one flow is evaluated %s', (_name, flows, verdict, reason) => {
    const onBuy = { ...onPay, url: null, flow: { index: 1, label: 'buy' } };
    const record = result({
      metrics: { p95: 10, requests: 2000 },
      urls: null,
      flows: flows === null ? null : flows.map((flow) => ({ ...flow, name: 'buy' })),
    });
    const evaluated = evaluateRun(thresholdsOf([onBuy]), record);
    expect(evaluated).toMatchObject({ verdict, reason });
    expect(evaluated.thresholds).toMatchObject([{ metric: 'p95', flow: 'buy', verdict }]);
    expect(evaluated.thresholds[0]).not.toHaveProperty('url');
    expect(readRunVerdict(encodeRunVerdict(evaluated))).toEqual(evaluated);
  });

  test('a failed threshold on one URL is reported with the label of the URL', () => {
    const { problems } = evaluateResult(
      { key: testKey('home'), ...thresholdsOf([onPay]), source: null, urlNames: [] },
      result({ urls: [fast, { ...slow, bounds: null }] }),
    );
    expect(problems.map(({ message }) => message)).toEqual([
      '"home": p95 of "pay" is 400 ms, which does not meet < 300ms',
    ]);
  });
});

describe('verdicts', () => {
  test('the problem about a stopped run states that the run ended early, and the thresholds have no reasons', () => {
    const bounds = { p95: { low: 0, high: 400 } };
    const metrics = { error_rate: 0, p95: 400, requests: 300 };
    const { problems, ...evaluated } = evaluateResult(
      { key: testKey('home'), ...thresholdsOf(thresholds), source: null, urlNames: [] },
      result({ abortReason: 'stopped', metrics, bounds }),
    );
    expect(problems).toMatchObject([
      { message: '"home" has no verdict: the run ended early (stopped)', hint: null },
    ]);
    expect(evaluated.verdict.thresholds.map(({ reason }) => reason)).toEqual([undefined, undefined]);
  });

  test.each([
    ['a result that meets all thresholds', result(), 'pass', 'none', null],
    [
      'a result that does not meet a threshold',
      result({ metrics: { error_rate: 2, p95: 1, requests: 9 } }),
      'fail',
      'none',
      null,
    ],
    [
      'a result without a metric',
      result({ metrics: { error_rate: 0, requests: 9 } }),
      'inconclusive',
      'none',
      'the result has no p95',
    ],
    [
      'a result that lacks one metric and fails the threshold on another',
      result({ metrics: { error_rate: 2, requests: 9 } }),
      'fail',
      'none',
      null,
    ],
    ['a missing result', null, 'inconclusive', 'none', 'the result is missing'],
    [
      'a result that is not ready',
      result({ status: 'not_ready' }),
      'inconclusive',
      'none',
      'the result is not ready',
    ],
    [
      'a result with an unknown status',
      result({ status: 'other' }),
      'inconclusive',
      'none',
      'the result is not ready',
    ],
    [
      'a result without samples',
      result({ metrics: { requests: 0 } }),
      'inconclusive',
      'none',
      'the run has no samples',
    ],
    [
      'a run of an overloaded load generator',
      result({ generator: OVERLOADED }),
      'inconclusive',
      'none',
      'the load generator was overloaded',
    ],
    [
      'a stopped run',
      result({ abortReason: 'stopped' }),
      'inconclusive',
      'none',
      'the run ended early (stopped)',
    ],
    [
      'a run that was stopped during the warm-up',
      result({ abortReason: 'stopped', warmup: ENDED_IN_WARMUP, metrics: { requests: 0 } }),
      'inconclusive',
      'none',
      'the run ended early, during the warm-up (stopped)',
    ],
    [
      'a run that reached the error threshold during the warm-up',
      result({ abortReason: 'error_threshold', warmup: ENDED_IN_WARMUP, metrics: { requests: 0 } }),
      'fail',
      'fail',
      'the error threshold was reached during the warm-up',
    ],
    ...STOPS.map(
      ([name, stopped, reason]) =>
        [
          `a run that was stopped ${name}`,
          result({ abortReason: 'stopped', stop: { at: Date.UTC(2026, 10, 22, 14, 2, 11), ...stopped } }),
          'inconclusive',
          'none',
          `the run ended early, ${reason}`,
        ] as const,
    ),
    ...(
      [
        ['partial', 'only part of the load was generated'],
        ['verification_lost', 'a target host is no longer verified'],
        // A reason of a third-party service.
        ['out_of_credits', 'out of credits'],
        ['constructor', 'constructor'],
      ] as const
    ).map(
      ([abortReason, text]) =>
        [
          `a run that ended for the reason ${abortReason}`,
          result({ abortReason }),
          'inconclusive',
          'none',
          `the run ended early (${text})`,
        ] as const,
    ),
    [
      'a run that missed its scheduled time',
      result({ abortReason: 'missed' }),
      'inconclusive',
      'none',
      'the run did not start: the service was not running at the scheduled time',
    ],
    [
      'a run that reached the error threshold',
      result({ abortReason: 'error_threshold' }),
      'fail',
      'fail',
      'the error threshold was reached',
    ],
    [
      'a run of an overloaded load generator that reached the error threshold',
      result({ abortReason: 'error_threshold', generator: OVERLOADED, metrics: {} }),
      'fail',
      'fail',
      'the error threshold was reached',
    ],
    ['a run with an empty abort reason', result({ abortReason: '' }), 'pass', 'none', null],
    ['a run without an abort reason', result({ abortReason: undefined }), 'pass', 'none', null],
  ] as const)(
    'for %s, evaluateRun returns the verdict $2 with thresholds, and $3 without thresholds',
    (_name, run, withThresholds, without, reason) => {
      expect(evaluateRun(thresholdsOf(thresholds), run)).toMatchObject({ verdict: withThresholds, reason });
      expect(evaluateRun(thresholdsOf([]), run).verdict).toBe(without);
    },
  );

  test('a verdict contains each threshold with its limit, value and verdict', () => {
    expect(
      evaluateRun(thresholdsOf(thresholds), result({ metrics: { error_rate: 2, requests: 9 } })).thresholds,
    ).toEqual([
      { metric: 'error_rate', limit: '< 1%', value: 2, verdict: 'fail' },
      { metric: 'p95', limit: '< 300ms', value: null, verdict: 'inconclusive' },
    ]);
  });

  test('a threshold with a location, bounds and min_samples is evaluated with all of them', () => {
    const [, p95] = thresholds;
    if (p95 === undefined) throw new Error('no threshold');
    const source = { file: 'loadtests.yaml', line: 7, column: 5, length: 3, lineText: '' };
    const bounds = { p95: { low: 200, high: 212.4 } };
    const metrics = { p95: 212.4, requests: 40 };
    const evaluate = (minSamples: number) =>
      evaluateRun(thresholdsOf([{ ...p95, minSamples, source }]), result({ metrics, bounds })).thresholds;
    const same = {
      ...{ metric: 'p95', limit: '< 300ms', value: 212.4, bounds: bounds.p95 },
      source: { file: 'loadtests.yaml', line: 7, column: 5 },
    };
    expect(evaluate(40)).toEqual([{ ...same, minSamples: 40, verdict: 'pass' }]);
    expect(evaluate(50)).toEqual([
      {
        ...same,
        minSamples: 50,
        verdict: 'inconclusive',
        reason: '212 ms from 40 responses (at least 50 are needed)',
      },
    ]);
    expect(
      evaluateRun(
        thresholdsOf([{ ...p95, source }]),
        result({ metrics, bounds: { p95: { low: 200, high: 400 } } }),
      ).thresholds,
    ).toEqual([
      {
        ...same,
        bounds: { low: 200, high: 400 },
        verdict: 'inconclusive',
        reason: 'between 200 and 400 ms: the load generator cannot measure more precisely',
      },
    ]);
    expect(evaluateRun(thresholdsOf([{ ...p95, source }]), null).thresholds).toEqual([
      { metric: 'p95', limit: '< 300ms', value: null, verdict: 'inconclusive', source: same.source },
    ]);
  });

  test('each threshold of a stopped run is inconclusive and has a value', () => {
    const each = evaluateRun(thresholdsOf(thresholds), result({ abortReason: 'stopped' })).thresholds;
    expect(each.map(({ verdict, value }) => [verdict, value])).toEqual([
      ['inconclusive', 0.5],
      ['inconclusive', 212.4],
    ]);
  });

  test.each([
    ['< 300ms', 300, 'fail'],
    ['<= 300ms', 300, 'pass'],
    ['> 300ms', 300, 'fail'],
    ['>= 300ms', 300, 'pass'],
    ['< 0.3s', 299, 'pass'],
    ['>= 0.3s', 299, 'fail'],
  ] as const)('the threshold %s on a p95 of %d ms has the verdict %s', (limit, value, verdict) => {
    const one = declaredTest('home', { thresholds: { p95: limit } }, []).thresholds;
    expect(evaluateRun(thresholdsOf(one), result({ metrics: { p95: value, requests: 1000 } })).verdict).toBe(
      verdict,
    );
  });
});

const MACHINE: GeneratorMachine = {
  cores: 2,
  quota: null,
  threadReason: 'load',
  node: '22.0.0',
  measurementVersion: 2,
  seconds: 8,
  longestStall: 179.6,
  threadLoads: [{ mean: 0.2, max: 0.5 }],
  stalledSeconds: [
    { tolerance: 2, seconds: 5 },
    { tolerance: 10, seconds: 3 },
    { tolerance: 50, seconds: 1 },
    { tolerance: 250, seconds: 0 },
  ],
};
const STALL_FREE: GeneratorMachine = {
  ...MACHINE,
  longestStall: 1,
  stalledSeconds: [{ tolerance: 2, seconds: 0 }],
};
const BUSY: GeneratorMachine = {
  ...STALL_FREE,
  threadLoads: [
    { mean: 0.5, max: 1 },
    { mean: 0.978, max: 1 },
  ],
};
const STALLED = 'the load generator stalled for up to 180 ms in';

/** A result with data about its load generator. */
function measured(...changes: readonly ResultChanges[]): RunResult {
  const delivery: LoadDelivery = { model: 'closed', heldShare: 1 };
  return result(Object.assign({ bounds: {}, delivery, machine: STALL_FREE }, ...changes) as ResultChanges); // members of changes
}

describe('hints for inconclusive runs', () => {
  const otherGenerator = 'reduce the load, or use a load generator with more cores or fewer other processes';
  test.each([
    ['no thread was busy', STALL_FREE, otherGenerator],
    ['all cores were used', { ...BUSY, threadReason: 'cores' }, otherGenerator],
    [
      'one thread ran on two cores',
      { ...BUSY, threadLoads: [{ mean: 1, max: 1 }] },
      /--threads 2 or higher$/,
    ],
    [
      'the user requested one thread',
      { ...BUSY, threadLoads: [{ mean: 1, max: 1 }], threadReason: 'asked' },
      /--threads 2/,
    ],
    ['two threads ran on two cores', BUSY, otherGenerator],
    ['a quota is below the number of cores', { ...BUSY, cores: 8, quota: 2 }, otherGenerator],
    [
      'a thread was busy for 95% of the time',
      { ...BUSY, threadLoads: [{ mean: 0.95, max: 1 }] },
      otherGenerator,
    ],
    ['the target used the other core', { ...BUSY, threadReason: 'target' }, /on different machines$/],
    [
      'the quota was used up',
      { ...BUSY, quota: 1, threadReason: 'quota' },
      /raise the CPU limit of the container/,
    ],
  ] as const)('lessLoadAdvice names the expected remedy if %s', (_name, machine, hint) => {
    expect(lessLoadAdvice(machine)).toMatch(hint);
  });
});

describe('thresholds on metrics with bounds', () => {
  const verdictOf = (limits: Readonly<Record<string, string>>, bounds: Interval, machine = MACHINE) => {
    const [metric = ''] = Object.keys(limits);
    const run = measured(
      { bounds: { [metric]: bounds }, machine },
      { metrics: { [metric]: 1, requests: 1000 } },
    );
    const verdict = evaluateRun(declaredTest('home', { thresholds: limits }, []), run);
    expect(verdict.verdict).toBe(verdict.thresholds[0]?.verdict);
    return verdict.thresholds[0];
  };

  test.each([
    [{ p95: '< 200ms' }, [0, 199], 'pass'],
    [{ p95: '< 200ms' }, [0, 200], 'inconclusive'],
    [{ p95: '< 200ms' }, [200, 242], 'fail'],
    [{ p95: '<= 200ms' }, [200, 242], 'inconclusive'],
    [{ p95: '> 200ms' }, [201, 242], 'pass'],
    [{ p95: '> 200ms' }, [200, 242], 'inconclusive'],
    [{ p95: '> 200ms' }, [0, 200], 'fail'],
    [{ p95: '>= 200ms' }, [0, 200], 'inconclusive'],
    [{ requests_per_second: '> 200' }, [201, null], 'pass'],
    [{ requests_per_second: '> 200' }, [100, null], 'inconclusive'],
    [{ requests_per_second: '< 200' }, [100, null], 'inconclusive'],
    [{ requests_per_second: '< 200' }, [200, null], 'fail'],
  ] as const)(
    'the threshold %j on a value in the range %j has the verdict %s',
    (limits, [low, high], verdict) => {
      expect(verdictOf(limits, { low, high })?.verdict).toBe(verdict);
    },
  );

  test.each([
    [
      'the number of seconds with stalls',
      { p95: '< 200ms' },
      { low: 0, high: 242 },
      MACHINE,
      `between 0 and 242 ms: ${STALLED} 3 of 8 seconds`,
    ],
    [
      'bounds with three digits',
      { p95: '< 20ms' },
      { low: 3.456, high: 24.51 },
      MACHINE,
      `between 3.45 and 24.6 ms: ${STALLED} 5 of 8 seconds`,
    ],
    [
      'the limited precision of a load generator without stalls',
      { p95: '< 2ms' },
      { low: 1.95, high: 2.1 },
      STALL_FREE,
      'between 1.95 and 2.1 ms: the load generator cannot measure more precisely',
    ],
    [
      'the utilization of the busiest of two threads',
      { requests_per_second: '> 2000' },
      { low: 1234.5, high: null },
      BUSY,
      'at least 1,234: the load generator was saturated: the busiest of its 2 threads was busy 98% of the time',
    ],
    [
      'one saturated thread with a CPU quota',
      { p95: '< 2ms' },
      { low: 0, high: 12.5 },
      { ...BUSY, threadLoads: [{ mean: 1, max: 1 }], quota: 0.5 },
      'between 0 and 12.5 ms: the load generator was saturated: its thread was busy 100% of the time, with a CPU quota of 0.5 cores',
    ],
    [
      'stalls with a CPU quota',
      { p95: '< 200ms' },
      { low: 0, high: 242 },
      { ...MACHINE, quota: 1 },
      `between 0 and 242 ms: ${STALLED} 3 of 8 seconds, with a CPU quota of 1 core`,
    ],
    [
      'bounds in percent',
      { error_rate: '< 1%' },
      { low: 0, high: 2.345 },
      MACHINE,
      `between 0 and 2.35%: ${STALLED} 5 of 8 seconds`,
    ],
  ] as const)(
    'the reason for an inconclusive threshold states %s',
    (_name, limits, bounds, machine, reason) => {
      expect(verdictOf(limits, bounds, machine)?.reason).toBe(reason);
    },
  );
});

describe('runs with data about the load generator', () => {
  const window = (due: number, neverStarted: number) => ({ second: 2, due, neverStarted });
  const open = (
    due: number,
    neverStarted: number,
    worst: ReturnType<typeof window> | null = null,
  ): LoadDelivery => ({
    model: 'open',
    due,
    neverStarted,
    late: 0,
    lagP99: 1,
    lagMax: 2,
    worstWindow: worst,
  });

  test.each([
    ['clients that were active for 99% of the time', { model: 'closed', heldShare: 0.99 }, null],
    [
      'clients that were active for 98.76% of the time',
      { model: 'closed', heldShare: 0.9876 },
      'clients were active for only 98.8% of the scheduled time',
    ],
    ['10 of 1,000 clients not started', open(1000, 10, window(500, 10)), null],
    ['11 of 1,000 clients not started', open(1000, 11), '11 of 1,000 clients never started'],
    ['25 of 500 clients not started within five seconds', open(10_000, 25, window(500, 25)), null],
    [
      '26 of 500 clients not started within five seconds',
      open(10_000, 26, window(500, 26)),
      '26 of 500 clients due within five seconds never started',
    ],
    ['1 of 5 clients not started within five seconds', open(1000, 1, window(5, 1)), null],
    [
      '2 of 5 clients not started within five seconds',
      open(1000, 2, window(5, 2)),
      '2 of 5 clients due within five seconds never started',
    ],
    ['an unknown load delivery', null, null],
  ] as const)('evaluateRun returns the expected verdict for a run with %s', (_name, delivery, why) => {
    const { verdict, reason } = evaluateRun(
      thresholdsOf(thresholds),
      measured({ delivery, machine: MACHINE }),
    );
    expect(verdict).toBe(why === null ? 'pass' : 'inconclusive');
    const text = `the load generator did not deliver the declared load: ${why}; ${STALLED} 5 of 8 seconds`;
    expect(reason).toBe(why === null ? null : text);
  });

  test('a run with detailed data about the load generator passes even if the load generator is flagged as overloaded', () => {
    expect(evaluateRun(thresholdsOf(thresholds), measured({}, { generator: OVERLOADED })).verdict).toBe(
      'pass',
    );
  });

  test('a run that reached its error threshold only because of stalls of the load generator is inconclusive', () => {
    const run = measured({ abortCertain: false }, { abortReason: 'error_threshold' });
    const reason =
      'the error threshold was reached only because of failures that occurred while the load generator was stalled';
    expect(evaluateRun(thresholdsOf(thresholds), run)).toMatchObject({ verdict: 'inconclusive', reason });
    expect(
      evaluateRun(
        thresholdsOf(thresholds),
        measured({ abortCertain: true }, { abortReason: 'error_threshold' }),
      ).verdict,
    ).toBe('fail');
  });

  test('the reason for the verdict "pass" states that the record is from an earlier version, but is null for a record of another service', () => {
    const reason =
      'evaluated without measurement uncertainty: the result was recorded by an earlier version of loadtests';
    expect(
      evaluateRun(thresholdsOf(thresholds), result({ generator: { ...OVERLOADED, overloaded: false } })),
    ).toMatchObject({
      verdict: 'pass',
      reason,
    });
    expect(evaluateRun(thresholdsOf(thresholds), result()).reason).toBeNull();
  });

  test('the reason for the verdict "pass" states that the load generator was saturated for a closed test, but not for an open test', () => {
    const reason = 'the load generator was saturated: the busiest of its 2 threads was busy 98% of the time';
    expect(evaluateRun(thresholdsOf(thresholds), measured({ machine: BUSY }))).toMatchObject({
      verdict: 'pass',
      reason,
    });
    expect(
      evaluateRun(thresholdsOf(thresholds), measured({ machine: BUSY, delivery: open(9, 0) })).reason,
    ).toBeNull();
  });
});

describe('displayed verdicts', () => {
  const limits = thresholdsOf(thresholds);
  const own = evaluateRun(limits, result());
  const published = (changed: Partial<RunVerdict> = {}): RunVerdict => ({
    ...own,
    verdict: 'inconclusive',
    reason: 'published',
    ...changed,
  });

  test('the published verdict is displayed instead of a new verdict if the thresholds are equal', () => {
    const withoutLocations = own.thresholds.map(({ source: _, ...one }) => one);
    const verdict = published({ thresholds: withoutLocations });
    expect(selectDisplayedVerdict(limits, result({ verdict }))).toEqual(published());
  });

  test('a new verdict is displayed if none was published or a threshold was added', () => {
    expect(selectDisplayedVerdict(limits, result())).toEqual(own);
    const verdict = published({ thresholds: own.thresholds.slice(1) });
    expect(selectDisplayedVerdict(limits, result({ verdict }))).toEqual(own);
  });

  test.each(['metric', 'limit', 'url'] as const)(
    'a new verdict is displayed if the %s of one threshold has changed',
    (member) => {
      const changed = own.thresholds.map((one, index) => (index === 0 ? { ...one, [member]: 'other' } : one));
      const verdict = published({ thresholds: changed });
      expect(selectDisplayedVerdict(limits, result({ verdict }))).toEqual(own);
    },
  );

  test('a published verdict is displayed with the current locations of its thresholds', () => {
    const source = { file: 'loadtests.yaml', line: 7, column: 5, length: 3, lineText: '' };
    const [unlocated] = thresholds;
    const located = thresholdsOf(
      thresholds.map((one) => ({ ...one, source: one === unlocated ? null : source })),
    );
    const verdict = { ...evaluateRun(located, result()), reason: 'published' };
    const displayed = selectDisplayedVerdict(located, result({ verdict }));
    expect(displayed.reason).toBe('published');
    const [first, second] = evaluateRun(located, result()).thresholds;
    expect(first).not.toHaveProperty('source');
    expect(second?.source).toEqual({ file: 'loadtests.yaml', line: 7, column: 5 });
    expect(displayed.thresholds).toStrictEqual([first, second]);
  });

  test('the reason for a verdict lists all missing metrics', () => {
    const evaluated = evaluateRun(thresholdsOf(thresholds), result({ metrics: { requests: 9 } }));
    expect(evaluated.reason).toBe('the result has no error_rate, p95');
  });

  test.each([
    [
      'of an earlier version',
      'evaluated without measurement uncertainty: the result was recorded by an earlier version of loadtests',
      readRunRecord({ generator: {} }).generator,
    ],
    ['of another service', null, null],
  ])('for a record %s, evaluateRun returns the reason %j', (_name, note, generator) => {
    expect(evaluateRun(thresholdsOf(thresholds), result({ bounds: null, generator })).reason).toBe(note);
  });

  test('if the thresholds are unknown, the published verdict is displayed, or the verdict "none" if none was published', () => {
    expect(selectDisplayedVerdict(null, result({ verdict: published() }))).toEqual(published());
    expect(selectDisplayedVerdict(null, result()).verdict).toBe('none');
  });
});
