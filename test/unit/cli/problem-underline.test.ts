/** Position of the underline below a value, in cells of a terminal. */
import { expect, test } from 'vitest';
import { cellWidthOf, renderProblem } from '../../../src/cli/render/problem.ts';
import { problem } from '../../../src/core/problem.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';

test.each([
  ['name: soon', 6],
  ['日本語: soon', 8],
  ['한국어: soon', 8],
  ['ｆｕｌｌ: soon', 10],
  ['e\u0301te\u0301: soon', 5],
  ['👍: soon', 4],
  ['𠀀: soon', 4],
  ['été: soon', 5],
])('in the line "%s", the underline of an error starts below the value "soon"', (lineText, cells) => {
  const at = lineText.indexOf('soon');
  const source = { file: 'a.yaml', line: 7, column: at + 1, length: 4, lineText };
  const shown = renderProblem(problem('LT_CONFIG_VALUE', 'no', { source }), NO_PAINT);
  expect(shown.split('\n')[2]).toBe(`${' '.repeat('  7 | '.length + cells)}~~~~`);
});

test('the underline of an error below three full-width characters is six columns wide', () => {
  const source = { file: 'a.yaml', line: 7, column: 1, length: 3, lineText: '日本語' };
  const shown = renderProblem(problem('LT_CONFIG_VALUE', 'no', { source }), NO_PAINT);
  expect(shown.split('\n')[2]).toBe(`${' '.repeat('  7 | '.length)}~~~~~~`);
  expect(cellWidthOf('')).toBe(0);
});
