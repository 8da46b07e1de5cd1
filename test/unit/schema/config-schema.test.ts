/** The schema itself: strict, described, and the same as what the code knows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { RESULT_METRICS, shareOf } from '../../../src/core/model/threshold.ts';
import { configSchema, validateConfig } from '../../../src/schema/generated/config-validator.js';

type Node = Readonly<Record<string, unknown>>;
type Found = readonly [path: string, node: Node];

const root = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/loadtests.schema.json'), 'utf8'),
) as Node & { readonly definitions: Readonly<Record<string, Node>> };

/** Every schema in the file, with the path to it. */
function nodesOf(node: unknown, path: string): Found[] {
  if (typeof node !== 'object' || node === null) return [];
  const own: Found[] = Array.isArray(node) ? [] : [[path, node as Node]];
  return [...own, ...Object.entries(node).flatMap(([key, child]) => nodesOf(child, `${path}/${key}`))];
}

/** What a schema refers to, or itself. */
function meantBy(node: Node): Node {
  const [, name] = /^#\/definitions\/(\w+)$/.exec(String(node['$ref'])) ?? [];
  return root.definitions[name ?? ''] ?? node;
}

function choicesOf(node: Node): readonly Node[] {
  return [node['oneOf'], node['anyOf']].flatMap((one) => (Array.isArray(one) ? (one as Node[]) : []));
}

const isMapOrList = (node: Node) =>
  [meantBy(node)['type']].flat().some((type) => type === 'object' || type === 'array');
const pathsOf = (found: readonly Found[]) => found.map(([path]) => path);

const nodes = nodesOf(root, '#').filter(
  ([path]) => !/\/(?:properties|patternProperties|definitions|examples)$/.test(path),
);
/** Without those that repeat the fields of tests below "defaults". */
const fields = nodes.filter(
  ([path, node]) => /\/properties\/[^/]+$/.test(path) && Object.keys(node).join() !== '$ref',
);

describe('the schema of the file', () => {
  it('is taken by a validator that refuses what it does not know', () => {
    expect(() => new Ajv({ strict: true, strictRequired: true }).compile(root)).not.toThrow();
    expect(root['$id']).toMatch(/^https:\/\//);
  });

  it('knows which keys each map takes', () => {
    const maps = nodes.filter(([, node]) => [node['type']].flat().includes('object'));
    const open = maps.filter(([, node]) => node['additionalProperties'] === undefined);
    expect(pathsOf(open.filter(([path]) => !path.endsWith('/if')))).toEqual([]);
    // Names of headers and parameters, and places in JSON, are the user's own.
    const strict = maps.filter(([path]) => !/\/(?:headers|request_params|json|if)$/.test(path));
    expect(pathsOf(strict.filter(([, node]) => node['patternProperties'] === undefined))).toEqual([]);
  });

  it('has a title and a description for each field', () => {
    const bare = fields.filter(
      ([, { title, description }]) => title === undefined || description === undefined,
    );
    expect(pathsOf(bare)).toEqual([]);
  });

  it('completes each field with its default or an example', () => {
    const values = fields.filter(([, node]) => !isMapOrList(node));
    const without = values.filter(
      ([, node]) =>
        node['default'] === undefined &&
        node['examples'] === undefined &&
        !choicesOf(node).some((one) => 'const' in one),
    );
    expect(pathsOf(without)).toEqual([]);
  });

  it('lets editors mark what is wrong in a map, and not all of it: each choice of a map is made by a type', () => {
    const unsure = nodes.filter(([, node]) => choicesOf(node).some(isMapOrList));
    expect(pathsOf(unsure)).toEqual([]);
  });

  it('has its rule in words for each form that the program checks', () => {
    const checked = nodes.filter(([path, node]) => {
      const [, name = ''] = /^#\/definitions\/(\w+)/.exec(path) ?? [];
      return node['pattern'] !== undefined && (name === '' || root.definitions[name]?.['type'] === 'object');
    });
    expect(pathsOf(checked.filter(([, node]) => node['$comment'] === undefined))).toEqual([]);
  });

  it.each([
    ['p97', 0.97],
    ['p1', 0.01],
    ['p99.99', 0.9999],
    ['p0.5', 0.005],
    ['p99.999999', 0.99999999],
    ...['p0', 'p100', 'p97.0', 'p097', 'p.5', 'p97.', 'p-1', 'p0.0', 'p99.9999999', 'p1e1', 'p', 'P97'].map(
      (name) => [name, null] as const,
    ),
  ] as const)('takes %s for the share %s', (name, share) => {
    expect(shareOf(name)).toBe(share);
    const test = {
      test_type: 'cycling',
      duration: 1,
      urls: ['http://a.test/'],
      thresholds: { [name]: '< 1s' },
    };
    expect(validateConfig({ version: 1, project: 'shop', tests: { home: test } })).toBe(share !== null);
  });

  it('knows the metrics that can be judged, and no other', () => {
    const thresholds = root.definitions['Thresholds'] as { properties: Node };
    expect(Object.keys(thresholds.properties)).toEqual(Object.keys(RESULT_METRICS));
  });

  it('is what the validator was made from', () => {
    const maps = Object.keys(root.definitions).filter(
      (name) => root.definitions[name]?.['type'] === 'object',
    );
    expect(Object.keys((configSchema['definitions'] ?? {}) as Node)).toEqual(maps);
    expect(validateConfig({ version: 1, project: 'shop' })).toBe(true);
    expect(validateConfig({ version: 1, project: 'shop', test: {} })).toBe(false);
    expect(validateConfig.errors).toMatchObject([{ keyword: 'additionalProperties' }]);
  });

  it('changes nothing about what it checks', () => {
    const value = { version: 1, project: 'shop', tests: { home: { total: '5', extra: 1 } } };
    const before = structuredClone(value);
    expect(validateConfig(value)).toBe(false);
    expect(value).toEqual(before);
  });
});
