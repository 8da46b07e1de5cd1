/** What a mail about a run says: figures, and no verdict, which is for whoever set thresholds. Pure. */
import type { ResultRecord } from '../../contract/generated/result-record.ts';
import type { TestCreate } from '../../contract/generated/test-create.ts';
import { readNumber } from '../../contract/wire.ts';

export interface MailText {
  /** One line of printable characters. */
  readonly subject: string;
  readonly body: string;
}

const MOST_NAME = 100;

const PERCENTILES = ['min', 'mean', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

/** @param ids of the test and its result, for whoever looks them up */
export function renderMail(
  test: TestCreate,
  result: ResultRecord,
  ids: { readonly testId: string; readonly resultId: string },
): MailText {
  const name = printable(test.name ?? withoutQuery(test.urls[0].url));
  const number = (value: unknown) => readNumber(value)?.toString() ?? '-';
  const rounded = (value: unknown) => readNumber(value)?.toFixed(2) ?? '-';
  const rows: readonly (readonly [string, string])[] = [
    ['Test', name],
    ['Test id', ids.testId],
    ['Result id', ids.resultId],
    ['Started', printable(result.started_at ?? '-')],
    ['Ended early', printable(result.abort_reason ?? 'no')],
    ['', ''],
    ['Requests', number(result.requests)],
    ['Success', number(result.success)],
    ['Errors', number(result.error)],
    ['Time-outs', number(result.timeout_error)],
    ['Network errors', number(result.network_error)],
    ['Error rate', `${rounded(result.avg_error_rate)} %`],
    ['Requests per second', rounded(result.requests_per_second)],
    ['Peak connections', number(result.peak_connections)],
    ['Bytes sent', number(result.data_sent)],
    ['Bytes received', number(result.data_received)],
    ['', ''],
    ...PERCENTILES.map((key) => [`Response time ${key}`, `${rounded(result.latency?.[key])} ms`] as const),
  ];
  const body = rows
    .map(([label, value]) => (label === '' ? '' : `${`${label}:`.padEnd(22)}${value}`))
    .join('\n');
  return { subject: `loadtests: ${name} has ended`, body: `${body}\n` };
}

/** A query may hold what only the target should see. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/su, '');
}

/** Without line breaks, other control characters, halves of characters, and what turns the direction of text. */
function printable(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(plain);
  return characters.length > MOST_NAME ? `${characters.slice(0, MOST_NAME).join('')}…` : plain;
}
