/** The places of values that correlation finds in responses, and the places in which it replaces them. */
import { describe, expect, test } from 'vitest';
import { correlate } from '../../../../src/core/intake/correlation.ts';
import { EMPTY_REQUEST, type IntakeCapture, type IntakeRequest } from '../../../../src/core/intake/intake.ts';

const VALUE = 'k3y-92841-zq';
const HOST = 'https://shop.example.com';

function request(path: string, changes: Partial<IntakeRequest> = {}): IntakeRequest {
  return { ...EMPTY_REQUEST, at: { line: 1, column: 1 }, method: 'GET', url: [HOST + path], ...changes };
}

function responding(body: string | null, headers: Readonly<Record<string, string>> = {}, status = 200) {
  const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return request('/', { response: { status, headers: list, body } });
}

/** The body of a response, or its headers, for the title of a test. */
function shownOf({ response }: IntakeRequest): string {
  return response?.body ?? (response?.headers ?? []).map(({ name, value }) => `${name}: ${value}`).join();
}

/** The captures of the first request, and the last request, after a correlation without a second recording. */
function correlated(first: IntakeRequest, sent: IntakeRequest) {
  const { requests } = correlate([first, sent], null);
  return { captures: requests[0]?.captures, sent: requests[1] };
}

describe('values in responses', () => {
  const CAPTURED: readonly (readonly [response: IntakeRequest, capture: IntakeCapture])[] = [
    [responding(`{"key":"${VALUE}"}`), { name: 'key', source: 'json', property: '/key' }],
    [responding(` [{"a/b":["${VALUE}"]}]`), { name: 'a_b', source: 'json', property: '/0/a~1b/0' }],
    [responding(`["${VALUE}"]`), { name: 'value_', source: 'json', property: '/0' }],
    [responding(`{"1st":"${VALUE}"}`), { name: 'value_1st', source: 'json', property: '/1st' }],
    [responding(`{"__key":"${VALUE}"}`), { name: 'key', source: 'json', property: '/__key' }],
    [
      responding(`{"${'k'.repeat(60)}":"${VALUE}"}`),
      { name: 'k'.repeat(50), source: 'json', property: `/${'k'.repeat(60)}` },
    ],
    [responding(null, { 'X-Key': ` ${VALUE} ` }), { name: 'X_Key', source: 'header', property: 'X-Key' }],
    [
      responding(null, { 'Set-Cookie': ` sid=${VALUE}; Path=/` }),
      { name: 'sid', source: 'cookie', property: 'sid' },
    ],
    [
      responding(`<input name="key" type="hidden" value="${VALUE}">`),
      { name: 'key', source: 'body', property: `name="key"[^>]*value=["']([^"']+)` },
    ],
    [
      responding(`<input value='${VALUE}' name='a.b'>`),
      { name: 'a_b', source: 'body', property: String.raw`value=["']([^"']+)["'][^>]*name='a\.b'` },
    ],
    [
      responding(`<META content="${VALUE}" name="key">`),
      { name: 'key', source: 'body', property: `content=["']([^"']+)["'][^>]*name="key"` },
    ],
    [
      responding(`<meta name="key" content="${VALUE}">`),
      { name: 'key', source: 'body', property: `name="key"[^>]*content=["']([^"']+)` },
    ],
    [
      responding(
        `<form action="/a"><input name="k" value="one"><form action="/b"><input name="k" value="${VALUE}">`,
      ),
      {
        name: 'k',
        source: 'body',
        property: String.raw`action="/b"[\s\S]*?name="k"[^>]*value=["']([^"']+)`,
      },
    ],
    [
      responding(`<a href="/items/${VALUE}">`),
      { name: 'items', source: 'body', property: String.raw`["'](?:https?://[^/"']+)?/items/([\w.~-]+)` },
    ],
  ];
  test.each(CAPTURED.map(([first, capture]) => [shownOf(first), capture, first] as const))(
    'from the response %j, correlation captures the value that a later path contains, as %j',
    (_, capture, first) => {
      const { captures, sent } = correlated(first, request(`/items/${VALUE}`));
      expect(captures).toEqual([capture]);
      expect(sent?.url).toEqual([`${HOST}/items/`, { variable: capture.name }]);
    },
  );

  const IGNORED = [
    responding(null),
    responding(VALUE),
    responding(`{"key":"${VALUE}"`),
    responding(`{"key":"x${VALUE}"}`),
    responding(`${'['.repeat(51)}"${VALUE}"${']'.repeat(51)}`),
    responding(`<input value="${VALUE}">`),
    responding(`<input name="key" content="${VALUE}">`),
    responding(`<meta name="key" value="${VALUE}">`),
    responding(`<textarea name="key" value="${VALUE}">`),
    responding(null, { ETag: `W/"${VALUE}"` }),
    ...['Date', 'Content-Id', 'server', 'access-control-allow-x', 'link', 'Location', 'vary'].map((name) =>
      responding(null, { [name]: VALUE }),
    ),
  ];
  test.each(IGNORED.map((first) => [shownOf(first), first] as const))(
    'from the response %j, correlation captures no value',
    (_, first) => {
      const sent = request(`/items/${VALUE}`);
      expect(correlated(first, sent)).toEqual({ captures: [], sent });
    },
  );

  test.each([
    ['x-content-id', VALUE, 'x_content_id'],
    ['my-date', VALUE, 'my_date'],
    ['linked', VALUE, 'linked'],
  ])(
    'the value of the header %s is captured although the name contains the name of an ignored header',
    (name, value, variable) => {
      expect(correlated(responding(null, { [name]: value }), request(`/${value}`)).captures).toEqual([
        { name: variable, source: 'header', property: name },
      ]);
    },
  );

  test('correlation decodes HTML escapes in values of fields and percent-encoding in cookies', () => {
    const value = `k3y"'<>&92841`;
    const html = 'k3y&quot;&#39;&lt;&gt;&amp;92841';
    const sent = request(`/?q=${encodeURIComponent(value)}`);
    const url = [`${HOST}/?q=`, { variable: 'key' }];
    expect(correlated(responding(`<input name="key" value="${html}">`), sent).sent?.url).toEqual(url);
    const cookie = { 'set-cookie': `key=${encodeURIComponent(value)}` };
    expect(correlated(responding(null, cookie), sent).sent?.url).toEqual(url);
  });
});

