/** Property tests: realistic files with random mistakes result in exit code 0, or in 3 with a location. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaleCount } from '../../support/test-scale.ts';
import { expectValidResult } from './load-text.ts';

const root = join(import.meta.dirname, '../../..');
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('loadtests.yaml'))
  .map((path) => join('examples', path));
const paths = ['loadtests.yaml', 'test/fixtures/config/full.yaml', ...examples];
const texts = paths.map((path) => readFileSync(join(root, path), 'utf8'));

/** Fragments that typing errors, editors and merges leave in files, and special characters of YAML. */
const FRAGMENTS = [
  ...Array.from(':-?[]{},#&*!|>\'"%@`~<=\\$/'),
  ...Array.from(' \t\r\n\u0000\u0007\u007f\u0085\u00a0\u2028\ufeff\ufffd\ud83d'),
  ...['大', '😀', '👩‍👩‍👧', 'e\u0301', '“', '’', '–', '\u200b', '\u202e'],
  ...[
    ': ',
    '- ',
    '? ',
    ' #',
    '&a ',
    '*a',
    '!!omap ',
    '!!set ',
    '!!binary ',
    '!a ',
    '|\n',
    '>-\n',
    '--- ',
    '...\n',
  ],
  ...[
    '\r\n',
    '\n\n',
    '\n\t',
    '  ',
    '"\\ud800"',
    '${',
    '${a}',
    '${env:A:-${b}}',
    '${file:x}',
    '${secret:S}',
    '$${',
    '{{a}}',
  ],
  ...[
    '<<: *a',
    '__proto__: 1',
    'x-a: ',
    '.inf',
    '1e999',
    '9007199254740993',
    '0x',
    '-0',
    '50%',
    '1 min',
    'null',
    'yes',
  ],
  ...['<<<<<<< HEAD\n', '=======\n', '>>>>>>> other\n', '%YAML 1.1\n', 'tests:\n', 'apps: {', 'duration: '],
];

interface Edit {
  readonly kind: 'delete' | 'duplicate' | 'swap' | 'insert' | 'replace';
  readonly by: 'character' | 'word' | 'line';
  /** Position as a fraction of the text's length. */
  readonly from: number;
  readonly other: number;
  readonly count: number;
  readonly fragment: string;
}

const edits = fc.array(
  fc.record<Edit>({
    kind: fc.constantFrom('delete', 'duplicate', 'swap', 'insert', 'replace'),
    by: fc.constantFrom('character', 'word', 'line'),
    from: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    other: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    count: fc.integer({ min: 1, max: 4 }),
    fragment: fc.constantFrom(...FRAGMENTS),
  }),
  { minLength: 1, maxLength: 4 },
);

const PARTS = { character: /[^]/g, word: /\w+|\W/g, line: /[^\n]*\n|[^\n]+/g } as const;

function edited(text: string, { kind, by, from, other, count, fragment }: Edit): string {
  const parts = text.match(PARTS[by]) ?? [];
  const at = Math.floor(from * parts.length);
  const to = Math.floor(other * parts.length);
  const chosen = parts.slice(at, at + count);
  switch (kind) {
    case 'delete':
      parts.splice(at, count);
      break;
    case 'duplicate':
      parts.splice(to, 0, ...chosen);
      break;
    case 'swap':
      parts.splice(at, 1, parts[to] ?? '');
      parts.splice(to, 1, ...chosen.slice(0, 1));
      break;
    case 'insert':
      parts.splice(at, 0, fragment);
      break;
    case 'replace':
      parts.splice(at, count, fragment);
      break;
  }
  return parts.join('');
}

/** Timeout in ms. TEST_SCALE may increase the number of cases. */
const PATIENCE = 600_000;

describe('realistic files with mistakes', () => {
  it('the property tests cover more than eight files', () => {
    expect(paths.length).toBeGreaterThan(8);
  });

  it(
    'a file with deleted, repeated, swapped or inserted text is loaded, or is rejected with a message and a location for each problem',
    { timeout: PATIENCE },
    () => {
      fc.assert(
        fc.property(fc.constantFrom(...texts), edits, (text, all) => {
          expectValidResult(all.reduce(edited, text), { vars: { a: 'b' }, env: { CI: '1' } });
        }),
        { numRuns: scaleCount(1000) },
      );
    },
  );

  it(
    'a file without its beginning or its end is loaded, or is rejected with a message and a location for each problem',
    { timeout: PATIENCE },
    () => {
      fc.assert(
        fc.property(fc.constantFrom(...texts), fc.nat(), (text, at) => {
          expectValidResult(text.slice(0, at % (text.length + 1)));
          expectValidResult(text.slice(at % (text.length + 1)));
        }),
        { numRuns: scaleCount(200) },
      );
    },
  );
});
