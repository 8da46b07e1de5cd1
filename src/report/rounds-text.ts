import { counted } from '../core/counted.ts';
import { metricText } from '../core/model/metric-text.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { printable } from '../core/printable.ts';
import { lowerBound } from '../core/report/result-text.ts';
import { readRunRecord } from '../core/run-record/read-record.ts';
import type { Metrics, Run } from '../core/report/generated/documents.ts';

const SHOWN_METRICS = [
  'requests_per_second',
  'p50',
  'p95',
  'p99',
] as const satisfies readonly (keyof Metrics)[];

/** Formats a line for each repeated test: `home: 5 runs, 5 passed; 812 to 840/s, p50 1.1 to 1.2 ms, …`. */
export function roundsText(runs: readonly Run[]): string {
  const repeated = runs.filter(({ round }) => round !== undefined);
  const addresses = [...new Set(repeated.map(({ address }) => address))];
  return addresses
    .map((address) => {
      const own = repeated.filter((run) => run.address === address);
      const verdicts = new Map<string, number>();
      for (const { verdict } of own) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      const counts = [...verdicts].map(([verdict, count]) => `${count} ${VERDICT_WORDS[verdict] ?? verdict}`);
      const ranges = SHOWN_METRICS.flatMap((metric) => rangeOf(metric, own));
      return `${printable(keyOfAddress(address))}: ${counted(own.length, 'run')}, ${counts.join(', ')}${ranges.length === 0 ? '' : `; ${ranges.join(', ')}`}\n`;
    })
    .join('');
}

const VERDICT_WORDS: Readonly<Record<string, string>> = {
  pass: 'passed',
  fail: 'failed',
  none: 'without a verdict',
};

function rangeOf(metric: (typeof SHOWN_METRICS)[number], runs: readonly Run[]): readonly string[] {
  const measured = runs
    .flatMap(({ metrics, result }) => {
      const value = metrics?.[metric];
      return value === undefined ? [] : [{ value, bound: lowerBound(metric, value, readRunRecord(result)) }];
    })
    .sort((one, other) => one.value - other.value);
  const texts = measured.map(({ value, bound }) => bound ?? metricText(metric, value));
  const [min = '', max = ''] = [texts[0], texts.at(-1)];
  if (max === '') return [];
  const range = min === max ? max : `${max.endsWith(' ms') ? min.replace(/ ms$/, '') : min} to ${max}`;
  return [metric === 'requests_per_second' ? `${range}/s` : `${metric} ${range}`];
}