describe('values in requests', () => {
  const KEY = { variable: 'key' };
  const from = responding(JSON.stringify({ key: VALUE, count: 920_417_355 }));
  const text = (content: string) => request('/', { body: { kind: 'text', text: [content] } });

  const SENT: readonly (readonly [sent: IntakeRequest, expected: object])[] = [
    [request(`/a/${VALUE}/b`), { url: [`${HOST}/a/`, KEY, '/b'] }],
    [
      request('', { url: [`http://shop.example.com/a/${VALUE}`] }),
      { url: ['http://shop.example.com/a/', KEY] },
    ],
    [
      request('', { url: [`/?next=https://shop.example.com/a/${VALUE}`] }),
      { url: [`/?next=https://shop.example.com/a/${VALUE}`] },
    ],
    [text(`x {"a": "${VALUE}"}`), { body: { kind: 'text', text: [`x {"a": "${VALUE}"}`] } }],
    [request(`/?a=1&b=${VALUE}&c`), { url: [`${HOST}/?a=1&b=`, KEY, '&c'] }],
    [request(`/a/${VALUE}?b=${VALUE}#c`), { url: [`${HOST}/a/`, KEY, '?b=', KEY] }],
    [
      request(`/?`, { headers: [{ name: 'X-K', value: [VALUE] }] }),
      { headers: [{ name: 'X-K', value: [KEY] }] },
    ],
    ...['Bearer ', 'Token ', 'JWT ', 'bearer '].map((scheme): [IntakeRequest, object] => [
      request('/', { headers: [{ name: 'Authorization', value: [`${scheme}${VALUE}`] }] }),
      { headers: [{ name: 'Authorization', value: [scheme, KEY] }] },
    ]),
    [
      request('/', {
        body: {
          kind: 'form',
          fields: [
            { name: 'a', value: [VALUE] },
            { name: 'b', value: [''] },
            { name: 'c', value: ['x'] },
          ],
        },
      }),
      {
        body: {
          kind: 'form',
          fields: [
            { name: 'a', value: [KEY] },
            { name: 'b', value: [''] },
            { name: 'c', value: ['x'] },
          ],
        },
      },
    ],
    [
      request('/', {
        body: {
          kind: 'multipart',
          parts: [
            { name: 'a', content: { text: [VALUE] }, fileName: null, contentType: 't' },
            { name: 'b', content: { file: VALUE }, fileName: 'f', contentType: null },
          ],
        },
      }),
      {
        body: {
          kind: 'multipart',
          parts: [
            { name: 'a', content: { text: [KEY] }, fileName: null, contentType: 't' },
            { name: 'b', content: { file: VALUE }, fileName: 'f', contentType: null },
          ],
        },
      },
    ],
    [
      text(`{"a": "${VALUE}", "${VALUE}": 1}`),
      { body: { kind: 'text', text: ['{"a": "', KEY, `", "${VALUE}": 1}`] } },
    ],
    [text(` ["x", "${VALUE}"]`), { body: { kind: 'text', text: [' ["x", "', KEY, '"]'] } }],
    [text(`"${VALUE}"`), { body: { kind: 'text', text: ['"', KEY, '"'] } }],
    [text(VALUE), { body: { kind: 'text', text: [VALUE] } }],
    [text(`a=${VALUE}`), { body: { kind: 'text', text: [`a=${VALUE}`] } }],
    [
      text('{"a": 920417355, "b": [1, 920417355]}'),
      {
        body: {
          kind: 'text',
          text: ['{"a": ', { variable: 'count' }, ', "b": [1, ', { variable: 'count' }, ']}'],
        },
      },
    ],
    [request(`/x${VALUE}`), { url: [`${HOST}/x${VALUE}`] }],
    [
      request('/', { headers: [{ name: 'X-K', value: [`Basic ${VALUE}`] }] }),
      { headers: [{ name: 'X-K', value: [`Basic ${VALUE}`] }] },
    ],
    [
      request('/', { headers: [{ name: 'X-K', value: [VALUE, { secret: 'A' }] }] }),
      { headers: [{ name: 'X-K', value: [VALUE, { secret: 'A' }] }] },
    ],
  ];
  test.each(SENT.map(([sent, expected]) => [expected, sent] as const))(
    'after correlation with an earlier response, the request contains %j',
    (expected, sent) => {
      expect(correlated(from, sent).sent).toMatchObject(expected);
    },
  );

  test.each([
    ['id', 'x7', 'id', 'replaced'],
    ['X-CSRF-Token', 'x7', 'csrf_token', 'replaced'],
    ['x-xsrf', 'x7', 'XSRF', 'replaced'],
    ['x-auth', 'x7', 'auth', 'replaced'],
    ['x-id', 'x7', 'id', 'retained'],
    ['id', 'x', 'id', 'retained'],
    ['id', 'ab', 'id', 'retained'],
    ['id', '12345', 'number', 'retained'],
    ['id', '123456', 'number', 'replaced'],
  ])(
    'if a response has the field "%s" with the value %s, this value in the request field "%s" is %s',
    (key, value, name, outcome) => {
      const sent = request(`/?${name}=${value}`);
      const { captures } = correlated(responding(JSON.stringify({ [key]: value })), sent);
      expect(captures).toHaveLength(outcome === 'replaced' ? 1 : 0);
    },
  );

  test.each([
    ['k3y928', 3, 'replaced'],
    ['k3y928', 4, 'retained'],
    ['k3y92841zq7-1x5', 4, 'retained'],
    ['k3y92841zq7-1x5p', 4, 'replaced'],
  ])(
    'the value %s, which occurs %d times in one response, is %s in a later request',
    (value, count, outcome) => {
      const list = Array.from({ length: count }, () => value);
      const { captures } = correlated(responding(JSON.stringify({ list })), request(`/items/${value}`));
      expect(captures).toHaveLength(outcome === 'replaced' ? 1 : 0);
    },
  );

  test.each([
    ['Blue Shirt', 'retained'],
    ['in-stock', 'retained'],
    ['one,two/three.four_five', 'retained'],
    ['abcdefghijklmnopqrs', 'retained'],
    ['abcdefghijklmnopqrst', 'replaced'],
    ['2026-11-27', 'retained'],
    ['2026-11-27T10:00', 'retained'],
    ['2026-11-27x', 'replaced'],
    ['x2026-11-27', 'replaced'],
    ['v1.20.300', 'retained'],
    ['100.25', 'retained'],
    ['1.20.300x', 'replaced'],
    ['x1.20.300', 'replaced'],
    ['abc 12', 'replaced'],
  ])('the value "%s" in a response is %s in a request field with a different name', (value, outcome) => {
    const sent = request(`/?q=${encodeURIComponent(value)}`);
    const { captures } = correlated(responding(JSON.stringify({ key: value })), sent);
    expect(captures).toHaveLength(outcome === 'replaced' ? 1 : 0);
  });

  test('values with equal keys are captured as variables with different names', () => {
    const first = responding('{"a":{"id":"k3y-92841"},"b":{"id":"k3y-92842"},"c":{"id":"k3y-92843"}}');
    const { captures } = correlated(first, request('/k3y-92842/k3y-92841?c=k3y-92843'));
    expect(captures?.map(({ name, property }) => [name, property])).toEqual([
      ['id', '/b/id'],
      ['id_2', '/a/id'],
      ['id_3', '/c/id'],
    ]);
  });
});

