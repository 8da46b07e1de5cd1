/** Formats problems as text, with the source line and an underlined value. */
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import type { Problem } from '../../core/problem.ts';
import { wrapText } from './line-wrap.ts';
import type { Paint } from '../../report/paint.ts';

const MAX_LINE_LENGTH = 160;
const MAX_LEADING_CONTEXT = 20;

/**
 * @param maxLineLength - Maximum length in characters. Longer messages are wrapped, and longer source lines are
 * shortened.
 */
export function renderProblem(problem: Problem, paint: Paint, maxLineLength = Infinity): string {
  const { source, hint, example, severity } = problem;
  const label = severity === 'error' ? paint.red('error') : paint.yellow('warning');
  const location =
    source === null ? '' : `${paint.bold(`${printable(source.file)}:${source.line}:${source.column}`)}: `;
  const lines = [
    wrapText(`${location}${label} ${problem.code}: ${printable(problem.message)}`, maxLineLength),
  ];
  if (source !== null) lines.push(...renderSourceLine(source, paint, maxLineLength));
  if (hint !== null) lines.push(paint.dim(wrapText(`  hint: ${printable(hint)}`, maxLineLength)));
  // The example is not wrapped, because wrapped YAML would not be valid.
  if (example !== undefined)
    lines.push(paint.dim(['  for example:', ...example.map(printable)].join('\n    ')));
  return lines.join('\n') + '\n';
}

/** Maximum number of failed thresholds to print individually. */
const MAX_FAILED_THRESHOLDS = 5;

export function renderProblems(problems: readonly Problem[], paint: Paint, maxLineLength = Infinity): string {
  const failed = problems.filter(({ code }) => code === 'LT_RUN_THRESHOLD');
  const omitted = new Set(failed.slice(MAX_FAILED_THRESHOLDS));
  const last = failed[MAX_FAILED_THRESHOLDS - 1];
  return problems
    .filter((problem) => !omitted.has(problem))
    .map((problem) => {
      const text = renderProblem(problem, paint, maxLineLength);
      return problem === last && omitted.size > 0
        ? `${text}${paint.red('error')} LT_RUN_THRESHOLD: ${counted(omitted.size, 'more threshold')} failed\n`
        : text;
    })
    .join('');
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
  const from =
    column + Math.min(length, MAX_LEADING_CONTEXT) > maxTextLength
      ? Math.max(0, column - MAX_LEADING_CONTEXT)
      : 0;
  const text = printable(source.lineText).slice(from, from + maxTextLength);
  if (text.trim() === '') return [];
  const start = column - 1 - from;
  const underline = '~'.repeat(Math.max(1, cellWidthOf(text.slice(start, start + length))));
  return [
    paint.dim(gutter) + text,
    ' '.repeat(gutter.length + cellWidthOf(text.slice(0, start))) + paint.red(underline),
  ];
}

// Approximates classes W and F of Unicode's EastAsianWidth.txt by whole blocks.
const WIDE_CHARACTERS =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{4dbf}\u{4e00}-\u{a4cf}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO_WIDTH_CHARACTERS = /[\p{Mn}\p{Me}]/u;
// oxlint-disable-next-line no-control-regex -- the range of ASCII
const ASCII_TEXT = /^[\u0000-\u007f]*$/;

/**
 * Returns the width of the text in terminal cells: two for wide East Asian characters and emoji, zero for combining
 * marks.
 * @param text - Text without control characters.
 */
export function cellWidthOf(text: string): number {
  if (ASCII_TEXT.test(text)) return text.length;
  let cells = 0;
  for (const character of text)
    cells += WIDE_CHARACTERS.test(character) ? 2 : ZERO_WIDTH_CHARACTERS.test(character) ? 0 : 1;
  return cells;
}
