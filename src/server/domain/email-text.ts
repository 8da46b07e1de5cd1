/** Text of the email about a run: the published verdict, its thresholds, and the metrics. */
import { timeText } from '../../core/instant.ts';
import { unevaluatedVerdict } from '../../core/compare/run-evaluation.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { titleOf } from '../../core/model/test-title.ts';
import { toRecordedRun } from '../../core/report/run-document.ts';
import {
  measuredText,
  thresholdGroups,
  thresholdText,
  type ReasonedRun,
} from '../../core/report/threshold-text.ts';
import { verdictReason, verdictSentence } from '../../core/report/verdict-sentence.ts';
import { warmupText } from '../../core/report/result-text.ts';
import { readMarker } from '../../core/reconcile/ownership-marker.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { columns } from '../../core/text-columns.ts';

export interface EmailText {
  /** One line without control characters. */
  readonly subject: string;
  readonly body: string;
}

const MAX_NAME_LENGTH = 100;
const MAX_REASON_LENGTH = 300;
const MAX_THRESHOLDS = 50;

const OUTCOMES = { pass: ' passed', fail: ' failed', inconclusive: ' is inconclusive' } as const;

const TIMES = ['min', 'avg_response_time', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

const LABELS: Readonly<Record<string, string>> = { avg_response_time: 'mean' };

export function renderEmail(
  test: LoadTestSpec,
  result: RunResult,
  ids: { readonly testId: string; readonly resultId: string },
): EmailText {
  const { record } = result;
  const reading = readMarker(test.notes);
  const marker = reading.kind === 'marker' ? reading.marker : null;
  const title = toSafeText(titleOf(test));
  const names = marker === null ? [title] : [marker.project, marker.environment, marker.key];
  const name = toSafeText(names.filter((part) => part !== null && part !== '').join('/'));
  const { metrics, startedAt, abortReason } = record;
  const ended = unevaluatedVerdict(result).reason ?? 'early';
  const run = { ...toRecordedRun(result), record };
  const { verdict } = run;
  const reason = verdict === 'none' || verdict === 'pass' ? null : verdictReason(run);
  const warmup = warmupText(record);
  const number = (value: number | null | undefined) => value?.toString() ?? '-';
  const rounded = (value: number | null | undefined, unit = '') =>
    value == null ? '-' : `${value.toFixed(2)}${unit}`;
  const rows: readonly (readonly [string, string])[] = [
    ['Test', name],
    ...(verdict === 'none'
      ? []
      : [['Verdict', toSafeText(verdictSentence(run), MAX_REASON_LENGTH)] as const]),
    ...(marker === null ? [] : [['Name', title] as const]),
    ['Test ID', ids.testId],
    ['Result ID', ids.resultId],
    ['Started', startedAt === null ? '-' : timeText(startedAt)],
    ['Ended early', abortReason == null ? 'no' : toSafeText(ended)],
    ...thresholdRows(run),
    ['', ''],
    ...(warmup === null ? [] : [['Not included', warmup] as const]),
    ['Requests', number(metrics.requests)],
    ['Success', number(metrics.success)],
    ['Errors', number(metrics.error)],
    ['Timeouts', number(metrics.timeout_error)],
    ['Network errors', number(metrics.network_error)],
    ['Error rate', rounded(metrics.error_rate, ' %')],
    ['Requests per second', rounded(metrics.requests_per_second)],
    ['Peak connections', number(record.peakConnections)],
    ['Bytes sent', number(record.dataSent)],
    ['Bytes received', number(metrics.data_received)],
    ['', ''],
    ...TIMES.map((key) => [`Response time ${LABELS[key] ?? key}`, rounded(metrics[key], ' ms')] as const),
  ];
  const body = rows
    .map(([label, value]) => (label === '' ? '' : columns([`${label}:`, 'label'], value)))
    .join('\n');
  const outcome = verdict === 'none' ? ` has ended${abortReason == null ? '' : ' early'}` : OUTCOMES[verdict];
  const why = reason === null ? '' : `: ${toSafeText(reason, MAX_REASON_LENGTH)}`;
  return { subject: `loadtests: ${name}${outcome}${why}`, body: `${body}\n` };
}

/**
 * Returns an empty row and at most `MAX_THRESHOLDS` threshold rows, failed thresholds first. Returns no rows if there
 * are no thresholds.
 */
function thresholdRows(run: ReasonedRun): readonly (readonly [string, string])[] {
  const rows = thresholdGroups(run.thresholds).flatMap(({ verdict, thresholds }) =>
    thresholds.map((threshold) => {
      const text = `${thresholdText(threshold)}: ${measuredText(threshold, run)}`;
      return [`Threshold ${verdict}`, toSafeText(text, MAX_REASON_LENGTH)] as const;
    }),
  );
  const more = rows.length - MAX_THRESHOLDS;
  return rows.length === 0
    ? []
    : [
        ['', ''],
        ...rows.slice(0, MAX_THRESHOLDS),
        ...(more > 0 ? [['Thresholds not listed', String(more)] as const] : []),
      ];
}

/** Replaces control and format characters, line separators and lone surrogates with spaces, and truncates the text. */
function toSafeText(text: string, maxLength = MAX_NAME_LENGTH): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(plain);
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : plain;
}
