/** Links of the Markdown files of the repository lead to files and headings that exist. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES, documentationOf, type Code } from '../../../src/core/codes.ts';
import { anchorsOf, deadLinksIn, linksOf, markdownFilesOf } from '../../support/markdown.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('links in Markdown', () => {
  const files = markdownFilesOf(ROOT);

  test.each(files)('the document %s links only to files and headings that exist', (file) => {
    expect(deadLinksIn(ROOT, [file])).toEqual([]);
  });

  test('the link of every problem code leads to an existing section of the documentation', () => {
    const missing = Object.keys(CODES).filter((code) => {
      const [file = '', anchor = ''] = documentationOf(code as Code).split('#');
      return !anchorsOf(readFileSync(join(ROOT, file), 'utf8')).has(anchor);
    });
    expect(missing).toEqual([]);
  });

  test('the check of links finds a missing file, a missing heading and a target outside the directory', () => {
    const root = createTestDirectory();
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/b.md'), '# One\n\n## One\n\n## `two.three[].FOUR`\n');
    const page =
      '[1](docs/b.md#one-1) [2](docs/b.md#twothreefour) [3](docs/b.md#five) [4](c.md) [5](../d.md) ![6](p.png)\n```\n[7](e.md)\n```\n`[8](f.md)` [9](https://a.example/)';
    writeFileSync(join(root, 'a.md'), page);
    expect(linksOf(page)).toHaveLength(6);
    expect(markdownFilesOf(root)).toEqual(['a.md', 'docs/b.md']);
    expect(deadLinksIn(root, ['a.md']).map(({ target, reason }) => `${target}: ${reason}`)).toEqual([
      'docs/b.md#five: missing heading',
      'c.md: missing file',
      '../d.md: outside of the directory',
      'p.png: missing file',
    ]);
  });
});
