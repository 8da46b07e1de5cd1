import { counted, withCommas } from '../core/counted.ts';
import { metricText } from '../core/model/metric-text.ts';
import { timeText } from '../core/instant.ts';
import { printable, printableStrings } from '../core/printable.ts';
import type { Verdict } from '../core/model/run-verdict.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import type { EvaluatedThreshold, Metrics, Run } from '../core/report/generated/documents.ts';
import {
  baselineComparisonText,
  measuredText,
  thresholdGroups,
  thresholdText,
  type ReasonedRun,
} from '../core/report/threshold-text.ts';
import { verdictNote, verdictReason } from '../core/report/verdict-sentence.ts';
import { boundText, detailLines, rateText } from '../core/report/result-text.ts';
import { workerLines } from '../core/report/worker-text.ts';
import { readRunRecord } from '../core/run-record/read-record.ts';
import { hasMinimumCounts, type RunRecord } from '../core/run-record/run-record.ts';
import { formatAge, formatBytes, milliseconds } from '../core/units.ts';
import type { Paint } from './paint.ts';
import { urlTable } from './url-table.ts';

const VERDICTS = {
  pass: { word: 'pass', color: 'green' },
  fail: { word: 'FAIL', color: 'red' },
  inconclusive: { word: 'inconclusive', color: 'yellow' },
  none: { word: 'no verdict', color: 'dim' },
} as const satisfies Readonly<Record<Verdict, { readonly word: string; readonly color: keyof Paint }>>;

export function verdictText(verdict: Verdict, paint: Paint): string {
  const { word, color } = VERDICTS[verdict];
  return paint[color](word);
}

/** Returns the verdict and any reason: `FAIL: p95 412 ms, threshold < 300ms`. */
export function verdictReasonText(run: ReasonedRun, paint: Paint): string {
  const reason = verdictReason(run);
  return `${verdictText(run.verdict, paint)}${reason === null ? '' : `: ${printable(reason)}`}`;
}

/** Maximum number of passed thresholds to list. If there are more, only the number is shown. */
const MAX_PASSED_LINES = 5;
/** Maximum number of failed thresholds to list; also the maximum number of inconclusive thresholds. */
const MAX_UNMET_LINES = 10;

function thresholdLines(run: ReasonedRun, paint: Paint): readonly string[] {
  return thresholdGroups(run.thresholds).flatMap(({ verdict, thresholds }) => {
    const symbol = paintedSymbol(verdict, paint);
    const isPass = verdict === 'pass';
    const max = isPass ? MAX_PASSED_LINES : MAX_UNMET_LINES;
    if (isPass && thresholds.length > max)
      return [`${symbol} ${counted(thresholds.length, 'threshold')} met`];
    const more = thresholds.length - max;
    return [
      ...thresholds.slice(0, max).map((threshold) => `${symbol} ${thresholdLine(threshold, run)}`),
      ...(more > 0 ? [`${symbol} ${more} more ${VERDICT_ADJECTIVES[verdict]}`] : []),
    ];
  });
}

const VERDICT_ADJECTIVES = { fail: 'failed', inconclusive: 'inconclusive', pass: 'met' } as const;

function paintedSymbol(verdict: EvaluatedThreshold['verdict'], paint: Paint): string {
  return verdict === 'pass' ? paint.green('✓') : verdict === 'fail' ? paint.red('✗') : paint.yellow('?');
}

function thresholdLine(threshold: EvaluatedThreshold, run: ReasonedRun): string {
  const { metric, reason, regression } = threshold;
  const value = measuredText(threshold, run);
  const outcome =
    regression === undefined ? value : `${value}, ${baselineComparisonText(metric, regression)}`;
  return `${thresholdText(threshold)}   ${reason ?? outcome}`;
}

