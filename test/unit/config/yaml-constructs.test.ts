/** Whatever YAML lets people write ends in a value or in a problem with its place, never in an exception. */
import { describe, expect, it } from 'vitest';
import { parseText } from '../../../src/config/yaml-parser.ts';
import { childOf, createLocator, toPlainValue } from '../../../src/config/config-tree.ts';
import { expectSound, linesOf, loadText } from './load-text.ts';
import { CONSTRUCTS, FILES, type Verdict } from './yaml-constructs.ts';

const BEFORE = 'version: 1\nproject: shop\n';

/** A pattern would take a line separator for the end of a line. */
function indented(text: string, by: number): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : ' '.repeat(by) + line));
  return lines.join('\n');
}

/** Below a key that the product leaves alone, followed by one that it reads. */
function embedded(text: string): string {
  return `version: 1\nx-here:\n${indented(text, 2)}\nproject: shop\n`;
}

/** A list of a test, which is read: what is in it is wrong one way or another. */
function inside(text: string): string {
  return `${BEFORE}apps: { shop: shop.example.com }\ntests:\n  home:\n    urls:\n${indented(text, 6)}\n`;
}

function verdictOf(text: string): Verdict | { readonly lines: string } {
  const parsed = parseText(text, createLocator('loadtests.yaml', text));
  if (!parsed.ok) return { lines: linesOf(parsed.problems).join('\n') };
  const node = childOf(parsed.value, 'x-here');
  return { value: node === null ? undefined : toPlainValue(node) };
}

describe('a construct of YAML', () => {
  it.each(CONSTRUCTS)('%s, below a key, is what YAML 1.2 says', (_name, text, verdict) => {
    const found = verdictOf(embedded(text));
    if ('value' in verdict) expect(found).toEqual(verdict);
    else expect(found).toEqual({ lines: expect.stringContaining(verdict.told) as unknown });
    expectSound(embedded(text));
  });

  it.each(CONSTRUCTS)(
    '%s, as a whole file and as a list that is read, ends in 0 or 3 with a place',
    (_name, text) => {
      expectSound(text);
      expectSound(`${BEFORE}${text}`);
      expectSound(`${text}\n${BEFORE}`);
      expectSound(inside(text));
    },
  );
});

describe('a whole file', () => {
  it.each(FILES)('%s', (_name, text, told) => {
    expectSound(text);
    const result = loadText(text);
    const lines = linesOf(result.ok ? [] : result.problems).join('\n');
    if (told === null) expect(lines).toBe('');
    else {
      expect(result.ok).toBe(false);
      expect(lines).toContain(told);
    }
  });
});
