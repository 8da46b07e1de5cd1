/** Fast path for `Location` values that need no URL parser. It must return what a URL parser would return. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPlainLocation, resolveLocation } from '../../../src/engine/redirect-location.ts';
import { scaleCount } from '../../support/test-scale.ts';

const ORIGIN = 'http://shop.test:8080';
const FROM = `${ORIGIN}/a/b?c=d`;

describe('readPlainLocation', () => {
  test.each([
    ['/', '/'],
    ['/cart/7?x=1&y=%20', '/cart/7?x=1&y=%20'],
    [`${ORIGIN}/cart`, '/cart'],
    ['/a//b', '/a//b'],
    ['/a?b?', null],
    ['//other.test/', null],
    [`${ORIGIN}//other.test/`, null],
    ['http://shop.test:80801/', null],
    ['http://shop.test:8080@other.test/', null],
    ['cart', null],
    ['?x=1', null],
    ['/a/../b', null],
    ['/a/%2E%2e/b', null],
    ['/a#b', null],
    ['/a b', null],
    ['/\\other.test/', null],
    ['/\t/other.test/', null],
    ["/a?b='", null],
    ['/\u00e4', null],
    ['', null],
  ])('readPlainLocation(%j) returns %j', (location, expected) => {
    expect(readPlainLocation(location, ORIGIN)).toBe(expected);
  });

  test('readPlainLocation returns either the result of a URL parser or null', () => {
    const part = fc.constantFrom(
      ...[
        '/',
        '/',
        '.',
        '..',
        '%2e',
        '%2F',
        '%',
        '?',
        '#',
        '&',
        '=',
        ';',
        ':',
        '@',
        "'",
        '"',
        '\\',
        '\t',
        ' ',
      ],
      ...[
        'a',
        'B',
        '7',
        '-',
        '_',
        '~',
        '!',
        '$',
        '(',
        ')',
        '*',
        '+',
        ',',
        '[',
        '|',
        '^',
        '{',
        '\u00e4',
        ORIGIN,
      ],
    );
    let plainCount = 0;
    fc.assert(
      fc.property(fc.constantFrom('/', '', ORIGIN), fc.array(part, { maxLength: 8 }), (start, parts) => {
        const location = start + parts.join('');
        const plainPath = readPlainLocation(location, ORIGIN);
        if (plainPath === null) return;
        plainCount++;
        expect(plainPath).toBe(resolveLocation(location, FROM));
      }),
      { numRuns: scaleCount(20_000) },
    );
    expect(plainCount).toBeGreaterThan(scaleCount(1000));
  });
});
