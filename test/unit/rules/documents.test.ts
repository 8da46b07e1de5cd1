/** Documents say what is there: links lead somewhere, and the reference describes every key once. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPORTER_NAMES } from '../../../src/report/reporters.ts';

const ROOT = join(import.meta.dirname, '../../..');

const pagesIn = (directory: string, recursive: boolean): readonly string[] =>
  readdirSync(join(ROOT, directory), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(directory, name));

const documents = [...pagesIn('.', false), ...pagesIn('docs', true), ...pagesIn('examples', true)];

describe('documents', () => {
  test.each(documents)('%s links to files and headings that exist', (path) => {
    const dead = linksIn(read(path)).filter(({ file, heading }) => {
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, target))) return true;
      return heading !== null && !anchorsOf(read(target)).has(heading);
    });
    expect(dead).toEqual([]);
  });

  test('are cited by the code with sections that exist', () => {
    const cited = sources().flatMap((text) => [
      ...text.matchAll(
        /docs\/(?<page>internals\/[a-z-]+|reference\/http-api)\.md(?:, sections? (?<section>[\d.]+\d|\d))?/g,
      ),
    ]);
    expect(cited.length).toBeGreaterThan(20);
    const missing = cited.filter(({ groups }) => {
      const path = `docs/${groups?.['page'] ?? ''}.md`;
      if (!existsSync(join(ROOT, path))) return true;
      const section = groups?.['section'];
      return section !== undefined && !new RegExp(`^#+ ${section}\\.? `, 'm').test(read(path));
    });
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  test('tell of every reporter', () => {
    const rows = [...read('docs/guides/reports.md').matchAll(/^\| `--([a-z]+)/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...REPORTER_NAMES].sort());
  });

  test('give every key of the file a type and a meaning', () => {
    const rows = read('docs/reference.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(60);
    const vague = rows.filter((row) => {
      const [, , type = '', meaning = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return type === '' || type.includes('anything') || meaning === '';
    });
    expect(vague).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function sources(): readonly string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(join('src', path)));
}

/** Links to files of the repository, outside code. */
function linksIn(markdown: string): readonly { readonly file: string; readonly heading: string | null }[] {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`(?!\])/g, '');
  return [...prose.matchAll(/\]\((?!https?:)(?<file>[^)#]*)(?:#(?<heading>[^)]*))?\)/g)].map(
    ({ groups }) => ({
      file: groups?.['file'] ?? '',
      heading: groups?.['heading'] ?? null,
    }),
  );
}

/** Anchors as FakeGitHub makes them of headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.matchAll(/^#+ (?<text>.*)$/gm)].map(({ groups }) => groups?.['text'] ?? '');
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
