/** Insertion of apps and tests into a configuration file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertIntoConfig } from '../../../src/config/intake-insertion.ts';
import type { ProblemError } from '../../../src/core/problem.ts';
import { loaded } from './load-text.ts';

const INSERTION = {
  apps: [{ key: 'api', host: 'api.example.com', verification: null }],
  tests: [
    {
      key: 'added',
      comments: ['A comment'],
      fields: [
        { name: 'test_type', value: 'cycling' },
        { name: 'duration', value: '1s' },
        {
          name: 'urls',
          value: { blocks: [{ comments: [], fields: [{ name: 'url', value: 'https://api.example.com/' }] }] },
        },
      ],
    },
  ],
};

function insert(text: string): string {
  return insertIntoConfig({ path: 'loadtests.yaml', text, directory: '/' }, INSERTION);
}

const HOME = `test_type: cycling, duration: 1s, urls: ['https://shop.example.com/']`;

describe('insertion into a configuration file', () => {
  test.each([
    [
      'after the last entries, with the indentation of the file',
      `version: 1
project: shop
apps: # hosts
    shop: shop.example.com   # the shop
# before the tests
tests:
    home: { ${HOME} } # one line

# at the end
limits: { max_connections: 5 }
`,
      `version: 1
project: shop
apps: # hosts
    shop: shop.example.com   # the shop
    api: api.example.com
# before the tests
tests:
    home: { ${HOME} } # one line
    # A comment
    added:
      test_type: cycling
      duration: 1s
      urls:
        - https://api.example.com/

# at the end
limits: { max_connections: 5 }
`,
    ],
    [
      'into empty sections',
      'version: 1\nproject: shop\napps:\ntests: # none\n',
      'version: 1\nproject: shop\napps:\n  api: api.example.com\ntests: # none\n  # A comment\n  added:\n    test_type: cycling\n    duration: 1s\n    urls:\n      - https://api.example.com/\n',
    ],
  ])('an insertion into a configuration file adds entries %s', (_, text, expected) => {
    expect(insert(text)).toBe(expected);
  });

  test('an insertion into a configuration file adds missing sections and a missing final line break', () => {
    const text = insert('version: 1\nproject: shop');
    expect(text.startsWith('version: 1\nproject: shop\n')).toBe(true);
    expect(loaded(text).desired.tests.map(({ key }) => key)).toEqual(['added']);
  });

  test('an insertion into a section in flow style (braces) is refused, and the error has the location of the section', () => {
    const text = `version: 1\nproject: shop\ntests: { home: { ${HOME} } }\n`;
    try {
      insert(text);
      expect.unreachable();
    } catch (error) {
      const { problem } = error as ProblemError;
      expect(problem.message).toBe(
        '"apps" is not a map with one entry per line, so no entry can be inserted; rewrite it without braces or brackets'.replace(
          'apps',
          'tests',
        ),
      );
      expect(problem.source?.line).toBe(3);
    }
  });

  test('an insertion into a configuration file preserves all existing lines and their order, and adds the new test after the existing tests', () => {
    const comment = fc.constantFrom('', '# a comment', '    # an indented comment');
    fc.assert(
      fc.property(
        fc.array(comment, { maxLength: 3 }),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(3),
        (comments, indent, tests) => {
          const space = ' '.repeat(indent);
          const homes = Array.from(
            { length: tests + 1 },
            (_, at) => `${space}home${at}:\n${space}  ${HOME.replaceAll(', ', `\n${space}  `)}`,
          );
          const text = [
            'version: 1',
            'project: shop',
            'apps:',
            `${space}shop: shop.example.com`,
            ...comments,
            'tests:',
            ...homes,
            ...comments,
            'x-end: 1',
            '',
          ].join('\n');
          const inserted = insert(text);
          expect(loaded(inserted).desired.tests.map(({ key }) => key)).toEqual([
            ...Array.from({ length: tests + 1 }, (_, at) => `home${at}`),
            'added',
          ]);
          const lines = inserted.split('\n');
          let at = -1;
          for (const line of text.split('\n')) {
            at = lines.indexOf(line, at + 1);
            expect(at).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});
