import { describe, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../../../src/contract/result-codec.ts';
import type { RunReport } from '../../../../src/core/load/run-report.ts';
import {
  addResponses,
  incrementCount,
  createTally,
  type Snapshot,
  type Tally,
  type ThreadSecond,
} from '../../../../src/core/load/snapshot.ts';
import { evaluateRun } from '../../../../src/core/compare/run-evaluation.ts';
import { toEvaluatedThreshold } from '../../../../src/core/report/threshold-document.ts';
import { verdictSentence } from '../../../../src/core/report/verdict-sentence.ts';
import { StallFreeSamples } from '../../../../src/core/load/stall-free.ts';
import { stallToleranceFor } from '../../../../src/core/load/stall-tolerance.ts';
import { summarizeRun } from '../../../../src/core/load/run-summary.ts';
import { RunTotals } from '../../../../src/core/load/run-totals.ts';
import { storedCount, storedQuantile } from '../../../../src/core/load/histogram.ts';
import { parseThreshold, shareOf } from '../../../../src/core/model/threshold.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { jobOf, targetOf } from '../../../support/test-engine.ts';
import { thresholdsOf } from '../../../support/declared-state.ts';
import { STALL_FREE_SECOND, TEST_GENERATOR, snapshotOf } from '../../../support/snapshots.ts';

const JOB = jobOf([targetOf(80)], {
  testType: 'cycling',
  initial: 2,
  total: 2,
  duration: 10_000,
  timeout: 1000,
});

/** A snapshot with a hundred responses after `ms` milliseconds, a timeout and a reset. */
function second(at: number, ms: number, changes: Partial<ThreadSecond> = {}, thread = 0): Snapshot {
  const tally = createTally('record', false);
  tally.started = 102;
  addResponses(tally, 200, 100);
  tally.timeoutResponse = 1;
  incrementCount(tally.network, 'ECONNRESET', 1);
  for (let count = 0; count < 100; count++) tally.response.record(ms * 1000);
  return snapshotOf(thread, at, [tally], { thread: { ...STALL_FREE_SECOND, ...changes } });
}

function reportOf(
  snapshots: readonly Snapshot[],
  job = JOB,
  threads = 1,
  abortReason: RunReport['abortReason'] = null,
): RunReport {
  const totals = new RunTotals(job, threads);
  for (const snapshot of snapshots) totals.add(snapshot);
  const end = {
    elapsed: milliseconds(10_000),
    loaded: milliseconds(10_000),
    abortReason,
    threads,
    environment: TEST_GENERATOR,
    exchanges: [],
  };
  return summarizeRun(job, totals, end);
}

const SECONDS = Array.from({ length: 10 }, (_, at) => at);

describe('bounds of metrics', () => {
  test('in a run without stalls, counts are exact, and the lower bound of p95 is 4 ms below the measured value', () => {
    const { bounds } = reportOf(SECONDS.map((at) => second(at, 100)));
    expect(bounds.p95?.low).toBeCloseTo((bounds.p95?.high ?? 0) - 4, 6);
    expect(bounds.p95?.high).toBeCloseTo(100, 0);
    expect(bounds.requests).toEqual({ low: 1020, high: 1020 });
    expect(bounds.timeout_error).toEqual({ low: 10, high: 10 });
  });

  test('for the lower bounds of response times, requests in a second with a stall and in the next second count as 0 ms', () => {
    const { bounds, machine } = reportOf(
      SECONDS.map((at) =>
        second(at, at === 4 || at === 5 ? 400 : 100, at === 4 ? { maxTickDelay: 90, stalledMs: 90 } : {}),
      ),
    );
    expect(bounds.p95?.high).toBeCloseTo(400, -1);
    expect(bounds.p95?.low).toBeCloseTo(96, 0);
    expect(bounds.timeout_error?.low).toBe(8);
    expect(bounds.timeout_error?.high).toBeCloseTo(10 * (10_000 / 9910), 6);
    expect(bounds.network_error?.low).toBe(8);
    expect(bounds.error_rate?.low).toBeCloseTo((100 * 16) / 1020, 6);
    expect(bounds.error_rate?.high).toBeCloseTo((100 * 20) / 1020, 6);
    expect(bounds.error).toEqual({ low: 0, high: 0 });
    expect(machine).toMatchObject({ seconds: 10, longestStall: 90 });
    expect(machine?.stalledSeconds.map(({ seconds }) => seconds)).toEqual([1, 1, 1, 0]);
  });

  test.each([
    [6, 96],
    [7, 396],
  ])(
    'if a stall in second 4 is followed by response times of 400 ms in second %i, the lower bound of the maximum is %i ms',
    (slow, low) => {
      const { bounds } = reportOf(
        SECONDS.map((at) =>
          second(at, at === slow ? 400 : 100, at === 4 ? { maxTickDelay: 90, stalledMs: 90 } : {}),
        ),
      );
      expect(bounds.max?.high).toBeCloseTo(400, -1);
      expect(bounds.max?.low).toBeCloseTo(low, -1);
    },
  );

  test('a delayed timer tick that was due in one second and ran in the next second marks both of these seconds as stalled', () => {
    const { machine } = reportOf(
      SECONDS.map((at) => second(at, 100, at === 4 ? { maxTickDelay: 40, maxEarlierTickDelay: 30 } : {})),
    );
    expect(machine?.stalledSeconds.map(({ seconds }) => seconds)).toEqual([2, 2, 0, 0]);
  });

  test('the stall of one thread does not affect the requests of another thread', () => {
    const both = SECONDS.flatMap((at) => [second(at, 100), second(at, 100, { maxTickDelay: 900 }, 1)]);
    const { bounds } = reportOf(both, JOB, 2);
    expect(bounds.max?.low).toBeCloseTo(96, 0);
    expect(bounds.p99?.low).toBeCloseTo(96, 0);
    // Half of all requests count as 0 ms.
    expect(bounds.p50?.low).toBe(0);
  });

  test('if a thread was saturated, the number of requests and the request rate have no upper bound', () => {
    const { bounds, machine } = reportOf(SECONDS.map((at) => second(at, 1, { busy: 0.97 })));
    expect(bounds.requests_per_second).toMatchObject({ high: null });
    expect(bounds.requests).toEqual({ low: 1020, high: null });
    expect(machine?.threadLoads[0]?.mean).toBeCloseTo(0.97, 6);
  });

  test.each([
    ['without stalls', SECONDS.map((at) => second(at, 100 + 10 * at))],
    [
      'with a stall in one second',
      SECONDS.map((at) => second(at, at === 4 ? 400 : 100 + at, at === 4 ? { maxTickDelay: 90 } : {})),
    ],
    ['with stalls that exceed every tolerance', SECONDS.map((at) => second(at, 100, { maxTickDelay: 900 }))],
    [
      'with stalls that exceed only small tolerances',
      SECONDS.map((at) => second(at, 1000, { maxTickDelay: 40 })),
    ],
  ])(
    'for a run %s, the stored histograms reproduce the upper bounds of percentiles, and the lower bounds to within 1 percent',
    (_name, seconds) => {
      const report = reportOf(seconds);
      const { times } = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, true)).record;
      if (times?.minimum == null) throw new Error('the record has no histograms');
      const { measured, minimum } = times;
      for (const metric of ['p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'] as const) {
        const bounds = report.bounds[metric];
        const fraction = shareOf(metric) ?? 0;
        const low = (storedQuantile(minimum, fraction) ?? Number.NaN) / 1000;
        expect(storedQuantile(measured, fraction), metric).toBeCloseTo((bounds?.high ?? 0) * 1000, 6);
        expect(low, metric).toBeLessThanOrEqual(bounds?.low ?? 0);
        // A bucket is at most 0.8% wide.
        expect(low, metric).toBeGreaterThanOrEqual((bounds?.low ?? 0) * 0.99 - 0.001);
      }
      expect(storedCount(minimum)).toBe(storedCount(measured));
    },
  );

  test('the bounds of a URL are computed from its requests, and equal the bounds of the run if there is only one URL', () => {
    const single = reportOf(SECONDS.map((at) => second(at, 100, at === 4 ? { maxTickDelay: 90 } : {})));
    const { bounds, minTimes, requestsPerSecond } = single;
    expect(single.targets[0]).toMatchObject({ bounds, minTimes, requestsPerSecond });

    const successes = (ms: number) => {
      const tally = createTally('record', false);
      tally.started = 100;
      addResponses(tally, 200, 100);
      for (let count = 0; count < 100; count++) tally.response.record(ms * 1000);
      return tally;
    };
    const both = SECONDS.map((at) => snapshotOf(0, at, [successes(10), successes(400)]));
    const report = reportOf(both, { ...JOB, targets: [targetOf(80), targetOf(80)] });
    const [first, last] = report.targets;
    expect(first?.bounds.p99?.high).toBeCloseTo(10, 0);
    expect(first?.bounds.p99?.low).toBeCloseTo(9, 0);
    expect(last?.bounds.p50?.low).toBeCloseTo(396, -1);
    expect(first?.requestsPerSecond).toBeCloseTo(report.requestsPerSecond / 2, 2);
    const { urls } = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, true)).record;
    expect(urls?.map(({ metrics }) => [metrics.p99, metrics.requests_per_second])).toEqual(
      report.targets.map(({ latency, requestsPerSecond }) => [latency?.p99, requestsPerSecond]),
    );
    expect(urls?.[1]?.bounds?.p50?.low).toBeCloseTo(last?.bounds.p50?.low ?? 0, 2);
  });

  test('a result record preserves the bounds, the delivered load and the data about the load generator', () => {
    const report = reportOf(
      SECONDS.map((at) => second(at, 100, { maxTickDelay: at, busy: 0.5, missingClientMs: 25 })),
    );
    const { record } = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, false));
    expect(record.delivery).toEqual({ model: 'closed', heldShare: 1 - 250 / 20_000 });
    expect(record.machine).toEqual(report.machine);
    for (const [metric, { low, high }] of Object.entries(report.bounds)) {
      const decoded = record.bounds?.[metric as keyof typeof record.bounds];
      expect(decoded?.low, metric).toBeCloseTo(low, 3);
      expect(decoded?.high, metric).toBeCloseTo(high ?? 0, 3);
    }
  });
});

