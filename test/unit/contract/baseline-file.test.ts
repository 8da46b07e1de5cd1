/** Baseline files, which are committed, reviewed, and may come from an untrusted pull request. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBaseline, encodeBaseline, readBaseline } from '../../../src/contract/baseline-codec.ts';
import { storedQuantile } from '../../../src/core/load/histogram.ts';
import { createPastRun } from '../../support/past-run.ts';

const RUNS = [40, 42, 41].map((p95) => createPastRun(p95));
const TEXT = encodeBaseline('home', createBaseline('0123456789ab.50.01234567', RUNS));

function faultOf(change: (document: Record<string, unknown>, run: Record<string, unknown>) => void) {
  const document = JSON.parse(TEXT) as Record<string, unknown> & { runs: Record<string, unknown>[] }; // as encoded
  change(document, document.runs[0] ?? {});
  return readBaseline(JSON.stringify(document), 'home');
}

describe('a baseline', () => {
  it('a baseline is unchanged after it is encoded and decoded', () => {
    const decoded = readBaseline(TEXT, 'home');
    if ('fault' in decoded) throw new Error(decoded.fault);
    expect(encodeBaseline('home', decoded.baseline)).toBe(TEXT);
    expect(decoded.baseline.runs.map(({ metrics }) => metrics.p95)).toEqual([40, 42, 41]);
    const times = decoded.baseline.runs[1]?.times;
    expect(times && storedQuantile(times.measured, 0.97)).toBeCloseTo(42_000, -3);
  });

  it('the bytes of a baseline do not depend on the order of its runs and metrics', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(RUNS, { minLength: 3 }), fc.boolean(), (runs, reversed) => {
        const reordered = runs.map((run) => {
          const { metrics } = run.record;
          const reverse = Object.fromEntries(Object.entries(metrics).reverse());
          return { ...run, record: { ...run.record, metrics: reversed ? reverse : metrics } };
        });
        expect(encodeBaseline('home', createBaseline('0123456789ab.50.01234567', reordered))).toBe(TEXT);
      }),
    );
  });

  it('an additional run does not change the lines of the other runs in a baseline', () => {
    const extended = encodeBaseline(
      'home',
      createBaseline('0123456789ab.50.01234567', [...RUNS, createPastRun(39)]),
    );
    const lines = new Set(extended.split('\n').map((line) => line.replace(/,$/, '')));
    const removed = TEXT.split('\n').filter((line) => !lines.has(line.replace(/,$/, '')));
    expect(removed).toEqual([]);
  });

  it.each<[string, Parameters<typeof faultOf>[0], string]>([
    [
      'an unknown version',
      (file) => (file['format_version'] = 2),
      '"/format_version" must be equal to constant',
    ],
    ['an unknown member', (file) => (file['x'] = 1), 'it must NOT have additional properties'],
    ['no runs', (file) => (file['runs'] = []), '"/runs" must NOT have fewer than 1 items'],
    [
      'the key of a different test',
      (file) => (file['test'] = 'cart'),
      'it is the baseline of the test "cart"',
    ],
    ['a negative time', (_, run) => (run['metrics'] = { p95: -1 }), '"/runs/0/metrics/p95" must be >= 0'],
    [
      'a time in a string',
      (_, run) => (run['metrics'] = { p95: '1' }),
      '"/runs/0/metrics/p95" must be number',
    ],
    [
      'buckets out of order',
      (_, run) =>
        (run['latency_histogram'] = {
          unit: 'us',
          sub_bits: 7,
          min: 1,
          max: 2,
          sum: 3,
          counts: [
            [2, 1],
            [1, 1],
          ],
        }),
      'the histograms of "/runs/0" are invalid',
    ],
    ['the same run twice', (file, run) => (file['runs'] = [run, run]), 'it contains the same run twice'],
  ])('a baseline with %s is refused, and the message states the reason', (_name, change, fault) => {
    expect(faultOf(change)).toEqual({ fault });
  });

  it('readBaseline returns a fault and does not throw for arbitrary text or JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect('fault' in readBaseline(text, 'home')).toBe(true);
      }),
    );
  });
});
