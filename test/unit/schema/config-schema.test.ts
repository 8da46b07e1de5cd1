/** The schema itself: strict, described, and the same as what the code knows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIGURES, shareOf } from '../../../src/core/model/threshold.ts';
import { configSchema, validateConfig } from '../../../src/schema/generated/config-validator.js';

type Node = Readonly<Record<string, unknown>>;

const root = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/loadtests.schema.json'), 'utf8'),
) as Node;

/** Every schema in the file, with the path to it. */
function nodesOf(node: unknown, path: string): [path: string, node: Node][] {
  if (typeof node !== 'object' || node === null) return [];
  const own: [string, Node][] = Array.isArray(node) ? [] : [[path, node as Node]];
  return [...own, ...Object.entries(node).flatMap(([key, child]) => nodesOf(child, `${path}/${key}`))];
}

const nodes = nodesOf(root, '#').filter(
  ([path]) => !/\/(?:properties|patternProperties|definitions|oneOf)$/.test(path),
);

describe('the schema of the file', () => {
  it.each(nodes.filter(([, node]) => node['type'] === 'object'))(
    '%s knows which keys it takes',
    (path, node) => {
      expect(node['additionalProperties']).toBeDefined();
      // Names of headers and parameters are the user's own.
      const free = /\/(?:headers|request_params)$/.test(path);
      expect(node['patternProperties'] === undefined).toBe(free);
    },
  );

  it.each(nodes.filter(([path]) => /\/properties\/[^/]+$/.test(path)))(
    '%s says what it is',
    (_path, node) => {
      expect(node['description'] ?? node['$ref']).toEqual(expect.any(String));
    },
  );

  it.each(
    nodes.filter(([path, node]) => node['pattern'] !== undefined && !path.endsWith('/patternProperties')),
  )('%s has its rule in words', (_path, node) => {
    expect(node['$comment']).toEqual(expect.any(String));
  });

  it.each(nodes.filter(([, node]) => Array.isArray(node['oneOf'])))(
    '%s has a title for each branch',
    (_path, node) => {
      const branches = node['oneOf'] as Node[];
      for (const branch of branches) expect(branch['title'] ?? branch['$ref']).toEqual(expect.any(String));
    },
  );

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
    const definitions = root['definitions'] as Record<string, { properties: Node }>;
    expect(Object.keys(definitions['Thresholds']?.properties ?? {})).toEqual(Object.keys(FIGURES));
  });

  it('is what the validator was made from', () => {
    expect(Object.keys((configSchema['definitions'] ?? {}) as Node)).toEqual(
      Object.keys((root['definitions'] ?? {}) as Node),
    );
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
