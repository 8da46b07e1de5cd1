/**
 * Robustness of the parser: each YAML construct produces a value or a located problem, never an exception.
 */
import { describe, expect, it } from 'vitest';
import { parseText } from '../../../src/config/yaml-parser.ts';
import { childOf, createLocator, toPlainValue } from '../../../src/config/config-tree.ts';
import { expectValidResult, linesOf, loadText } from './load-text.ts';
import { CONSTRUCTS, FILES, type Verdict } from './yaml-constructs.ts';

const BEFORE = 'version: 1\nproject: shop\n';

/** Indents by "\n" only; a regular expression would treat a line separator as the end of a line. */
function indented(text: string, by: number): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : ' '.repeat(by) + line));
  return lines.join('\n');
}

/** Places the construct below an ignored extension key, followed by a key that the parser reads. */
function embedded(text: string): string {
  return `version: 1\nx-here:\n${indented(text, 2)}\nproject: shop\n`;
}

/** Places the construct in the URLs of a test, which makes the file invalid. */
function inside(text: string): string {
  return `${BEFORE}apps: { shop: shop.example.com }\ntests:\n  home:\n    urls:\n${indented(text, 6)}\n`;
}

function verdictOf(text: string): Verdict | { readonly lines: string } {
  const parsed = parseText(text, createLocator('loadtests.yaml', text));
  if (!parsed.ok) return { lines: linesOf(parsed.problems).join('\n') };
  const node = childOf(parsed.value, 'x-here');
  return { value: node === null ? undefined : toPlainValue(node) };
}

describe('YAML constructs', () => {
  it.each(
    CONSTRUCTS.map(
      ([name, text, verdict]) => ['value' in verdict ? 'accepts' : 'rejects', name, text, verdict] as const,
    ),
  )('the parser %s the YAML construct "%s" below a key', (_outcome, _name, text, verdict) => {
    const found = verdictOf(embedded(text));
    if ('value' in verdict) expect(found).toEqual(verdict);
    else expect(found).toEqual({ lines: expect.stringContaining(verdict.message) as unknown });
    expectValidResult(embedded(text));
  });

  it.each(CONSTRUCTS)(
    'the YAML construct "%s" at the top level or under "urls" is loaded, or is rejected with a message and a location for each problem',
    (_name, text) => {
      expectValidResult(text);
      expectValidResult(`${BEFORE}${text}`);
      expectValidResult(`${text}\n${BEFORE}`);
      expectValidResult(inside(text));
    },
  );
});

describe('YAML files', () => {
  it.each(
    FILES.map(
      ([name, text, message]) => [message === null ? 'accepts' : 'rejects', name, text, message] as const,
    ),
  )('the loader %s a YAML file with %s', (_outcome, _name, text, message) => {
    expectValidResult(text);
    const result = loadText(text);
    const lines = linesOf(result.ok ? [] : result.problems).join('\n');
    if (message === null) expect(lines).toBe('');
    else {
      expect(result.ok).toBe(false);
      expect(lines).toContain(message);
    }
  });
});
