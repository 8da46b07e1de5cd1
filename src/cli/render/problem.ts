/** Problems for people: `file:line:column`, the sentence, the line with a mark under the value, the hint. */
import { printable } from '../../core/printable.ts';
import type { Problem } from '../../core/problem.ts';
import type { Paint } from '../../report/paint.ts';

const LONGEST_LINE = 160;

export function renderProblem(problem: Problem, paint: Paint): string {
  const { source, hint, severity } = problem;
  const label = severity === 'error' ? paint.red('error') : paint.yellow('warning');
  const place =
    source === null ? '' : `${paint.bold(`${printable(source.file)}:${source.line}:${source.column}`)}: `;
  const lines = [`${place}${label} ${problem.code}: ${printable(problem.message)}`];
  if (source !== null) lines.push(...frame(source, paint));
  if (hint !== null) lines.push(paint.dim(`  hint: ${printable(hint)}`));
  return lines.join('\n') + '\n';
}

export function renderProblems(problems: readonly Problem[], paint: Paint): string {
  return problems.map((problem) => renderProblem(problem, paint)).join('');
}

function frame(source: NonNullable<Problem['source']>, paint: Paint): string[] {
  const { line, column, length } = source;
  // A long line is shown from a little before the value on; tabs become spaces so that the mark stays under it.
  const from = column > LONGEST_LINE ? column - 20 : 0;
  const text = printable(source.lineText).slice(from, from + LONGEST_LINE);
  if (text.trim() === '') return [];
  const gutter = `  ${line} | `;
  const mark = '~'.repeat(Math.max(1, Math.min(length, text.length - (column - 1 - from))));
  return [paint.dim(gutter) + text, ' '.repeat(gutter.length + column - 1 - from) + paint.red(mark)];
}
