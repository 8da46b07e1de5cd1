/** Past runs for people: a line for each. */
import { formatInstant } from '../core/instant.ts';
import { printableTexts } from '../core/printable.ts';
import type { PastRun, TestResults } from '../core/report/generated/documents.ts';
import type { Paint } from './paint.ts';
import { figuresText, judgedText } from './run-text.ts';

export function resultsText(tests: readonly TestResults[], paint: Paint): string {
  const lines = printableTexts(tests).flatMap(({ address, test_id: id, results }) => [
    `${paint.bold(address)}  ${id}`,
    ...(results ?? []).map((run) => runLine(run, paint)),
  ]);
  return lines.length === 0 ? 'No results yet.\n' : lines.join('\n') + '\n';
}

function runLine(run: PastRun, paint: Paint): string {
  const at = run.started_at === null ? '-' : formatInstant(Date.parse(run.started_at));
  const how = run.state === 'running' ? 'running' : `${judgedText(run, paint)}, ${figuresText(run.figures)}`;
  return `  ${at}  ${run.result_id.slice(0, 8)}  ${how}`;
}