/** @param earlier - Not null if the run ended before this command. `now` is the current time in ms since the epoch. */
export function runText(
  reportedRun: Run,
  paint: Paint,
  earlier: { readonly now: number } | null = null,
): string {
  const run = printableStrings(reportedRun);
  const record = readRunRecord(run.result);
  const start =
    run.result_id === null || earlier === null ? '' : `${whenText(run.started_at, earlier.now)}; `;
  const when = earlier === null ? '' : `   ${start}not run again`;
  const round = run.round === undefined ? '' : `   round ${run.round}`;
  const reasoned = { ...run, record };
  const lines = [
    `  ${paint.bold(keyOfAddress(run.address))}  ${verdictReasonText(reasoned, paint)}${round}${when}`,
  ];
  if (run.metrics !== null) {
    lines.push(`      ${metricsText(run.metrics, record)}`);
    lines.push(...detailsOf(reasoned).map((line) => `      ${line}`));
  }
  lines.push(...thresholdLines(reasoned, paint).map((line) => `      ${line}`));
  lines.push(...urlTable(reasoned).map((line) => `      ${line}`));
  return lines.join('\n') + '\n';
}

export function detailsOf(run: ReasonedRun): readonly string[] {
  const note = verdictNote(run);
  return [
    ...(note === null ? [] : [printable(note)]),
    ...detailLines(run.record),
    ...workerLines(run.record),
  ];
}

/** Formats the start of an earlier run, such as `run of 2026-11-20 14:02:11 UTC, 1d 11h ago`. */
function whenText(startedAt: string | null, now: number): string {
  const at = startedAt === null ? Number.NaN : Date.parse(startedAt);
  if (Number.isNaN(at)) return 'an earlier run';
  return `run of ${timeText(at)}, ${formatAge(milliseconds(now - at))} ago`;
}

/** Formats metrics: `12,345 requests, 0 failed, 206/s, p50 1.2 ms, p95 3.4 ms, 4.5 MB received`. */
export function metricsText(metrics: Metrics | null, record: RunRecord): string {
  if (metrics === null) return 'the result is not available yet';
  if (metrics.requests === 0) return 'no samples';
  const parts: string[] = [];
  const atLeast = hasMinimumCounts(record) ? '≥ ' : '';
  if (metrics.requests !== undefined) parts.push(`${atLeast}${counted(metrics.requests, 'request')}`);
  const failed = (metrics.error ?? 0) + (metrics.timeout_error ?? 0) + (metrics.network_error ?? 0);
  const kinds = [
    [metrics.error, 'error'],
    [metrics.timeout_error, 'timeout'],
    [metrics.network_error, 'network error'],
  ] as const;
  const named = kinds.flatMap(([count, name]) =>
    count !== undefined && count > 0 ? [`${atLeast}${counted(count, name)}`] : [],
  );
  if (failed > 0) parts.push(named.join(', '));
  else if (metrics.requests !== undefined && atLeast === '') parts.push('0 failed'); // Otherwise, the number is unknown.
  // The error rate includes omitted requests, so it differs from the share of failed requests.
  if ((record.omitted ?? 0) > 0) {
    const rate =
      metrics.error_rate === undefined ? '' : ` (error rate ${metricText('error_rate', metrics.error_rate)})`;
    parts.push(`${withCommas(record.omitted ?? 0)} omitted${rate}`);
  }
  if (metrics.requests_per_second !== undefined)
    parts.push(`${rateText(metrics.requests_per_second, record)}/s`);
  if (metrics.p95 === undefined && metrics.avg_response_time !== undefined) {
    parts.push(`${metricText('avg_response_time', metrics.avg_response_time)} average`);
  }
  for (const metric of ['p50', 'p95', 'p99'] as const) {
    const value = metrics[metric];
    if (value !== undefined) parts.push(`${metric} ${boundText(metric, value, record)}`);
  }
  if (metrics.data_received !== undefined) parts.push(`${formatBytes(metrics.data_received)} received`);
  return parts.join(', ') || 'no metrics available';
}
