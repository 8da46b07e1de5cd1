/** Documents match the code: cited sections, reporters, and the configuration reference. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXTENSION_NAMES, RESULT_PARTS } from '../../../src/core/model/extensions.ts';
import { REPORTER_NAMES } from '../../../src/report/reporters.ts';

interface Schema {
  readonly properties: object;
  readonly definitions: Readonly<
    Record<string, { readonly properties?: Readonly<Record<string, { readonly $ref?: string }>> }>
  >;
}

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

  test('the configuration reference has exactly one section for each key of the schema, except metrics and keys that it documents elsewhere', () => {
    const { properties, definitions } = JSON.parse(read('schemas/loadtests.schema.json')) as Schema; // generated
    const IN_TABLES = ['Thresholds', 'ThresholdOptions', 'Regression'];
    // Overlays repeat the keys of a definition, and some keys refer to the same key of another definition.
    const defined = Object.entries(definitions)
      .filter(([name]) => !name.endsWith('Overlay') && !IN_TABLES.includes(name))
      .flatMap(([, definition]) => Object.entries(definition.properties ?? {}))
      .filter(([, { $ref = '' }]) => !/Overlay$|\/properties\//.test($ref))
      .map(([key]) => key);
    const headings = [...read('docs/reference/configuration.md').matchAll(/^#{2,3} (?:\S+\.)?(\w+)$/gm)];
    expect(headings.map(([, key]) => key).sort()).toEqual([...Object.keys(properties), ...defined].sort());
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
