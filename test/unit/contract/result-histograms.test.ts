/** Histograms of a result in the API, from which clients can compute every percentile. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHistogram } from '../../../src/core/run-record/histogram-record.ts';
import { encodeStoredResult, createResultDocument } from '../../../src/contract/result-codec.ts';
import { Histogram, storedQuantile } from '../../../src/core/load/histogram.ts';
import type { LatencySummary } from '../../../src/core/load/run-report.ts';
import { createTally } from '../../../src/core/load/snapshot.ts';
import { latencySummary, summarizeRun } from '../../../src/core/load/run-summary.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { snapshotOf, TEST_GENERATOR, createTotals } from '../../support/snapshots.ts';

const JOB = jobOf([targetOf(80), targetOf(80, { path: '/cart' })]);
const END = {
  elapsed: milliseconds(1000),
  loaded: milliseconds(1000),
  abortReason: null,
  threads: 1,
  environment: { ...TEST_GENERATOR, version: '1' },
  exchanges: [],
};
const RUN = { id: 'r1', startedAt: 0 };

/** Returns the JSON of a result with the given response times, in microseconds, for both URLs. */
function resultWith(times: readonly (readonly [due: number, sent: number])[]): Record<string, unknown> {
  const totals = createTotals({ targets: 2, workers: 1, apart: true });
  const targets = JOB.targets.map((_, index) => {
    const tally = createTally('record', true);
    for (const [due, sent] of index === 0 ? times : times.slice(1)) {
      tally.response.record(due + index);
      tally.service?.record(sent);
    }
    return tally;
  });
  totals.add(snapshotOf(0, 0, targets));
  const document = createResultDocument(RUN, summarizeRun(JOB, totals, END));
  return JSON.parse(JSON.stringify(encodeStoredResult({ ...RUN, document }))) as Record<string, unknown>; // a JSON object
}

function summaryOf(histogram: unknown): LatencySummary | null {
  const stored = readHistogram(histogram);
  return stored === null ? null : latencySummary(Histogram.fromStored(stored) ?? EMPTY);
}

const arbitraryTime = fc.oneof(fc.nat(1000), fc.nat(10_000_000), fc.nat(2 ** 31 - 1));

test('the percentiles of a result and of its URLs can be computed exactly from the histograms in the result', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(arbitraryTime, arbitraryTime), { minLength: 1, maxLength: 200 }),
      (times) => {
        const record = resultWith(times);
        const urls = record['urls'] as Record<string, unknown>[]; // as written by createResultDocument
        for (const metrics of [record, ...urls]) {
          expect(summaryOf(metrics['latency_histogram'])).toEqual(metrics['latency']);
          expect(summaryOf(metrics['service_time_histogram'])).toEqual(metrics['service_time']);
        }
        expect({ mean: record['avg_response_time'] }).toMatchObject({
          mean: summaryOf(record['latency_histogram'])?.mean,
        });
      },
    ),
    { numRuns: 100 },
  );
});

const EMPTY = Histogram.createTotal();

test('a histogram contains only buckets with at least one value, in ascending order', () => {
  const record = resultWith([
    [1000, 900],
    [1000, 900],
    [70, 70],
  ]);
  expect(record['service_time_histogram']).toEqual({
    unit: 'us',
    sub_bits: 7,
    min: 70,
    max: 900,
    sum: 2840,
    counts: [
      [70, 2],
      [481, 3],
    ],
  });
});

test('a result without details has no latency_histogram, and the latency_histogram of a run without requests is null', () => {
  const totals = createTotals({ targets: 2, workers: 1, apart: true });
  const document = createResultDocument(RUN, summarizeRun(JOB, totals, END));
  expect(encodeStoredResult({ ...RUN, document: { ...document, detail: null } })).not.toHaveProperty(
    'latency_histogram',
  );
  expect(encodeStoredResult({ ...RUN, document })).toMatchObject({ latency_histogram: null });
});

test.each([
  ['an unknown unit', { unit: 'ms' }],
  ['an unknown resolution', { sub_bits: 8 }],
  ['an invalid bucket', { counts: [[5000, 1]] }],
  ['a count of zero', { counts: [[3, 0]] }],
  [
    'descending buckets',
    {
      counts: [
        [4, 1],
        [3, 1],
      ],
    },
  ],
  ['a sum in a string', { sum: '3' }],
  ['no buckets', { counts: null }],
])('a histogram with %s is not decoded', (_name, changes) => {
  const valid = { unit: 'us', sub_bits: 7, min: 3, max: 3, sum: 3, counts: [[3, 1]] };
  const stored = readHistogram(valid);
  expect(stored && storedQuantile(stored, 0.5)).toBe(3);
  expect(readHistogram({ ...valid, ...changes })).toBeNull();
});
