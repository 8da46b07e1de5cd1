import { describe, expect, test } from 'vitest';
import { evaluateRun, selectDisplayedVerdict } from '../../../src/core/run-evaluation.ts';
import { Histogram } from '../../../src/core/load/histogram.ts';
import type { Interval, GeneratorMachine, LoadDelivery } from '../../../src/core/load/run-report.ts';
import { resultId, testKey } from '../../../src/core/model/ids.ts';
import type { RunVerdict } from '../../../src/core/model/run-verdict.ts';
import type { GeneratorRecord, RunResult } from '../../../src/core/model/run-result.ts';
import { evaluateResult } from '../../../src/apply/evaluation.ts';
import { lessLoadHint } from '../../../src/core/uncertainty.ts';
import { declaredTest, thresholdsOf } from '../../support/declared-state.ts';

const { thresholds } = declaredTest('home', { thresholds: { error_rate: '< 1%', p95: '< 300ms' } }, []);

function result(changed: Partial<RunResult> = {}): RunResult {
  return {
    id: resultId('r1'),
    startedAt: 0,
    status: 'ready',
    metrics: { error_rate: 0.5, p95: 212.4, requests: 300 },
    abortReason: null,
    times: null,
    urls: null,
    stop: null,
    generatorOverloaded: false,
    generatorVersion: null,
    generator: null,
    verdict: null,
    endedInWarmup: false,
    dataSent: null,
    peakConnections: null,
    record: {},
    ...changed,
  };
}

const STOP = 'loadtests stop (process 4711)';
const AT = 'at 2026-11-22 14:02:11 UTC';
const STOPS = [
  ['by another command', { cause: 'request', client: STOP }, `stopped by ${STOP} ${AT}`],
  ['by nobody who names himself', { cause: 'request', client: null }, `stopped by a request ${AT}`],
  ['with its app', { cause: 'app_deleted', client: STOP }, `stopped by ${STOP} ${AT}, which deleted its app`],
  ['by the end of the service', { cause: 'closed', client: null }, `stopped ${AT}, as the service ended`],
] as const;

/** So many requests that took 1 to 100 ms, one each. */
const TIMES = Histogram.createTotal();
const LEAST = Histogram.createTotal();
for (let ms = 1; ms <= 100; ms++) {
  TIMES.record(1000 * ms);
  LEAST.record(900 * ms);
}

describe('a limit on a percentile that no result names', () => {
  const on = (limit: string, changed: Partial<RunResult>) => {
    const { thresholds } = declaredTest('home', { thresholds: { p97: limit } }, []);
    const { verdict, thresholds: each, reason } = evaluateRun(thresholdsOf(thresholds), result(changed));
    return { verdict, value: each[0]?.value, bounds: each[0]?.bounds, reason };
  };
  const both = { measured: TIMES, minimum: LEAST };
  const stallFree = { bounds: {}, delivery: null, machine: null, abortCertain: null };

  test.each([
    ['the figure alone, of a service without bounds', '< 98ms', { times: { ...both, least: null } }, 'pass'],
    ['the figure alone, broken', '< 96ms', { times: { ...both, least: null } }, 'fail'],
    ['its high end', '< 98ms', { times: both, measured: stallFree }, 'pass'],
    ['its low end', '< 86ms', { times: both, measured: stallFree }, 'fail'],
    ['neither', '< 90ms', { times: both, measured: stallFree }, 'inconclusive'],
    [
      'a record of before, with no low end',
      '< 86ms',
      { times: { ...both, least: null }, measured: stallFree },
      'inconclusive',
    ],
    ['no histogram', '< 98ms', {}, 'inconclusive'],
  ])('is judged by %s', (_name, limit, changed, verdict) => {
    expect(on(limit, changed)).toMatchObject({ verdict });
  });

  test('has its value and its ends, and says what is missing', () => {
    const told = on('< 98ms', { times: both, generator: stallFree });
    expect(told.value).toBeCloseTo(97, -0.5);
    expect(told.bounds?.low).toBeCloseTo(87.3, -0.5);
    expect(on('< 98ms', {}).reason).toBe('the result has no p97');
  });
});

