/** Properties of the configuration schema: strict, documented, and consistent with the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { RESULT_METRICS, shareOf } from '../../../src/core/model/threshold.ts';
import { configSchema, validateConfig } from '../../../src/schema/generated/config-validator.js';
import { FAST_COMPILATION } from '../../support/ajv-options.ts';

type Node = Readonly<Record<string, unknown>>;
type Found = readonly [path: string, node: Node];

const root = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/loadtests.schema.json'), 'utf8'),
) as Node & { readonly definitions: Readonly<Record<string, Node>> };

/** Returns every schema in the file with its path. */
function nodesOf(node: unknown, path: string): Found[] {
  if (typeof node !== 'object' || node === null) return [];
  const own: Found[] = Array.isArray(node) ? [] : [[path, node as Node]];
  return [...own, ...Object.entries(node).flatMap(([key, child]) => nodesOf(child, `${path}/${key}`))];
}

/** Resolves the `$ref` of a schema. */
function resolved(node: Node): Node {
  const [, name] = /^#\/definitions\/(\w+)$/.exec(String(node['$ref'])) ?? [];
  return root.definitions[name ?? ''] ?? node;
}

function choicesOf(node: Node): readonly Node[] {
  return [node['oneOf'], node['anyOf']].flatMap((one) => (Array.isArray(one) ? (one as Node[]) : []));
}

const isMapOrList = (node: Node) =>
  [resolved(node)['type']].flat().some((type) => type === 'object' || type === 'array');
const pathsOf = (found: readonly Found[]) => found.map(([path]) => path);

const nodes = nodesOf(root, '#').filter(
  ([path]) => !/\/(?:properties|patternProperties|definitions|examples)$/.test(path),
);
/** Fields except those that repeat the fields of tests under "defaults". */
const fields = nodes.filter(
  ([path, node]) => /\/properties\/[^/]+$/.test(path) && Object.keys(node).join() !== '$ref',
);

describe('the configuration schema', () => {
  it('a strict validator accepts the configuration schema', () => {
    expect(() =>
      new Ajv({ strict: true, strictRequired: true, ...FAST_COMPILATION }).compile(root),
    ).not.toThrow();
    expect(root['$id']).toMatch(/^https:\/\//);
  });

  it('each map in the configuration schema restricts additional keys, and each map without user-defined keys also has patterns for keys', () => {
    const maps = nodes.filter(([, node]) => [node['type']].flat().includes('object'));
    const open = maps.filter(([, node]) => node['additionalProperties'] === undefined);
    expect(pathsOf(open.filter(([path]) => !path.endsWith('/if')))).toEqual([]);
    // The user chooses the names of headers, parameters, parts, values and variables, and the JSON Pointers.
    const named =
      /\/(?:headers|request_params|multipart|values|json|if|for_each|resolve|VariableConditions(?:Overlay)?)$/;
    const strict = maps.filter(([path]) => !named.test(path));
    expect(pathsOf(strict.filter(([, node]) => node['patternProperties'] === undefined))).toEqual([]);
  });

  it('each field in the configuration schema has a title and a description', () => {
    const undocumented = fields.filter(
      ([, { title, description }]) => title === undefined || description === undefined,
    );
    expect(pathsOf(undocumented)).toEqual([]);
  });

  it('each field with a single value in the configuration schema has a default, an example or fixed choices', () => {
    const values = fields.filter(([, node]) => !isMapOrList(node));
    const without = values.filter(
      ([, node]) =>
        node['default'] === undefined &&
        node['examples'] === undefined &&
        !choicesOf(node).some((one) => 'const' in one),
    );
    expect(pathsOf(without)).toEqual([]);
  });

  it('no alternative in a oneOf or anyOf of the configuration schema is a map or a list', () => {
    const ambiguous = nodes.filter(([, node]) => choicesOf(node).some(isMapOrList));
    expect(pathsOf(ambiguous)).toEqual([]);
  });

  it('each pattern in the configuration schema whose rule the program also checks has a $comment', () => {
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
  ] as const)(
    'shareOf("%s") returns %s, and the schema accepts the name unless the result is null',
    (name, share) => {
      expect(shareOf(name)).toBe(share);
      const test = {
        test_type: 'cycling',
        duration: 1,
        urls: ['http://a.test/'],
        thresholds: { [name]: '< 1s' },
      };
      expect(validateConfig({ version: 1, project: 'shop', tests: { home: test } })).toBe(share !== null);
    },
  );

  it('the configuration schema lists exactly the metrics that thresholds support', () => {
    const thresholds = root.definitions['Thresholds'] as { properties: Node };
    expect(Object.keys(thresholds.properties)).toEqual(Object.keys(RESULT_METRICS));
  });

  it('the compiled validator has the same maps as the configuration schema, and rejects an unknown key', () => {
    const maps = Object.keys(root.definitions).filter(
      (name) => root.definitions[name]?.['type'] === 'object',
    );
    expect(Object.keys((configSchema['definitions'] ?? {}) as Node)).toEqual(maps);
    expect(validateConfig({ version: 1, project: 'shop' })).toBe(true);
    expect(validateConfig({ version: 1, project: 'shop', test: {} })).toBe(false);
    expect(validateConfig.errors).toMatchObject([{ keyword: 'additionalProperties' }]);
  });

  it('the validator does not change its input', () => {
    const value = { version: 1, project: 'shop', tests: { home: { total: '5', extra: 1 } } };
    const original = structuredClone(value);
    expect(validateConfig(value)).toBe(false);
    expect(value).toEqual(original);
  });
});
