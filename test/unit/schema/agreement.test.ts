/**
 * Agreement of the published schema and the program on valid files, as far as a schema can express the rules.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FAST_COMPILATION } from '../../support/ajv-options.ts';
import { linesOf, loadText } from '../config/load-text.ts';

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/loadtests.schema.json'), 'utf8'),
) as object;
const validates = new Ajv({ strict: true, ...FAST_COMPILATION }).compile(schema);

/** Values of one field as YAML text. */
interface Values {
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  /**
   * Values that only the program can reject, because the check needs arithmetic, other fields or names of the
   * file.
   */
  readonly beyond?: readonly string[];
}

const HEAD = `version: 1
project: shop
apps: { shop: shop.example.com }
vars: { n: 5, time: 1m, type: cycling, on: true, host: shop.example.com, id: abc, method: POST, limit: < 5% }
`;
const DEFAULTS = `defaults: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/'] }
`;
const URL = 'url: http://shop.example.com/, ';
const A = 'http://shop.example.com/';

/** Contexts of a field: the file around "NAME: VALUE". */
const CONTEXTS = {
  'a test': (field: string) => `${HEAD}${DEFAULTS}tests: { home: { ${field} } }`,
  defaults: (field: string) =>
    `${HEAD}tests: { home: { urls: ['http://shop.example.com/'], test_type: cycling, duration: 5 } }\ndefaults: { ${field} }`,
  stages: (field: string) =>
    `${HEAD}tests: { home: { test_type: cycling, urls: ['http://shop.example.com/'], stages: [{ ${field} }, { for: 5, to: 1 }] } }`,
  'a rate': (field: string) =>
    `${HEAD}tests: { home: { test_type: per-second, duration: 5, urls: ['${A}'], ${field} } }`,
  'stages of a rate': (field: string) =>
    `${HEAD}tests: { home: { test_type: per-second, urls: ['${A}'], stages: [{ ${field} }, { for: 5, to: 1 }] } }`,
  'a test with flows': (field: string) =>
    `${HEAD}tests: { home: { test_type: cycling, duration: 5, ${field} } }`,
  'a URL': (field: string) => `${HEAD}${DEFAULTS}tests: { home: { urls: [{ ${URL}${field} }] } }`,
  'a URL alone': (field: string) => `${HEAD}${DEFAULTS}tests: { home: { urls: [{ ${field} }] } }`,
  credentials: (field: string) =>
    `${HEAD}${DEFAULTS}tests: { home: { urls: [{ ${URL}credentials: { login: a, password: b }, request_params: { ${field} } }] } }`,
  headers: (field: string) =>
    `${HEAD}${DEFAULTS}tests: { home: { urls: [{ ${URL}headers: { ${field} } }] } }`,
  variables: (field: string) =>
    `${HEAD}${DEFAULTS}tests: { home: { urls: [{ ${URL}variables: [{ ${field} }] }] } }`,
  thresholds: (field: string) => `${HEAD}${DEFAULTS}tests: { home: { thresholds: { ${field} } } }`,
  regression: (field: string) => `${HEAD}${DEFAULTS}tests: { home: { regression: { ${field} } } }`,
  'the service': (field: string) => `${HEAD}service: { ${field} }`,
  'the web server': (field: string) =>
    `${HEAD}web_server: { command: serve, url: 'http://a.example/', ${field} }`,
  'the web server alone': (field: string) => `${HEAD}web_server: { command: serve, ${field} }`,
  'an app': (field: string) =>
    `version: 1\nproject: shop\nvars: { host: a.example }\napps: { shop: { ${field} } }`,
  verification: (field: string) =>
    `version: 1\nproject: shop\nvars: { on: true, method: dns, time: 5s }\napps: { shop: { app: a.example, verification: { ${field} } } }`,
  limits: (field: string) => `${HEAD}limits: { ${field} }`,
  vars: (field: string) => `version: 1\nproject: shop\nvars: { ${field} }`,
  'the file': (field: string) => `project: shop\nversion: 1\nvars: { n: 5 }\n${field}`,
  'the file without another version': (field: string) => `project: shop\nvars: { one: 1, two: 2 }\n${field}`,
  'the file without another project': (field: string) => `version: 1\nvars: { name: shop }\n${field}`,
  environments: (field: string) => `${HEAD}environments: { ${field} }`,
  'an environment': (field: string) => `${HEAD}${DEFAULTS}environments: { ci: { ${field} } }`,
} as const;

