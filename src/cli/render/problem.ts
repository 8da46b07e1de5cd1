/** Problems for people: `file:line:column`, the sentence, the line with a mark under the value, the hint. */
import { printable } from '../../core/printable.ts';
import type { Problem } from '../../core/problem.ts';
import { cellWidthOf } from './cell-width.ts';
import { wrapText } from './line-wrap.ts';
import type { Paint } from '../../report/paint.ts';

const MAX_LINE_LENGTH = 160;
/** What of a long line is shown before the value. */
const MAX_LEADING_CONTEXT = 20;

/** @param room how long a line may be; the shown line of a file is cut to it, so that the mark stays under its value */
export function renderProblem(problem: Problem, paint: Paint, room = Infinity): string {
  const { source, hint, severity } = problem;
  const label = severity === 'error' ? paint.red('error') : paint.yellow('warning');
  const place =
    source === null ? '' : `${paint.bold(`${printable(source.file)}:${source.line}:${source.column}`)}: `;
  const lines = [wrapText(`${place}${label} ${problem.code}: ${printable(problem.message)}`, room)];
  if (source !== null) lines.push(...renderSourceLine(source, paint, room));
  if (hint !== null) lines.push(paint.dim(wrapText(`  hint: ${printable(hint)}`, room)));
  return lines.join('\n') + '\n';
}

export function renderProblems(problems: readonly Problem[], paint: Paint, room = Infinity): string {
  return problems.map((problem) => renderProblem(problem, paint, room)).join('');
}

function renderSourceLine(source: NonNullable<Problem['source']>, paint: Paint, room: number): string[] {
  const { line, column, length } = source;
  const gutter = `  ${line} | `;
  const longest = Math.max(MAX_LEADING_CONTEXT + 1, Math.min(MAX_LINE_LENGTH, room - gutter.length));
  // A long line is shown from a little before the value on; tabs become spaces so that the mark stays under it.
  const from =
    column + Math.min(length, MAX_LEADING_CONTEXT) > longest ? Math.max(0, column - MAX_LEADING_CONTEXT) : 0;
  const text = printable(source.lineText).slice(from, from + longest);
  if (text.trim() === '') return [];
  // A mark belongs under its value, whatever the characters before it fill.
  const start = column - 1 - from;
  const mark = '~'.repeat(Math.max(1, cellWidthOf(text.slice(start, start + length))));
  return [
    paint.dim(gutter) + text,
    ' '.repeat(gutter.length + cellWidthOf(text.slice(0, start))) + paint.red(mark),
  ];
}
