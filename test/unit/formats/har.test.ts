/** Conversion of HAR recordings. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';

interface Recorded {
  readonly url: string;
  readonly method?: string;
  readonly at?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly text?: string;
  readonly params?: readonly object[];
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function headersOf(headers: Readonly<Record<string, string>> = {}): readonly object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function harOf(...entries: readonly Recorded[]): string {
  const log = {
    version: '1.2',
    entries: entries.map(
      ({
        url,
        method = 'GET',
        at = 0,
        headers,
        type,
        text,
        params,
        status = 200,
        responseHeaders,
        body,
      }) => ({
        startedDateTime: new Date(Date.UTC(2026, 10, 27) + at).toISOString(),
        time: 100,
        request: {
          method,
          url,
          headers: headersOf(headers),
          ...(type === undefined ? {} : { postData: { mimeType: type, text, params } }),
        },
        response: { status, headers: headersOf(responseHeaders), content: { text: body } },
      }),
    ),
  };
  return JSON.stringify({ log });
}

const A = 'https://www.a.example';

describe('HAR recordings', () => {
  test('requests of a HAR recording are converted with their think times, and headers that the browser adds are omitted', async () => {
    const { text, notes } = await convert(
      'har',
      harOf(
        {
          url: `${A}/second#part`,
          at: 2340,
          method: 'POST',
          type: 'application/json',
          text: '{"a":1}',
          headers: {
            'content-type': 'application/json',
            'x-own': 'b',
            'Sec-Fetch-Mode': 'cors',
            cookie: 'a=b',
          },
        },
        {
          url: `${A}/`,
          headers: { 'User-Agent': 'Mozilla', accept: 'text/html', ':method': 'GET', 'if-none-match': 'x' },
        },
        {
          url: `${A}/third`,
          at: 2500,
          method: 'POST',
          type: 'application/x-www-form-urlencoded',
          text: 'a=1&b=c+d',
        },
      ),
    );
    expect(urlLines(text)).toEqual([
      `- url: ${A}/`,
      '  headers:',
      '    accept: text/html',
      '  delay: 2.2s',
      `- url: ${A}/second`,
      '  request_type: POST',
      '  headers:',
      '    x-own: b',
      '  json:',
      '    a: 1',
      `- url: ${A}/third`,
      '  request_type: POST',
      '  request_params:',
      '    a: "1"',
      '    b: c d',
    ]);
    expect(notes).toEqual([]);
  });

  const browsing = harOf(
    { url: `${A}/` },
    { url: `${A}/logo.png` },
    { url: `${A}/app?v=1`, responseHeaders: { 'content-type': 'application/javascript' } },
    {
      url: 'https://api.a.example/items',
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'GET' },
    },
    { url: 'https://api.a.example/items' },
    { url: 'https://analytics.example.com/collect' },
    { url: 'data:text/plain,x' },
    { url: `${A}/old`, status: 302, responseHeaders: { location: '/new?x=1' } },
    { url: `${A}/new?x=1` },
  );

  test('the conversion of a HAR recording omits CORS preflight and non-HTTP requests, and requests after redirects, to other hosts, or for static files', async () => {
    const { text, notes } = await convert('har', browsing);
    expect(urlLines(text)).toEqual([`- ${A}/`, '- https://api.a.example/items', `- ${A}/old`]);
    expect(notes.map((note) => note.replace(/ \d+:\d+/, ''))).toEqual([
      'change omitted: 1 request to other hosts (analytics.example.com); "--hosts" selects the hosts',
      'change omitted: 2 requests for static files; "--static-files" includes them',
      'change omitted: 1 CORS preflight request',
      'loss the request is not converted, because its URL is not an HTTP or HTTPS URL',
    ]);
  });

  test('"--hosts" and "--static-files" select the requests of a HAR recording that are converted', async () => {
    const recording = { hosts: ['www.a.example', '*.example.com'], staticFiles: true };
    const { text } = await convert('har', browsing, { recording });
    expect(urlLines(text)).toEqual([
      `- ${A}/`,
      `- ${A}/logo.png`,
      `- ${A}/app?v=1`,
      '- https://analytics.example.com/collect',
      `- ${A}/old`,
    ]);
  });

  test('if a later request of a HAR recording sends a token from a response, the token is converted to a variable, but an ordinary word is not', async () => {
    const recording = (token: string) =>
      harOf(
        {
          url: `${A}/login`,
          method: 'POST',
          type: 'application/json',
          text: '{"user":"ann"}',
          body: JSON.stringify({ token, plan: 'gold' }),
        },
        { url: `${A}/items?plan=gold`, headers: { Authorization: `Bearer ${token}` } },
      );
    const lines = [
      `- url: ${A}/login`,
      '  request_type: POST',
      `  raw_post_body: '{"user":"ann"}'`,
      '  variables:',
      '    - { name: token, property: /token, source: json }',
      `- url: ${A}/items?plan=gold`,
      '  headers:',
      '    Authorization: Bearer {{token}}',
    ];
    expect(urlLines((await convert('har', recording('Zx81Kq27Lm93'))).text)).toEqual(lines);
    const others = [{ path: 'second', text: recording('Ab99Cd88Ef77') }];
    expect(urlLines((await convert('har', recording('Zx81Kq27Lm93'), { others })).text)).toEqual(lines);
  });

  test.each([
    ['an empty object', '{}', 'a HAR file requires "log.entries"'],
    ['incomplete JSON', '{"log":', 'the source is not valid JSON'],
    ['no entries', '{"log": {"entries": []}}', 'the recording contains no request to convert'],
    ['200 opening brackets', '['.repeat(200), 'nested deeper than 100 levels'],
  ])('a HAR source with %s is refused', async (_, text, message) => {
    await expect(convert('har', text)).rejects.toThrow(message);
  });

  test('a multipart body of a HAR recording is converted from its recorded text', async () => {
    const body = [
      '--b1',
      'Content-Disposition: form-data; name="cart"',
      '',
      'c1',
      '--b1',
      'Content-Disposition: form-data; name="doc"; filename="note.txt"',
      'Content-Type: text/plain',
      '',
      'two\r\nlines',
      '--b1--',
      '',
    ].join('\r\n');
    const type = 'multipart/form-data; boundary=b1';
    const { text, notes } = await convert(
      'har',
      harOf({ url: `${A}/x`, method: 'POST', headers: { 'content-type': type }, type, text: body }),
    );
    expect(urlLines(text)).toEqual([
      '- url: https://www.a.example/x',
      '  request_type: POST',
      '  multipart:',
      '    cart: c1',
      '    doc:',
      '      value: "two\\r\\nlines"',
      '      content_type: text/plain',
      '      filename: note.txt',
    ]);
    expect(notes).toEqual([]);
  });

  test('a note reports that a HAR recording lacks the body of a request', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b1', 'content-length': '295' };
    const { text, notes } = await convert('har', harOf({ url: `${A}/x`, method: 'POST', headers }));
    expect(text).not.toContain('boundary');
    expect(notes.map((note) => note.replace(/\d+:\d+ /, ''))).toEqual([
      'loss the request is sent without a body, because the recording does not contain the body',
    ]);
  });
});