const COUNTS = ["'< 5'", "'>= 1000'", "' <=5 '", "'> 1.5'", '${limit}'];
const NO_LIMITS = ['5', 'fast', "'== 5'", "'< -5'", "'< 5 kg'", '[5]', "''"];
const FLAGS: Values = {
  accepted: ['true', 'false', "'true'", '${on}'],
  refused: ['yes', '1', "''", '[true]', '{}', 'null'],
};
const TEXTS: Values = {
  accepted: ['text', "''", '${id}', "'5'"],
  refused: ['5', 'true', '[a]', '{ a: b }', 'null'],
};
const WITH_UNIT: Values = {
  accepted: ['5s', '1m30s', '250ms', '1.5m', '${time}'],
  refused: ['5', "'5'", 'soon', '5 s', '-5s', '1s1m', 'true', '[5s]', 'null', "''"],
  beyond: ['0.5ms', '30d'],
};

/** Values with null, which removes a key of a map in an environment but is not allowed in a list. */
function removing(): (readonly [keyof typeof CONTEXTS, string, Values])[] {
  return [
    ['environments', 'ci', { accepted: [], refused: ['null', '{ project: null }', '{ moved: null }'] }],
    [
      'an environment',
      'tests',
      {
        accepted: [
          'null',
          '{ home: null }',
          '{ home: ~, cart: { total: 5 } }',
          '{ home: { test_type: null, total: null, duration: null, stages: null, parallel: null } }',
          '{ home: { urls: null, needs: null, thresholds: null } }',
          '{ home: { thresholds: { p95: null, p97: null, error_rate: null } } }',
        ],
        refused: [
          '{ home: { totl: null } }',
          '{ home: { thresholds: { p100: null } } }',
          '{ a b: null }',
          '{ home: { urls: [null] } }',
          '{ home: { urls: [{ url: null }] } }',
          '{ home: { needs: [null] } }',
          '{ home: { stages: [null] } }',
          '{ home: { stages: [{ for: 5, to: null }] } }',
        ],
      },
    ],
    [
      'an environment',
      'apps',
      {
        accepted: [
          'null',
          '{ shop: null }',
          '{ shop: { app: null, verification: null } }',
          '{ shop: { verification: { directory: null, wait: null, manual: null, method: null } } }',
        ],
        refused: ['{ a b: null }', '{ shop: { ap: null } }', '{ shop: [null] }'],
      },
    ],
    [
      'an environment',
      'limits',
      {
        accepted: ['null', '{ max_connections: null, max_duration: null, hosts: null }'],
        refused: ['{ max: null }', '{ hosts: [null] }'],
      },
    ],
    [
      'an environment',
      'defaults',
      {
        accepted: [
          'null',
          '{ name: null, total: null, urls: null, thresholds: { p95: null } }',
          '{ url: null }',
          '{ url: { headers: null, request_params: null, credentials: null, expect: null, delay: null } }',
          '{ url: { headers: { x-any: null }, request_params: { a: null }, credentials: { login: null } } }',
          '{ url: { request_type: null, json: null, variables: null } }',
          '{ url: { expect: { status: null, headers: { a: null }, body: null, json: { /a: null } } } }',
        ],
        refused: [
          '{ id: null }',
          '{ url: { expect: { status: [null] } } }',
          '{ url: { variables: [{ name: a, property: null }] } }',
        ],
      },
    ],
    ['an environment', 'vars', { accepted: ['null', '{ n: null }'], refused: ['{ 1a: null }'] }],
    [
      'an environment',
      'service',
      {
        accepted: [
          'null',
          '{ base_url: null, auth_header: null, api_key_env: null, settle: null, allow_plain_http: null }',
        ],
        refused: ['{ base_ulr: null }'],
      },
    ],
    [
      'an environment',
      'web_server',
      {
        accepted: ['null', '{ command: null, url: null, reuse_existing: null, timeout: null }'],
        refused: ['{ cmd: null }'],
      },
    ],
  ];
}