describe('URLs in responses', () => {
  test.each<[name: string, first: IntakeRequest, capture: IntakeCapture | null]>([
    [
      'the Location header of a created resource is captured',
      responding(null, { Location: `/items/${VALUE}` }, 201),
      { name: 'Location', source: 'header', property: 'Location' },
    ],
    [
      'an absolute Location header is captured',
      responding(null, { location: `${HOST}/items/${VALUE}` }, 299),
      { name: 'location', source: 'header', property: 'location' },
    ],
    [
      'the Location header of a redirect is not captured',
      responding(null, { location: `/items/${VALUE}` }, 300),
      null,
    ],
    [
      'a link in JSON is captured',
      responding(JSON.stringify({ links: [{ next: { href: `/items/${VALUE}` } }] })),
      { name: 'next', source: 'json', property: '/links/0/next/href' },
    ],
    [
      'an absolute link in JSON is captured',
      responding(JSON.stringify({ url: `${HOST}/items/${VALUE}` })),
      { name: 'url', source: 'json', property: '/url' },
    ],
  ])('if a later request has a URL from a response, %s', (_, first, capture) => {
    const sent = request(`/items/${VALUE}`);
    const expected = capture === null ? sent : { ...sent, url: [{ variable: capture.name }] };
    expect(correlated(first, sent)).toEqual({ captures: capture === null ? [] : [capture], sent: expected });
  });

  test.each([
    [
      'is captured as a query parameter',
      `<a href="/show?id=${VALUE}">`,
      `/show?id=${VALUE}`,
      String.raw`[?&;]id=([\w.~-]+)`,
      'id',
    ],
    [
      'is not captured after a segment that differs',
      `<a href='${HOST}/a/k3y-11111/${VALUE}'>`,
      `/a/x/${VALUE}`,
      null,
      '',
    ],
    [
      'is captured after a segment that is also generated',
      `<a href="/a/k3y-11111/${VALUE}">`,
      `/a/k3y-22222/${VALUE}`,
      String.raw`["'](?:https?://[^/"']+)?/a/[\w.~-]+/([\w.~-]+)`,
      'a',
    ],
    [
      'is captured as the only segment',
      `<a href="/${VALUE}">`,
      `/${VALUE}`,
      String.raw`["'](?:https?://[^/"']+)?/([\w.~-]+)`,
      'part',
    ],
  ])(
    'if a later URL contains a generated value from a link, the value %s',
    (_, html, path, pattern, name) => {
      const { captures } = correlated(responding(html), request(path));
      if (pattern === null) expect(captures).toEqual([]);
      else expect(captures).toContainEqual({ name, source: 'body', property: pattern });
    },
  );

  test('if a response from another host contains the URL of a request, only a path segment of the URL is replaced', () => {
    const first = {
      ...responding(JSON.stringify({ url: `${HOST}/items/${VALUE}` })),
      url: ['https://other.example/'],
    };
    expect(correlated(first, request(`/items/${VALUE}`)).sent?.url).toEqual([
      `${HOST}/items/`,
      { variable: 'items' },
    ]);
  });
});

