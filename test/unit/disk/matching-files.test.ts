import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMatchingFiles } from '../../../src/disk/matching-files.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

describe('patterns of files', () => {
  test.each([
    ['services/*/loadtests.yaml', ['services/cart/loadtests.yaml', 'services/shop/loadtests.yaml']],
    ['s*/c?rt/*.yaml', ['services/cart/loadtests.yaml']],
    ['services/*/*/loadtests.yaml', []],
    ['services/.*/loadtests.yaml', ['services/.hidden/loadtests.yaml']],
    ['*/cart', ['services/cart']],
    ['loadtests.yaml/*', []],
    ['none.yaml', ['none.yaml']],
  ])('for the pattern %s, findMatchingFiles returns %j', (pattern, expected) => {
    const directory = createTestDirectory();
    for (const name of ['shop', 'cart', '.hidden', 'empty']) {
      const file = join(directory, 'services', name, name === 'empty' ? 'other' : 'loadtests.yaml');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
    }
    writeFileSync(join(directory, 'loadtests.yaml'), '');
    expect(findMatchingFiles(directory, pattern)).toEqual(expected);
    if (pattern.startsWith('services/*/l'))
      expect(findMatchingFiles('/', join(directory, pattern))).toEqual(
        expected.map((path) => join(directory, path)),
      );
  });
});