const TABLE: readonly (readonly [keyof typeof CONTEXTS, string, Values])[] = [
  [
    'the file without another version',
    'version',
    { accepted: ['1', '${one}'], refused: ['2', "'1'", '[1]', 'null'], beyond: ['${two}'] },
  ],
  [
    'the file without another project',
    'project',
    {
      accepted: ['shop', "'5'", '${name}', 'a-b', '${env:NAME:-shop}'],
      refused: ['Shop', 'a b', '5', "''", 'null', 'x'.repeat(41)],
    },
  ],
  ['the file', 'x-any', { accepted: ['5', '[a]', '{ a: [b] }', 'null'], refused: [] }],
  ['the file', 'X-any', { accepted: [], refused: ['5'] }],
  ['the file', 'test', { accepted: [], refused: ['{}'] }],
  [
    'the file',
    'tests',
    {
      accepted: ['{}', '{ x-any: 5 }'],
      refused: ['null', '[]', 'text', '{ home: null }', '{ "a b": {} }', '{ home: 5 }', '${n}'],
    },
  ],
  [
    'the file',
    'apps',
    {
      accepted: ['{}', '{ x-any key: 5 }', '{ a: a.example }'],
      refused: [
        'null',
        '[a.example]',
        'a.example',
        '{ a b: a.example }',
        '{ a: 5 }',
        '{ a: [a.example] }',
        "{ a: 'https://a.example' }",
        '{ a: a.example/b }',
        '{ a: }',
      ],
      beyond: ['{ a: a.example, b: a.example }', "{ a: 'a.example:99999' }"],
    },
  ],
  [
    'the file',
    'moved',
    {
      accepted: ['{}', '{ x-any: [5] }'],
      refused: ['{ a b: c }', '{ a: 5 }', '{ a: b c }', '[a]'],
      beyond: ['{ a: b }'],
    },
  ],
  [
    'a test',
    'test_type',
    {
      accepted: ['cycling', 'non-cycling', 'per-second', '${type}', "'cycling'"],
      refused: ['Cycling', 'ramp', '5', 'null', '[cycling]', "''"],
      beyond: ['${id}'],
    },
  ],
  [
    'a test',
    'total',
    {
      accepted: ['1', '5', "'5'", '5.0', '${n}'],
      refused: ['0', '-1', 'many', "'0'", "'0.0'", "'-1'", 'true', '[5]', 'null', "''", '5 clients'],
      beyond: ['2.5', "'2.5'", '0.5', '${id}'],
    },
  ],
  [
    'a test',
    'initial',
    {
      accepted: ['0', "'0'", '5', '${n}'],
      refused: ['-1', 'none', 'null', 'false'],
      beyond: ['0.5'],
    },
  ],
  [
    'a test',
    'duration',
    {
      accepted: ['60', "'60'", '1m', '1m30s', '1.5m', '2000ms', '${time}', '${env:TIME:-1m}', '1h'],
      refused: [
        '0',
        '-1',
        '0.5',
        'soon',
        '1 min',
        '1min',
        '60sec',
        '0s',
        "'0'",
        '1s1m',
        'true',
        '[60]',
        'null',
        "''",
      ],
      beyond: ['1500ms', '1.5s', '30d'],
    },
  ],
  [
    'a test',
    'timeout',
    {
      accepted: ['250', '10s', "'250'", '${time}', '5ms'],
      refused: ['0', '-5', '0.5', 'never', '0ms', '1 s', 'null', '[5]'],
      beyond: ['0.5ms', '30d'],
    },
  ],
  [
    'a test',
    'error_threshold',
    {
      accepted: ['0', '100', '99.5', "'50'", '${n}'],
      refused: ['-1', '101', '50%', "'101'", 'half', 'null', 'true'],
    },
  ],
  [
    'a test',
    'callback',
    {
      accepted: ['http://127.0.0.1:4090/', 'HTTP://127.0.0.1:4090/', '${env:HOOK:-http://127.0.0.1/}'],
      refused: ['shop.example.com', '/hook', 'ftp://a.example/', '5', 'null'],
      beyond: ['http://user:word@127.0.0.1/'],
    },
  ],
  [
    'a test',
    'callback_email',
    {
      accepted: [],
      refused: ['team', 'a b@c.example', 'a@b c', '5', 'null', "''"],
      beyond: ['team@example.com'],
    },
  ],
  [
    'a test',
    'scheduled_at',
    {
      accepted: [],
      refused: ['tomorrow', '2026-12-24', '5', "'2026-12-24 03:00:00.5'", 'null'],
      beyond: ["'2026-12-24 03:00:00'", "'2026-02-30 03:00:00'"],
    },
  ],
  ['a test', 'name', { ...TEXTS, refused: [...TEXTS.refused, '"two\\nlines"'] }],
  ['a test', 'notes', { ...TEXTS, beyond: ["'[loadtests x]'"] }],
  ['a test', 'parallel', FLAGS],
  ['a test', 'keep_alive', FLAGS],
  ['a test', 'tls_verify', FLAGS],
  ['a test', 'id', { accepted: ['abc', '${id}', "'5'"], refused: ['a b', '5', "''", 'null', 'a/b'] }],
  [
    'a test',
    'needs',
    { accepted: ['[]'], refused: ['home', '[5]', '{}', 'null', '[[a]]'], beyond: ['[gone]', '[home]'] },
  ],
  [
    'a test',
    'urls',
    {
      accepted: ['[http://shop.example.com/]', '[{ url: HTTP://shop.example.com/a }]', "['http://${host}/']"],
      refused: [
        '[]',
        'http://shop.example.com/',
        'null',
        '[5]',
        '[[a]]',
        '[null]',
        '[shop.example.com]',
        '[{ ulr: http://shop.example.com/ }]',
        "['http:///']",
        "['http:// a']",
      ],
      beyond: ['[http://other.example/]', "['http://shop.example.com/{{gone}}']"],
    },
  ],
  ['a test', 'thresholds', { accepted: ['{}', '{ x-any: 5 }'], refused: ['[]', 'null', "'p95 < 5ms'"] }],
  [
    'a test',
    'stages',
    {
      accepted: ['[{ for: 5s, to: 5 }]'],
      refused: [
        '[]',
        '{}',
        '[5]',
        '[{ for: 5s }]',
        '[{ to: 5 }]',
        '[{ for: 5s, to: 5, at: 5 }]',
        '[{ for: soon, to: 5 }]',
        '[{ for: 5s, to: -1 }]',
        'null',
      ],
    },
  ],
  [
    'a test',
    'warmup',
    {
      accepted: ['1', '1s', "'1'", '${n}'],
      refused: ['0', '-1', '1.5', 'soon', '[1]', 'null'],
      beyond: ['1500ms', '1h'],
    },
  ],
  ['a test', 'vus', { accepted: [], refused: ['5'] }],
  [
    'stages',
    'for: 5s, to',
    { accepted: ['0', "'0'", '5', '${n}'], refused: ['-1', 'high', 'null'], beyond: ['1.5'] },
  ],
  [
    'a rate',
    'total',
    {
      accepted: ['2.5', "'2.5'", '0.001', '12.125', '7'],
      refused: ['0', "'0.000'", '-2.5', '2,5'],
      beyond: ['0.0001', '12.1255'],
    },
  ],
  [
    'stages of a rate',
    'for: 5s, to',
    { accepted: ['0.5', "'12.25'"], refused: ['-0.5'], beyond: ['1.0005'] },
  ],
  [
    'a URL alone',
    `urls: [${A}], repeat`,
    { accepted: ['3', "'3'"], refused: ['0', '1.5', 'often', 'null', '100001'], beyond: [] },
  ],
  [
    'a test with flows',
    'flows',
    {
      accepted: [
        `{ browse: { urls: [${A}] } }`,
        `{ browse: { weight: 70, urls: [${A}, { url: ${A}, request_type: POST }] }, 'b.2': { weight: '30', urls: [${A}] } }`,
        `{ x-any: 5, browse: { urls: [${A}], x-b: [1] } }`,
      ],
      refused: [
        'null',
        '{}',
        '[]',
        `[{ browse: { urls: [${A}] } }]`,
        '{ browse: null }',
        `{ browse: [${A}] }`,
        '{ browse: { urls: [] } }',
        `{ 'a b': { urls: [${A}] } }`,
        `{ browse: { urls: [${A}], weight: 0 } }`,
        `{ browse: { urls: [${A}], weight: 1.5 } }`,
        `{ browse: { urls: [${A}], weight: 70% } }`,
        `{ browse: { urls: [${A}], weight: 1000001 } }`,
        `{ browse: { url: ${A} } }`,
      ],
      beyond: [
        '{ browse: {} }',
        '{ browse: { weight: 2 } }',
        `{ browse: { urls: [${A}], weight: 999999 }, buy: { urls: [${A}], weight: 1000000 } }`,
      ],
    },
  ],
  [
    'stages',
    'to: 5, for',
    {
      accepted: ['5', '0s', '0', '1m', '${time}'],
      refused: ['-5', 'soon', '0.5', 'null'],
      beyond: ['500ms'],
    },
  ],
  ['defaults', 'total', { accepted: ['5', '${n}'], refused: ['0', 'many'] }],
  [
    'defaults',
    'url',
    {
      accepted: ['{ headers: { a: b } }', '{}'],
      refused: ['http://shop.example.com/', '[]', '{ header: { a: b } }'],
    },
  ],
  ['defaults', 'id', { accepted: [], refused: ['abc'] }],
  [
    'a URL alone',
    'url',
    {
      accepted: ["'http://${host}/'", 'http://shop.example.com/a?b=c#d'],
      refused: ['5', 'shop.example.com', '[a]', 'null'],
      beyond: ['http://other.example/'],
    },
  ],
  [
    'a URL',
    'request_type',
    { accepted: ['GET', 'DELETE', '${method}'], refused: ['get', 'FETCH', '5', 'null'], beyond: ['${id}'] },
  ],
  ['a URL', 'request_type: POST, raw_post_body', TEXTS],
  [
    'a URL',
    'headers',
    {
      accepted: ['{}', '{ a: b }', '{ x-any: b }'],
      refused: ['[]', 'a', '{ a: [b] }', '{ a: null }', '{ a b: c }', '{ "": c }', '{ a: { b: c } }'],
      beyond: ['{ host: a }', '{ a: b, A: c }'],
    },
  ],
  [
    'a URL',
    'credentials',
    {
      accepted: ['{ login: a, password: b }', "{ login: '${id}', password: '5' }"],
      refused: ['a', '{ login: 5, password: b }', '{ user: a }', '[]', 'null'],
      beyond: ['{ login: a }', "{ login: 'a:b', password: c }"],
    },
  ],
  [
    'a URL',
    'variables',
    {
      accepted: [
        '[]',
        '[{ name: a, property: b }]',
        '[{ name: a, property: b, source: header }]',
        '[{ name: a, source: status }]',
        '[{ name: a, property: /b/*, source: json, pick: random }]',
      ],
      refused: [
        '{}',
        '[a]',
        '[{ property: b }]',
        '[{ name: 1a, property: b }]',
        '[{ name: a, property: 5 }]',
        '[{ name: a, property: b, source: elsewhere }]',
      ],
      beyond: [
        '[{ name: a }]',
        "[{ name: a, property: 'b c' }]",
        '[{ name: a, property: b }, { name: a, property: c }]',
      ],
    },
  ],
  ['a URL', 'payload_file_url', { accepted: [], refused: ['rows.csv', '5', 'null'] }],
  ['credentials', 'a', { accepted: ['b', '5', 'true', '1.5'], refused: ['[b]', 'null', '{ b: c }'] }],
  ['headers', 'x-any', { accepted: ['b', '5', 'true', '${id}'], refused: ['[b]', 'null'] }],
  ['variables', 'property: b, name', { accepted: ['a', '_a-1', '${id}'], refused: ['1a', 'a b', '5', "''"] }],
  [
    'thresholds',
    'error_rate',
    {
      accepted: ["'< 1%'", "'<=0.5 %'", "'>= 99%'"],
      refused: [...NO_LIMITS, "'< 300ms'", "'< 5'"],
      beyond: ['${id}'],
    },
  ],
  [
    'thresholds',
    'p95',
    { accepted: ["'< 300ms'", "'<1.5s'", "'>= 5 ms'"], refused: [...NO_LIMITS, "'< 5%'", "'< 5'", "'< 5m'"] },
  ],
  ['thresholds', 'p97.5', { accepted: ["'< 300ms'"], refused: ["'< 5%'", '5'] }],
  ['thresholds', 'p100', { accepted: [], refused: ["'< 300ms'"] }],
  [
    'regression',
    'p95',
    { accepted: ['10%', "'0.5 %'"], refused: ['5', "'10'", "'< 10%'", "'0%'", "'0.0%'"], beyond: ['10000%'] },
  ],
  [
    'thresholds',
    'requests',
    { accepted: COUNTS.slice(0, 4), refused: [...NO_LIMITS, "'< 5%'", "'< 300ms'"], beyond: COUNTS.slice(4) },
  ],
  [
    'the service',
    'base_url',
    {
      accepted: ['https://api.example.com', 'http://127.0.0.1:4900/', '${env:NONE:-}'].slice(0, 2),
      refused: ['api.example.com', '5', 'null', "''"],
      beyond: ['https://api.example.com/v2', 'https://a:b@api.example.com'],
    },
  ],
  [
    'the service',
    'auth_header',
    { accepted: ['service-auth'], refused: ['a b', '5', "''", 'null'], beyond: ['host'] },
  ],
  [
    'the service',
    'api_key_env',
    {
      accepted: ['LOADTESTS_KEY'],
      refused: ['MY_KEY', 'LOADTESTS_', '5', 'null'],
      beyond: ['LOADTESTS_SMTP', 'LOADTESTS_LIMITS'],
    },
  ],
  ['the service', 'token_prefix', { accepted: ['service'], refused: ['a b', "''", '5'] }],
  ['the service', 'request_timeout', WITH_UNIT],
  ['the service', 'settle', { ...WITH_UNIT, accepted: [...WITH_UNIT.accepted, '0s'] }],
  ['the service', 'allow_plain_http', FLAGS],
  ['the web server', 'timeout', WITH_UNIT],
  ['the web server', 'reuse_existing', FLAGS],
  [
    'the web server alone',
    'url',
    { accepted: ['http://a.example:80/', '${env:URL:-http://a.example/}'], refused: ['a.example', '5'] },
  ],
  [
    'an app',
    'app',
    {
      accepted: ['a.example', "'a.example:8080'", '${host}', "'[::1]:80'"],
      refused: ['https://a.example', 'a b', 'a/b', '5', 'null', "''", "'a:'", 'a@b'],
    },
  ],
  [
    'verification',
    'method',
    { accepted: ['http', 'dns', 'other', '${method}'], refused: ['a b', '5', "''", 'null'] },
  ],
  ['verification', 'directory', { accepted: ['./public', '${method}'], refused: ["''", '5', 'null'] }],
  ['verification', 'manual', FLAGS],
  ['verification', 'wait', WITH_UNIT],
  ['limits', 'max_connections', { accepted: ['1', "'5'", '${n}'], refused: ['0', '1.5', 'many', 'null'] }],
  [
    'limits',
    'max_duration',
    { accepted: ['60', '1.5', '10m', "'60'", '${time}'], refused: ['0', '-1', 'long', 'null', '10 m'] },
  ],
  [
    'limits',
    'hosts',
    {
      accepted: ['[]', "['*.example.com', 'a.example:80']"],
      refused: ['a.example', '[5]', "['']", 'null'],
      beyond: ["['http://a.example/']"],
    },
  ],
  [
    'vars',
    'a',
    {
      accepted: ['b', '5', 'true', "''", '${env:B:-c}'],
      refused: ['[b]', '{ b: c }', 'null'],
      beyond: ['${a}', '${gone}'],
    },
  ],
  ['vars', '1a', { accepted: [], refused: ['b'] }],
  ['vars', 'x-any.thing', { accepted: ['[b]'], refused: [] }],
  [
    'environments',
    'ci',
    {
      accepted: ['{}', '{ vars: { a: b } }', '{ x-any: 5 }'],
      refused: ['[]', '5', '{ project: a }', '{ version: 1 }', '{ moved: {} }'],
    },
  ],
  ['environments', 'CI', { accepted: [], refused: ['{}'] }],
  ['environments', 'x-Any_', { accepted: ['5'], refused: [] }],
  [
    'an environment',
    'tests',
    {
      accepted: [
        '{ home: { total: 5 } }',
        "{ home: { test_type: '${anything}' } }",
        "{ home: { duration: '${later}' } }",
      ],
      refused: ['{ home: { totl: 5 } }', '{ home: { total: 0 } }', '{ home: { urls: [{ ulr: a }] } }'],
    },
  ],
  ...removing(),
];

