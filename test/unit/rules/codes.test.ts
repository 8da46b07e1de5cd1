/** The table of problem codes agrees with the source code and the reference page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../../src/core/codes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXIT_CODES = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 130];

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== join('core', 'codes.ts'))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'))
  .join('\n');
const page = readFileSync(join(ROOT, 'docs/reference/problem-codes.md'), 'utf8');

describe('problem codes', () => {
  test.each(Object.entries(CODES))(
    'the problem code %s is used in the source code, is listed in the reference, and has a title, a cause, a fix and a known exit code',
    (code, { title, exit, cause, fix }) => {
      expect(sources).toContain(`'${code}'`);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(title.split(' ').length).toBeLessThanOrEqual(6);
      for (const text of [cause, fix]) expect(text).toMatch(/^\S.*\.$/);
      // An imperative: neither an article, a pronoun nor a condition.
      expect(fix).not.toMatch(/^(?:The|A|An|It|This|That|There|If|When|You|No|Not|To)\b/);
      expect(EXIT_CODES).toContain(exit);
      expect(page).toMatch(new RegExp(`^\\| \\[\`${code}\`\\].* \\| \\[${exit}\\]\\(.*\\) +\\| .*\\|$`, 'm'));
    },
  );

  test('the source code uses no undefined problem code', () => {
    const used = new Set([...sources.matchAll(/'(LT_[A-Z]+_[A-Z_]+)'/g)].map(([, code]) => code));
    const known = new Set<string | undefined>(Object.keys(CODES));
    expect([...used].filter((code) => !known.has(code))).toEqual([]);
  });
});
