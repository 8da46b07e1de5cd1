/**
 * Create requests that are almost valid: with missing, repeated, renamed or mistyped fields, unusual values
 * and numbers.
 */
import fc from 'fast-check';
import type { Json } from '../../src/core/canonical.ts';

export const HOST = '127.0.0.1:4080';
const URL_OF = `http://${HOST}/`;

/** Valid create requests of various clients. */
export const VALID_CREATES: readonly Json[] = [
  { test_type: 'per-test', duration: 60, total: 250, urls: [{ url: URL_OF }] },
  {
    load: '0-25-60',
    url: URL_OF,
    request_type: 'post',
    post_body: 'a=b',
    user_login: 'a',
    user_password: 'b',
  },
  {
    test_type: 'Cycling',
    initial: 1,
    total: 5,
    duration: 5,
    timeout: 500,
    error_threshold: 12.5,
    name: 'Home',
    notes: 'Text',
    tls_verify: false,
    tag_names: ['a', 'b'],
    callback: null,
    urls: [
      {
        url: `${URL_OF}a?b=%20#c`,
        request_type: 'Get',
        headers: { 'X-A': 1, b: 'c' },
        request_params: [{ key: 'd', value: true }],
        variables: [{ name: 'v', property: 'X-V', source: 'header' }],
      },
      {
        url: `${URL_OF}{{v}}`,
        delay: [200, 1000],
        expect: { status: [201, '2xx'], headers: { Server: '*' } },
        request_type: 'PUT',
        raw_post_body: '{"a": "%{1:9}"}',
        headers: [],
      },
      {
        url: URL_OF,
        authentication: { type: 'basic', login: 'ci' },
        credentials: { login: 'ci', password: '' },
      },
    ],
  },
  {
    test_type: 'Clients per second',
    duration: 15,
    initial: 0,
    total: 9,
    status: 'complete',
    test_id: 'f'.repeat(32),
    domain: HOST,
    scheduled_at: null,
    progress: null,
    stages: [
      { for: 10, to: 9 },
      { for: 5, to: 0 },
    ],
    urls: [{ url: URL_OF, authentication: null, truncated_url: URL_OF, raw_post_body: null, variables: [] }],
  },
];

/** Values that often cause failures. */
export const oddValue = fc.oneof(
  fc.constantFrom<Json[]>(
    null,
    true,
    false,
    '',
    ' ',
    [],
    {},
    [[]],
    [null],
    { 0: 'a' },
    { 1: 'a' },
    'null',
    '[]',
  ),
  fc.constantFrom<Json[]>(
    0,
    -0,
    -1,
    0.1,
    1e-7,
    2 ** 31,
    2 ** 53,
    1e21,
    1e308,
    '5',
    '5.0',
    '0x5',
    '１',
    'NaN',
    '-',
  ),
  fc.constantFrom<Json[]>(
    '\0',
    '\ud800',
    '\u202e',
    '\r\nHost: x',
    '{{a}}',
    '%{1:2}',
    '%{',
    '__proto__',
    'toString',
  ),
  fc.constantFrom<Json[]>(URL_OF, 'http://[::1', '//a', 'cycling', 'GET', 'x'.repeat(70_000), {
    key: 'a',
    value: 1,
  }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

const NAMES = [
  'url',
  'urls',
  'login',
  'load',
  'total',
  'status',
  'stages',
  '0',
  '',
  'constructor',
  'x-y',
  'callback',
];

export interface FieldChange {
  /** Position of the changed value, as a fraction of all values from the root. */
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'double' | 'rename' | 'wrap' | 'add';
  readonly value: Json;
  readonly name: string;
}

export const change: fc.Arbitrary<FieldChange> = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  how: fc.constantFrom('replace', 'remove', 'double', 'rename', 'wrap', 'add'),
  value: oddValue,
  name: fc.constantFrom(...NAMES),
});

function pathsOf(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))
      : [];
  return [path, ...inner];
}

export function applyChange(root: Json, one: FieldChange): Json {
  const paths = pathsOf(root).slice(1);
  const path = paths[Math.floor(one.at * paths.length)];
  return path === undefined ? one.value : applyChangeAt(root, path, one);
}

function applyChangeAt(value: Json, [name = '', ...rest]: readonly string[], one: FieldChange): Json {
  const members = Object.entries(value ?? {}) as readonly (readonly [string, Json])[];
  const after = members.flatMap(([key, member]): readonly (readonly [string, Json])[] => {
    if (key !== name) return [[key, member]];
    if (rest.length > 0) return [[key, applyChangeAt(member, rest, one)]];
    switch (one.how) {
      case 'replace':
        return [[key, one.value]];
      case 'remove':
        return [];
      case 'double':
        return [
          [key, member],
          [key.toUpperCase(), member],
        ];
      case 'rename':
        return [[one.name, member]];
      case 'wrap':
        return [[key, [member, one.value]]];
      case 'add':
        return [
          [key, member],
          [one.name, one.value],
        ];
    }
  });
  return Array.isArray(value) ? after.map(([, member]) => member) : Object.fromEntries(after);
}

/** Restores the passwords that lists omit. */
export function withPasswords(record: Json): Json {
  const text = JSON.stringify(record);
  return JSON.parse(text, (name, value: Json) =>
    name === 'authentication' && value !== null ? { ...(value as object), password: 'x' } : value,
  ) as Json;
}
