/** Files that are committed, reviewed, and may come from a stranger's pull request. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBaseline, encodeBaseline, readBaseline } from '../../../src/contract/baseline-codec.ts';
import { createPastRun } from '../../support/past-run.ts';

const RUNS = [40, 42, 41].map((p95) => createPastRun(p95));
const TEXT = encodeBaseline('home', createBaseline('0123456789ab.50.01234567', RUNS));

function faultOf(change: (document: Record<string, unknown>, run: Record<string, unknown>) => void) {
  const document = JSON.parse(TEXT) as Record<string, unknown> & { runs: Record<string, unknown>[] }; // as it was written
  change(document, document.runs[0] ?? {});
  return readBaseline(JSON.stringify(document), 'home');
}

describe('a baseline', () => {
  it('is read as it was written', () => {
    const read = readBaseline(TEXT, 'home');
    if ('fault' in read) throw new Error(read.fault);
    expect(encodeBaseline('home', read.baseline)).toBe(TEXT);
    expect(read.baseline.runs.map(({ metrics }) => metrics.p95)).toEqual([40, 42, 41]);
    expect(read.baseline.runs[1]?.times?.measured.quantile(0.97)).toBeCloseTo(42_000, -3);
  });

  it('has the same bytes in whatever order the runs and their figures come', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(RUNS, { minLength: 3 }), fc.boolean(), (runs, turned) => {
        const listed = runs.map((run) => ({
          ...run,
          figures: turned ? Object.fromEntries(Object.entries(run.metrics).reverse()) : run.metrics,
        }));
        expect(encodeBaseline('home', createBaseline('0123456789ab.50.01234567', listed))).toBe(TEXT);
      }),
    );
  });

  it('changes by lines: one more run leaves those of the others', () => {
    const more = encodeBaseline(
      'home',
      createBaseline('0123456789ab.50.01234567', [...RUNS, createPastRun(39)]),
    );
    const lines = new Set(more.split('\n').map((line) => line.replace(/,$/, '')));
    const gone = TEXT.split('\n').filter((line) => !lines.has(line.replace(/,$/, '')));
    expect(gone).toEqual([]);
  });

  it.each<[string, Parameters<typeof faultOf>[0], string]>([
    [
      'another version',
      (file) => (file['format_version'] = 2),
      '"/format_version" must be equal to constant',
    ],
    ['an unknown member', (file) => (file['x'] = 1), 'it must NOT have additional properties'],
    ['no runs', (file) => (file['runs'] = []), '"/runs" must NOT have fewer than 1 items'],
    ['the key of another test', (file) => (file['test'] = 'cart'), 'it is the baseline of "cart"'],
    ['a time below 0', (_, run) => (run['metrics'] = { p95: -1 }), '"/runs/0/metrics/p95" must be >= 0'],
    ['a time in words', (_, run) => (run['metrics'] = { p95: '1' }), '"/runs/0/metrics/p95" must be number'],
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
      'the histograms of "/runs/0" cannot be read',
    ],
    ['the same run twice', (file, run) => (file['runs'] = [run, run]), 'it has the same run twice'],
  ])('with %s is refused, with its place', (_name, change, fault) => {
    expect(faultOf(change)).toEqual({ fault });
  });

  it('never throws, whatever is in it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect('fault' in readBaseline(text, 'home')).toBe(true);
      }),
    );
  });
});
