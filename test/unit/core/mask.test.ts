/** Masking of secrets in text, in any encoding. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Mask } from '../../../src/core/mask.ts';
import { percentEncode, escapeJsonString } from '../../../src/engine/request-template.ts';

const AWKWARD = `pä ss'w(o)r!d*~&"\\/+%41<é🛒>`;
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const escapedAscii = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Encodings that programs use. */
const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['verbatim', (text) => text],
  ['as bytes', bytes],
  ['as bytes that are encoded twice', (text) => bytes(bytes(text))],
  ['encoded in a query by the engine', (text) => percentEncode(bytes(text), 'percent')],
  ['encoded in a form by the engine', (text) => percentEncode(bytes(text), 'form')],
  ['escaped in JSON by the engine', (text) => escapeJsonString(bytes(text))],
  ['encoded by encodeURIComponent', encodeURIComponent],
  ['encoded by encodeURI', encodeURI],
  ['encoded by URLSearchParams', (text) => new URLSearchParams({ q: text }).toString().slice(2)],
  [
    'with lowercase percent-encoding',
    (text) => percentEncode(bytes(text), 'percent').replaceAll(/%../g, (one) => one.toLowerCase()),
  ],
  ['escaped twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON with escaped slashes', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['in ASCII JSON', escapedAscii],
  ['in a quoted string', (text) => text.replaceAll(/["\\]/g, '\\$&')],
  [
    'in HTML',
    (text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;'),
  ],
  ['in Base64', base64],
  ['in Base64 after other text', (text) => base64(`user:${text}`)],
  ['in Base64 within other text', (text) => base64(`ab${text}cd`)],
  ['in Base64 for URLs', (text) => Buffer.from(`x${text}`).toString('base64url')],
  ['in Base64 in a URL', (text) => encodeURIComponent(base64(`xy${text}`))],
];

describe('masking of secrets', () => {
  test.each(ENCODINGS)('a secret that appears %s is masked', (_name, encode) => {
    const mask = new Mask([AWKWARD]);
    expect(mask.apply(`before "${encode(AWKWARD)}" after`)).toBe('before "***" after');
  });

  test('a secret in Latin-1 encoding is masked', () => {
    expect(new Mask(['café!']).apply('x=caf\u00e9!; y=caf%E9%21')).toBe('x=***; y=***');
  });

  test('any secret of at least six characters is masked in each encoding, and the adjacent text is not', () => {
    const text = fc.string({
      unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom('é', '🛒', ' ')),
      minLength: 6,
    });
    fc.assert(
      fc.property(text, fc.constantFrom(...ENCODINGS), (secret, [, encode]) => {
        fc.pre(secret.trim() === secret);
        expect(new Mask([secret]).apply(`\u0001${encode(secret)}\u0001`)).toBe('\u0001***\u0001');
      }),
    );
  });

  test.each([
    ['unchanged', 'Pj4+Pz8/YWJj'],
    ['for URLs', 'Pj4-Pz8_YWJj'],
    ['with "+" decoded as a space', 'Pj4 Pz8/YWJj'],
    ['in JSON with escaped slashes', String.raw`Pj4+Pz8\/YWJj`],
    ['with percent-encoding', 'Pj4%2BPz8%2fYWJj'],
  ])('a Base64 encoding that contains "+" and "/" is masked %s', (_name, text) => {
    const mask = new Mask(['>>>???abc']);
    expect(mask.apply(`x "${text}"`)).toBe('x "***"');
    expect(mask.apply(`x "${text.replace('Pz', 'Pw')}"`)).not.toBe('x "***"');
  });

  test('a secret with a line break is masked in JSON, and a secret with a lone surrogate is masked as bytes', () => {
    expect(new Mask(['one\ntwo']).apply(JSON.stringify(['one\ntwo']))).toBe('["***"]');
    expect(new Mask(['one\ud800two']).apply(`x ${bytes('one\ud800two')}`)).toBe('x ***');
  });

  test('the longest encoding of the last character is masked', () => {
    expect(new Mask(['50%']).apply('x=50%25.')).toBe('x=***.');
  });

  test.each([
    ['words in another order', 'a b', 'b a'],
    ['a plus sign between letters', 'abc', 'a+c'],
    [
      'characters with the same low bytes as the secret',
      '\u0141'.repeat(6),
      `AAAAAA ${base64('AAAAAA')} %141%141%141%141%141%141`,
    ],
  ])('%s are not masked', (_name, secret, text) => {
    expect(new Mask([secret]).apply(text)).toBe(text);
  });

  test('a backslash before the first letter of a secret is not masked', () => {
    expect(new Mask(['notes']).apply(String.raw`C:\notes`)).toBe(String.raw`C:\***`);
  });

  test('overlapping secrets are masked completely', () => {
    expect(new Mask(['abc', 'abcdef']).apply('1 abcdef 2 abc 3')).toBe('1 *** 2 *** 3');
    expect(new Mask(['aab', 'baa']).apply('1 aabaa 2')).toBe('1 *** 2');
    expect(new Mask(['aa']).apply('aaaaa')).toBe('***');
    expect(new Mask(['xa', 'ab', 'aa']).apply('xaab')).not.toContain('b');
  });

  test('a secret with white space at its ends is masked even in text that omits this white space', () => {
    expect(new Mask(['  blank around\t']).apply('<blank around>')).toBe('<***>');
  });

  test('a secret at the end of truncated text is masked even if only its first characters remain', () => {
    const mask = new Mask(['secret é!']);
    expect(mask.apply('x=secret', true)).toBe('x=***');
    expect(mask.apply('x=secret%20%C3', true)).toBe('x=***');
    expect(mask.apply('x=secret', false)).toBe('x=secret');
    expect(mask.apply('x=secret')).toBe('x=secret');
    expect(mask.apply('x=public', true)).toBe('x=public');
    expect(mask.apply('x=s', true)).toBe('x=***');
    expect(mask.apply('x=secret!', true)).toBe('x=secret!');
    expect(mask.apply('x=secret%4', true)).toBe('x=secret%4');
  });

  test('at the end of truncated text, four Base64 characters of a secret are masked, and three are not', () => {
    const mask = new Mask(['secret-secret']);
    const encoded = base64('secret-secret');
    expect(mask.apply(`x ${encoded.slice(0, 4)}`, true)).toBe('x ***');
    expect(mask.apply(`x ${encoded.slice(0, 3)}`, true)).toBe(`x ${encoded.slice(0, 3)}`);
  });

  test('the Base64 encoding of a secret is masked only if the secret has at least five bytes', () => {
    expect(new Mask(['abcde']).apply(`x ${base64('abcde')}`)).toBe('x ***');
    expect(new Mask(['abcd']).apply(`x ${base64('abcd')}`)).toBe(`x ${base64('abcd')}`);
    const latin1 = Buffer.from('\u00ff'.repeat(6), 'latin1').toString('base64');
    expect(new Mask(['\u00ff'.repeat(6)]).apply(`x ${latin1}`)).toBe('x ***');
  });

  test('adjacent secrets are replaced with a single mask', () => {
    expect(new Mask(['abc', 'def']).apply('1 abcdef 2')).toBe('1 *** 2');
  });

  test('a secret is masked even after characters whose lowercase form is longer', () => {
    expect(new Mask(['\u00e9!']).apply('\u0130\u0130 x=%C3%A9%21')).toBe('\u0130\u0130 x=***');
  });

  test('no text is masked if there is no secret or the secret is empty', () => {
    for (const mask of [new Mask([]), new Mask(['']), new Mask(['  '])])
      expect([mask.apply('a b'), mask.apply('', true)]).toEqual(['a b', '']);
  });

  test('short credentials are masked in the encoding of Basic authentication, but a short login is not masked as plain text', () => {
    const mask = new Mask([]);
    mask.addBasic('ci', 'pw');
    expect(mask.apply(`sent ${base64('ci:pw')}.`)).toBe('sent ***.');
    expect(mask.apply('sent ci')).toBe('sent ci');
  });

  test('a secret that consists of 500 copies of a text is masked, and 450 copies of the text are not', () => {
    const secret = 'ab'.repeat(500);
    const mask = new Mask([secret]);
    expect(mask.apply(`${'ab'.repeat(450)} and ${secret}`)).toBe(`${'ab'.repeat(450)} and ***`);
  });
});
