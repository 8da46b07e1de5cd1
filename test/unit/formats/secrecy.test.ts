/** Secrets in sources: no output contains them. */
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../../src/formats/formats.ts';
import { convert } from './convert.ts';
import { CANARY as CANARY_TEXT, SAMPLES } from './samples.ts';

/** Keys of the file are in lower case. */
const CANARY = new RegExp(CANARY_TEXT, 'i');

describe('secrets in sources', () => {
  test.each(FORMAT_NAMES)('the file that is converted from %s contains no secret', async (format) => {
    const { text, notes, secrets } = await convert(format, SAMPLES[format]);
    expect(text).not.toMatch(CANARY);
    expect(notes.join('\n')).not.toMatch(CANARY);
    const found = new Set(secrets.map(({ value }) => value).filter((value) => CANARY.test(value)));
    expect(found.size).toBeGreaterThan(0);
    for (const { name } of secrets) expect(name).toMatch(/^LT_[A-Z0-9_]+$/);
  });

  test('secrets in loops, conditions, setup and teardown are replaced', async () => {
    const word = (name: string) => `${name}${CANARY_TEXT}${name}`;
    const { text, notes } = await convert(
      'k6',
      `import http from 'k6/http';
const JSON_TYPE = { headers: { 'content-type': 'application/json' } };
export function setup() { http.post('https://a.example/setup', JSON.stringify({ password: '${word('s1')}' }), JSON_TYPE); }
export function teardown() { http.post('https://a.example/teardown', { api_key: '${word('t1')}' }); }
export default function () {
  for (const secret of ['${word('l1')}', '${word('l2')}']) http.post('https://a.example/loop', JSON.stringify({ password: secret }), JSON_TYPE);
  const r = http.get('https://a.example/', { headers: { authorization: 'Bearer ${word('h1')}' } });
  if (r.json('token') === '${word('h1')}') http.get('https://a.example/equal');
}`,
    );
    expect(text).not.toMatch(CANARY);
    expect(notes.join('\n')).not.toMatch(CANARY);
    expect(text).toContain('https://a.example/teardown');
    expect(text.match(/password: \$\{secret:/g)).toHaveLength(3);
  });

  test.each([
    ['an ordinary header', 'curl -H "accept: text/html" https://a.example/'],
    ['a UUID in a path', 'curl https://a.example/1b4e28ba-2fa1-11d2-883f-0016d3cca427'],
    ['words in a path', 'curl https://a.example/a-very-long-name-of-a-page-with-many-words-2'],
    ['a file name with a date', 'curl https://a.example/reports-2026-11-27-final-version.html'],
    ['an object id', 'curl https://a.example/507f1f77bcf86cd799439011'],
    ['a flag', 'curl "https://a.example/?useCookies=true" --json \'{"token": "none"}\''],
    ['an empty password', `curl -d password= https://a.example/`],
  ])('%s is not treated as a secret', async (_, command) => {
    expect((await convert('curl', command)).secrets).toEqual([]);
  });

  test('equal secrets share a name, and different secrets have different names', async () => {
    const { text, secrets } = await convert(
      'curl',
      `curl -d 'password=one111' https://a.example/1\ncurl -d 'password=two222' https://a.example/2\ncurl -d 'password=one111' https://a.example/3`,
    );
    expect(secrets).toEqual([
      { name: 'LT_PASSWORD', value: 'one111' },
      { name: 'LT_PASSWORD_2', value: 'two222' },
    ]);
    expect(text.match(/\$\{secret:LT_PASSWORD\}/g)).toHaveLength(2);
  });

  test('a secret that is a word is replaced only as the value of its field', async () => {
    const { text } = await convert(
      'curl',
      `curl --json '{"password": "password", "note": "the password"}' https://a.example/password`,
    );
    expect(text).toContain('url: https://a.example/password\n');
    expect(text).toContain('password: ${secret:LT_PASSWORD}\n');
    expect(text).toContain('note: the password\n');
  });

  test('a long secret is replaced wherever it occurs', async () => {
    const { text } = await convert(
      'curl',
      `curl -d 'password=correct horse' https://a.example/1\ncurl -H 'x-a: (correct horse)' https://a.example/correct%20horse`,
    );
    expect(text).not.toMatch(/correct.horse/);
    expect(text).toContain('x-a: (${secret:LT_PASSWORD})');
    expect(text).toContain('https://a.example/${env:LT_PASSWORD:-}');
  });
});
