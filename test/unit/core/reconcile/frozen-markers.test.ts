/**
 * The digests in existing markers. Services store such markers for tests of earlier versions: if a row
 * changes, every plan replaces tests that have not changed.
 */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/core/model/secret.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import { START_TIME } from '../../../support/virtual-clock.ts';
import { declaredTest, type TestFields, type UrlChanges } from '../../../support/declared-state.ts';

const secret = new Secret('TOKEN', 'hidden');

/** All fields, each with a value other than its default. */
const FULL: TestFields = {
  name: 'Checkout smoke',
  type: 'cycling',
  initial: 5,
  total: 250,
  duration: '1m30s',
  timeout: '5s',
  errorThreshold: 12.5,
  callback: 'https://CI.example:443/hook?run=%7bid%7D',
  callbackEmail: 'team@shop.example',
  scheduledAt: START_TIME + 86_400_000,
  notes: '  Before the sale\r\nand after it\n',
  tlsVerify: false,
  urls: [
    '/',
    {
      url: '/cart/../basket?q=1#top',
      method: 'POST',
      credentials: { login: 'ci', password: { parts: [secret] } },
      headers: [
        { name: 'X-Shop', value: 'a' },
        { name: 'Authorization', value: { parts: ['Bearer ', secret] } },
      ],
      params: [
        { name: 'sku', value: '42' },
        { name: 'a/b~', value: { parts: [secret, '-', secret] } },
      ],
      payloadFileUrl: 'https://shop.example/rows.json',
      variables: [
        { name: 'csrf', property: 'X-Csrf-Token', source: 'header' },
        { name: 'id', property: 'X-Id', source: 'header' },
      ],
    },
  ],
};

function url(target: UrlChanges): TestFields {
  return { urls: [{ url: '/', ...target }] };
}

const ROWS: readonly (readonly [string, TestFields, string, string])[] = [
  ['the required fields only', {}, '49d1f35779d3', '50.4f53cda1'],
  [
    'explicit defaults',
    {
      initial: 0,
      total: 60,
      timeout: '10s',
      errorThreshold: 50,
      tlsVerify: true,
      urls: [{ url: '/', method: 'GET', headers: [], params: [], variables: [] }],
    },
    '49d1f35779d3',
    '50.4f53cda1',
  ],
  ['every field', FULL, '16ede4ade1d7', '12.5.a29b2727'],
  ['every field except the name', { ...FULL, name: null }, '133d326c83f8', '12.5.a29b2727'],
  ['the first URL as its name', { name: 'HTTPS://shop.example:443' }, '49d1f35779d3', '50.4f53cda1'],
  ['the type non-cycling', { ...FULL, type: 'non-cycling' }, 'f00b6d971383', '12.5.a29b2727'],
  ['the type per-second', { ...FULL, type: 'per-second' }, '0c9f94d2dceb', '12.5.a29b2727'],
  ['initial', { initial: 5 }, '8d1d612438f3', '50.4f53cda1'],
  ['total', { total: 1 }, 'd2c19f0314dc', '50.4f53cda1'],
  ['duration', { duration: '2h' }, '27b7d9898e87', '50.4f53cda1'],
  ['timeout', { timeout: '1500ms' }, '35101a26d3e4', '50.4f53cda1'],
  ['error_threshold 0', { errorThreshold: 0 }, '49d1f35779d3', '0.4f53cda1'],
  ['a fractional error_threshold', { errorThreshold: 0.25 }, '49d1f35779d3', '0.25.4f53cda1'],
  ['callback', { callback: 'http://ci.example' }, '0d652f15ad4d', '50.4f53cda1'],
  ['callback_email', { callbackEmail: 'ada@shop.example' }, '6ebfac9bd92b', '50.4f53cda1'],
  ['scheduled_at', { scheduledAt: '2026-12-24 03:00:00' }, 'b2942fb4c214', '50.4f53cda1'],
  ['two lines of notes', { notes: 'One\nTwo' }, '6364298305f2', '50.4f53cda1'],
  ['empty strings', { name: '', notes: '', callback: '' }, '49d1f35779d3', '50.4f53cda1'],
  ['tls_verify', { tlsVerify: false }, 'dccdbeec9a34', '50.4f53cda1'],
  [
    'three URLs',
    { urls: ['/', '/cart', 'http://search.example:8080/%7b%7bid%7D%7D'] },
    '8e765c386cf1',
    '50.4f53cda1',
  ],
  ['a POST request', url({ method: 'POST' }), 'c880a43e3ca5', '50.4f53cda1'],
  ['a raw body', url({ method: 'POST', body: '{"sku":42}' }), 'fcb97fc1048d', '50.4f53cda1'],
  [
    'a raw body with a secret',
    url({ method: 'POST', body: { parts: ['{"key":"', secret, '"}'] } }),
    '0e4356cb83c7',
    '50.4f53cda1',
  ],
  ['a header', url({ headers: [{ name: 'Accept', value: 'text/html' }] }), '005198d863c3', '50.4f53cda1'],
  [
    'a header without a value',
    url({ headers: [{ name: 'Accept', value: '' }] }),
    '49d1f35779d3',
    '50.4f53cda1',
  ],
  [
    'parameters',
    url({
      params: [
        { name: 'q', value: '\u{1f6d2}' },
        { name: '__proto__', value: '1' },
      ],
    }),
    'cd62e384ee32',
    '50.4f53cda1',
  ],
  ['credentials', url({ credentials: { login: 'ada', password: 'hidden' } }), '7225f1a39c97', '50.4f53cda1'],
  [
    'a login that is a secret',
    url({ credentials: { login: { parts: [secret] }, password: 'hidden' } }),
    '9ff8ac7dfa15',
    '50.4f53cda1',
  ],
  [
    'a payload file',
    url({ payloadFileUrl: 'https://shop.example/rows.json' }),
    '82b52557c7a5',
    '50.4f53cda1',
  ],
  [
    'variables',
    url({ variables: [{ name: 'csrf', property: 'X-Csrf-Token', source: 'header' }] }),
    '49d1f35779d3',
    '50.1c9ad5c2',
  ],
  [
    'variables of the second URL',
    { urls: ['/', { url: '/cart', variables: [{ name: 'id', property: 'x-id', source: 'header' }] }] },
    '98e5b4d554b5',
    '50.ce35455c',
  ],
  [
    'a JSON body whose values are escaped',
    url({ body: '{"a":"{{b}}"}', jsonBody: true }),
    '286df9b1ce96',
    '50.4f53cda1.jd0bca111',
  ],
];

describe('digests of existing markers', () => {
  test.each(ROWS)('a test with %s has the recorded digests', (_name, fields, listed, unlisted) => {
    const { spec } = declaredTest('checkout', fields, []);
    expect(digestsOf(spec, sha256)).toEqual({ listed, unlisted });
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
