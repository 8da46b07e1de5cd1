import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderProblem } from '../../../src/cli/render/problem.ts';
import { wrapText } from '../../../src/cli/render/line-wrap.ts';
import { problem } from '../../../src/core/problem.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';

describe('wrapping of text on a narrow terminal', () => {
  test('wrapping preserves every word in order, and no line exceeds the width of the terminal', () => {
    const word = fc.stringMatching(/^[a-z]{1,30}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 0, max: 12 }), (words, indent) => {
        const text = wrapText(' '.repeat(indent) + words.join(' '), 60);
        expect(text.split(/\s+/).filter((one) => one !== '')).toEqual(words);
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
      }),
    );
  });

  test('wrapping does not change lines that fit on the terminal, including aligned columns', () => {
    const table = '  + create     home           STARTS LOAD\n\n  a        b\n';
    expect(wrapText(table, 60)).toBe(table);
  });

  test('continuation lines of wrapped text are indented, and color codes do not count toward the width', () => {
    expect(wrapText('  \u001b[1maaaa bbbb cccc\u001b[22m', 14)).toBe(
      '  \u001b[1maaaa bbbb\n    cccc\u001b[22m',
    );
  });

  test('a value and its unit stay on one line of wrapped text', () => {
    expect(wrapText('  0 failed, p50 20 ms, p95 22.8 ms, 70.9 kB', 32)).toBe(
      '  0 failed, p50 20 ms, p95\n    22.8 ms, 70.9 kB',
    );
  });

  test('a wrapped command begins on a new line and has a backslash at the end of each continued line', () => {
    const hint = "  hint: to continue: loadtests apply --only 'a b' --only checkout --yes";
    expect(wrapText(hint, 40)).toBe(
      "  hint: to continue:\n    loadtests apply --only 'a b' \\\n      --only checkout --yes",
    );
    expect(wrapText(hint, 54)).toBe(
      "  hint: to continue:\n    loadtests apply --only 'a b' --only checkout --yes",
    );
    expect(wrapText('this one may be: "loadtests recover" says more', 32)).toBe(
      'this one may be:\n  "loadtests recover" says more',
    );
  });
});

test('in an error on a narrow terminal, the underline is below the invalid value', () => {
  const lineText = `${'a'.repeat(70)}: wrong, ${'b'.repeat(70)}`;
  const source = { file: 'loadtests.yaml', line: 12, column: 73, length: 5, lineText };
  const found = { ...problem('LT_CONFIG_SHAPE', 'this is not a value'), source };
  const lines = renderProblem(found, NO_PAINT, 60).trimEnd().split('\n');
  const [shown = '', underline = ''] = lines.slice(-2);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(shown.slice(underline.indexOf('~'), underline.lastIndexOf('~') + 1)).toBe('wrong');
});