describe('a limit on one URL', () => {
  const [p95] = declaredTest('home', { thresholds: { p95: '< 300ms' } }, []).thresholds;
  if (p95 === undefined) throw new Error('no threshold');
  const onPay = { ...p95, url: { index: 1, label: 'pay' } };
  const fast = { metrics: { p95: 10, requests: 100 }, bounds: { p95: { low: 9, high: 10 } }, times: null };
  const slow = {
    metrics: { p95: 400, requests: 100 },
    bounds: { p95: { low: 100, high: 400 } },
    times: null,
  };

  test.each([
    ['its own figures, whatever those of the run are', [slow, fast], 900, 'pass', null],
    ['its own ends', [fast, slow], 10, 'inconclusive', null],
    ['its figures alone, without ends', [fast, { ...slow, bounds: null }], 10, 'fail', null],
    ['no figures of URLs', null, 10, 'inconclusive', 'the result has no p95 of "pay"'],
    ['figures of fewer URLs', [fast], 10, 'inconclusive', 'the result has no p95 of "pay"'],
  ] as const)('is judged by %s', (_name, urls, ofRun, verdict, reason) => {
    const judged = evaluateRun(
      thresholdsOf([onPay]),
      result({ metrics: { p95: ofRun, requests: 200 }, urls }),
    );
    expect(judged).toMatchObject({ verdict, reason });
    expect(judged.thresholds[0]).toMatchObject({ metric: 'p95', url: 'pay', verdict });
  });

  test('is named with its URL where it is broken', () => {
    const { problems } = evaluateResult(
      { key: testKey('home'), ...thresholdsOf([onPay]), source: null },
      result({ urls: [fast, { ...slow, bounds: null }] }),
    );
    expect(problems.map(({ message }) => message)).toEqual([
      '"home": p95 of "pay" is 400 ms, which does not meet < 300ms',
    ]);
  });
});

