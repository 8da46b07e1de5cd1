import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesParts } from '../../../../src/core/reconcile/differences.ts';
import { normalizeUrl } from '../../../../src/core/reconcile/normalize.ts';
import { scaleCount } from '../../../support/test-scale.ts';

describe('normalized URLs', () => {
  test.each([
    ['HTTPS://Shop.Example/', 'https://shop.example/'],
    ['https://shop.example', 'https://shop.example/'],
    ['https://shop.example:443/', 'https://shop.example/'],
    ['http://shop.example:80', 'http://shop.example/'],
    ['http://shop.example:443/', 'http://shop.example:443/'],
    ['https://shop.example?', 'https://shop.example/'],
    ['https://shop.example/?q=A', 'https://shop.example/?q=A'],
    ['https://shop.example/#top', 'https://shop.example/'],
    ['https://shop.example/Cart', 'https://shop.example/Cart'],
    ['https://shop.example/a%2fb', 'https://shop.example/a%2Fb'],
    ['https://shop.example/%7Bid%7D%41', 'https://shop.example/{id}A'],
    ['https://shop.example/{{id}}', 'https://shop.example/{{id}}'],
    ['https://shop.example/%7b%7bid%7D%7D', 'https://shop.example/{{id}}'],
    ['https://shop.example/a b', 'https://shop.example/a%20b'],
    ['https://shop.example/caf\u00e9?q=\u{1f6d2}', 'https://shop.example/caf%C3%A9?q=%F0%9F%9B%92'],
    ['https://shop.example/\ud800', 'https://shop.example/\ud800'],
    ['https://Ada:Secret@Shop.Example/', 'https://Ada:Secret@shop.example/'],
    [' https://shop.example/ ', 'https://shop.example/'],
    ['Front page', 'Front page'],
  ])('the URL %j is normalized to %j', (url, normal) => {
    expect(normalizeUrl(url)).toBe(normal);
  });

  test('a normalized URL does not change when it is normalized again', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        expect(normalizeUrl(normalizeUrl(url))).toBe(normalizeUrl(url));
        expect(normalizeUrl(new URL(url).href)).toBe(normalizeUrl(url));
      }),
    );
  });
});

describe('strings with secrets', () => {
  test.each<[readonly (string | null)[], string, boolean]>([
    [['Bearer ', null], 'Bearer 123', true],
    [['Bearer ', null], 'Bearer ', true],
    [['Bearer ', null], 'Basic 123', false],
    [[null], '', true],
    [[null, '.html'], 'page.html', true],
    [[null, '.html'], 'page.html.bak', false],
    [['a', null, 'a'], 'a', false],
    [['a', null, 'a'], 'aa', true],
    [['a', null, 'b', null, 'c'], 'a-b-b-c', true],
    [['a', null, 'b', null, 'c'], 'a-c-b', false],
    [['a', null, null, 'b'], 'a\nb', true],
    [[], '', true],
    [[], 'x', false],
    [['a', 'b'], 'ab', true],
    [['a', 'b'], 'aab', false],
    [['.*', null], 'x', false],
  ])('matchesParts(%j, %j) returns %s', (parts, text, fits) => {
    expect(matchesParts(parts, text)).toBe(fits);
  });

  test('a string with secrets matches any text in place of the secrets', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.option(fc.string()), fc.string())), (parts) => {
        const text = parts.map(([plain, secret]) => plain ?? secret).join('');
        expect(
          matchesParts(
            parts.map(([plain]) => plain),
            text,
          ),
        ).toBe(true);
      }),
    );
  });

  test('a string with secrets matches the same texts as the equivalent regular expression', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.stringMatching(/^[ab]{0,2}$/)), { maxLength: 6 }),
        fc.stringMatching(/^[ab]{0,10}$/),
        (parts, text) => {
          const pattern = new RegExp(`^${parts.map((part) => part ?? '.*').join('')}$`);
          expect(matchesParts(parts, text)).toBe(pattern.test(text));
        },
      ),
      { numRuns: scaleCount(1000) },
    );
    const many = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? null : 'a'));
    expect(matchesParts([...many, 'b'], 'a'.repeat(20_000))).toBe(false);
  });
});