/** The verdicts as the titles of the tests state them. */
const OUTCOMES = {
  accepted: 'accepted by the schema and the program',
  refused: 'refused by the schema and the program',
  beyond: 'accepted by the schema and refused by the program',
} as const;

const CASES = TABLE.flatMap(([context, name, values]) => {
  const file = (value: string) =>
    CONTEXTS[context](`${name}: ${value.startsWith('${') ? `"${value}"` : value}`);
  return (['accepted', 'refused', 'beyond'] as const).flatMap((verdict) =>
    (values[verdict] ?? []).map(
      (value) => [`${name}: ${value}`, context, OUTCOMES[verdict], verdict, file(value)] as const,
    ),
  );
});

describe('the schema and the program', () => {
  test('the table of compared files contains more than 200 different files', () => {
    expect(new Set(CASES.map(([, , , , text]) => text)).size).toBeGreaterThan(200);
  });

  test.each(CASES)('"%s" in %s is %s', (_value, _context, _outcome, verdict, text) => {
    const loaded = loadText(text);
    const bySchema = validates(parse(text)) || validates.errors;
    expect({ program: loaded.ok || linesOf(loaded.problems), schema: bySchema }).toEqual({
      program: verdict === 'accepted' ? true : (expect.any(Array) as unknown),
      schema: verdict === 'refused' ? (expect.any(Array) as unknown) : true,
    });
  });
});
