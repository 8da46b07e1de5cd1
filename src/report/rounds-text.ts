import { counted } from '../core/counted.ts';
import { metricText } from '../core/model/metric-text.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { printable } from '../core/printable.ts';
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
  const values = runs.flatMap(({ metrics }) => metrics?.[metric] ?? []);
  if (values.length === 0) return [];
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const rate = metric === 'requests_per_second';
  const range = `${metricText(metric, min).replace(/ ms$/, '')} to ${metricText(metric, max)}`;
  return [rate ? `${range}/s` : `${metric} ${range}`];
}
