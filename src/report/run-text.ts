/** Text of runs, results and verdicts. */
import { counted } from '../core/counted.ts';
import { metricText } from '../core/model/metric-text.ts';
import { formatInstant } from '../core/instant.ts';
import { subjectText } from '../core/model/threshold.ts';
import { printable, printableStrings } from '../core/printable.ts';
import type { Verdict } from '../core/model/run-verdict.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import type { Metrics, Run } from '../core/report/generated/documents.ts';
import { baselineComparisonText } from '../core/report/threshold-text.ts';
import { boundText, detailLines } from '../core/report/result-text.ts';
import { workerLines } from '../core/report/worker-text.ts';
import { readRunRecord } from '../core/run-record/read-record.ts';
import type { RunRecord } from '../core/run-record/run-record.ts';
import { formatAge, formatBytes, milliseconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { urlTable } from './url-table.ts';

export function verdictText(verdict: Verdict, paint: Paint): string {
  switch (verdict) {
    case 'pass':
      return paint.green('pass');
    case 'fail':
      return paint.red('FAIL');
    case 'inconclusive':
      return paint.yellow('inconclusive');
    case 'none':
      return paint.dim('no verdict');
  }
}

/** Returns the verdict, with its reason if it has one. */
export function verdictReasonText(
  { verdict, reason }: { readonly verdict: Verdict; readonly reason: string | null },
  paint: Paint,
): string {
  return `${verdictText(verdict, paint)}${reason === null ? '' : ` (${printable(reason)})`}`;
}

/**
 * Returns the text of a run: its metrics, and each threshold with its value.
 * @param run - The run of the report.
 * @param earlier - Current time in ms since the epoch, for a run that ended before this command; otherwise
 * null.
 */
export function runText(
  reportedRun: Run,
  paint: Paint,
  earlier: { readonly now: number } | null = null,
): string {
  const run = printableStrings(reportedRun);
  const record = readRunRecord(run.result);
  const when = earlier === null ? '' : `   ${whenText(run.started_at, earlier.now)}; not run again`;
  const round = run.round === undefined ? '' : `   round ${run.round}`;
  const lines = [
    `  ${paint.bold(keyOfAddress(run.address))}  ${verdictReasonText(run, paint)}${round}${when}`,
  ];
  if (run.metrics !== null) {
    lines.push(`      ${metricsText(run.metrics, record)}`);
    lines.push(...[...detailLines(record), ...workerLines(record)].map((line) => `      ${line}`));
  }
  for (const threshold of run.thresholds) {
    const { metric, limit, value, verdict, reason, regression } = threshold;
    const symbol =
      verdict === 'pass' ? paint.green('✓') : verdict === 'fail' ? paint.red('✗') : paint.yellow('?');
    const valueText = value === null ? 'unknown' : boundText(metric, value, record);
    const outcome =
      regression === undefined ? valueText : `${valueText}, ${baselineComparisonText(metric, regression)}`;
    lines.push(`      ${symbol} ${subjectText(threshold)} ${limit}   ${reason ?? outcome}`);
  }
  lines.push(...urlTable(record, run.url_names).map((line) => `      ${line}`));
  return lines.join('\n') + '\n';
}

/** Formats the start of an earlier run: `run of 2026-11-20 14:02 UTC, 1d 11h ago`. */
function whenText(startedAt: string | null, now: number): string {
  const at = startedAt === null ? Number.NaN : Date.parse(startedAt);
  if (Number.isNaN(at)) return 'an earlier run';
  return `run of ${formatInstant(at).slice(0, 16)} UTC, ${formatAge(milliseconds(now - at))} ago`;
}

/** Formats metrics: `12,345 requests, 0 failed, 206/s, p50 1.2 ms, p95 3.4 ms, 4.5 MB received`. */
export function metricsText(metrics: Metrics | null, record: RunRecord): string {
  if (metrics === null) return 'the result is not available yet';
  if (metrics.requests === 0) return 'no samples';
  if (Object.keys(metrics).length === 0) return 'no metrics available';
  const parts: string[] = [];
  if (metrics.requests !== undefined) parts.push(counted(metrics.requests, 'request'));
  const failed = (metrics.error ?? 0) + (metrics.timeout_error ?? 0) + (metrics.network_error ?? 0);
  const kinds = [
    [metrics.error, 'error'],
    [metrics.timeout_error, 'timeout'],
    [metrics.network_error, 'network error'],
  ] as const;
  const named = kinds.flatMap(([count, name]) =>
    count !== undefined && count > 0 ? [counted(count, name)] : [],
  );
  parts.push(failed === 0 ? '0 failed' : named.join(', '));
  if (metrics.requests_per_second !== undefined)
    parts.push(`${metricText('requests_per_second', metrics.requests_per_second)}/s`);
  if (metrics.p95 === undefined && metrics.avg_response_time !== undefined) {
    parts.push(`${metricText('avg_response_time', metrics.avg_response_time)} average`);
  }
  for (const metric of ['p50', 'p95', 'p99'] as const) {
    const value = metrics[metric];
    if (value !== undefined) parts.push(`${metric} ${boundText(metric, value, record)}`);
  }
  if (metrics.data_received !== undefined) parts.push(`${formatBytes(metrics.data_received)} received`);
  return parts.join(', ');
}