describe('two recordings', () => {
  const pair = (value: string, sent: string) => [
    responding(JSON.stringify({ key: value })),
    request(`/?q=${sent}`),
  ];

  test('if two recordings are compared, only values that differ between them are replaced, even short values', () => {
    const { requests, notes } = correlate(pair('7', '7'), pair('8', '8'));
    expect(requests[1]?.url).toEqual([`${HOST}/?q=`, { variable: 'key' }]);
    expect(notes).toEqual([]);
    expect(correlate(pair(VALUE, VALUE), pair(VALUE, VALUE)).requests[1]?.url).toEqual([
      `${HOST}/?q=${VALUE}`,
    ]);
  });

  test.each<[name: string, again: readonly IntakeRequest[]]>([
    ['is missing in the second recording', pair('8', '8').slice(0, 1)],
    ['has another method in the second recording', [responding('{}'), request('/?q=8', { method: 'POST' })]],
    ['has more values in the second recording', [responding('{}'), request('/?q=8&r=9')]],
  ])('if two recordings are compared, a short value in a request that %s is not replaced', (_, again) => {
    expect(correlate(pair('7', '7'), again).requests[1]?.url).toEqual([`${HOST}/?q=7`]);
  });

  test('a part of a path that differs between recordings and occurs in no response is reported once, at its first request', () => {
    const at = { line: 4, column: 2 };
    const all = (value: string) => [responding('{}'), request(`/${value}`, { at }), request(`/${value}`)];
    expect(correlate(all('x7'), all('x8')).notes).toEqual([
      {
        kind: 'loss',
        at,
        message:
          'a part of the path differs between the recordings, but no earlier response contains it; the value of the first recording is used',
      },
    ]);
  });

  test('in requests that the second recording does not contain, only distinctive values are replaced', () => {
    const login = responding(JSON.stringify({ token: VALUE, word: 'available' }));
    const sent = request(`/?t=${VALUE}&w=available`);
    const { requests } = correlate([login, sent], [sent], 1);
    expect(requests[1]?.url).toEqual([`${HOST}/?t=`, { variable: 'token' }, '&w=available']);
  });
});