describe('stall-free requests', () => {
  const DURATIONS_MS = [1, 900, 1900, 2900, 60_000];

  /** For each second, returns how many requests with the above durations count if they end in this second. */
  function countAccepted(tickDelays: readonly number[]): readonly number[] {
    return tickDelays.map((_, end) => {
      const samples = new StallFreeSamples(JOB, 1);
      tickDelays.forEach((maxTickDelay, at) => {
        const tally = createTally('record', false);
        if (at === end) for (const ms of DURATIONS_MS) tally.response.record(ms * 1000);
        samples.add(snapshotOf(0, at, [tally], { thread: { ...STALL_FREE_SECOND, maxTickDelay } }));
      });
      samples.close();
      const count = samples.response[0]?.count ?? 0;
      // In the sample, each iteration is one request.
      expect(samples.iterations[0]?.count).toBe(count);
      return count;
    });
  }

  test.each([
    { tickDelays: [0, 2, 0], accepted: [5, 5, 5] },
    // The stall excludes the next second. A request of 900 ms that ends in the fourth second began in the third.
    { tickDelays: [0, 3, 0, 0, 0, 0, 0], accepted: [5, 0, 0, 0, 2, 3, 4] },
    { tickDelays: [0, 100, 0, 0, 0, 0, 0], accepted: [5, 0, 0, 0, 2, 3, 4] },
    { tickDelays: [0, 101, 0, 0, 0, 0, 0], accepted: [5, 0, 0, 0, 0, 2, 3] },
    { tickDelays: [3, 0, 0, 0, 3, 0, 0, 0, 0], accepted: [0, 0, 0, 2, 0, 0, 0, 2, 3] },
    // A short stall does not end the recovery after a long one.
    { tickDelays: [400, 3, 0, 0, 0, 0, 0, 0], accepted: [0, 0, 0, 0, 0, 0, 2, 3] },
    { tickDelays: [400, 0, 0, 3, 0, 0, 0, 0], accepted: [0, 0, 0, 0, 0, 0, 2, 3] },
    { tickDelays: [400, 0, 0, 0, 3, 0, 0, 0], accepted: [0, 0, 0, 0, 0, 0, 0, 2] },
  ])(
    'with tick delays of $tickDelays ms in successive seconds, only requests count whose seconds are all stall-free',
    ({ tickDelays, accepted }) => {
      expect(countAccepted(tickDelays)).toEqual(accepted);
    },
  );
});

