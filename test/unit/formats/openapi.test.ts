/** Conversion of API descriptions. */
import { describe, expect, test } from 'vitest';
import { convert, urlLines } from './convert.ts';

const HEAD = 'openapi: 3.1.0\nservers: [{ url: "https://a.example/v1/" }]\n';

/** Returns a description with one operation. */
function withOperation(operation: string, { path = '/x', method = 'get', more = '' } = {}): string {
  return `${HEAD}paths: { "${path}": { ${method}: { operationId: op, ${operation} } } }\n${more}`;
}

async function linesOf(...given: Parameters<typeof withOperation>): Promise<readonly string[]> {
  const lines = urlLines((await convert('openapi', withOperation(...given))).text);
  return lines.filter((line) => !line.startsWith('# ') && line !== '  name: op');
}

/** Returns the members of the JSON body that is a sample of a schema, and the notes. */
async function bodyOf(schema: string, schemas = '{}') {
  const text = withOperation(`requestBody: { content: { application/json: { schema: ${schema} } } }`, {
    method: 'post',
    more: `components: { schemas: ${schemas} }`,
  });
  const { config, notes } = await convert('openapi', text);
  const [test] = config.desired.tests;
  return { body: test?.spec.targets[0]?.body ?? null, notes };
}

describe('API descriptions', () => {
  test.each<readonly [name: string, path: string, operation: string, lines: readonly string[]]>([
    ['a constant path', '/x', '', ['- url: https://a.example/v1/x']],
    [
      'path parameters',
      '/x/{a}/{b}',
      'parameters: [{ name: a, in: path, required: true, example: "p q" }, { name: b, in: path, schema: { type: string, format: uuid } }]',
      ['- url: https://a.example/v1/x/p%20q/%{uuid}'],
    ],
    ['an undeclared path parameter', '/x/{a}.json', '', ['- url: https://a.example/v1/x/1.json']],
    [
      'a required and an optional query parameter',
      '/x',
      'parameters: [{ name: a, in: query, required: true, schema: { type: integer, minimum: 7 } }, { name: b, in: query, schema: { type: string } }]',
      ['- url: https://a.example/v1/x?a=7'],
    ],
    [
      'query parameters that are lists or objects',
      '/x',
      'parameters: [{ name: a, in: query, example: [1, "b c"] }, { name: d, in: query, style: deepObject, example: { e: 1 } }, { name: f, in: query, content: { application/json: { example: { g: 1 } } } }]',
      ['- url: https://a.example/v1/x?a=1&a=b%20c&d%5Be%5D=1&f=%7B%22g%22%3A1%7D'],
    ],
    [
      'header parameters',
      '/x',
      'parameters: [{ name: x-a, in: header, required: true, examples: { one: { value: b } } }, { name: Accept, in: header, required: true, example: c }]',
      ['- url: https://a.example/v1/x', '  headers:', '    x-a: b'],
    ],
    [
      'several responses',
      '/x',
      'responses: { "200": {}, 2XX: {}, "302": {}, "404": {}, default: {} }',
      ['- url: https://a.example/v1/x', '  expect:', '    status: [ 200, 2xx ]'],
    ],
    [
      'a redirect as the only response',
      '/x',
      'responses: { "302": {} }',
      ['- url: https://a.example/v1/x', '  expect:', '    status: [ 302 ]'],
    ],
    [
      'its own server',
      '/x',
      'servers: [{ url: "https://{h}.example:8443", variables: { h: { default: b } } }]',
      ['- url: https://b.example:8443/x'],
    ],
  ])(
    'in an API description, a GET operation with %s becomes a request',
    async (_, path, operation, lines) => {
      expect(await linesOf(operation, { path })).toEqual(lines);
    },
  );

  test.each<readonly [string, readonly string[]]>([
    ['application/json: { example: { a: [1, null] } }', ['  json:', '    a:', '      - 1', '      - null']],
    [
      'text/xml: { example: <a/> }, application/vnd.a+json: { example: { a: 1 } }',
      ['  headers:', '    content-type: application/vnd.a+json', '  json:', '    a: 1'],
    ],
    ['application/x-www-form-urlencoded: { example: { a: "1 2" } }', ['  request_params:', '    a: 1 2']],
    [
      'text/plain: { example: hello }',
      ['  headers:', '    content-type: text/plain', '  raw_post_body: hello'],
    ],
    [
      'multipart/form-data: { schema: { properties: { a: { type: string, format: binary }, b: { default: c } } } }',
      ['  multipart:', '    a: text', '    b: c'],
    ],
  ])('a sample body is generated for the content %s of an API description', async (content, lines) => {
    expect(await linesOf(`requestBody: { content: { ${content} } }`, { method: 'post' })).toEqual([
      '- url: https://a.example/v1/x',
      '  request_type: POST',
      ...lines,
    ]);
  });

  test('an XML body without an example in an API description is omitted', async () => {
    const schema = '{ type: object, properties: { a: { type: string } } }';
    const content = `{ application/xml: { schema: ${schema} } }`;
    expect(await linesOf(`requestBody: { content: ${content} }`, { method: 'post' })).toEqual([
      '- url: https://a.example/v1/x',
      '  request_type: POST',
    ]);
  });

  test.each([
    ['{ type: string }', '"%{text:8}"'],
    ['{ type: [null, string], minLength: 12 }', '"%{text:12}"'],
    ['{ type: string, maxLength: 2 }', '"%{text:2}"'],
    ['{ type: string, format: date-time }', '"%{now}"'],
    ['{ type: string, format: email }', '"%{text:8}@example.com"'],
    ['{ type: integer }', '1'],
    ['{ type: integer, minimum: 10, exclusiveMinimum: true }', '11'],
    ['{ type: integer, exclusiveMinimum: 3 }', '4'],
    ['{ type: number, maximum: -2 }', '-2'],
    ['{ type: integer, minimum: 5, multipleOf: 4 }', '8'],
    ['{ type: number, minimum: 1.5 }', '1.5'],
    ['{ type: number, exclusiveMinimum: 0, exclusiveMaximum: 1 }', '0.5'],
    ['{ type: number, minimum: 0, maximum: 1, exclusiveMinimum: true, exclusiveMaximum: true }', '0.5'],
    ['{ type: integer, minimum: 2, exclusiveMinimum: 4 }', '5'],
    ['{ type: integer, minimum: -3, maximum: 3, multipleOf: 5 }', '0'],
    ['{ type: integer, maximum: -1, multipleOf: 4 }', '-4'],
    ['{ type: number, minimum: 0.25, maximum: 0.3, multipleOf: 0.1 }', '0.3'],
    ['{ type: integer, allOf: [{ minimum: 2 }, { minimum: 6 }, { maximum: 8 }] }', '6'],
    ['{ type: boolean }', 'true'],
    ['{ enum: [b, c] }', '"b"'],
    ['{ const: 7 }', '7'],
    ['{ type: string, default: d, enum: [e] }', '"d"'],
    ['{ examples: [f, g] }', '"f"'],
    ['{ type: array, items: { type: integer } }', '[1]'],
    ['{ items: { enum: [h] } }', '["h"]'],
    ['{ oneOf: [{ type: "null" }, { type: integer }] }', '1'],
    [
      '{ allOf: [{ properties: { i: { default: 1 } } }, { properties: { j: { default: 2 } } }] }',
      '{"i":1,"j":2}',
    ],
    ['{ properties: { k: { type: integer, readOnly: true }, l: { default: 3 } } }', '{"l":3}'],
  ])('the sample value for the OpenAPI schema %s is %s', async (schema, sample) => {
    const { body } = await bodyOf(`{ properties: { value: ${schema} } }`);
    expect(JSON.stringify(body)).toContain(JSON.stringify(`{"value":${sample}}`).slice(1, -1));
  });

  test('an integer above 2^53 in an example of an API description keeps its digits in the body and in the URL', async () => {
    const operation =
      'parameters: [{ name: a, in: query, example: 9007199254740993 }], requestBody: { content: { application/json: { example: { id: 9007199254740993, n: -1.5e3 } } } }';
    const yaml = withOperation(operation, { method: 'post' });
    const json = JSON.stringify({
      openapi: '3.1.0',
      servers: [{ url: 'https://a.example/v1' }],
      paths: {
        '/x': {
          post: {
            operationId: 'op',
            parameters: [{ name: 'a', in: 'query', example: 'ID' }],
            requestBody: { content: { 'application/json': { example: { id: 'ID', n: -1500 } } } },
          },
        },
      },
    }).replaceAll('"ID"', '9007199254740993');
    for (const text of [yaml, json])
      expect(urlLines((await convert('openapi', text)).text)).toEqual([
        '- url: https://a.example/v1/x?a=9007199254740993',
        '  name: op',
        '  request_type: POST',
        '  headers:',
        '    content-type: application/json',
        `  raw_post_body: '{"id":9007199254740993,"n":-1500}'`,
      ]);
  });

  test('the sample of a list has the minimum number of items of its schema', async () => {
    const { body } = await bodyOf(
      '{ properties: { a: { type: array, minItems: 3, items: { type: integer } }, b: { type: array, minItems: 0, items: { default: x } } } }',
    );
    expect(body).toEqual({ kind: 'text', text: '{"a":[1,1,1],"b":["x"]}' });
    const huge = await bodyOf('{ type: array, minItems: 1000000000, items: { default: 1 } }');
    expect(JSON.stringify(huge.body).length).toBeLessThan(5000);
  });

  test('the sample body of a recursive schema ends at the first recursion', async () => {
    const { body } = await bodyOf(
      '{ $ref: "#/components/schemas/Node" }',
      '{ Node: { required: [next], properties: { id: { default: 1 }, next: { $ref: "#/components/schemas/Node" }, other: { $ref: "#/components/schemas/Node" } } } }',
    );
    expect(JSON.stringify(body)).toContain(String.raw`{\"id\":1,\"next\":null}`);
  });

  test.each([
    ['{ type: integer, exclusiveMinimum: 0, exclusiveMaximum: 1 }', '1'],
    ['{ type: integer, minimum: 1, maximum: 4, multipleOf: 5 }', '1'],
    ['{ type: number, minimum: 3, maximum: 2 }', '3'],
  ])(
    'a number that the schema %s of an API description does not allow is reported',
    async (schema, value) => {
      const { body, notes } = await bodyOf(`{ properties: { n: ${schema} } }`);
      expect(body).toEqual({ kind: 'text', text: `{"n":${value}}` });
      expect(notes).toContainEqual(
        expect.stringMatching(/^loss 3:\d+ the value of "n" is \d, which its schema does not allow/),
      );
    },
  );

  test('path items of an API description that are in other files or do not exist are reported with their locations', async () => {
    const { notes } = await convert(
      'openapi',
      `${HEAD}paths:\n  /x: { get: { operationId: op } }\n  /y: { $ref: "y.yaml#/y" }\n  /z: { $ref: "#/missing" }\n`,
    );
    expect(notes).toEqual([
      'loss 5:7 the reference to another file is not followed; bundle the API description into one file first',
      'loss 6:7 the reference is not followed, because it is circular or its target does not exist',
    ]);
  });

  test('circular references, references to other files and references without a target in an API description are reported as not followed', async () => {
    const { notes } = await bodyOf(
      '{ properties: { a: { $ref: "#/components/schemas/A" }, b: { $ref: "other.yaml#/B" }, c: { $ref: "#/components/schemas/Missing" } } }',
      '{ A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }',
    );
    expect(notes.map((note) => note.replace(/^(\w+) \S+/, '$1'))).toEqual([
      expect.stringContaining(
        'change the test sends sample values that are not in the API description: the body',
      ),
      'loss the reference is not followed, because it is circular or its target does not exist',
      'loss the reference to another file is not followed; bundle the API description into one file first',
      'loss the reference is not followed, because it is circular or its target does not exist',
    ]);
  });

  test.each<readonly [string, readonly string[]]>([
    ['{ type: http, scheme: bearer }', ['  headers:', '    authorization: Bearer ${secret:LT_MY_SCHEME}']],
    ['{ type: oauth2 }', ['  headers:', '    authorization: Bearer ${secret:LT_MY_SCHEME}']],
    ['{ type: apiKey, in: header, name: x-key }', ['  headers:', '    x-key: ${secret:LT_X_KEY}']],
    ['{ type: apiKey, in: query, name: key }', ['  request_params:', '    key: ${secret:LT_KEY}']],
    ['{ type: apiKey, in: cookie, name: sid }', ['  headers:', '    cookie: sid=${secret:LT_SID}']],
    [
      '{ type: http, scheme: basic }',
      [
        '  credentials:',
        '    login: ${secret:LT_MY_SCHEME_LOGIN}',
        '    password: ${secret:LT_MY_SCHEME_PASSWORD}',
      ],
    ],
  ])('the credentials of the OpenAPI security scheme %s become secrets', async (scheme, lines) => {
    const more = `components: { securitySchemes: { MyScheme: ${scheme} } }`;
    const found = await linesOf('security: [{ MyScheme: [] }, {}]', { more });
    expect(found).toEqual(['- url: https://a.example/v1/x', ...lines]);
  });

  test('the OpenAPI security scheme mutualTLS adds no secret', async () => {
    const more = 'components: { securitySchemes: { MyScheme: { type: mutualTLS } } }';
    expect(await linesOf('security: [{ MyScheme: [] }, {}]', { more })).toEqual([
      '- url: https://a.example/v1/x',
    ]);
  });

  test('a Swagger description is converted with its host, forms and bodies', async () => {
    const { text, notes } = await convert(
      'openapi',
      JSON.stringify({
        swagger: '2.0',
        host: 'b.example',
        basePath: '/api',
        schemes: ['http'],
        paths: {
          '/a': {
            post: {
              parameters: [
                { name: 'body', in: 'body', schema: { $ref: '#/definitions/A' } },
                { name: 'q', in: 'query', type: 'integer', required: true, default: 3 },
              ],
            },
          },
          '/f': { post: { parameters: [{ name: 'f', in: 'formData', type: 'string', enum: ['g'] }] } },
          '/u': { post: { parameters: [{ name: 'u', in: 'formData', type: 'file' }] } },
        },
        definitions: { A: { type: 'object', properties: { n: { type: 'integer', example: 4 } } } },
      }),
    );
    const lines = urlLines(text).filter((line) => !line.startsWith('# ') && !line.includes('name:'));
    expect(lines).toEqual([
      '- url: http://b.example/api/a?q=3',
      '  request_type: POST',
      '  json:',
      '    n: 4',
      '- url: http://b.example/api/f',
      '  request_type: POST',
      '  request_params:',
      '    f: g',
      '- url: http://b.example/api/u',
      '  request_type: POST',
      '  multipart:',
      '    u: text',
    ]);
    expect(notes.filter((note) => note.startsWith('loss'))).toEqual([
      expect.stringContaining('the content of the file "u" is a sample'),
    ]);
  });

  test('tags and path patterns select operations of an API description, a tag without operations is rejected, and the environment selects the server', async () => {
    const description = `openapi: 3.0.0
servers: [{ url: https://a.example }, { url: https://b.example, description: staging }]
paths:
  /a: { get: { tags: [one] }, post: { tags: [two] } }
  /a/{id}: { get: { tags: [one], parameters: [{ name: id, in: path, example: 5 }] } }
`;
    const selected = async (selection: { tags?: readonly string[]; paths?: readonly string[] }) => {
      const { config } = await convert('openapi', description, { selection, environment: 'staging' });
      return config.desired.tests[0]?.spec.targets.map(({ url }) => url);
    };
    expect(await selected({ tags: ['one'] })).toEqual(['https://b.example/a', 'https://b.example/a/5']);
    expect(await selected({ paths: ['/a/*'] })).toEqual(['https://b.example/a/5']);
    await expect(selected({ tags: ['three'] })).rejects.toThrow(
      'no operation matches the values of --tag and --path',
    );
  });

  test.each([
    ['{}', 'an API description requires "openapi"'],
    ['openapi: 4.0.0', 'an API description requires "openapi"'],
    ['openapi: 3.0.0\npaths: {}', 'the API description contains no operations'],
  ])('the OpenAPI source %j is refused', async (text, message) => {
    await expect(convert('openapi', text)).rejects.toThrow(message);
  });

  test('an API description without a target address is converted with an example address', async () => {
    const { config, notes } = await convert(
      'openapi',
      'openapi: 3.0.0\nservers: [{ url: /v2 }]\npaths: { /a: { get: {} } }',
    );
    expect(config.desired.tests[0]?.spec.targets[0]?.url).toBe('http://127.0.0.1:8080/v2/a');
    expect(notes).toEqual([expect.stringContaining('the server URL is missing, incomplete or invalid')]);
  });

  test('the first server of an API description is used, even if only a later server has no description', async () => {
    const { text } = await convert(
      'openapi',
      `openapi: 3.0.0
servers: [{ url: 'https://test.example', description: test }, { url: 'https://production.example' }]
paths: { /x: { get: {} } }
`,
    );
    expect(text).toContain('https://test.example/x');
    expect(text).not.toContain('production');
  });

  test('a server without a valid host in an API description is replaced with an example address', async () => {
    const { text, notes } = await convert(
      'openapi',
      `openapi: 3.0.0
servers: [{ url: 'http://:192.0.2.1/v1' }]
paths: { /x: { get: {} } }
`,
    );
    expect(text).toContain('http://127.0.0.1:8080/v1/x');
    expect(notes).toEqual([
      'change 2:11 the server URL is missing, incomplete or invalid; replace the placeholder http://127.0.0.1:8080 with the URL of the target',
    ]);
  });
});
