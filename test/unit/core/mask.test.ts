/** Secrets in texts, in whatever coding they come back. */
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

/** Each coding of a text that some program writes. */
const CODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['as bytes', bytes],
  ['as the bytes of its bytes', (text) => bytes(bytes(text))],
  ['as the engine writes it in a query', (text) => percentEncode(bytes(text), 'percent')],
  ['as the engine writes it in a form', (text) => percentEncode(bytes(text), 'form')],
  ['as the engine writes it in JSON', (text) => escapeJsonString(bytes(text))],
  ['as encodeURIComponent writes it', encodeURIComponent],
  ['as encodeURI writes it', encodeURI],
  ['as URLSearchParams writes it', (text) => new URLSearchParams({ q: text }).toString().slice(2)],
  [
    'in small escapes',
    (text) => percentEncode(bytes(text), 'percent').replaceAll(/%../g, (one) => one.toLowerCase()),
  ],
  ['escaped twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON with slashes escaped', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['in JSON of ASCII', escapedAscii],
  ['in a quoted string', (text) => text.replaceAll(/["\\]/g, '\\$&')],
  [
    'in HTML',
    (text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;'),
  ],
  ['in Base64', base64],
  ['in Base64, behind something', (text) => base64(`user:${text}`)],
  ['in Base64, within something', (text) => base64(`ab${text}cd`)],
  ['in Base64 for URLs', (text) => Buffer.from(`x${text}`).toString('base64url')],
  ['in Base64 in a URL', (text) => encodeURIComponent(base64(`xy${text}`))],
];

describe('a secret', () => {
  test.each(CODINGS)('is masked %s', (_name, coding) => {
    const mask = new Mask([AWKWARD]);
    expect(mask.apply(`before "${coding(AWKWARD)}" after`)).toBe('before "***" after');
  });

  test('is masked as latin1', () => {
    expect(new Mask(['café!']).apply('x=caf\u00e9!; y=caf%E9%21')).toBe('x=***; y=***');
  });

  test('is masked in any coding, whatever it is, and nothing beside it', () => {
    const text = fc.string({
      unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom('é', '🛒', ' ')),
      minLength: 6,
    });
    fc.assert(
      fc.property(text, fc.constantFrom(...CODINGS), (secret, [, coding]) => {
        fc.pre(secret.trim() === secret);
        expect(new Mask([secret]).apply(`\u0001${coding(secret)}\u0001`)).toBe('\u0001***\u0001');
      }),
    );
  });

  test('that is part of another one, or overlaps it, leaves nothing of either', () => {
    expect(new Mask(['abc', 'abcdef']).apply('1 abcdef 2 abc 3')).toBe('1 *** 2 *** 3');
    expect(new Mask(['aab', 'baa']).apply('1 aabaa 2')).toBe('1 *** 2');
    expect(new Mask(['aa']).apply('aaaaa')).toBe('***');
    expect(new Mask(['xa', 'ab', 'aa']).apply('xaab')).not.toContain('b');
  });

  test('that was trimmed on its way is masked too', () => {
    expect(new Mask(['  blank around\t']).apply('<blank around>')).toBe('<***>');
  });

  test('of which a text that was cut holds the beginning is masked to its end', () => {
    const mask = new Mask(['secret é!']);
    expect(mask.apply('x=secret', true)).toBe('x=***');
    expect(mask.apply('x=secret%20%C3', true)).toBe('x=***');
    expect(mask.apply('x=secret', false)).toBe('x=secret');
    expect(mask.apply('x=public', true)).toBe('x=public');
  });

  test('of credentials is masked as Basic sends them, however short', () => {
    const mask = new Mask();
    mask.addBasic('ci', 'pw');
    expect(mask.apply(`said ${base64('ci:pw')}.`)).toBe('said ***.');
    expect(mask.apply('said ci')).toBe('said ci');
  });

  test('is found in a time that does not explode', () => {
    const secret = 'ab'.repeat(500);
    const mask = new Mask([secret]);
    expect(mask.apply(`${'ab'.repeat(450)} and ${secret}`)).toBe(`${'ab'.repeat(450)} and ***`);
  });
});