test('a second counts as stalled at each tolerance that a delay exceeded, unless it belongs to the warm-up', () => {
  const samples = new StallFreeSamples({ ...JOB, warmup: milliseconds(2000) }, 1);
  [251, 250, 250, 251, 2, 3].forEach((maxTickDelay, at) => {
    const thread = { ...STALL_FREE_SECOND, maxTickDelay };
    samples.add(snapshotOf(0, at, [createTally('record', false)], { thread }));
  });
  samples.close();
  expect(samples.stalledSeconds.map((seconds) => [...seconds])).toEqual([[2, 3, 5], [2, 3], [2, 3], [3]]);
});

test('a report on a run in progress does not end the latest second of a thread', () => {
  const totals = new RunTotals(JOB, 1);
  const end = {
    ...{ elapsed: milliseconds(2000), loaded: milliseconds(2000), abortReason: null, threads: 1 },
    ...{ environment: TEST_GENERATOR, exchanges: [] },
  };
  totals.add(second(0, 1));
  summarizeRun(JOB, totals, { ...end, inProgress: true });
  // The stall also affected the previous second.
  totals.add(second(1, 1, { maxTickDelay: 300, maxEarlierTickDelay: 300 }));
  const { machine } = summarizeRun(JOB, totals, end);
  expect(machine?.stalledSeconds.at(-1)).toEqual({ tolerance: 250, seconds: 2 });
});

