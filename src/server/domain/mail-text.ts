/** The text of a mail about a run: figures, and no verdict, since the service does not know the thresholds. Pure. */
import { earlyEndText } from '../../core/model/early-end.ts';
import type { LoadTestSpec } from '../../core/model/load-test.ts';
import { titleOf } from '../../core/model/test-title.ts';
import type { RunResult } from '../../core/model/run.ts';

export interface MailText {
  /** One line of printable characters. */
  readonly subject: string;
  readonly body: string;
}

const MOST_NAME = 100;

const TIMES = ['min', 'avg_response_time', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

const LABELS: Readonly<Record<string, string>> = { avg_response_time: 'mean' };

/** @param ids of the test and its result, so that they can be looked up */
export function renderMail(
  test: LoadTestSpec,
  result: RunResult,
  ids: { readonly testId: string; readonly resultId: string },
): MailText {
  const name = printable(titleOf(test));
  const { figures, startedAt } = result;
  const number = (value: number | null | undefined) => value?.toString() ?? '-';
  const rounded = (value: number | null | undefined) => value?.toFixed(2) ?? '-';
  const rows: readonly (readonly [string, string])[] = [
    ['Test', name],
    ['Test id', ids.testId],
    ['Result id', ids.resultId],
    ['Started', startedAt === null ? '-' : new Date(startedAt).toISOString()],
    ['Ended early', result.abortReason == null ? 'no' : printable(earlyEndText(result.abortReason))],
    ['', ''],
    ['Requests', number(figures.requests)],
    ['Success', number(figures.success)],
    ['Errors', number(figures.error)],
    ['Time-outs', number(figures.timeout_error)],
    ['Network errors', number(figures.network_error)],
    ['Error rate', `${rounded(figures.error_rate)} %`],
    ['Requests per second', rounded(figures.requests_per_second)],
    ['Peak connections', number(result.peakConnections)],
    ['Bytes sent', number(result.dataSent)],
    ['Bytes received', number(figures.data_received)],
    ['', ''],
    ...TIMES.map((key) => [`Response time ${LABELS[key] ?? key}`, `${rounded(figures[key])} ms`] as const),
  ];
  const body = rows
    .map(([label, value]) => (label === '' ? '' : `${`${label}:`.padEnd(22)}${value}`))
    .join('\n');
  return { subject: `loadtests: ${name} has ended`, body: `${body}\n` };
}

/** Without line breaks, other control characters, halves of characters, and what turns the direction of text. */
function printable(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(plain);
  return characters.length > MOST_NAME ? `${characters.slice(0, MOST_NAME).join('')}…` : plain;
}
