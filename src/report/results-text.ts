/** Text of past runs: a line per run, with details of selected runs. */
import { timeText } from '../core/instant.ts';
import { printableStrings } from '../core/printable.ts';
import { comparisonSideText, comparedMetricRows } from '../core/report/compared-metric-rows.ts';
import type { Comparison, PastRun, TestResults } from '../core/report/generated/documents.ts';
import { readRunRecord } from '../core/run-record/read-record.ts';
import { alignedTable } from '../core/text-columns.ts';
import type { Paint } from './paint.ts';
import { urlTable } from './url-table.ts';
import { detailsOf, metricsText, verdictReasonText } from './run-text.ts';

/** @param described - Maximum number of ended runs per test to print with details. */
export function resultsText(tests: readonly TestResults[], paint: Paint, described: number): string {
  const lines = printableStrings(tests).flatMap(({ address, test_id: id, results }) => [
    `${paint.bold(address)}  ${id}`,
    ...(results?.length === 0 ? ['  no results yet'] : []),
    ...(results ?? []).flatMap((run, index, all) => {
      const ended = all.slice(0, index).filter(({ state }) => state === 'ended').length;
      return runLines(run, paint, ended < described);
    }),
  ]);
  return lines.length === 0 ? 'No results yet.\n' : lines.join('\n') + '\n';
}

function runLines(run: PastRun, paint: Paint, isDescribed: boolean): readonly string[] {
  const at = run.started_at === null ? '-' : timeText(Date.parse(run.started_at));
  const line = (how: string): string => `  ${at}  ${run.result_id.slice(0, 8)}  ${how}`;
  if (run.state === 'running') return [line('running')];
  const record = readRunRecord(run.result);
  const reasoned = { ...run, record };
  const more = !isDescribed ? [] : [...detailsOf(reasoned), ...urlTable(reasoned)];
  return [
    line(`${verdictReasonText(reasoned, paint)} · ${metricsText(run.metrics, record)}`),
    ...more.map((one) => `      ${one}`),
  ];
}

export function sideBySideText(rawComparison: Comparison): string {
  const comparison = printableStrings(rawComparison);
  const lines = alignedTable([['', 'before', 'now', 'change'], ...comparedMetricRows(comparison)]);
  return [`Compared with ${comparisonSideText(comparison)}:`, ...lines.map((line) => `  ${line}`), ''].join(
    '\n',
  );
}
