import { readdirSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { ROUTES, type Route } from '../../src/contract/routes.ts';
import { FAST_COMPILATION } from '../support/ajv-options.ts';
import { openTestService, smallTestFields } from '../support/test-service.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Reference }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { schema: Reference }>> }
    >
  >;
}
interface Reference {
  readonly $ref: string;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly security: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

async function document(): Promise<Document> {
  const rig = await openTestService();
  const { text } = await rig.call('GET', '/v2/openapi.json');
  return JSON.parse(text) as Document; // the tests below check it
}

/** Returns every `$ref` in a value. */
function refsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsOf)];
}

/** Resolves a reference within the document. */
function resolve(root: unknown, ref: string): unknown {
  let node: unknown = root;
  for (const part of ref.replace(/^#\//, '').split('/')) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Readonly<Record<string, unknown>>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return node;
}

test('the OpenAPI document contains exactly the routes in the route table', async () => {
  const { paths, openapi, info } = await document();
  expect(openapi).toBe('3.1.0');
  expect(info).toMatchObject({ title: 'loadtests', version: '0.0.0-test' });
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const rows: readonly Route[] = Object.values(ROUTES);
  const expected = rows.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect([...described].sort()).toEqual([...expected].sort());
});

test('each operation in the OpenAPI document has a unique id, the parameters of its path, and responses with descriptions', async () => {
  const { paths } = await document();
  const ids: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const operation of Object.values(methods)) {
      ids.push(operation.operationId);
      const namesInPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const parameters = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(parameters.map(({ name }) => name)).toEqual(namesInPath);
      expect(parameters.every(({ required }) => required)).toBe(true);
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['200', '401', '413', '421', '422']),
      );
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
});

test('every reference in the OpenAPI document resolves to an object, and every schema is valid', async () => {
  const root = await document();
  const refs = refsOf(root);
  expect(refs.length).toBeGreaterThan(20);
  for (const ref of refs) expect(resolve(root, ref), ref).toBeTypeOf('object');
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, ...FAST_COMPILATION });
  for (const schema of Object.values(root.components.schemas))
    expect(() => ajv.compile(schema)).not.toThrow();
  const files = readdirSync(new URL('../../schemas/api/', import.meta.url));
  expect(Object.keys(root.components.schemas)).toHaveLength(files.length);
});

test('in the OpenAPI document, createSession requires no credentials, createSignInCode requires the API key, and other operations accept the key or a token', async () => {
  const root = await document();
  expect(root.security).toEqual([{ key: [] }, { token: [] }]);
  expect(root.components.securitySchemes).toMatchObject({
    key: { type: 'apiKey', in: 'header', name: 'service-auth' },
    token: { type: 'http', scheme: 'bearer' },
  });
  const others = Object.values(root.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ security }) => security !== undefined)
    .map(({ operationId, security }) => [operationId, security]);
  expect(others).toEqual([
    ['createSignInCode', [{ key: [] }]],
    ['createSession', []],
  ]);
});

test('the schema of create requests in the OpenAPI document accepts a valid test and rejects an unknown field', async () => {
  const root = await document();
  const { requestBody } = root.paths['/v2/tests']?.['post'] ?? {};
  const ref = requestBody?.content['application/json']?.schema.$ref ?? '';
  const validate = new Ajv({ strict: true, allowUnionTypes: true, ...FAST_COMPILATION }).compile(
    resolve(root, ref) as object,
  );
  expect(validate(smallTestFields('http://127.0.0.1/'))).toBe(true);
  expect(validate({ ...smallTestFields('http://127.0.0.1/'), duraton: 5 })).toBe(false);
});