test.each([
  [5, 2],
  [20, 2],
  [99, 2],
  [100, 10],
  [499, 10],
  [500, 50],
  [2499, 50],
  [2500, 250],
  [60_000, 250],
])('the stall tolerance for a timeout of %i ms is %i ms', (ms, tolerance) => {
  expect(stallToleranceFor(ms)).toBe(tolerance);
});

describe('failures during stalls', () => {
  /** A snapshot of a stalled second in which half of 100 requests failed in the given way. */
  function stalledSecond(at: number, fail: (tally: Tally) => void): Snapshot {
    const tally = createTally('record', false);
    tally.started = 100;
    addResponses(tally, 200, 50);
    for (let count = 0; count < 50; count++) {
      tally.response.record(1000);
      fail(tally);
    }
    return snapshotOf(0, at, [tally], { thread: { ...STALL_FREE_SECOND, maxTickDelay: 300 } });
  }

  function sentenceOf(fail: (tally: Tally) => void, abortReason: RunReport['abortReason'] = null): string {
    const report = reportOf(
      SECONDS.map((at) => stalledSecond(at, fail)),
      JOB,
      1,
      abortReason,
    );
    const result = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, true));
    const threshold = parseThreshold('error_rate', '< 1%', null);
    if (threshold === null) throw new Error('no threshold');
    const { verdict, reason, thresholds } = evaluateRun(thresholdsOf([threshold]), result);
    return verdictSentence({
      verdict,
      reason,
      thresholds: thresholds.map(toEvaluatedThreshold),
      record: result.record,
    });
  }

  test.each<readonly [kind: 'network' | 'protocol', code: string]>([
    ['network', 'ECONNREFUSED'],
    ['network', 'EHOSTUNREACH'],
    ['network', 'ENETUNREACH'],
    ['network', 'invalid_url'],
    ['network', 'CERT_HAS_EXPIRED'],
    ['network', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['network', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['network', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['network', 'constructor'],
    ['protocol', 'status_line'],
    ['protocol', 'header_too_large'],
    ['protocol', 'content_length'],
    ['protocol', 'chunk'],
    ['protocol', 'too_many_interim'],
  ])('a run with the %s error %s, which a stall cannot cause, fails', (kind, code) => {
    const fail = (tally: Tally) => incrementCount(tally[kind], code);
    expect(sentenceOf(fail)).toBe('Failed: error rate 50%, threshold < 1%');
    expect(sentenceOf(fail, 'error_threshold')).toBe('Failed: the error threshold was reached');
  });

  const UNCERTAIN =
    'Inconclusive: error rate between 0 and 50%: the load generator stalled for up to 300 ms in 10 of 10 seconds';
  const UNCERTAIN_END =
    'Inconclusive: the error threshold was reached only because of failures that occurred while the load generator was stalled';

  test.each<readonly [name: string, fail: (tally: Tally) => void]>([
    ['a timeout', (tally) => tally.timeoutResponse++],
    ['a timeout of a connection', (tally) => tally.timeoutConnect++],
    ['a timeout of a TLS handshake', (tally) => tally.timeoutTls++],
    ...['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'closed', 'closed_before_answer'].map(
      (code) => [`the network error ${code}`, (tally: Tally) => incrementCount(tally.network, code)] as const,
    ),
    ['a truncated response', (tally) => incrementCount(tally.protocol, 'truncated')],
  ])('a run with %s, which a stall may cause, is inconclusive', (_name, fail) => {
    expect(sentenceOf(fail)).toBe(UNCERTAIN);
    expect(sentenceOf(fail, 'error_threshold')).toBe(UNCERTAIN_END);
  });

  test('during stalls, failures with ECONNREFUSED are in the lower bounds of error metrics, and failures with ECONNRESET are not', () => {
    const { bounds } = reportOf(
      SECONDS.map((at) =>
        stalledSecond(at, (tally) => {
          const code = (tally.network['ECONNREFUSED'] ?? 0) < 30 ? 'ECONNREFUSED' : 'ECONNRESET';
          incrementCount(tally.network, code);
        }),
      ),
    );
    expect(bounds.error_rate).toEqual({ low: 30, high: 50 });
    expect(bounds.network_error?.low).toBe(300);
  });
});

test('a report counts the clients that never started, in total and in the worst five-second window', () => {
  const job = jobOf([targetOf(80)], { testType: 'per-second', total: 10, duration: 20_000 });
  const { delivery, bounds } = reportOf(
    [
      second(0, 1),
      second(8, 1, { maxTickDelay: 3000, neverStarted: { 5: 4, 6: 6 } }),
      second(19, 1, { neverStarted: { 17: 1 } }),
    ],
    job,
  );
  expect(delivery).toMatchObject({
    model: 'open',
    due: 200,
    neverStarted: 11,
    worstWindow: { due: 50, neverStarted: 10 },
  });
  expect(bounds.requests?.low).toBe(306);
});