describe('a verdict', () => {
  test('of a run that was stopped says so, and not what else is uncertain of it', () => {
    const bounds = { p95: { low: 0, high: 400 } };
    const generator = { bounds, delivery: null, machine: null, abortCertain: null };
    const metrics = { error_rate: 0, p95: 400, requests: 300 };
    const { problems, ...told } = evaluateResult(
      { key: testKey('home'), ...thresholdsOf(thresholds), source: null },
      result({ abortReason: 'stopped', metrics, generator }),
    );
    expect(problems).toMatchObject([
      { message: '"home" has no verdict: the run ended early: stopped', hint: null },
    ]);
    expect(told.verdict.thresholds.map(({ reason }) => reason)).toEqual([undefined, undefined]);
  });

  test.each([
    ['figures within all limits', result(), 'pass', 'none', null],
    ['a figure outside', result({ metrics: { error_rate: 2, p95: 1, requests: 9 } }), 'fail', 'none', null],
    [
      'a missing figure',
      result({ metrics: { error_rate: 0, requests: 9 } }),
      'inconclusive',
      'none',
      'the result has no p95',
    ],
    [
      'a missing figure beside one that fails',
      result({ metrics: { error_rate: 2, requests: 9 } }),
      'fail',
      'none',
      null,
    ],
    ['no result', null, 'inconclusive', 'none', 'the result is missing'],
    ['not ready', result({ status: 'not_ready' }), 'inconclusive', 'none', 'the result is not ready'],
    ['an unknown status', result({ status: 'other' }), 'inconclusive', 'none', 'the result is not ready'],
    ['no samples', result({ metrics: { requests: 0 } }), 'inconclusive', 'none', 'the run has no samples'],
    [
      'an overloaded generator',
      result({ generatorOverloaded: true }),
      'inconclusive',
      'none',
      'the load generator was overloaded',
    ],
    ['a stop', result({ abortReason: 'stopped' }), 'inconclusive', 'none', 'the run ended early: stopped'],
    [
      'a stop in the warm-up',
      result({ abortReason: 'stopped', endedInWarmup: true, metrics: { requests: 0 } }),
      'inconclusive',
      'none',
      'the run ended early, in its warm-up: stopped',
    ],
    [
      'the error threshold in the warm-up',
      result({ abortReason: 'error_threshold', endedInWarmup: true, metrics: { requests: 0 } }),
      'fail',
      'fail',
      'the error threshold was reached in its warm-up',
    ],
    ...STOPS.map(
      ([name, stopped, reason]) =>
        [
          `a stop ${name}`,
          result({ abortReason: 'stopped', stop: { at: Date.UTC(2026, 10, 22, 14, 2, 11), ...stopped } }),
          'inconclusive',
          'none',
          `the run ended early: ${reason}`,
        ] as const,
    ),
    ...(
      [
        ['missed', 'no service was running when it was due'],
        ['partial', 'not all of its load could be made'],
        ['consent_withdrawn', 'a host no longer agrees to get load'],
        // Of another service.
        ['out_of_credits', 'out of credits'],
        ['constructor', 'constructor'],
      ] as const
    ).map(
      ([abortReason, words]) =>
        [
          `an end for the reason ${abortReason}`,
          result({ abortReason }),
          'inconclusive',
          'none',
          `the run ended early: ${words}`,
        ] as const,
    ),
    [
      'the error threshold',
      result({ abortReason: 'error_threshold' }),
      'fail',
      'fail',
      'the error threshold was reached',
    ],
    [
      'the error threshold, overloaded as well',
      result({ abortReason: 'error_threshold', generatorOverloaded: true, metrics: {} }),
      'fail',
      'fail',
      'the error threshold was reached',
    ],
    ['an abort reason that says nothing', result({ abortReason: '' }), 'pass', 'none', null],
    ['an abort reason that is not told', result({ abortReason: undefined }), 'pass', 'none', null],
  ] as const)('%s', (_name, given, withThresholds, without, reason) => {
    expect(evaluateRun(thresholdsOf(thresholds), given)).toMatchObject({ verdict: withThresholds, reason });
    expect(evaluateRun(thresholdsOf([]), given).verdict).toBe(without);
  });

  test('names each threshold with its figure', () => {
    expect(
      evaluateRun(thresholdsOf(thresholds), result({ metrics: { error_rate: 2, requests: 9 } })).thresholds,
    ).toEqual([
      { metric: 'error_rate', limit: '< 1%', value: 2, verdict: 'fail' },
      { metric: 'p95', limit: '< 300ms', value: null, verdict: 'inconclusive' },
    ]);
  });

  test('of a run that cannot be judged takes no single threshold for passed', () => {
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
  ] as const)('%s of %d ms is a %s', (limit, value, verdict) => {
    const one = declaredTest('home', { thresholds: { p95: limit } }, []).thresholds;
    expect(evaluateRun(thresholdsOf(one), result({ metrics: { p95: value, requests: 1 } })).verdict).toBe(
      verdict,
    );
  });
});

const MACHINE: GeneratorMachine = {
  ...{
    cores: 2,
    quota: null,
    threadReason: 'load',
    node: '22.0.0',
    measurementVersion: 2,
    seconds: 8,
    longestStall: 179.6,
  },
  threadLoads: [{ mean: 0.2, max: 0.5 }],
  stalledSeconds: [
    { tolerance: 2, seconds: 5 },
    { tolerance: 10, seconds: 3 },
    { tolerance: 50, seconds: 1 },
    { tolerance: 250, seconds: 0 },
  ],
};
const CALM: GeneratorMachine = {
  ...MACHINE,
  longestStall: 1,
  stalledSeconds: [{ tolerance: 2, seconds: 0 }],
};
const BUSY: GeneratorMachine = {
  ...CALM,
  threadLoads: [
    { mean: 0.5, max: 1 },
    { mean: 0.978, max: 1 },
  ],
};
const STOOD_STILL = 'this machine stood still for up to 180 ms in';

/** A result that says what is known of its generator. */
function measured(changes: Partial<GeneratorRecord>, changed: Partial<RunResult> = {}): RunResult {
  const delivery: LoadDelivery = { model: 'closed', heldShare: 1 };
  return result({
    generator: { bounds: {}, delivery, machine: CALM, abortCertain: null, ...changes },
    ...changed,
  });
}

