/** The table of codes, the code that makes them and the page about them stay in step. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../../src/core/codes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXIT_CODES = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 130];

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== join('core', 'codes.ts'))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'))
  .join('\n');
const page = readFileSync(join(ROOT, 'docs/problem-codes.md'), 'utf8');

describe('a problem code', () => {
  test.each(Object.entries(CODES))(
    '%s is made somewhere, and told in full',
    (code, { title, exit, text }) => {
      expect(sources).toContain(`'${code}'`);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(text).toMatch(/\.$/);
      expect(EXIT_CODES).toContain(exit);
      expect(page).toMatch(new RegExp(`^\\| \\[\`${code}\`\\].* \\| ${exit} +\\| .*\\|$`, 'm'));
    },
  );

  test('of no other name is made', () => {
    const made = new Set([...sources.matchAll(/'(LT_[A-Z]+_[A-Z_]+)'/g)].map(([, code]) => code));
    const known = new Set<string | undefined>(Object.keys(CODES));
    expect([...made].filter((code) => !known.has(code))).toEqual([]);
  });
});
