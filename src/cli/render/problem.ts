/**
 * Formats problems for people: `file:line:column`, the message, the source line with the value underlined,
 * and the hint.
 */
import { printable } from '../../core/printable.ts';
import type { Problem } from '../../core/problem.ts';
import { cellWidthOf } from './cell-width.ts';
import { wrapText } from './line-wrap.ts';
import type { Paint } from '../../report/paint.ts';

const MAX_LINE_LENGTH = 160;
/** Number of characters shown before the value on a long line. */
const MAX_LEADING_CONTEXT = 20;

/**
 * Formats a problem.
 * @param maxLineLength - Maximum length of a line. A longer source line is shortened so that the underline
 * stays below its value.
 */
export function renderProblem(problem: Problem, paint: Paint, maxLineLength = Infinity): string {
  const { source, hint, severity } = problem;
  const label = severity === 'error' ? paint.red('error') : paint.yellow('warning');
  const location =
    source === null ? '' : `${paint.bold(`${printable(source.file)}:${source.line}:${source.column}`)}: `;
  const lines = [
    wrapText(`${location}${label} ${problem.code}: ${printable(problem.message)}`, maxLineLength),
  ];
  if (source !== null) lines.push(...renderSourceLine(source, paint, maxLineLength));
  if (hint !== null) lines.push(paint.dim(wrapText(`  hint: ${printable(hint)}`, maxLineLength)));
  return lines.join('\n') + '\n';
}

export function renderProblems(problems: readonly Problem[], paint: Paint, maxLineLength = Infinity): string {
  return problems.map((problem) => renderProblem(problem, paint, maxLineLength)).join('');
}

function renderSourceLine(
  source: NonNullable<Problem['source']>,
  paint: Paint,
  maxLineLength: number,
): string[] {
  const { line, column, length } = source;
  const gutter = `  ${line} | `;
  const maxTextLength = Math.max(
    MAX_LEADING_CONTEXT + 1,
    Math.min(MAX_LINE_LENGTH, maxLineLength - gutter.length),
  );
  // A long line is shown from shortly before the value. Tabs become single spaces so that the underline stays
  // in place.
  const from =
    column + Math.min(length, MAX_LEADING_CONTEXT) > maxTextLength
      ? Math.max(0, column - MAX_LEADING_CONTEXT)
      : 0;
  const text = printable(source.lineText).slice(from, from + maxTextLength);
  if (text.trim() === '') return [];
  // The underline starts below the value even if wide characters precede it.
  const start = column - 1 - from;
  const underline = '~'.repeat(Math.max(1, cellWidthOf(text.slice(start, start + length))));
  return [
    paint.dim(gutter) + text,
    ' '.repeat(gutter.length + cellWidthOf(text.slice(0, start))) + paint.red(underline),
  ];
}
