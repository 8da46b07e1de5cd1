import { expect, test } from 'vitest';
import { runCharts } from '../../../src/web/run-charts.ts';
import { percentileName } from '../../../src/web/values.ts';
import { recordOf } from '../../rig/result-records.ts';

test('another run is drawn beside, over its own seconds', () => {
  const charts = runCharts('run-1', recordOf({ seconds: 3 }), [
    { name: 'before', record: recordOf({ seconds: 5 }) },
  ]);
  const [rates] = charts;
  expect(rates?.at).toEqual([0, 1, 2, 3, 4]);
  expect(rates?.lines.map(({ name, values }) => [name, values])).toEqual([
    ['offered', [10, 10, 10, null, null]],
    ['completed', [10, 10, 10, null, null]],
    ['failed', [1, 1, 1, null, null]],
    ['before', [10, 10, 10, 10, 10]],
  ]);
  expect(charts.every(({ lines }) => lines.some(({ name }) => name === 'before'))).toBe(true);
});

test.each([
  [0, 'p0'],
  [Math.log10(2), 'p50'],
  [1, 'p90'],
  [2, 'p99'],
  [3, 'p99.9'],
  [6, 'p99.9999'],
  [1.05, 'p91.09'],
])('%d nines are %s', (nines, name) => {
  expect(percentileName(nines)).toBe(name);
});