describe('what to do where this machine stood in the way', () => {
  const less = 'declare less load';
  const elsewhere = `${less}, or make it on a machine with more cores or less other work`;
  test.each([
    ['it was not busy', CALM, elsewhere],
    ['it used all cores', { ...BUSY, threadReason: 'cores' }, elsewhere],
    [
      'it had one thread of two cores',
      { ...BUSY, threadLoads: [{ mean: 1, max: 1 }] },
      /--threads 2 or more$/,
    ],
    [
      'somebody wanted one thread',
      { ...BUSY, threadLoads: [{ mean: 1, max: 1 }], threadReason: 'asked' },
      /--threads 2/,
    ],
    ['two threads were enough by themselves', BUSY, elsewhere],
    [
      'the target needs the other core',
      { ...BUSY, threadReason: 'target' },
      /another machine than the target's$/,
    ],
    ['its quota was used up', { ...BUSY, quota: 1, threadReason: 'quota' }, /more CPU time to the container/],
  ] as const)('%s', (_name, machine, hint) => {
    expect(lessLoadHint(machine)).toMatch(hint);
  });
});

describe('a limit on a figure that is an interval', () => {
  const verdictOf = (limits: Readonly<Record<string, string>>, bounds: Interval, machine = MACHINE) => {
    const [metric = ''] = Object.keys(limits);
    const given = measured(
      { bounds: { [metric]: bounds }, machine },
      { metrics: { [metric]: 1, requests: 9 } },
    );
    const verdict = evaluateRun(declaredTest('home', { thresholds: limits }, []), given);
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
  ] as const)('%o, %o: %s', (limits, [low, high], verdict) => {
    expect(verdictOf(limits, { low, high })?.verdict).toBe(verdict);
  });

  test.each([
    [
      { p95: '< 200ms' },
      { low: 0, high: 242 },
      MACHINE,
      `between 0 and 242 ms: ${STOOD_STILL} 3 of 8 seconds`,
    ],
    [
      { p95: '< 20ms' },
      { low: 3.456, high: 24.51 },
      MACHINE,
      `between 3.45 and 24.6 ms: ${STOOD_STILL} 5 of 8 seconds`,
    ],
    [
      { p95: '< 2ms' },
      { low: 1.95, high: 2.1 },
      CALM,
      'between 1.95 and 2.1 ms: this machine cannot tell more exactly',
    ],
    [
      { requests_per_second: '> 2000' },
      { low: 1234.5, high: null },
      BUSY,
      'at least 1,234: this machine was the limit: the busiest of its 2 threads was busy 98% of the time',
    ],
    [
      { p95: '< 2ms' },
      { low: 0, high: 12.5 },
      { ...BUSY, threadLoads: [{ mean: 1, max: 1 }], quota: 0.5 },
      'between 0 and 12.5 ms: this machine was the limit: its thread was busy 100% of the time, with a CPU quota of 0.5 cores',
    ],
    [
      { p95: '< 200ms' },
      { low: 0, high: 242 },
      { ...MACHINE, quota: 1 },
      `between 0 and 242 ms: ${STOOD_STILL} 3 of 8 seconds, with a CPU quota of 1 core`,
    ],
    [
      { error_rate: '< 1%' },
      { low: 0, high: 2.345 },
      MACHINE,
      `between 0 and 2.35%: ${STOOD_STILL} 5 of 8 seconds`,
    ],
  ] as const)('%o says why it is left open', (limits, bounds, machine, reason) => {
    expect(verdictOf(limits, bounds, machine)?.reason).toBe(reason);
  });
});

