/** Conversion of Postman collections. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';

function collectionOf(items: readonly object[], more: object = {}): string {
  return JSON.stringify({ info: { name: 'Shop', schema: 'v2.1' }, item: items, ...more });
}

function testScript(...exec: readonly string[]): object {
  return { listen: 'test', script: { exec } };
}

async function linesOf(request: unknown, more: object = {}): Promise<readonly string[]> {
  return urlLines((await convert('postman', collectionOf([{ name: 'One', request }], more))).text);
}

const FIRST = ['- url: https://a.example/x', '  name: One'];

describe('Postman collections', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ['a URL', 'https://a.example/x', FIRST],
    ['a raw URL', { method: 'GET', url: { raw: 'https://a.example/x' } }, FIRST],
    [
      'a URL that consists of parts',
      {
        url: {
          protocol: 'https',
          host: ['a', 'example'],
          path: ['x', ':id/y'],
          query: [
            { key: 'q', value: '1' },
            { key: 'off', value: '2', disabled: true },
          ],
          variable: [{ id: 'id', value: '7' }],
        },
      },
      ['- url: https://a.example/x/7/y?q=1', '  name: One'],
    ],
    [
      'path variables',
      { url: { raw: 'https://a.example/:id?y=1', variable: [{ key: 'id', value: 'x' }] } },
      ['- url: https://a.example/x?y=1', '  name: One'],
    ],
    [
      'headers and JSON',
      {
        method: 'POST',
        url: 'https://a.example/x',
        header: [
          { key: 'x-a', value: 'b' },
          { key: 'x-off', value: 'c', disabled: true },
        ],
        body: { mode: 'raw', raw: '{ "a": 1 }', options: { raw: { language: 'json' } } },
      },
      [...FIRST, '  request_type: POST', '  headers:', '    x-a: b', '  json:', '    a: 1'],
    ],
    [
      'a form',
      {
        method: 'POST',
        url: 'https://a.example/x',
        body: { mode: 'urlencoded', urlencoded: [{ key: 'a', value: 'b' }] },
      },
      [...FIRST, '  request_type: POST', '  request_params:', '    a: b'],
    ],
    [
      'a multipart body',
      {
        method: 'POST',
        url: 'https://a.example/x',
        body: { mode: 'formdata', formdata: [{ key: 'a', value: 'b', type: 'text' }] },
      },
      [...FIRST, '  request_type: POST', '  multipart:', '    a: b'],
    ],
    [
      'a GraphQL body',
      {
        method: 'POST',
        url: 'https://a.example/x',
        body: { mode: 'graphql', graphql: { query: '{ a }', variables: '{"b":1}' } },
      },
      [...FIRST, '  request_type: POST', '  json:', '    query: "{ a }"', '    variables:', '      b: 1'],
    ],
    [
      'a bearer token',
      {
        url: 'https://a.example/x',
        auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiToken}}' }] },
      },
      [...FIRST, '  headers:', '    authorization: Bearer ${secret:LT_API_TOKEN}'],
    ],
    [
      'basic authentication',
      { url: 'https://a.example/x', auth: { type: 'basic', basic: { username: 'ann', password: 'pw' } } },
      [...FIRST, '  credentials:', '    login: ann', '    password: ${secret:LT_PASSWORD}'],
    ],
    [
      'an AWS signature',
      {
        url: 'https://a.example/x',
        auth: {
          type: 'awsv4',
          awsv4: [
            { key: 'accessKey', value: 'KEYID' },
            { key: 'secretKey', value: 'top-secret-key' },
            { key: 'region', value: 'eu-central-1' },
          ],
        },
      },
      [
        ...FIRST,
        '  aws_sigv4:',
        '    region: eu-central-1',
        '    service: execute-api',
        '    access_key_id: KEYID',
        '    secret_access_key: ${secret:LT_AWS_SECRET_ACCESS_KEY}',
      ],
    ],
    [
      'an API key',
      {
        url: 'https://a.example/x',
        auth: {
          type: 'apikey',
          apikey: [
            { key: 'key', value: 'x-api-key' },
            { key: 'value', value: 'k' },
          ],
        },
      },
      [...FIRST, '  headers:', '    x-api-key: ${secret:LT_API_KEY}'],
    ],
    [
      'generated values',
      { url: 'https://a.example/{{$guid}}/{{$randomInt}}' },
      ['- url: https://a.example/%{uuid}/%{*:0-1000}', '  name: One'],
    ],
  ])('a Postman request with %s is converted to a request of the test', async (_, request, lines) => {
    expect(await linesOf(request)).toEqual(lines);
  });

  test('a Postman request without a URL is omitted and reported as not converted', async () => {
    const { text, notes } = await convert(
      'postman',
      collectionOf([
        { name: 'None', request: { url: null } },
        { name: 'One', request: 'https://a.example/x' },
      ]),
    );
    expect(urlLines(text)).toEqual(FIRST);
    expect(notes).toEqual([expect.stringMatching(/^loss .* the request is omitted, because it has no URL$/)]);
  });

  test('folders, variables and test scripts of a Postman collection, and a Postman environment, are converted', async () => {
    const text = collectionOf(
      [
        {
          name: 'Folder',
          item: [
            {
              name: 'Log in',
              request: { method: 'POST', url: '{{base}}/login' },
              event: [
                testScript(
                  'const body = pm.response.json();',
                  'pm.test("ok", () => { pm.response.to.have.status(201); });',
                  'pm.environment.set("token", body.data.token);',
                ),
              ],
            },
          ],
        },
        {
          name: 'List',
          request: { url: '{{base}}/{{version}}/items', header: [{ key: 'x-token', value: '{{token}}' }] },
        },
      ],
      {
        variable: [
          { key: 'base', value: 'https://a.example' },
          { key: 'version', value: 'v1' },
        ],
      },
    );
    const environment = JSON.stringify({
      values: [
        { key: 'version', value: 'v2', enabled: true },
        { key: 'token', value: '', enabled: true },
      ],
    });
    const { text: file, notes } = await convert('postman', text, {
      others: [{ path: 'environment.json', text: environment }],
    });
    expect(notes).toEqual([]);
    expect(urlLines(file)).toEqual([
      '- url: https://a.example/login',
      '  name: Log in',
      '  request_type: POST',
      '  expect:',
      '    status: [ 201 ]',
      '  variables:',
      '    - { name: token, property: /data/token, source: json }',
      '- url: https://a.example/v2/items',
      '  name: List',
      '  headers:',
      '    x-token: "{{token}}"',
    ]);
  });

  test('Postman requests with equal client credentials share one token request in the setup, and send the token in a header', async () => {
    const auth = (type: string) => ({
      type: 'oauth2',
      oauth2: Object.entries({
        grant_type: 'client_credentials',
        accessTokenUrl: 'https://id.example/token',
        clientId: 'shop',
        clientSecret: '{{secret}}',
        client_authentication: type,
      }).map(([key, value]) => ({ key, value })),
    });
    const item = (type: string) => ({ request: { url: 'https://a.example/x', auth: auth(type) } });
    const collection = collectionOf([item('header'), item('header'), item('body')]);
    const { text, notes } = await convert('postman', collection);
    expect(notes).toEqual([]);
    expect(
      text
        .slice(text.indexOf('    setup:'))
        .split('\n')
        .map((line) => line.slice(4)),
    ).toEqual([
      'setup:',
      '  urls:',
      '    - url: https://id.example/token',
      '      request_type: POST',
      '      credentials:',
      '        login: shop',
      '        password: ${secret:LT_SECRET}',
      '      request_params:',
      '        grant_type: client_credentials',
      '      variables:',
      '        - { name: access_token, property: /access_token, source: json }',
      '    - url: https://id.example/token',
      '      request_type: POST',
      '      request_params:',
      '        grant_type: client_credentials',
      '        client_id: shop',
      '        client_secret: ${secret:LT_SECRET}',
      '      variables:',
      '        - { name: access_token_2, property: /access_token, source: json }',
      'urls:',
      ...['{{access_token}}', '{{access_token}}', '{{access_token_2}}'].flatMap((token) => [
        '  - url: https://a.example/x',
        '    headers:',
        `      authorization: Bearer ${token}`,
      ]),
      '',
    ]);
  });

  test.each([
    [
      'a request in a test script',
      { request: 'https://a.example/', event: [testScript('pm.sendRequest("https://b.example/");')] },
      'some statements of the test script are not converted; add their checks and variables by hand',
    ],
    [
      'a script before the request',
      { request: 'https://a.example/', event: [{ listen: 'prerequest', script: { exec: ['sign();'] } }] },
      'the pre-request script is not executed; make its changes to the request by hand',
    ],
    [
      'OAuth without a grant type',
      { request: { url: 'https://a.example/', auth: { type: 'oauth2', oauth2: [] } } },
      'the authentication "oauth2" is not converted; the request is sent without it',
    ],
    [
      'a file as the body',
      { request: { method: 'POST', url: 'https://a.example/', body: { mode: 'file', file: { src: 'x' } } } },
      'the body mode "file" is not supported; the request is sent without a body',
    ],
    [
      'a host in a variable without a value',
      { request: '{{base}}/x' },
      'the URL has no constant host; replace the placeholder http://127.0.0.1:8080 with the address of the target',
    ],
    [
      'an expected status and without redirects',
      {
        request: 'https://a.example/x',
        protocolProfileBehavior: { followRedirects: false },
        event: [testScript('pm.response.to.have.status(200);')],
      },
      'the test follows redirects, because "expect.status" contains no 3xx code',
    ],
  ])('the conversion of a Postman item with %s adds a note', async (_, item, message) => {
    expect((await convert('postman', collectionOf([item]))).notes.join('\n')).toContain(message);
  });

  test.each([
    ['{}', 'a Postman collection requires a list "item"'],
    ['{"item": []}', 'the collection contains no request with a URL'],
    ['{"item": [', 'the source is not valid JSON'],
    ['{"item": [1e999]}', 'the number "1e999" is not finite; replace it with a finite number'],
  ])('the Postman source %s is refused', async (text, message) => {
    await expect(convert('postman', text)).rejects.toThrow(message);
  });
});
