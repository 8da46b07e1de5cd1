/** Documents match the code: cited sections, reporters, and the configuration reference. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXTENSION_NAMES, RESULT_PARTS } from '../../../src/core/model/extensions.ts';
import { REPORTER_NAMES } from '../../../src/report/reporters.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('documents', () => {
  test('every section of the documentation that is cited in the source code exists', () => {
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

  test('the guide to reports lists exactly the available reporters', () => {
    const rows = [...read('docs/guides/reports.md').matchAll(/^\| `--([a-z]+)/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...REPORTER_NAMES].sort());
  });

  test('each of the more than 60 sections for keys in the configuration reference begins with a description and a type', () => {
    const sections = read('docs/reference/configuration.md')
      .split(/^#{2,3} /m)
      .slice(2);
    expect(sections.length).toBeGreaterThan(60);
    const vague = sections.filter(
      (section) => !/^\S+\n\n[A-Z][^\n]{10,}\n\n- \*\*Type\*\*: \S/.test(section),
    );
    expect(vague.map((section) => section.split('\n', 1)[0])).toEqual([]);
  });

  test('the configuration reference names exactly the known extensions', () => {
    const named = [...read('docs/reference/configuration.md').matchAll(/\*?\*?Extension\*?\*?: `(\w+)`/g)];
    const known = [...EXTENSION_NAMES, ...Object.keys(RESULT_PARTS)];
    expect([...new Set(named.map(([, name]) => name))].sort()).toEqual(known.sort());
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