describe('a run', () => {
  const window = (due: number, neverStarted: number) => ({ second: 2, due, neverStarted });
  const open = (
    due: number,
    neverStarted: number,
    worst: ReturnType<typeof window> | null = null,
  ): LoadDelivery => ({
    ...{ model: 'open', due, neverStarted, late: 0, lagP99: 1, lagMax: 2, worstWindow: worst },
  });

  test.each([
    [{ model: 'closed', heldShare: 0.99 }, null],
    [{ model: 'closed', heldShare: 0.9876 }, 'clients were there for 98.8% of their time'],
    [open(1000, 10, window(500, 10)), null],
    [open(1000, 11), '11 of 1,000 clients never started'],
    [open(10_000, 25, window(500, 25)), null],
    [open(10_000, 26, window(500, 26)), '26 of 500 clients that were due within five seconds never started'],
    [open(1000, 1, window(5, 1)), null],
    [open(1000, 2, window(5, 2)), '2 of 5 clients that were due within five seconds never started'],
    [null, null],
  ] as const)('whose load was offered like this is judged accordingly: %o', (delivery, why) => {
    const { verdict, reason } = evaluateRun(
      thresholdsOf(thresholds),
      measured({ delivery, machine: MACHINE }),
    );
    expect(verdict).toBe(why === null ? 'pass' : 'inconclusive');
    const told = `the declared load was not offered: ${why}; ${STOOD_STILL} 5 of 8 seconds`;
    expect(reason).toBe(why === null ? null : told);
  });

  test('whose generator says more of itself is not judged by its being overloaded', () => {
    expect(evaluateRun(thresholdsOf(thresholds), measured({}, { generatorOverloaded: true })).verdict).toBe(
      'pass',
    );
  });

  test('that reached its error threshold only by its own standstill is inconclusive', () => {
    const given = measured({ abortCertain: false }, { abortReason: 'error_threshold' });
    const reason = 'the error threshold was reached only with failures while this machine stood still';
    expect(evaluateRun(thresholdsOf(thresholds), given)).toMatchObject({ verdict: 'inconclusive', reason });
    expect(
      evaluateRun(
        thresholdsOf(thresholds),
        measured({ abortCertain: true }, { abortReason: 'error_threshold' }),
      ).verdict,
    ).toBe('fail');
  });

  test('of an earlier version says that it is judged by its figures, one of another service does not', () => {
    const reason = 'judged by its figures alone: the record is of an earlier version';
    expect(
      evaluateRun(thresholdsOf(thresholds), result({ record: { generator: { overloaded: false } } })),
    ).toMatchObject({
      ...{ verdict: 'pass', reason },
    });
    expect(evaluateRun(thresholdsOf(thresholds), result()).reason).toBeNull();
  });

  test('of a closed test says where this machine was the limit, whatever its verdict is', () => {
    const reason = 'this machine was the limit: the busiest of its 2 threads was busy 98% of the time';
    expect(evaluateRun(thresholdsOf(thresholds), measured({ machine: BUSY }))).toMatchObject({
      verdict: 'pass',
      reason,
    });
    expect(
      evaluateRun(thresholdsOf(thresholds), measured({ machine: BUSY, delivery: open(9, 0) })).reason,
    ).toBeNull();
  });
});

describe('the verdict that is shown of a run', () => {
  const limits = thresholdsOf(thresholds);
  const own = evaluateRun(limits, result());
  const told = (changed: Partial<RunVerdict> = {}): RunVerdict => ({
    ...own,
    ...{ verdict: 'inconclusive', reason: 'told' },
    ...changed,
  });

  test('is the one that was told of it, with the places of its limits', () => {
    const withoutPlaces = own.thresholds.map(({ source: _, ...one }) => one);
    const verdict = told({ thresholds: withoutPlaces });
    expect(selectDisplayedVerdict(limits, result({ verdict }))).toEqual(told());
  });

  test('is a new one where nothing was told, or its limits are others by now', () => {
    expect(selectDisplayedVerdict(limits, result())).toEqual(own);
    const verdict = told({ thresholds: own.thresholds.slice(1) });
    expect(selectDisplayedVerdict(limits, result({ verdict }))).toEqual(own);
  });

  test('is the one that was told where nobody knows the limits', () => {
    expect(selectDisplayedVerdict(null, result({ verdict: told() }))).toEqual(told());
    expect(selectDisplayedVerdict(null, result()).verdict).toBe('none');
  });
});
