/**
 * Text of the email about a run. It contains the metrics but no verdict, because the service does not know the
 * thresholds.
 */
import { unevaluatedReason } from '../../core/compare/run-evaluation.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { titleOf } from '../../core/model/test-title.ts';
import { readMarker } from '../../core/reconcile/ownership-marker.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { columns } from '../../core/text-columns.ts';

export interface EmailText {
  /** Subject: one line of printable characters. */
  readonly subject: string;
  readonly body: string;
}

const MAX_NAME_LENGTH = 100;

const TIMES = ['min', 'avg_response_time', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

const LABELS: Readonly<Record<string, string>> = { avg_response_time: 'mean' };

/**
 * Returns the subject and the text of an email about the end of a run.
 * @param ids - Ids of the test and its result, for lookup.
 */
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
  const ended = unevaluatedReason(result) ?? 'early';
  const number = (value: number | null | undefined) => value?.toString() ?? '-';
  const rounded = (value: number | null | undefined) => value?.toFixed(2) ?? '-';
  const rows: readonly (readonly [string, string])[] = [
    ['Test', name],
    ...(marker === null ? [] : [['Name', title] as const]),
    ['Test id', ids.testId],
    ['Result id', ids.resultId],
    ['Started', startedAt === null ? '-' : new Date(startedAt).toISOString()],
    ['Ended early', abortReason == null ? 'no' : toSafeText(ended)],
    ['', ''],
    ['Requests', number(metrics.requests)],
    ['Success', number(metrics.success)],
    ['Errors', number(metrics.error)],
    ['Timeouts', number(metrics.timeout_error)],
    ['Network errors', number(metrics.network_error)],
    ['Error rate', `${rounded(metrics.error_rate)} %`],
    ['Requests per second', rounded(metrics.requests_per_second)],
    ['Peak connections', number(record.peakConnections)],
    ['Bytes sent', number(record.dataSent)],
    ['Bytes received', number(metrics.data_received)],
    ['', ''],
    ...TIMES.map((key) => [`Response time ${LABELS[key] ?? key}`, `${rounded(metrics[key])} ms`] as const),
  ];
  const body = rows
    .map(([label, value]) => (label === '' ? '' : columns([`${label}:`, 'label'], value)))
    .join('\n');
  const early = abortReason == null ? '' : ' early';
  return { subject: `loadtests: ${name} has ended${early}`, body: `${body}\n` };
}

/** Removes line breaks, control and bidirectional characters and lone surrogates, and truncates the text. */
function toSafeText(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(plain);
  return characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH).join('')}…` : plain;
}
