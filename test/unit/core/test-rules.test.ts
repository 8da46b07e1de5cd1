/** The rules for tests: the field that each fault refers to, its message, and the limits of valid values. */
import { expect, test } from 'vitest';
import { checkCertificates } from '../../../src/certificate/certificate.ts';
import {
  OWN_LIMITS,
  ownCapabilities,
  type Capabilities,
  type TestLimits,
} from '../../../src/core/model/capabilities.ts';
import { ADVICE_ON_VALUES } from '../../../src/core/model/expression-advice.ts';
import type { Group } from '../../../src/core/model/group.ts';
import type { LoadTestSpec, TargetSpec, VariableSpec } from '../../../src/core/model/load-test.ts';
import type { DeclaredRows, PayloadFile, RowOptions } from '../../../src/core/model/payload-file.ts';
import { Secret } from '../../../src/core/model/secret.ts';
import { faultsOfTest } from '../../../src/core/model/test-rules.ts';
import { withCommas } from '../../../src/core/counted.ts';
import { milliseconds, seconds } from '../../../src/core/units.ts';
import { readPattern } from '../../../src/pattern/pattern.ts';
import {
  declaredTest,
  declareState,
  type TestFields,
  type UrlChanges,
} from '../../support/declared-state.ts';

const { apps } = declareState().app('shop').state;
const NOW = Date.UTC(2026, 2, 2, 9);

const OWN = ownCapabilities({
  schedules: { after: NOW },
  canEmail: (address) => address.endsWith('@shop.example'),
  canCall: ({ authority }) => authority === 'shop.example',
});

function specOf(fields: TestFields): LoadTestSpec {
  return declaredTest('home', fields, apps).spec;
}

/** Faults as `PATH MESSAGE`. An exclamation mark means that the field must not be set, and ~ that the fault is a warning. */
function faultsOf(spec: LoadTestSpec, capabilities: Capabilities = OWN): readonly string[] {
  return faultsOfTest(spec, capabilities, { readPattern, checkCertificates }).map(
    ({ path, about, severity, message }) =>
      `${SEVERITY_MARKS[severity]}${path.join('.')}${ABOUT_MARKS[about]} ${message}`,
  );
}
const SEVERITY_MARKS = { error: '', warning: '~' } as const;
const ABOUT_MARKS = { value: '', key: '!' } as const;

const targetOf = (changes: UrlChanges): TargetSpec => {
  const [target] = specOf({ urls: [{ ...changes, url: changes.url ?? '/' }] }).targets;
  if (target === undefined) throw new Error('Bug: the test has no request');
  return target;
};
const header = (name: string, value: string) => ({ headers: [{ name, value }] });
const variable = (name: string, fields: Partial<VariableSpec> = {}): VariableSpec => ({
  name,
  property: 'x-id',
  source: 'header',
  ...fields,
});
const urls = (...changes: readonly (UrlChanges | string)[]): TestFields => ({ urls: changes });
const rows = (variables: DeclaredRows['variables'], options: RowOptions = {}, count = 3): PayloadFile => ({
  sha256: JSON.stringify([variables, options]),
  declared: { path: 'rows.csv', rows: count, columns: 1, variables },
  options,
});
const expectation = (expected: Partial<NonNullable<TargetSpec['expect']>>): UrlChanges => ({
  expect: { status: null, headers: null, body: null, json: null, ...expected },
});
const body = (fields: Partial<{ contains: string[]; notContains: string[]; matches: string[] }>) =>
  expectation({ body: { contains: [], notContains: [], matches: [], ...fields } });
const four = (groups: readonly Group[], ...changes: readonly (UrlChanges | string)[]): TestFields => ({
  urls: [...changes, ...Array<string>(4 - changes.length).fill('/')],
  groups,
});
const rule = (fields: Partial<NonNullable<LoadTestSpec['abortRules']>[number]>): TestFields => ({
  abortRules: [{ metric: 'p95', limit: '< 3s', after: seconds(5), ...fields }],
});
const connection = (
  options: NonNullable<LoadTestSpec['connection']>[number]['options'],
  host = 'shop.example',
): TestFields => ({ connection: [{ host, options }] });
const sigv4 = (fields: Partial<NonNullable<TargetSpec['awsSigv4']>>): UrlChanges => ({
  awsSigv4: {
    region: 'eu-west-1',
    service: 'execute-api',
    accessKeyId: 'AKIA1',
    secretAccessKey: 'k+/=',
    sessionToken: null,
    ...fields,
  },
});
const multipart = (...parts: readonly object[]): UrlChanges => ({
  multipart: parts as never,
  method: 'POST',
});
const stages = (...all: readonly (readonly [duration: number, to: number])[]) =>
  all.map(([duration, to]) => ({ duration: seconds(duration), to }));

const VALID: readonly (readonly [name: string, fields: TestFields])[] = [
  ['only required fields', {}],
  ['rates with three decimal places', { type: 'per-second', initial: 0.125, total: 2.5 }],
  ['stages', { type: 'per-second', initial: 1, stages: stages([10, 5], [0, 2.5], [10, 2.5]) }],
  [
    'a pattern with a variable in a class',
    urls({ variables: [variable('a')] }, body({ matches: ['[{{a}}]'] })),
  ],
  ['stages that begin with a step', { stages: stages([0, 5], [10, 5]) }],
  ['a warm-up that ends before the test', { duration: '1m', warmup: '59s' }],
  ['shared connections and random arrivals', { type: 'non-cycling', connections: 5, arrivals: 'random' }],
  ['limited iterations', { iterations: 10, stages: stages([10, 5], [10, 5]) }],
  ['iterations of each connection', { iterationsPerClient: 2, pace: seconds(3) }],
  ['a pace and stages that decrease', { pace: seconds(3), stages: stages([10, 5], [10, 2]) }],
  [
    'stages and rows that are used once, with one iteration per client',
    {
      type: 'per-second',
      stages: stages([10, 5]),
      ...urls({ payloadFile: rows(['a'], { order: 'once' }) }),
    },
  ],
  ['new connections for each request', { keepAlive: false }],
  ['a schedule in the future', { scheduledAt: NOW + 1000 }],
  [
    'a callback and an email address',
    { callback: 'https://shop.example/done', callbackEmail: 'a@shop.example' },
  ],
  ['requests on start', { onStart: 1, urls: ['/login', '/'] }],
  [
    'rows with default options on start',
    { onStart: 1, urls: [{ payloadFile: { sha256: '', declared: null } }, '/'] },
  ],
  [
    'weighted flows',
    {
      urls: ['/a', '/b', '/c'],
      flows: [
        { name: 'a', weight: 1, urls: 2 },
        { name: 'b', weight: 3, urls: 1 },
      ],
    },
  ],
  [
    'flows after requests on start',
    { onStart: 1, urls: ['/a', '/b'], flows: [{ name: 'a', weight: 1, urls: 1 }] },
  ],
  ['abort rules', rule({ url: 0 })],
  [
    'an abort rule of its last flow',
    {
      ...urls('/', '/'),
      flows: [
        { name: 'a', weight: 1, urls: 1 },
        { name: 'b', weight: 1, urls: 1 },
      ],
      ...rule({ flow: 1 }),
    },
  ],
  ['an abort rule of a group', { ...urls('/', '/'), ...rule({ group: { name: 'a', urls: [0, 1] } }) }],
  [
    'headers, credentials and a delay',
    urls({
      ...header('X-Id', 'a\tb'),
      credentials: { login: 'me', password: 'a:b' },
      delay: { min: seconds(1), max: seconds(600) },
    }),
  ],
  ['signatures', urls(sigv4({ sessionToken: 'FwoG!~' }))],
  [
    'variables from all sources',
    urls(
      {
        variables: [
          variable('a'),
          variable('b', { source: 'cookie', property: 'sid' }),
          variable('c', { source: 'json', property: '/items/*/id', pick: 'last' }),
          variable('f', { source: 'json', property: '/a*/b*' }),
          variable('d', { source: 'body', property: 'id=(\\d+)' }),
          variable('e', { source: 'status', property: '' }),
        ],
      },
      { url: '/{{a}}/{{c}}', ...header('x-b', '{{b}}{{d}}{{e}}') },
    ),
  ],
  [
    'a URL that is the value of a variable',
    urls({ variables: [variable('next')] }, { url: '/{{next}}', resolveUrl: true }),
  ],
  [
    'expectations',
    urls(
      { variables: [variable('x')] },
      expectation({
        status: [200, '3xx'],
        headers: [{ name: 'etag', value: '*' }],
        json: [
          {
            pointer: '/a~0/b~1/0',
            value: { length: '>= 1', number: '{{x}}', oneOf: [1, 'a', null], matches: '^a' },
          },
          { pointer: '/absent', value: { exists: false } },
          { pointer: '/not', value: { not: { oneOf: ['> 0'] } } },
        ],
        within: 500,
      }),
    ),
  ],
  ['an expected status of a HEAD response', urls({ method: 'HEAD', ...expectation({ status: [200] }) })],
  ['rows and the names of their columns', urls({ url: '/{{sku}}', payloadFile: rows(['sku']) })],
  [
    'values that use earlier values',
    {
      values: [
        { name: 'a', value: '%{uuid}' },
        { name: 'b', value: '{{a}}-%{1:9}' },
      ],
      urls: ['/{{a}}/{{b}}'],
    },
  ],
  [
    'nested groups',
    four(
      [
        { first: 0, count: 4, repeat: 2 },
        { first: 1, count: 2, forEach: { name: 'item', values: ['a', 'b'] } },
        { first: 1, count: 1, when: [{ name: 'v', value: { exists: true } }] },
      ],
      { variables: [variable('v')] },
      '/{{item}}',
    ),
  ],
  [
    'a repetition until a condition is met',
    four([{ first: 0, count: 1, repeat: { atMost: 5, until: [{ name: 'v', value: 'done' }] } }], {
      variables: [variable('v')],
    }),
  ],
  [
    'parallel requests',
    four(
      [
        { first: 0, count: 2, parallel: true },
        { first: 0, count: 1, when: [{ name: 'w', value: { exists: true } }] },
      ],
      { variables: [variable('v')] },
      '/',
      { variables: [variable('w')] },
      '/{{v}}',
    ),
  ],
  [
    'a group for each item of a list from a response',
    four(
      [{ first: 1, count: 1, forEach: { name: 'item', list: 'v', atMost: 3 } }],
      { variables: [variable('v', { source: 'json', property: '/*', pick: 'all' })] },
      '/{{item}}',
    ),
  ],
  [
    'a setup and a teardown',
    {
      setup: { targets: [targetOf({ variables: [variable('token')] })] },
      teardown: { targets: [targetOf({ url: '/{{token}}' })] },
      urls: ['/{{token}}'],
    },
  ],
  [
    'rows of a setup',
    {
      setup: { targets: [targetOf({ url: '/{{user}}', payloadFile: rows(['user']) })] },
      urls: ['/{{user}}'],
    },
  ],
  [
    'long patterns in a URL and in a condition of the setup',
    {
      urls: [body({ matches: ['a{300}'] })],
      setup: {
        targets: [targetOf({ variables: [variable('v')] })],
        groups: [
          {
            first: 0,
            count: 1,
            repeat: { atMost: 2, until: [{ name: 'v', value: { matches: 'a{300}' } }] },
          },
        ],
      },
    },
  ],
  ['a repeated setup', { duration: '1m', setup: { targets: [targetOf({})], refresh: seconds(59) } }],
  [
    'connection settings',
    connection({ serverName: 'cdn.example', resolve: ['192.0.2.1', '2001:db8::1'], ip: 6, tlsMin: '1.2' }),
  ],
  [
    'a multipart body',
    urls(
      multipart(
        { name: 'a', value: '', contentType: 'text/plain; charset=utf-8', filename: 'a.txt' },
        { name: 'b', value: 'b' },
      ),
    ),
  ],
  [
    'a multipart body with another header and a digest of a file',
    urls({ ...header('x-id', '1'), ...multipart({ name: 'a', file: { sha256: '', declared: null } }) }),
  ],
  [
    'headers that only contain "multipart/form-data"',
    urls(
      { ...header('x-type', 'multipart/form-data'), body: 'a', method: 'POST' },
      { ...header('content-type', 'text/multipart/form-data'), body: 'a', method: 'POST' },
      { ...header('content-type', 'multipart/form-data;boundary=x'), body: 'a', method: 'POST' },
      { ...header('content-type', 'multipart/form-data;  boundary=x'), body: 'a', method: 'POST' },
    ),
  ],
  ['a constant delay', urls({ delay: { min: seconds(2), max: seconds(2) } })],
  [
    'parameters in the body of a request whose URL is the value of a variable',
    urls(
      { variables: [variable('next')] },
      { url: '/{{next}}', resolveUrl: true, method: 'POST', params: [{ name: 'a', value: 'b' }] },
    ),
  ],
  [
    'escaped braces outside of URLs, which are no variables',
    urls({
      ...header('x', '%7B%7Ba%7D%7D'),
      ...expectation({ headers: [{ name: 'x', value: '%7B%7Ba%7D%7D' }] }),
    }),
  ],
  [
    'a digit from a secret in an expression',
    urls({ headers: [{ name: 'x', value: { parts: ['%{1:', new Secret('MAX', '9'), '}'] } }] }),
  ],
  [
    'secrets that are not set in an expression and between the braces of a variable',
    urls({ headers: [{ name: 'x', value: { parts: ['{{', new Secret('NAME', null), '}}'] } }] }),
  ],
  [
    'values of flows that use values of the test and columns',
    {
      values: [{ name: 'a', value: 'x' }],
      urls: [{ url: '/{{a}}/{{b}}/{{c}}', payloadFile: rows(['c']) }],
      flows: [{ name: 'f', weight: 1, urls: 1, values: [{ name: 'b', value: '{{a}}{{c}}' }] }],
    },
  ],
  [
    'a variable with the name of a value of another flow',
    {
      urls: [{ variables: [variable('a')] }, '/{{a}}'],
      flows: [
        { name: 'f', weight: 1, urls: 1 },
        { name: 'g', weight: 1, urls: 1, values: [{ name: 'a', value: '' }] },
      ],
    },
  ],
  [
    'two requests of a group that define the same variable',
    four([{ first: 0, count: 2 }], { variables: [variable('a')] }, { variables: [variable('a')] }),
  ],
  [
    'a request after a parallel group that defines the same variable',
    four([{ first: 0, count: 2, parallel: true }], { variables: [variable('a')] }, '/', {
      variables: [variable('a')],
    }),
  ],
  ['five nested groups that are not repeated', four(Array<Group>(5).fill({ first: 0, count: 1 }))],
  ['an iteration of 100,000 requests', four([{ first: 0, count: 2, repeat: 49_999 }])],
  [
    'conditions on a value of the flow, a variable of "on_start" and an item',
    {
      onStart: 1,
      urls: [{ variables: [variable('b')] }, '/', '/'],
      flows: [
        { name: 'f', weight: 1, urls: 1 },
        { name: 'g', weight: 1, urls: 1, values: [{ name: 'a', value: '1' }] },
      ],
      groups: [
        {
          first: 2,
          count: 1,
          forEach: { name: 'c', values: ['x'] },
          when: [
            { name: 'a', value: '1' },
            { name: 'b', value: '1' },
            { name: 'c', value: 'x' },
          ],
        },
      ],
    },
  ],
  [
    'conditions in a parallel group on variables of other requests',
    {
      onStart: 1,
      ...four(
        [
          { first: 2, count: 2, parallel: true },
          { first: 2, count: 1, when: [{ name: 'a', value: '1' }] },
          { first: 3, count: 1, when: [{ name: 'a', value: '1' }] },
        ],
        '/',
        { variables: [variable('a')] },
      ),
    },
  ],
  [
    'a condition of a parallel group on a variable of the group',
    four([{ first: 0, count: 2, parallel: true, when: [{ name: 'a', value: '1' }] }], {
      variables: [variable('a')],
    }),
  ],
  [
    'a list that is a value',
    {
      values: [{ name: 'b', value: '[1]' }],
      ...four([{ first: 0, count: 1, forEach: { name: 'a', list: 'b', atMost: 2 } }]),
    },
  ],
  [
    'rows with "keys" and parameters, and without a body',
    urls(
      { method: 'POST', params: [{ name: 'a', value: '' }], payloadFile: rows(null) },
      { payloadFile: rows(null, { order: 'random' }) },
    ),
  ],
  [
    'any variables of a remote payload file',
    urls({ url: '/{{a}}', payloadFileUrl: 'https://shop.example/a' }),
  ],
  [
    'any variables of a payload file that was not read',
    urls({ url: '/{{a}}', payloadFile: { sha256: '', declared: null } }),
  ],
  [
    'any variables of a payload file of the setup that was not read',
    {
      setup: { targets: [targetOf({ url: '/{{a}}', payloadFile: { sha256: '', declared: null } })] },
      urls: ['/{{b}}'],
    },
  ],
  [
    'connections with 16 addresses, with an IP version only, and without certificate verification',
    {
      tlsVerify: false,
      connection: [
        { host: 'shop.example', options: { resolve: Array<string>(16).fill('192.0.2.1') } },
        { host: 'a.example', options: { ip: 6, serverName: 'CDN.example' } },
      ],
      ...urls('/', 'https://a.example/'),
    },
  ],
  [
    'a multipart header with a boundary',
    urls({ ...header('Content-Type', 'multipart/form-data; boundary=x'), body: '--x--', method: 'POST' }),
  ],
];

const FAULTY: readonly (readonly [name: string, fields: TestFields, faults: readonly string[]])[] = [
  [
    'connections with decimals',
    { total: 2.5, initial: 0.5 },
    [
      'initial 0.5 is not a whole number; "initial" is a number of connections in a cycling test',
      'total 2.5 is not a whole number; "total" is a number of connections in a cycling test',
    ],
  ],
  [
    'clients with decimals',
    { type: 'non-cycling', total: 2.5 },
    ['total 2.5 is not a whole number; "total" is a number of clients in a non-cycling test'],
  ],
  [
    'rates with four decimal places',
    { type: 'per-second', total: 0.1234, initial: 1.00005 },
    [
      'initial 1.00005 has too many decimal places; "initial" can have at most 3',
      'total 0.1234 has too many decimal places; "total" can have at most 3',
    ],
  ],
  [
    'levels of stages with decimals',
    { stages: stages([10, 1], [10, 2.5]) },
    ['stages.1.to 2.5 is not a whole number; "to" is a number of connections in a cycling test'],
  ],
  [
    'stages of a non-cycling test',
    { type: 'non-cycling', stages: stages([10, 5]) },
    ['stages! a non-cycling test cannot have stages; use "test_type: per-second" or "test_type: cycling"'],
  ],
  [
    'stages that end with a step',
    { stages: stages([10, 5], [0, 0]) },
    [
      'stages.1.for the last stage has a duration of 0, so its level has no effect; add another stage with a longer duration after it',
    ],
  ],
  [
    'two steps in succession',
    { stages: stages([0, 5], [0, 6], [10, 6]) },
    ['stages.0.for this stage and the next one have a duration of 0, so this stage has no effect; remove it'],
  ],
  [
    'an initial level before a step',
    { initial: 2, stages: stages([0, 5], [10, 5]) },
    [
      'initial! "initial" has no effect, because the first stage has a duration of 0; remove "initial" or the first stage',
    ],
  ],
  [
    'stages without load',
    { stages: stages([10, 0]) },
    ['stages the stages generate no load; set at least one level above 0'],
  ],
  [
    'a warm-up as long as the test',
    { duration: '1m', warmup: '1m' },
    ['warmup "warmup" must be shorter than the test (1m), because the metrics exclude the warm-up'],
  ],
  [
    'a refresh as long as the test',
    { duration: '1m', setup: { targets: [targetOf({})], refresh: seconds(60) } },
    [
      'setup.refresh "refresh" must be shorter than the test (1m); use a shorter interval, or remove "refresh"',
    ],
  ],
  [
    'connections of a cycling test',
    { connections: 5 },
    [
      'connections! "connections" applies only to per-second and non-cycling tests; remove "connections", because "total" or "stages" sets the number of connections of a cycling test',
    ],
  ],
  [
    'connections with decimals in a per-second test',
    { type: 'per-second', connections: 2.5 },
    ['connections 2.5 is not a whole number; "connections" is a number of connections'],
  ],
  [
    'arrivals of a cycling test',
    { arrivals: 'random' },
    [
      'arrivals! "arrivals" applies only to per-second and non-cycling tests; remove "arrivals", because each client of a cycling test starts its next iteration after the previous one',
    ],
  ],
  [
    'iterations of a per-second test',
    { type: 'per-second', iterations: 5, iterationsPerClient: 5, pace: seconds(1) },
    [
      'iterations! "iterations" applies only to cycling tests; remove "iterations", because each client of a per-second test performs one iteration',
      'iterations_per_client! "iterations_per_client" applies only to cycling tests; remove "iterations_per_client", because each client of a per-second test performs one iteration',
      'pace! "pace" applies only to cycling tests; remove "pace", because each client of a per-second test performs one iteration',
    ],
  ],
  [
    'iterations with decimals',
    { iterations: 1.5, iterationsPerClient: 2.5 },
    [
      'iterations 1.5 is not a whole number; "iterations" is a number of iterations',
      'iterations_per_client 2.5 is not a whole number; "iterations_per_client" is a number of iterations',
    ],
  ],
  [
    'iterations with decreasing stages',
    { iterations: 5, stages: stages([10, 5], [10, 4]) },
    [
      'iterations! "iterations" cannot be combined with stages that decrease the number of connections, because a connection that closes early cannot complete its iterations; remove "iterations" or those stages',
    ],
  ],
  [
    'iterations with stages below the initial level',
    { iterationsPerClient: 5, initial: 6, stages: stages([10, 5]) },
    [
      'iterations_per_client! "iterations_per_client" cannot be combined with stages that decrease the number of connections, because a connection that closes early cannot complete its iterations; remove "iterations_per_client" or those stages',
    ],
  ],
  [
    'iterations and a pace with decimals',
    { iterationsPerClient: 2.5, pace: milliseconds(1.5) },
    [
      'iterations_per_client 2.5 is not a whole number; "iterations_per_client" is a number of iterations',
      'pace 1.5 is not a whole number; "pace" is a number of milliseconds',
    ],
  ],
  [
    'both limits of iterations',
    { iterations: 5, iterationsPerClient: 5 },
    [
      'iterations_per_client! "iterations_per_client" and "iterations" cannot be combined; remove one of them',
    ],
  ],
  [
    'rows that are used once with stages',
    { stages: stages([10, 5]), ...urls({ payloadFile: rows(['a'], { order: 'once' }) }) },
    [
      'urls.0.payload_file "order: once" and "stages" cannot be combined, because the rows determine the number of iterations; remove one of them',
    ],
  ],
  [
    'rows that are used once with iterations of each connection',
    { iterationsPerClient: 2, ...urls('/', { payloadFile: rows(['a'], { order: 'once' }) }) },
    [
      'urls.1.payload_file "order: once" and "iterations_per_client" cannot be combined, because the rows determine the number of iterations; remove one of them',
    ],
  ],
  [
    'rows of a setup that are used once with stages',
    {
      stages: stages([10, 5]),
      setup: { targets: [targetOf({ payloadFile: rows(['a'], { order: 'once' }) })] },
    },
    [
      'setup.urls.0.payload_file "order: once" and "stages" cannot be combined, because the rows determine the number of iterations; remove one of them',
    ],
  ],
  [
    'keep_alive of a per-second test',
    { type: 'per-second', keepAlive: false },
    [
      'keep_alive! "keep_alive" applies only to cycling tests; remove "keep_alive", because each client of a per-second test opens new connections unless "connections" is set',
    ],
  ],
  [
    'an abort rule with an unknown metric',
    rule({ metric: 'speed' as 'p95' }),
    [
      'abort_rules.0 the metric "speed" with the condition "< 3s" is not a valid threshold; write, for example, "p95" and "< 300ms"',
    ],
  ],
  [
    'an abort rule that later requests can still meet',
    rule({ metric: 'max', limit: '> 3s' }),
    [
      'abort_rules.0 the threshold "max > 3s" cannot end a run early, because later requests can still meet it; remove this rule',
    ],
  ],
  [
    'an abort rule of an unknown request',
    rule({ url: 1 }),
    ['abort_rules.0 the rule refers to a request that is not in "urls"'],
  ],
  [
    'an abort rule of an unknown request of a group',
    rule({ group: { name: 'a', urls: [0, 7] } }),
    ['abort_rules.0 the rule refers to a request that is not in "urls"'],
  ],
  [
    'an abort rule of an unknown flow',
    rule({ flow: 0 }),
    ['abort_rules.0 the rule refers to a flow that is not in "flows"'],
  ],
  [
    'requests on start of a per-second test',
    { type: 'per-second', onStart: 1, urls: ['/', '/'] },
    [
      'on_start! "on_start" applies only to cycling tests; each client of a per-second test performs one iteration, so move the requests of "on_start" to the beginning of the iteration',
    ],
  ],
  [
    'all requests on start',
    { onStart: 2, urls: ['/', '/'] },
    [
      'on_start "on_start" is 2, but the test has 2 requests in total; "on_start" must be at least 1 and leave at least 1 request for the iterations',
    ],
  ],
  [
    'no requests on start',
    { onStart: 0, urls: ['/', '/'] },
    [
      'on_start "on_start" is 0, but the test has 2 requests in total; "on_start" must be at least 1 and leave at least 1 request for the iterations',
    ],
  ],
  [
    'rows that are used once on start',
    { onStart: 1, urls: [{ payloadFile: rows(['a'], { order: 'once' }) }, '/'] },
    [
      'urls.0.payload_file! "order: once" ends the run when the iterations have used all rows, but a request in "on_start" uses one row for each connection; use a different "order"',
    ],
  ],
  [
    'two flows with the same name, and too few requests',
    {
      flows: [
        { name: 'a', weight: 1, urls: 1 },
        { name: 'a', weight: 2, urls: 1 },
      ],
    },
    [
      'flows.1.name two flows have the name "a"; rename one of them',
      'flows the flows have 2 requests in total, but "urls" has 1; the numbers must be equal',
    ],
  ],
  [
    'flows without the second request after "on_start"',
    { onStart: 1, urls: ['/', '/', '/'], flows: [{ name: 'a', weight: 1, urls: 1 }] },
    [
      'flows the flows have 1 request in total, but "urls" has 2 after those of "on_start"; the numbers must be equal',
    ],
  ],
  [
    'weights whose reduced sum exceeds 1,000,000',
    {
      urls: ['/', '/'],
      flows: [
        { name: 'a', weight: 999_983, urls: 1 },
        { name: 'b', weight: 999_979, urls: 1 },
      ],
    },
    [
      'flows the weights of the flows, divided by their greatest common divisor, add up to 1999962; the sum must be at most 1000000, so use rounder numbers',
    ],
  ],
  [
    'a schedule in the past',
    { scheduledAt: NOW },
    [
      'scheduled_at "scheduled_at" must be in the future; the current time of the service is 2026-03-02 09:00:00 UTC',
    ],
  ],
  [
    'a callback of another host',
    { callback: 'https://other.example/' },
    [
      'callback the callback "https://other.example/" has the host other.example, which is neither a verified app nor a host that the service is allowed to contact; declare the host as an app',
    ],
  ],
  [
    'a callback that is no URL',
    { callback: 'other' },
    ['callback the callback "other" is not a valid URL; it must begin with http:// or https://'],
  ],
  [
    'an email address of another host',
    { callbackEmail: 'a@OTHER.example' },
    [
      'callback_email "callback_email" has the domain other.example, which is neither the host of a verified app nor allowed by the service; use a different address, or start "loadtests serve" with --allow-mail other.example',
    ],
  ],
  [
    'two email addresses',
    { callbackEmail: 'a@shop.example, b@shop.example' },
    [
      'callback_email "a@shop.example, b@shop.example" is not a valid email address; set "callback_email" to one address, such as "team@example.com"',
    ],
  ],
  [
    'an invalid URL',
    urls({ url: 'ftp://shop.example/' }),
    ['urls.0.url the URL "ftp://shop.example/" is not a valid URL; it must begin with http:// or https://'],
  ],
  [
    'a payload file on another host',
    urls({ payloadFileUrl: 'https://other.example/rows.csv' }),
    [
      'urls.0.payload_file_url the payload file "https://other.example/rows.csv" has the host other.example, which is neither a verified app nor a host that the service is allowed to contact; declare the host as an app',
    ],
  ],
  [
    'two payload files of a request',
    urls({ payloadFileUrl: 'https://shop.example/rows.csv', payloadFile: rows(['a']) }),
    ['urls.0.payload_file! "payload_file" and "payload_file_url" cannot be combined; remove one of them'],
  ],
  [
    'a URL that combines a variable with other text, and an invalid URL',
    urls(
      { variables: [variable('next')] },
      { url: '/a/{{next}}', resolveUrl: true },
      { url: 'http://a:b/{{next}}', resolveUrl: true },
    ),
    [
      'urls.1.url "resolve_url" requires a URL whose path is one variable, such as "https://www.example.com/{{next}}"',
      'urls.2.url the URL "http://a:b/{{next}}" has no valid host',
    ],
  ],
  [
    'parameters of a URL that is the value of a variable',
    urls(
      { variables: [variable('next')] },
      { url: '/{{next}}', resolveUrl: true, params: [{ name: 'a', value: 'b' }] },
    ),
    [
      'urls.1.request_params! "request_params" cannot be added to a URL that is the value of a variable; remove "request_params"',
    ],
  ],
  [
    'a delay of more than 10 minutes',
    urls({ delay: { min: seconds(1), max: seconds(601) } }),
    ['urls.0.delay a delay of 10m1s is too long; "delay" must be at most 10m'],
  ],
  [
    'a delay whose first time is the longer one',
    urls({ delay: { min: seconds(2), max: seconds(1) } }),
    ['urls.0.delay "delay" begins with the longer time; write the shorter time first: [1s, 2s]'],
  ],
  [
    'reserved and invalid headers',
    urls({
      headers: [
        { name: 'Host', value: '' },
        { name: 'a b', value: '' },
        { name: '', value: '' },
      ],
    }),
    [
      'urls.0.headers.Host! the header "Host" is reserved and cannot be set',
      'urls.0.headers.a b! "a b" is not a valid header name',
      'urls.0.headers.! "" is not a valid header name',
    ],
  ],
  [
    'two headers with the same name',
    urls({
      headers: [
        { name: 'X-Id', value: '1' },
        { name: 'x-id', value: '2' },
      ],
    }),
    [
      'urls.0.headers.x-id! the headers "X-Id" and "x-id" are the same header, because header names are case-insensitive; remove one of them',
    ],
  ],
  [
    'a header with a line break',
    urls(header('x-id', 'a\nb')),
    ['urls.0.headers.x-id the value of the header "x-id" contains a line break or control character'],
  ],
  [
    'a multipart header of parameters',
    urls({
      ...header('content-type', 'multipart/form-data'),
      params: [{ name: 'a', value: 'b' }],
      method: 'POST',
    }),
    [
      '~urls.0.headers.content-type "request_params" are not sent as multipart/form-data; remove the header "content-type", and move the parameters to "multipart" if the target requires this media type',
    ],
  ],
  [
    'a multipart header with a boundary, of parameters',
    urls({
      ...header('content-type', 'multipart/form-data; boundary=x'),
      params: [{ name: 'a', value: 'b' }],
      method: 'POST',
    }),
    [
      '~urls.0.headers.content-type "request_params" are not sent as multipart/form-data; remove the header "content-type", and move the parameters to "multipart" if the target requires this media type',
    ],
  ],
  [
    'a multipart header without a body',
    urls(header('content-type', 'multipart/form-data')),
    [
      '~urls.0.headers.content-type the header "content-type" has no "boundary" parameter, so the target cannot parse the body; write the parts in "multipart", or add the boundary that the body uses',
    ],
  ],
  [
    'a multipart header without a boundary',
    urls({ ...header('Content-Type', ' Multipart/form-data; x=y'), body: 'a', method: 'POST' }),
    [
      '~urls.0.headers.Content-Type the header "Content-Type" has no "boundary" parameter, so the target cannot parse the body; write the parts in "multipart", or add the boundary that the body uses',
    ],
  ],
  [
    'a multipart body with its own header',
    urls({ ...header('content-type', 'multipart/form-data'), ...multipart({ name: 'a', value: '' }) }),
    [
      'urls.0.headers.content-type! "multipart" sets the header "content-type" automatically; remove the header',
    ],
  ],
  [
    'parts without a name or with the same name',
    urls(multipart({ name: '', value: '' }, { name: 'a', value: '' }, { name: 'a', value: '' })),
    [
      'urls.0.multipart the name of a part of "multipart" is empty; set a name',
      'urls.0.multipart "multipart" has two parts with the name "a"; rename one of them',
    ],
  ],
  [
    'a part with an invalid media type and file name',
    urls(multipart({ name: 'a', value: '', contentType: 'pdf', filename: 'a\nb' })),
    [
      'urls.0.multipart.a.content_type "pdf" is not a valid media type; "content_type" must be a type and a subtype, such as "application/pdf"',
      'urls.0.multipart.a.filename "filename" contains a line break or control character',
    ],
  ],
  [
    'credentials with an authorization header',
    urls({ ...header('Authorization', 'x'), credentials: { login: 'a:b', password: 'c\n' } }),
    [
      'urls.0.credentials! "credentials" and the header "authorization" cannot be combined; remove one of them',
      'urls.0.credentials.login "login" contains a colon, which Basic authentication does not allow',
      'urls.0.credentials.password "password" contains a line break or control character',
    ],
  ],
  [
    'signatures with credentials and headers',
    urls({ ...header('X-Amz-Date', 'x'), ...sigv4({}), credentials: { login: 'a', password: 'b' } }),
    [
      'urls.0.aws_sigv4! "credentials" and "aws_sigv4" cannot be combined; remove one of them',
      'urls.0.aws_sigv4! "aws_sigv4" and the header "X-Amz-Date" cannot be combined; remove one of them',
    ],
  ],
  [
    'signatures with invalid texts',
    urls(
      sigv4({
        region: 'eu/west',
        service: 'a b',
        accessKeyId: 'A B',
        secretAccessKey: 'a b',
        sessionToken: 'é',
      }),
    ),
    [
      'urls.0.aws_sigv4.region "eu/west" is not a valid region; write a name such as "us-east-1"',
      'urls.0.aws_sigv4.service "a b" is not a valid service; write a name such as "execute-api"',
      'urls.0.aws_sigv4.access_key_id "access_key_id" contains a character that is not allowed in this AWS credential; copy the value again',
      'urls.0.aws_sigv4.secret_access_key "secret_access_key" contains a character that is not allowed in this AWS credential; copy the value again',
      'urls.0.aws_sigv4.session_token "session_token" contains a character that is not allowed in this AWS credential; copy the value again',
    ],
  ],
  [
    'an access key ID with characters that only a secret key can contain',
    urls(sigv4({ accessKeyId: 'A+B', secretAccessKey: 'A+B' })),
    [
      'urls.0.aws_sigv4.access_key_id "access_key_id" contains a character that is not allowed in this AWS credential; copy the value again',
    ],
  ],
  [
    'invalid names of variables',
    urls({ variables: [variable('1a'), variable('b'), variable('b')] }),
    [
      'urls.0.variables.0.name "1a" is not a valid variable name; use letters, digits, _ and -, and begin with a letter or _',
      'urls.0.variables.2.name the variable "b" is defined twice for the same response; rename one of them',
    ],
  ],
  [
    'pick without a list',
    urls({
      variables: [
        variable('a', { pick: 'last' }),
        variable('b', { source: 'json', property: '/a', pick: 'first' }),
        variable('c', { source: 'body', property: '/*/(a)', pick: 'first' }),
      ],
    }),
    [
      'urls.0.variables.0.pick! "pick" requires "source: json" and a "property" with * for the items of a list, such as "/items/*/id"',
      'urls.0.variables.1.pick! "pick" requires "source: json" and a "property" with * for the items of a list, such as "/items/*/id"',
      'urls.0.variables.2.pick! "pick" requires "source: json" and a "property" with * for the items of a list, such as "/items/*/id"',
    ],
  ],
  [
    'invalid properties of variables',
    urls({
      variables: [
        variable('a', { property: 'x y' }),
        variable('b', { source: 'cookie', property: '' }),
        variable('c', { source: 'json', property: 'items/*/*' }),
        variable('d', { source: 'json', property: '/*/a/*' }),
        variable('e', { source: 'body', property: '(' }),
        variable('f', { source: 'status', property: 'code' }),
      ],
    }),
    [
      'urls.0.variables.0.property "x y" is not a valid header name; set "property" to the name of a response header',
      'urls.0.variables.1.property "" is not a valid cookie name; set "property" to the name of a cookie that the response sets',
      'urls.0.variables.2.property "items/*/*" is not a valid JSON Pointer; write a path such as "/items/0/sku"',
      'urls.0.variables.3.property "/*/a/*" contains * more than once; a variable can select from only one list',
      'urls.0.variables.4.property the pattern "(" is not valid RE2 syntax: missing closing ) in "("',
      'urls.0.variables.5.property "source: status" does not use "property"; remove "property" or leave it empty',
    ],
  ],
  [
    'variables from the body of a HEAD response',
    urls({
      method: 'HEAD',
      variables: [
        variable('a', { source: 'json', property: '/a' }),
        variable('b', { source: 'body', property: '(a)' }),
        variable('c'),
      ],
    }),
    [
      'urls.0.variables.0.source the response to a HEAD request has no body; take the variable from a header, a cookie or the status',
      'urls.0.variables.1.source the response to a HEAD request has no body; take the variable from a header, a cookie or the status',
    ],
  ],
  [
    'an empty expectation',
    urls(expectation({})),
    ['urls.0.expect "expect" is empty; set "status", "headers", "body", "json" or "within"'],
  ],
  [
    'an expected body of a HEAD response',
    urls(
      { method: 'HEAD', ...body({ contains: ['a'] }) },
      { method: 'HEAD', ...expectation({ json: [{ pointer: '/a', value: 1 }] }) },
    ),
    [
      'urls.0.expect.body! the response to a HEAD request has no body; remove "body" and "json" from "expect"',
      'urls.1.expect.json! the response to a HEAD request has no body; remove "body" and "json" from "expect"',
    ],
  ],
  [
    'an empty expected body',
    urls(body({})),
    ['urls.0.expect.body "body" is empty; set "contains", "not_contains" or "matches"'],
  ],
  [
    'empty expected texts',
    urls(body({ contains: ['', 'a'], notContains: [''] }), body({ contains: [''] })),
    [
      'urls.0.expect.body.contains.0 the text of "contains" is empty, so every response meets it; write a text or remove the condition',
      'urls.0.expect.body.not_contains.0 the text of "not_contains" is empty, so no response meets it; write a text or remove the condition',
      'urls.1.expect.body the text of "body" is empty, so every response meets it; write a text or remove the condition',
    ],
  ],
  [
    'invalid expected patterns',
    urls({ variables: [variable('a'), variable('b')] }, body({ matches: ['(', '{{a}}-{{b}}('] })),
    [
      'urls.1.expect.body.matches.0 the pattern "(" is not valid RE2 syntax: missing closing ) in "("',
      'urls.1.expect.body.matches.1 the pattern "{{a}}-{{b}}(" is not valid RE2 syntax: missing closing ) in "{{a}}-{{b}}("',
    ],
  ],
  [
    'expected texts that look like conditions',
    urls(body({ contains: ['> 0'] }), expectation({ json: [{ pointer: '/a', value: '>= 3' }] })),
    [
      '~urls.0.expect.body "> 0" is searched for in the body as text; write conditions for values under "json"',
      '~urls.1.expect.json./a ">= 3" is compared as text; for a condition, write { number: \'>= 3\' }',
    ],
  ],
  [
    'invalid JSON Pointers and an invalid number',
    urls(
      expectation({
        json: [
          { pointer: 'a', value: 1 },
          { pointer: '/~2', value: Number.NaN },
        ],
      }),
    ),
    [
      'urls.0.expect.json.a! "a" is not a valid JSON Pointer; write a path such as "/items/0/sku"',
      'urls.0.expect.json./~2! "/~2" is not a valid JSON Pointer; write a path such as "/items/0/sku"',
      'urls.0.expect.json./~2 NaN is not a valid JSON number',
    ],
  ],
  [
    'conditions without effect',
    urls(
      expectation({
        json: [
          { pointer: '/a', value: {} },
          { pointer: '/b', value: { not: {} } },
          { pointer: '/c', value: { exists: false, length: '> 1' } },
          { pointer: '/d', value: { oneOf: [] } },
        ],
      }),
    ),
    [
      'urls.0.expect.json./a the map has no condition; set "exists", "not", "length", "number", "one_of" or "matches"',
      'urls.0.expect.json./b.not the map has no condition; set "length", "number", "one_of" or "matches"',
      'urls.0.expect.json./c.exists! a value that must not exist cannot meet other conditions; remove "exists" or the other conditions',
      'urls.0.expect.json./d.one_of "one_of" is empty, so no value meets it; add a value',
    ],
  ],
  [
    'invalid comparisons',
    urls(
      expectation({
        json: [
          { pointer: '/a', value: { length: 'many', number: '=> 1' } },
          { pointer: '/b', value: { oneOf: [Infinity], matches: ')', not: { matches: '[' } } },
        ],
      }),
    ),
    [
      'urls.0.expect.json./a.length "many" is not a comparison; write <, <=, >, >=, == or != and a number or a variable, such as ">= 1"',
      'urls.0.expect.json./a.number "=> 1" is not a comparison; write <, <=, >, >=, == or != and a number or a variable, such as "> 0"',
      'urls.0.expect.json./b.one_of "one_of" contains a value that is not a valid JSON number',
      'urls.0.expect.json./b.matches the pattern ")" is not valid RE2 syntax: unexpected ) in ")"',
      'urls.0.expect.json./b.not.matches the pattern "[" is not valid RE2 syntax: missing closing ] in "["',
    ],
  ],
  [
    'invalid expected headers',
    urls(
      expectation({
        headers: [
          { name: 'a b', value: '' },
          { name: 'X-Id', value: '' },
          { name: 'x-id', value: 'a\nb' },
        ],
      }),
    ),
    [
      'urls.0.expect.headers.a b! "a b" is not a valid header name',
      'urls.0.expect.headers.x-id! the headers "X-Id" and "x-id" are the same header, because header names are case-insensitive; remove one of them',
      'urls.0.expect.headers.x-id the expected value of the header "x-id" contains a line break or control character, so no response can match it',
    ],
  ],
  [
    'invalid expressions',
    urls({ url: '/%{1:}', ...header('x-id', '%{nothing}') }),
    [
      'urls.0.url "%{1:}" is not a valid expression; write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"',
      'urls.0.headers.x-id "%{nothing}" is not a valid expression; for a generated value, write "%{NAME}", where NAME is uuid, text:8, hex:16, digits:6, decimal:0.5-99.99, pick:red,green, item:VARIABLE, now, client or iteration; for a number, write "%{1:100}" or "%{*:1-100}"',
    ],
  ],
  [
    'functions of other tools',
    urls(
      { url: '/', ...header('x-id', '{{$randomInt(1, 10)}}') },
      { url: '/', ...header('x-id', '{{$guid (1, 10)}}') },
      '/{{$uuid}}',
      '/{{random(1)}}',
      { url: '/', ...header('x-id', '{{ $randomInt(1, 10) }}') },
      '/{{$own}}',
      '/{{own(1)}}',
      '/{{own$}}',
    ),
    [
      'urls.0.headers.x-id "{{$randomInt(1, 10)}}" is not a variable; for a generated value, write "%{*:1-100}"',
      'urls.1.headers.x-id "{{$guid (1, 10)}}" is not a variable; for a generated value, write "%{uuid}"',
      'urls.4.headers.x-id "{{ $randomInt(1, 10) }}" is not a variable; for a generated value, write "%{*:1-100}"',
      'urls.2.url "{{$uuid}}" is not defined; for a generated value, write "%{uuid}"',
      'urls.3.url "{{random(1)}}" is not defined; for a generated value, write "%{*:1-100}"',
      `urls.5.url "{{$own}}" is not defined; ${ADVICE_ON_VALUES}`,
      `urls.6.url "{{own(1)}}" is not defined; ${ADVICE_ON_VALUES}`,
      'urls.7.url "{{own$}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'an unknown function',
    urls({ ...header('x-id', '{{$own (1, 10)}}') }),
    [`urls.0.headers.x-id "{{$own (1, 10)}}" is not a variable; ${ADVICE_ON_VALUES}`],
  ],
  [
    'variables in names of parameters',
    urls(
      {
        method: 'POST',
        params: [
          { name: '{{a}}', value: '' },
          { name: '%{uuid}', value: '' },
        ],
      },
      multipart({ name: '{{b}}', value: '' }),
    ),
    [
      'urls.0.request_params.{{a}}! the name of the parameter "{{a}}" contains a variable or an expression, which only its value can contain',
      'urls.0.request_params.%{uuid}! the name of the parameter "%{uuid}" contains a variable or an expression, which only its value can contain',
      'urls.1.multipart.{{b}}! the name of the part "{{b}}" contains a variable or an expression, which only its value can contain',
    ],
  ],
  [
    'undefined variables',
    urls({ url: '/{{a}}/{{b}}/{{a}}', ...header('x', '{{b}}') }),
    [
      'urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{b}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'eleven undefined variables of a request',
    urls('/{{a}}{{b}}{{c}}{{d}}{{e}}{{f}}{{g}}{{h}}{{i}}{{j}}{{k}}'),
    [
      'urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{b}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{c}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{d}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{e}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{f}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{g}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{h}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{i}}" is not defined; no earlier request of the test defines it',
      'urls.0.url "{{j}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'variables that are used before they are defined',
    urls({ url: '/{{a}}', variables: [variable('a')] }),
    ['urls.0.url "{{a}}" is used before it is defined; it is available only to later requests'],
  ],
  [
    'variables of another flow',
    {
      urls: [{ variables: [variable('a')] }, '/{{a}}'],
      flows: [
        { name: 'a', weight: 1, urls: 1 },
        { name: 'b', weight: 1, urls: 1 },
      ],
    },
    ['urls.1.url "{{a}}" is defined only in another flow; each iteration runs one flow'],
  ],
  [
    'a variable of a later iteration in "on_start"',
    { onStart: 1, urls: ['/{{a}}', { variables: [variable('a')] }] },
    ['urls.0.url "{{a}}" is defined only by requests after "on_start"; requests in "on_start" cannot use it'],
  ],
  [
    'variables of the same parallel group',
    four(
      [{ first: 0, count: 2, parallel: true }],
      { variables: [variable('a')] },
      { url: '/{{a}}', variables: [variable('a')] },
    ),
    [
      'urls.1.url "{{a}}" is taken from a response of the same "parallel" group, whose requests start at the same time; move this request after the group',
      'urls.1.variables.0.name two requests of the same "parallel" group define the variable "a"; use different names',
    ],
  ],
  [
    'variables of a parallel group that are used outside of it',
    four(
      [{ first: 1, count: 2, parallel: true }],
      '/{{a}}',
      { url: '/{{b}}', variables: [variable('a')] },
      '/',
      { variables: [variable('b')] },
    ),
    [
      'urls.0.url "{{a}}" is used before it is defined; it is available only to later requests',
      'urls.1.url "{{b}}" is used before it is defined; it is available only to later requests',
    ],
  ],
  [
    'a variable of another flow after "on_start"',
    {
      onStart: 1,
      urls: ['/', '/{{a}}', { variables: [variable('a')] }],
      flows: [
        { name: 'f', weight: 1, urls: 1 },
        { name: 'g', weight: 1, urls: 1 },
      ],
    },
    ['urls.1.url "{{a}}" is defined only in another flow; each iteration runs one flow'],
  ],
  [
    'a variable that a later request on start defines',
    { onStart: 2, urls: ['/{{a}}', { variables: [variable('a')] }, '/'] },
    ['urls.0.url "{{a}}" is used before it is defined; it is available only to later requests'],
  ],
  [
    'escaped variables and expressions of a URL',
    urls('/%7B%7Ba%7D%7D', '/%%7B1:%7D'),
    [
      'urls.1.url "%{1:}" is not a valid expression; write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"',
      'urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'undefined variables of bodies',
    urls(
      { method: 'POST', body: '{{a}}' },
      { method: 'POST', params: [{ name: 'p', value: '{{a}}' }] },
      multipart({ name: 'p', value: '{{a}}' }),
    ),
    [
      'urls.0.raw_post_body "{{a}}" is not defined; no earlier request of the test defines it',
      'urls.1.request_params.p "{{a}}" is not defined; no earlier request of the test defines it',
      'urls.2.multipart.p "{{a}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'an invalid expression next to a secret',
    urls({ headers: [{ name: 'x', value: { parts: ['%{1:}', new Secret('KEY', 'a')] } }] }),
    [
      'urls.0.headers.x "%{1:}" is not a valid expression; write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"',
    ],
  ],
  [
    'undefined variables of expectations',
    urls(
      expectation({
        headers: [{ name: 'x', value: '{{a}}' }],
        json: [{ pointer: '/a', value: { number: '{{b}}' } }],
      }),
    ),
    [
      'urls.0.expect.headers.x "{{a}}" is not defined; no earlier request of the test defines it',
      'urls.0.expect.json./a.number "{{b}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'a variable in a secret',
    urls({ headers: [{ name: 'x', value: { parts: ['a', new Secret('KEY', '{{hidden}}')] } }] }),
    ['urls.0.headers.x a variable in a secret is not defined; no earlier request of the test defines it'],
  ],
  [
    'an expression in a secret',
    urls({ headers: [{ name: 'x', value: { parts: ['a', new Secret('KEY', '%{1:}')] } }] }),
    [
      'urls.0.headers.x once its secrets are inserted, this text contains an invalid expression; change the value of the secret',
    ],
  ],
  [
    'invalid values',
    {
      values: [
        { name: '1', value: '' },
        { name: 'a', value: '{{b}}{{c}}{{r}}%{1:}' },
        { name: 'b', value: '{{d}}' },
      ],
      urls: [{ payloadFile: rows(['d']), variables: [variable('r')] }],
    },
    [
      'values.1! "1" is not a valid variable name; use letters, digits, _ and -, and begin with a letter or _',
      'values.a "%{1:}" is not a valid expression; write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"',
      'values.a "{{b}}" is used before it is defined; a value can use only the values before it',
      'values.a "{{c}}" is not defined; no earlier value, payload file or "setup" defines it',
      'values.a "{{r}}" is taken from a response, but values are generated before the first request of an iteration',
    ],
  ],
  [
    'values that use variables of responses',
    {
      values: [{ name: 'v', value: '{{a}}' }],
      urls: [{ variables: [variable('a')] }, { variables: [variable('b')] }],
      flows: [
        { name: 'f', weight: 1, urls: 1, values: [{ name: 'w', value: '{{a}}{{b}}' }] },
        { name: 'g', weight: 1, urls: 1 },
      ],
    },
    [
      'values.v "{{a}}" is taken from a response, but values are generated before the first request of an iteration',
      'flows.0.values.w "{{a}}" is taken from a response, but values are generated before the first request of an iteration',
      'flows.0.values.w "{{b}}" is not defined; no earlier value, payload file or "setup" defines it',
    ],
  ],
  [
    'values with the name of a column',
    { values: [{ name: 'sku', value: 'a' }], urls: [{ payloadFile: rows(['sku']) }] },
    ['values.sku! the variable "sku" is defined twice: in "values" and in a payload file'],
  ],
  [
    'a value of a flow with the name of a value of the test',
    {
      values: [{ name: 'a', value: 'a' }],
      urls: ['/{{a}}'],
      flows: [{ name: 'f', weight: 1, urls: 1, values: [{ name: 'a', value: 'b' }] }],
    },
    ['flows.0.values.a! the variable "a" is defined twice: in "values" of the test and of the flow'],
  ],
  [
    'variables with the name of a value or column',
    {
      values: [{ name: 'a', value: '' }],
      urls: [{ payloadFile: rows(['b']), variables: [variable('a'), variable('b'), variable('c')] }],
      flows: [{ name: 'f', weight: 1, urls: 1, values: [{ name: 'c', value: '' }] }],
    },
    [
      'urls.0.variables.0.name the variable "a" is defined twice: in "variables" and in "values"',
      'urls.0.variables.1.name the variable "b" is defined twice: in "variables" and in a payload file',
      'urls.0.variables.2.name the variable "c" is defined twice: in "variables" and in "values"',
    ],
  ],
  [
    'two payload files with the same column',
    urls({ payloadFile: rows(['a']) }, { payloadFile: rows(['a', 'b']) }),
    [' two payload files define the same variable; rename the variable in one of them'],
  ],
  [
    'a payload file with "keys" and a body',
    urls({ method: 'POST', body: 'a', payloadFile: rows(null) }),
    [
      'urls.0.raw_post_body! "raw_post_body" and a payload file with "keys" cannot be combined; remove one of them',
    ],
  ],
  [
    'overlapping groups',
    four([
      { first: 0, count: 2 },
      { first: 1, count: 2 },
    ]),
    [
      'groups.1 a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
    ],
  ],
  [
    'groups in the wrong order',
    four([
      { first: 2, count: 1 },
      { first: 0, count: 1 },
    ]),
    [
      'groups.1 a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
    ],
  ],
  [
    'a group that extends beyond the requests',
    four([{ first: 3, count: 2 }]),
    [
      'groups.0 a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
    ],
  ],
  [
    'a group that spans two flows',
    {
      ...four([{ first: 1, count: 2 }]),
      flows: [
        { name: 'a', weight: 1, urls: 2 },
        { name: 'b', weight: 1, urls: 2 },
      ],
    },
    [
      'groups.0 a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
    ],
  ],
  [
    'five levels of repetitions',
    four([2, 2, 2, 2, 2].map((repeat) => ({ first: 0, count: 1, repeat }))),
    [
      'groups.4 groups with "repeat" or "for_each" are nested more than 4 levels deep; combine some of these groups',
    ],
  ],
  [
    'an iteration of more than 100,000 requests',
    four([{ first: 0, count: 2, repeat: 50_001 }]),
    [
      'groups.0 an iteration could send 100,004 requests; the maximum is 100,000; reduce the number of repetitions',
    ],
  ],
  [
    'a group with both repeat and for_each',
    four([{ first: 0, count: 1, repeat: 2, forEach: { name: '1', values: ['{{a}}', '%{uuid}', 'a'] } }]),
    [
      'groups.0.for_each! "repeat" and "for_each" cannot be combined in one group; use two nested groups instead',
      'groups.0.for_each "1" is not a valid variable name; use letters, digits, _ and -, and begin with a letter or _',
      'groups.0.for_each "{{a}}" contains a variable or an expression, but a list in "for_each" must contain only constants',
      'groups.0.for_each "%{uuid}" contains a variable or an expression, but a list in "for_each" must contain only constants',
    ],
  ],
  [
    'repeated parallel groups',
    four([
      { first: 0, count: 2, parallel: true, repeat: 2 },
      { first: 2, count: 2, parallel: true, forEach: { name: 'a', values: ['b'] } },
    ]),
    [
      'groups.0.repeat! "parallel" and "repeat" cannot be combined in one group; put the group with "parallel" under "urls" of a group with "repeat"',
      'groups.1.for_each! "parallel" and "for_each" cannot be combined in one group; put the group with "parallel" under "urls" of a group with "for_each"',
    ],
  ],
  [
    'repetitions in parallel groups',
    four([
      { first: 0, count: 4, parallel: true },
      { first: 0, count: 1, repeat: 2 },
      { first: 1, count: 1, forEach: { name: 'a', values: ['b'] } },
      { first: 2, count: 1, parallel: true },
      { first: 3, count: 1, when: [{ name: 'x', value: 'y' }] },
    ]),
    [
      'groups.1.repeat! a group with "parallel" cannot contain a group with "repeat", because all its requests start once, at the same time; remove the inner "repeat"',
      'groups.2.for_each! a group with "parallel" cannot contain a group with "for_each", because all its requests start once, at the same time; remove the inner "for_each"',
      'groups.3.parallel! a group with "parallel" cannot contain a group with "parallel", because all its requests start once, at the same time; remove the inner "parallel"',
      'groups.4.when.x! the variable "x" is not defined; no request of the iteration outside the "parallel" group defines it',
    ],
  ],
  [
    'invalid conditions of groups',
    four([
      {
        first: 0,
        count: 1,
        when: [{ name: 'a', value: {} }],
        repeat: { atMost: 2, until: [{ name: 'b', value: { matches: '{{c}}(' } }] },
      },
    ]),
    [
      'groups.0.when.a the map has no condition; set "exists", "not", "length", "number", "one_of" or "matches"',
      'groups.0.repeat.until.b.matches the pattern "{{c}}(" is not valid RE2 syntax: missing closing ) in "{{c}}("',
      'groups.0.when.a! the variable "a" is not defined; no request of the iteration defines it',
      'groups.0.repeat.until.b! the variable "b" is not defined; no request of the iteration defines it',
      'groups.0.repeat.until.b the variable "c" is not defined; no request of the iteration defines it',
    ],
  ],
  [
    'conditions of groups that are compared as text',
    four(
      [
        {
          first: 1,
          count: 1,
          when: [{ name: 'a', value: '> 0' }],
          repeat: { atMost: 2, until: [{ name: 'a', value: '< 5' }] },
        },
      ],
      { variables: [variable('a')] },
    ),
    [
      '~groups.0.when.a "> 0" is compared as text; for a condition, write { number: \'> 0\' }',
      '~groups.0.repeat.until.a "< 5" is compared as text; for a condition, write { number: \'< 5\' }',
    ],
  ],
  [
    'conditions on a variable that the same parallel group defines',
    {
      onStart: 1,
      ...four(
        [
          { first: 1, count: 3, parallel: true, when: [{ name: 'b', value: '1' }] },
          { first: 2, count: 1, when: [{ name: 'a', value: '1' }] },
        ],
        '/',
        { variables: [variable('a')] },
      ),
    },
    [
      'groups.0.when.b! the variable "b" is not defined; no request of the iteration defines it',
      'groups.1.when.a! the variable "a" is not defined; no request of the iteration outside the "parallel" group defines it',
    ],
  ],
  [
    'conditions on a variable of another flow, and on a value of another flow',
    {
      urls: [{ variables: [variable('a')] }, '/', { variables: [variable('c')] }],
      flows: [
        { name: 'f', weight: 1, urls: 1 },
        { name: 'g', weight: 1, urls: 1 },
        { name: 'h', weight: 1, urls: 1, values: [{ name: 'b', value: '' }] },
      ],
      groups: [
        {
          first: 1,
          count: 1,
          when: ['a', 'b', 'c'].map((name) => ({ name, value: '1' })),
        },
      ],
    },
    [
      'groups.0.when.a! the variable "a" is not defined; no request of the iteration defines it',
      'groups.0.when.b! the variable "b" is not defined; no request of the iteration defines it',
      'groups.0.when.c! the variable "c" is not defined; no request of the iteration defines it',
    ],
  ],
  [
    'a group of requests on start',
    { onStart: 1, ...four([{ first: 0, count: 1, when: [{ name: 'a', value: '1' }] }]) },
    [
      'groups.0 a group must be within one iteration, must not partly overlap another group, and must be listed after the groups that begin earlier or contain it',
    ],
  ],
  [
    'a flow whose iteration has more than 100,000 requests',
    {
      urls: ['/', '/', '/'],
      flows: ['f', 'g', 'h'].map((name) => ({ name, weight: 1, urls: 1 })),
      groups: [
        { first: 0, count: 1, repeat: 2 },
        { first: 1, count: 1, repeat: 1_000 },
        { first: 1, count: 1, repeat: 101 },
        { first: 2, count: 1, repeat: 2 },
      ],
    },
    [
      'groups.1 an iteration could send 101,000 requests; the maximum is 100,000; reduce the number of repetitions',
    ],
  ],
  [
    'five levels of lists and repetitions',
    four([
      { first: 0, count: 1 },
      ...[1, 2, 3, 4].map((index) => ({
        first: 0,
        count: 1,
        forEach: { name: `a${index}`, values: ['b'] },
      })),
      { first: 0, count: 1, repeat: 2 },
    ]),
    [
      'groups.5 groups with "repeat" or "for_each" are nested more than 4 levels deep; combine some of these groups',
    ],
  ],
  [
    'an item with the name of a value',
    {
      values: [{ name: 'a', value: '' }],
      ...four([{ first: 0, count: 1, forEach: { name: 'a', values: ['b'] } }]),
    },
    ['groups.0.for_each the variable "a" is defined twice: by "for_each" and elsewhere in the test'],
  ],
  [
    'a list that is not defined',
    four([{ first: 0, count: 1, forEach: { name: 'a', list: 'b', atMost: 2 } }]),
    ['groups.0.for_each "{{b}}" is not defined; extract the list from an earlier response with "pick: all"'],
  ],
  [
    'a list variable that is defined twice',
    four([{ first: 0, count: 1, forEach: { name: 'a', values: ['b'] } }], { variables: [variable('a')] }),
    ['groups.0.for_each the variable "a" is defined twice: by "for_each" and elsewhere in the test'],
  ],
  [
    'nested groups with the same item variable, before a group with this variable that is not nested',
    four([
      { first: 0, count: 2, forEach: { name: 'a', values: ['b'] } },
      { first: 1, count: 1, forEach: { name: 'a', values: ['c'] } },
      { first: 2, count: 1, forEach: { name: 'a', values: ['d'] } },
    ]),
    [
      'groups.1.for_each the variable "a" is defined twice: by "for_each" of two nested groups; use different names',
    ],
  ],
  [
    'rows in a teardown and in a later request of a setup',
    {
      setup: { targets: [targetOf({}), targetOf({ payloadFile: rows(['a']) })] },
      teardown: { targets: [targetOf({ payloadFileUrl: 'https://shop.example/a' })] },
    },
    [
      'setup.urls.1.payload_file! "payload_file" has no effect in "setup" except in the first request; remove it, or move it to the first request',
      'teardown.urls.0.payload_file_url! "payload_file_url" has no effect in "teardown"; remove "payload_file_url"',
    ],
  ],
  [
    'a remote payload file in a setup, and rows in a teardown',
    {
      setup: { targets: [targetOf({ payloadFileUrl: 'https://shop.example/a' })] },
      teardown: { targets: [targetOf({ payloadFile: rows(['a']) })] },
    },
    [
      'setup.urls.0.payload_file_url! "payload_file_url" has no effect in "setup"; remove "payload_file_url"',
      'teardown.urls.0.payload_file! "payload_file" has no effect in "teardown"; remove "payload_file"',
    ],
  ],
  [
    'undefined variables of a teardown after a setup with rows',
    {
      setup: {
        targets: [targetOf({ url: '/{{a}}', payloadFile: rows(['a']), variables: [variable('b')] })],
      },
      teardown: { targets: [targetOf({ url: '/{{a}}/{{b}}' })] },
    },
    [
      'teardown.urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
      'teardown.urls.0.url "{{b}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'undefined variables of a setup with rows, and of a teardown',
    {
      setup: { targets: [targetOf({ url: '/{{b}}', payloadFile: rows(['a']) })] },
      teardown: { targets: [targetOf({ url: '/{{a}}' })] },
    },
    [
      'setup.urls.0.url "{{b}}" is not defined; no earlier request of the test defines it',
      'teardown.urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'undefined variables of a teardown after a setup whose rows were not read',
    {
      setup: { targets: [targetOf({ url: '/{{a}}', payloadFile: { sha256: '', declared: null } })] },
      teardown: { targets: [targetOf({ url: '/{{a}}' })] },
    },
    ['teardown.urls.0.url "{{a}}" is not defined; no earlier request of the test defines it'],
  ],
  [
    'a payload file with "keys" and no rows in a setup',
    {
      setup: { targets: [targetOf({ payloadFile: rows(null, {}, 0) })] },
      teardown: { targets: [targetOf({})] },
    },
    [
      'setup.urls.0.payload_file the payload file of "setup" must define variables; use CSV, or JSON with "variables"',
      'setup.urls.0.payload_file the payload file has 0 rows; in "setup", it must have 1 to 10,000 rows',
    ],
  ],
  [
    '10,001 rows of a setup',
    { setup: { targets: [targetOf({ payloadFile: rows(['a'], {}, 10_001) })] } },
    ['setup.urls.0.payload_file the payload file has 10,001 rows; in "setup", it must have 1 to 10,000 rows'],
  ],
  [
    'a column of a setup with the name of a variable of the setup',
    { setup: { targets: [targetOf({ payloadFile: rows(['a']), variables: [variable('a')] })] } },
    [
      'setup! the payload file and the requests of "setup" define the same variable; rename one of the variables',
    ],
  ],
  [
    'a variable of a setup with the name of a column',
    { setup: { targets: [targetOf({ variables: [variable('a')] })] }, urls: [{ payloadFile: rows(['a']) }] },
    ['setup! the variable "a" is defined twice: in "setup" and in a payload file'],
  ],
  [
    'faults in a teardown',
    { teardown: { targets: [targetOf({ url: '/{{a}}', delay: { min: seconds(2), max: seconds(1) } })] } },
    [
      'teardown.urls.0.delay "delay" begins with the longer time; write the shorter time first: [1s, 2s]',
      'teardown.urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
    ],
  ],
  [
    'connection settings of unknown and invalid hosts',
    {
      connection: [
        { host: 'other.example', options: {} },
        { host: 'https://shop.example', options: {} },
      ],
    },
    [
      'connection.other.example! no URL of the test has the host "other.example"; remove this host from "connection"',
      'connection.https://shop.example! "https://shop.example" is not a valid host; write "host" or "host:port"',
    ],
  ],
  [
    'a certificate authority with tls_verify: false',
    { tlsVerify: false, ...connection({ ca: '' }) },
    [
      'connection.shop.example.ca "ca" contains no valid certificate in PEM format, which begins with "-----BEGIN CERTIFICATE-----"',
      'connection.shop.example.ca! "ca" has no effect, because "tls_verify" is false; remove "ca", or remove "tls_verify"',
    ],
  ],
  [
    'connection settings for a host that is an address',
    { ...connection({ resolve: ['192.0.2.1'], ip: 4 }, '192.0.2.9'), urls: ['https://192.0.2.9/'] },
    [
      'connection.192.0.2.9.resolve! "resolve" has no effect, because the host "192.0.2.9" is an IP address; remove "resolve"',
      'connection.192.0.2.9.ip! "ip" has no effect, because the host "192.0.2.9" is an IP address; remove "ip"',
    ],
  ],
  [
    'one connection setting for a host that is an address',
    { ...connection({ ip: 4 }, '192.0.2.9'), urls: ['https://192.0.2.9/'] },
    [
      'connection.192.0.2.9.ip! "ip" has no effect, because the host "192.0.2.9" is an IP address; remove "ip"',
    ],
  ],
  [
    'a server name with a space',
    connection({ serverName: 'shop example' }),
    [
      'connection.shop.example.server_name "shop example" is not a valid server name; write a host name without a port, such as "shop.example.com"',
    ],
  ],
  [
    'invalid addresses',
    connection({ resolve: ['shop.example', '192.0.2.1:80'], ip: 6 }),
    [
      'connection.shop.example.resolve "shop.example" is not a valid address; write an IP address in standard form, without a port, such as "192.0.2.10" or "2001:db8::1"',
      'connection.shop.example.resolve "192.0.2.1:80" is not a valid address; write an IP address in standard form, without a port, such as "192.0.2.10" or "2001:db8::1"',
    ],
  ],
  [
    '17 addresses',
    connection({ resolve: Array<string>(17).fill('192.0.2.1') }),
    ['connection.shop.example.resolve "resolve" has 17 addresses; the maximum is 16 for each host'],
  ],
  [
    'a certificate without its key',
    connection({ cert: '', passphrase: '' }),
    [
      'connection.shop.example.cert! "cert" requires "key"; set both',
      'connection.shop.example.passphrase! "passphrase" requires "key"; set both',
      'connection.shop.example.cert "cert" contains no valid certificate in PEM format, which begins with "-----BEGIN CERTIFICATE-----"',
    ],
  ],
  [
    'a key without its certificate',
    connection({ key: '' }),
    [
      'connection.shop.example.key! "key" requires "cert"; set both',
      'connection.shop.example.key "key" contains no private key in PEM format, which begins with "-----BEGIN PRIVATE KEY-----"',
    ],
  ],
  [
    'invalid server names',
    {
      connection: [
        { host: 'shop.example', options: { serverName: 'shop.example:1' } },
        { host: 'shop.example:443', options: { serverName: '192.0.2.1' } },
      ],
    },
    [
      'connection.shop.example.server_name "shop.example:1" is not a valid server name; write a host name without a port, such as "shop.example.com"',
      'connection.shop.example:443! "shop.example:443" is not a valid host; write "shop.example"',
      'connection.shop.example:443.server_name "192.0.2.1" is not a valid server name; write a host name without a port, such as "shop.example.com"',
    ],
  ],
  [
    'a large load on one host',
    { type: 'per-second', total: 100_001 },
    [
      'total the test may reach 1,000,010 connections on one host; the limit is 100,000',
      'total the test may reach 100,001 requests per second on one host; the limit is 100,000',
    ],
  ],
];

test.each(VALID)('a test with %s is valid', (_, fields) => {
  expect(faultsOf(specOf(fields))).toEqual([]);
});

test.each(FAULTY)(
  'the faults of a test are reported with the field and the reason: %s',
  (_, fields, faults) => {
    expect(faultsOf(specOf(fields))).toEqual(faults);
  },
);

test.each<[name: string, fields: TestFields, capabilities: Partial<Capabilities>, faults: readonly string[]]>(
  [
    [
      'without schedules refuses a schedule',
      { scheduledAt: NOW + 1000 },
      { schedules: false },
      [
        'scheduled_at! "scheduled_at" requires a permanently running service; start "loadtests serve" and set "service.base_url" to its address',
      ],
    ],
    [
      'with an unknown clock accepts a schedule in the past',
      { scheduledAt: 0 },
      { schedules: { after: null } },
      [],
    ],
    [
      'without a mail relay refuses an email address',
      { callbackEmail: 'a@shop.example' },
      { canEmail: null },
      [
        'callback_email! "callback_email" requires a service with a mail relay, such as "loadtests serve --smtp URL"; this service has none',
      ],
    ],
    [
      'that does not support tls_verify refuses tls_verify',
      { tlsVerify: true },
      { tlsVerify: false },
      [
        'tls_verify! "tls_verify" can be used only with the embedded service; remove "tls_verify", or unset "service.base_url" and LOADTESTS_BASE_URL',
      ],
    ],
    ['that does not support tls_verify accepts a test without it', {}, { tlsVerify: false }, []],
    [
      'with unknown handling of undefined variables warns about an undefined variable',
      {
        urls: ['/{{a}}'],
        groups: [
          {
            first: 0,
            count: 1,
            when: [{ name: 'b', value: '1' }],
            forEach: { name: 'c', list: 'd', atMost: 2 },
          },
        ],
        teardown: { targets: [targetOf({ url: '/{{e}}' })] },
      },
      { undefinedVariables: 'unknown' },
      [
        '~teardown.urls.0.url "{{e}}" is not defined; no earlier request of the test defines it',
        '~urls.0.url "{{a}}" is not defined; no earlier request of the test defines it',
        '~groups.0.when.b! the variable "b" is not defined; no request of the iteration defines it',
        '~groups.0.for_each "{{d}}" is not defined; extract the list from an earlier response with "pick: all"',
      ],
    ],
    [
      'with unknown limits accepts a load of 2,000,000 connections',
      { total: 2_000_000, setup: { targets: [targetOf(header('a', 'b'.repeat(65_537)))] } },
      { limits: null },
      [],
    ],
  ],
)('a service %s', (_, fields, capabilities, faults) => {
  expect(faultsOf(specOf(fields), { ...OWN, ...capabilities })).toEqual(faults);
});

/** Small limits, so that one more is a short text. */
const LIMITS: TestLimits = {
  ...{ targets: 2, url: 30, credential: 3, headers: 2, params: 2, value: 5, body: 6, variables: 2 },
  ...{ variableName: 4, property: 5, duration: 60_000, total: 10, timeout: 2_000, name: 3, notes: 4 },
  ...{ bytes: 1_000_000, connectionsPerHost: 12, requestsPerSecondPerHost: 2 },
};

const named = (count: number, value = '') =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value }));
const variables = (count: number) => Array.from({ length: count }, (_, index) => variable(`v${index}`));

/** For each field, a value at its limit, a value beyond it, and the fault of the latter. */
test.each<[field: string, within: TestFields, beyond: TestFields, fault: string]>([
  ['initial', { initial: 10 }, { initial: 11 }, 'initial "initial" must be at most 10'],
  ['total', { total: 10 }, { total: 11 }, 'total "total" must be at most 10'],
  [
    'connections',
    { type: 'per-second', connections: 10 },
    { type: 'per-second', connections: 11 },
    'connections "connections" must be at most 10',
  ],
  ['pace', { pace: seconds(60) }, { pace: seconds(61) }, 'pace "pace" must be at most 60000 ms'],
  ['duration', { duration: '60s' }, { duration: '61s' }, 'duration "duration" must be at most 60 s'],
  ['timeout', { timeout: '2s' }, { timeout: '3s' }, 'timeout "timeout" must be at most 2000 ms'],
  [
    'callback',
    { callback: 'https://shop.example/12345678' },
    { callback: 'https://shop.example/1234567890' },
    'callback "callback" must have at most 30 characters',
  ],
  ['name', { name: '😀😀😀' }, { name: '😀😀😀😀' }, 'name "name" must have at most 3 characters'],
  ['notes', { notes: 'abcd' }, { notes: 'abcde' }, 'notes "notes" must have at most 4 characters'],
  ['urls', urls('/', '/'), urls('/', '/', '/'), 'urls "urls" must have at most 2 entries in total'],
  ['values', { values: named(2) }, { values: named(3) }, 'values "values" must have at most 2 entries'],
  [
    'the name of a value',
    { values: [{ name: 'abcd', value: '' }] },
    { values: [{ name: 'abcde', value: '' }] },
    'values.abcde "abcde" must have at most 4 characters',
  ],
  [
    'a value',
    { values: named(1, 'abcde') },
    { values: named(1, 'abcdef') },
    'values.n0 "n0" must have at most 5 characters',
  ],
  ['url', urls('/12345678'), urls('/1234567890'), 'urls.0.url "url" must have at most 30 characters'],
  [
    'payload_file_url',
    urls({ payloadFileUrl: 'https://shop.example/12345678' }),
    urls({ payloadFileUrl: 'https://shop.example/1234567890' }),
    'urls.0.payload_file_url "payload_file_url" must have at most 30 characters',
  ],
  [
    'login',
    urls({ credentials: { login: 'abc', password: '' } }),
    urls({ credentials: { login: 'abcd', password: '' } }),
    'urls.0.credentials.login "login" must have at most 3 characters',
  ],
  [
    'password',
    urls({ credentials: { login: '', password: 'abc' } }),
    urls({ credentials: { login: '', password: 'abcd' } }),
    'urls.0.credentials.password "password" must have at most 3 characters',
  ],
  [
    'access_key_id',
    urls(sigv4({ accessKeyId: 'abcde' })),
    urls(sigv4({ accessKeyId: 'abcdef' })),
    'urls.0.aws_sigv4.access_key_id "access_key_id" must have at most 5 characters',
  ],
  [
    'raw_post_body',
    urls({ method: 'POST', body: 'abcdef' }),
    urls({ method: 'POST', body: 'abcdefg' }),
    'urls.0.raw_post_body "raw_post_body" must have at most 6 characters',
  ],
  [
    'headers',
    urls({ headers: named(2) }),
    urls({ headers: named(3) }),
    'urls.0.headers "headers" must have at most 2 entries',
  ],
  [
    'the value of a header',
    urls({ headers: named(1, 'abcde') }),
    urls({ headers: named(1, 'abcdef') }),
    'urls.0.headers.n0 "n0" must have at most 5 characters',
  ],
  [
    'request_params',
    urls({ method: 'POST', params: named(2) }),
    urls({ method: 'POST', params: named(3) }),
    'urls.0.request_params "request_params" must have at most 2 entries',
  ],
  [
    'the value of a parameter',
    urls({ method: 'POST', params: named(1, 'abcde') }),
    urls({ method: 'POST', params: named(1, 'abcdef') }),
    'urls.0.request_params.n0 "n0" must have at most 5 characters',
  ],
  [
    'multipart',
    urls(multipart(...named(2))),
    urls(multipart(...named(3))),
    'urls.0.multipart "multipart" must have at most 2 entries',
  ],
  [
    'the value of a part',
    urls(multipart({ name: 'a', value: 'abcdef' })),
    urls(multipart({ name: 'a', value: 'abcdefg' })),
    'urls.0.multipart.a "a" must have at most 6 characters',
  ],
  [
    'content_type',
    urls(multipart({ name: 'a', value: '', contentType: 'a/bbb' })),
    urls(multipart({ name: 'a', value: '', contentType: 'a/bbbb' })),
    'urls.0.multipart.a.content_type "content_type" must have at most 5 characters',
  ],
  [
    'the name of a part',
    urls(multipart({ name: 'a', file: { sha256: 'abcdef', declared: null } })),
    urls(multipart({ name: 'a', file: { sha256: '', declared: null } }, ...named(2))),
    'urls.0.multipart "multipart" must have at most 2 entries',
  ],
  [
    'filename',
    urls(multipart({ name: 'a', value: '', filename: 'abcde' })),
    urls(multipart({ name: 'a', value: '', filename: 'abcdef' })),
    'urls.0.multipart.a.filename "filename" must have at most 5 characters',
  ],
  [
    'variables',
    urls({ variables: variables(2) }),
    urls({ variables: variables(3) }),
    'urls.0.variables "variables" must have at most 2 entries',
  ],
  [
    'the name of a variable',
    urls({ variables: [variable('abcd')] }),
    urls({ variables: [variable('abcde')] }),
    'urls.0.variables.0.name "name" must have at most 4 characters',
  ],
  [
    'the property of a variable',
    urls({ variables: [variable('a', { property: 'abcde' })] }),
    urls({ variables: [variable('a', { property: 'abcdef' })] }),
    'urls.0.variables.0.property "property" must have at most 5 characters',
  ],
  [
    'expected codes',
    urls(expectation({ status: [200, 201] })),
    urls(expectation({ status: [200, 201, 202] })),
    'urls.0.expect.status "status" must have at most 2 entries',
  ],
  [
    'expected headers',
    urls(expectation({ headers: named(2) })),
    urls(expectation({ headers: named(3) })),
    'urls.0.expect.headers "headers" must have at most 2 entries',
  ],
  [
    'the value of an expected header',
    urls(expectation({ headers: named(1, 'abcde') })),
    urls(expectation({ headers: named(1, 'abcdef') })),
    'urls.0.expect.headers.n0 "n0" must have at most 5 characters',
  ],
  [
    'expected texts',
    urls(body({ contains: ['a', 'b'] })),
    urls(body({ contains: ['a', 'b', 'c'] })),
    'urls.0.expect.body.contains "contains" must have at most 2 entries',
  ],
  [
    'unexpected texts',
    urls(body({ notContains: ['a', 'b'] })),
    urls(body({ notContains: ['a', 'b', 'c'] })),
    'urls.0.expect.body.not_contains "not_contains" must have at most 2 entries',
  ],
  [
    'an expected text',
    urls(body({ contains: ['abcde'] })),
    urls(body({ contains: ['abcdef'] })),
    'urls.0.expect.body "body" must have at most 5 characters',
  ],
  [
    'one of several expected texts',
    urls(body({ contains: ['a', 'abcde'] })),
    urls(body({ contains: ['a', 'abcdef'] })),
    'urls.0.expect.body.contains.1 "contains" must have at most 5 characters',
  ],
  [
    'a header of a setup',
    { setup: { targets: [targetOf(header('n', 'abcde'))] } },
    { setup: { targets: [targetOf(header('n', 'abcdef'))] } },
    'setup.urls.0.headers.n "n" must have at most 5 characters',
  ],
  [
    'a value with a secret that is not set, which counts as empty',
    urls({ headers: [{ name: 'n', value: { parts: [new Secret('KEY', null), 'abcde'] } }] }),
    urls({ headers: [{ name: 'n', value: { parts: [new Secret('KEY', null), 'abcdef'] } }] }),
    'urls.0.headers.n "n" must have at most 5 characters',
  ],
  [
    'levels of stages',
    { stages: stages([10, 10]) },
    { stages: stages([10, 11]) },
    'total the highest level of the stages must be at most 10',
  ],
  [
    'durations of stages',
    { stages: stages([30, 1], [30, 1]) },
    { stages: stages([30, 1], [31, 1]) },
    'duration the total duration of the stages must be at most 60 s',
  ],
  [
    'connections to two ports of a host',
    { total: 6, ...urls('https://a.example/', 'https://a.example:8443/') },
    { total: 7, ...urls('https://a.example/', 'https://a.example:8443/') },
    'total the test may reach 14 connections on one host; the limit is 12',
  ],
  [
    'connections to two hosts, each of which counts separately',
    { total: 10, ...urls('https://a.example/', 'https://b.example/') },
    { total: 10, ...urls('https://a.example/', 'http://a.example/') },
    'total the test may reach 20 connections on one host; the limit is 12',
  ],
  [
    'the load of a host in requests',
    { type: 'per-second', total: 2, connections: 1, urls: ['/'] },
    { type: 'per-second', total: 2.001, connections: 1, urls: ['/'] },
    'total the test may reach 2.001 requests per second on one host; the limit is 2',
  ],
  [
    'the name of a variable, which the fault truncates',
    { values: [{ name: 'a', value: '' }] },
    { values: [{ name: 'a'.repeat(100), value: '' }] },
    `values.${'a'.repeat(100)} "${'a'.repeat(76)}…" must have at most 4 characters`,
  ],
  [
    'expected values',
    urls(
      expectation({
        json: [
          { pointer: '/a', value: 1 },
          { pointer: '/b', value: 1 },
        ],
      }),
    ),
    urls(expectation({ json: ['/a', '/b', '/c'].map((pointer) => ({ pointer, value: 1 })) })),
    'urls.0.expect.json "json" must have at most 2 entries',
  ],
  [
    'the pointer of an expected value',
    urls(expectation({ json: [{ pointer: '/aaaa', value: 1 }] })),
    urls(expectation({ json: [{ pointer: '/aaaaa', value: 1 }] })),
    'urls.0.expect.json./aaaaa "/aaaaa" must have at most 5 characters',
  ],
])('a test is valid at the limit for %s, and invalid above this limit', (_, within, beyond, fault) => {
  const base: TestFields = { total: 1, duration: '10s', timeout: '1s' };
  const capabilities = { ...OWN, limits: LIMITS };
  expect(faultsOf(specOf({ ...base, ...within }), capabilities)).toEqual([]);
  expect(faultsOf(specOf({ ...base, ...beyond }), capabilities)).toEqual([fault]);
});

/** Returns the size of a test: the lowest limit at which it is valid. */
function sizeOf(fields: TestFields): number {
  const limits = { ...OWN_LIMITS, ...{ value: 1e6, body: 1e6, credential: 1e6, name: 1e6, notes: 1e6 } };
  const isLarge = (bytes: number) =>
    faultsOf(specOf(fields), { ...OWN, limits: { ...limits, bytes } }).includes(
      `! the definition of the test is larger than ${withCommas(bytes)} bytes; shorten it, or move request bodies to files with "body_file"`,
    );
  let [below, size] = [-1, 10_000];
  while (size - below > 1) {
    const middle = (below + size) >> 1;
    if (isLarge(middle)) below = middle;
    else size = middle;
  }
  return size;
}

/** Returns the bytes of strings as JSON in UTF-8. */
const jsonSize = (...texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);

/** An empty request, and what the fields add to its size: values, each with 64 bytes for its field, and names. */
test.each<[name: string, fields: TestFields, values: readonly string[], names?: readonly string[]]>([
  ['the name', { name: 'abc' }, ['abc']],
  ['the notes', { notes: 'abc' }, ['abc']],
  ['the callback', { callback: 'abc', callbackEmail: 'def' }, ['abc', 'def']],
  [
    'the values of the test and of its flows',
    {
      values: [{ name: 'a', value: 'bcd' }],
      flows: [
        { name: 'f', weight: 1, urls: 1 },
        { name: 'g', weight: 1, urls: 1, values: [{ name: 'ef', value: 'right' }] },
      ],
    },
    ['bcd', 'right'],
    ['a', 'ef'],
  ],
  ['certificates and addresses', connection({ ca: 'abc', cert: 'four', ip: 4 }), ['abc', 'four']],
  ['a body', urls({ method: 'POST', body: 'abc' }), ['abc'], ['']],
  [
    'parameters',
    urls({
      method: 'POST',
      params: [
        { name: 'a', value: 'bcd' },
        { name: 'ef', value: 'right' },
      ],
    }),
    ['bcd', 'right'],
    ['a', 'ef'],
  ],
  [
    'parts',
    urls(multipart({ name: 'a', value: 'bcd', contentType: 'text/plain', filename: 'é.txt' })),
    ['bcd', 'a', 'text/plain', 'é.txt'],
    ['a'],
  ],
  [
    'digests of files',
    urls(multipart({ name: 'a', file: { sha256: 'abc', declared: null } }), {
      payloadFile: { sha256: 'four', declared: null },
    }),
    ['a', 'abc', 'four'],
  ],
  ['a body from a file', urls({ method: 'POST', bodyFile: { sha256: 'abc', declared: null } }), ['abc']],
  ['the URL of a payload file', urls({ payloadFileUrl: 'https://a.example/' }), ['https://a.example/']],
  ['headers', urls(header('a', 'bcd')), ['bcd'], ['a']],
  [
    'secrets',
    urls({ headers: [{ name: 'a', value: { parts: [new Secret('b', 'two'), '-'] } }] }),
    ['two-'],
    ['a'],
  ],
  ['credentials', urls({ credentials: { login: 'abc', password: 'de' } }), ['abc', 'de']],
  [
    'signatures',
    urls(sigv4({ accessKeyId: 'abc', secretAccessKey: 'de', sessionToken: null })),
    ['abc', 'de'],
    ['access_key_id', 'secret_access_key'],
  ],
  [
    'expectations',
    urls(expectation({ headers: [{ name: 'a', value: 'bcd' }], json: [{ pointer: '/ef', value: 'gh' }] })),
    ['bcd', 'gh', ''],
    ['headers/a', 'json//ef', '/ef'],
  ],
  ['expected texts', urls(body({ contains: ['abc'] })), ['abc'], ['body']],
  ['variables', urls({ variables: [variable('abc', { property: 'de' })] }), ['abc'], ['de']],
])('the size of a test includes %s', (_, fields, values, names = []) => {
  const requests = (fields.flows ?? fields.urls ?? [1]).length;
  const url = jsonSize('https://shop.example/') + 64;
  const empty = 8 * 64 + 3 * '[]'.length + requests * (2 * 64 + url);
  const withNames = jsonSize(...values, ...names) + 64 * values.length;
  expect(sizeOf({ urls: Array<string>(requests).fill('/'), ...fields })).toBe(empty + withNames);
});

test('the size of a test includes groups, stages and abort rules as JSON', () => {
  const size = sizeOf({});
  const groups = [{ first: 0, count: 1, forEach: { name: 'a', values: ['é'] } }];
  const sizeOfJson = (value: object) => Buffer.byteLength(JSON.stringify(value)) - '[]'.length;
  expect(sizeOf({ groups })).toBe(size + sizeOfJson(groups));
  expect(sizeOf({ stages: stages([10, 5]) })).toBe(size + sizeOfJson(stages([10, 5])));
  const abortRules = rule({}).abortRules ?? [];
  expect(sizeOf({ abortRules })).toBe(size + sizeOfJson(abortRules));
});

test('the size of a test includes its setup and its teardown', () => {
  const size = sizeOf({});
  const request = 2 * 64 + jsonSize('https://shop.example/', 'a', 'bcd') + 2 * 64 + '[]'.length;
  const targets = [targetOf(header('a', 'bcd'))];
  expect(sizeOf({ setup: { targets } })).toBe(size + request);
  expect(sizeOf({ teardown: { targets } })).toBe(size + request);
});

test('a code that is expected adds 8 bytes to the size of a test', () => {
  expect(sizeOf(urls(expectation({ status: [200, '3xx'] })))).toBe(sizeOf({}) + 16);
});

test.each(['\n', '"', '\u007f', '\u0080', '\u07ff', '\u0800', '\uffff', '😀', '\ud83d'])(
  'the size of a test counts the character %j as JSON in UTF-8',
  (character) => {
    expect(sizeOf({ notes: character })).toBe(sizeOf({ notes: '' }) + jsonSize(character) - '""'.length);
  },
);

test('the total of a test with stages must be the highest level of the stages, and its duration must be the sum of their durations', () => {
  const spec = specOf({ stages: stages([10, 5], [10, 2]) });
  expect(faultsOf(spec)).toEqual([]);
  expect(faultsOf({ ...spec, total: 4 })).toEqual([
    'total "total" must be equal to the highest level of the stages, 5',
  ]);
  expect(faultsOf({ ...spec, duration: seconds(19) })).toEqual([
    'duration "duration" must be equal to the total duration of the stages, 20 s',
  ]);
});

test('100 flows and a sum of weights of 1,000,000 are valid, and higher numbers are not', () => {
  const flow = (name: string, weight: number) => ({ name, weight, urls: 1 });
  const hundred = Array.from({ length: 100 }, (_, index) => flow(`f${index}`, 1));
  const withFlows = (...flows: readonly ReturnType<typeof flow>[]) =>
    faultsOf(specOf({ flows, urls: flows.map(() => '/') }), { ...OWN, limits: null });
  expect(withFlows(...hundred)).toEqual([]);
  expect(withFlows(...hundred, flow('more', 1))).toEqual(['flows "flows" must have at most 100 entries']);
  expect(withFlows(flow('a', 999_999), flow('b', 1))).toEqual([]);
  expect(withFlows(flow('a', 1_000_000), flow('b', 1))).toEqual([
    'flows the weights of the flows, divided by their greatest common divisor, add up to 1000001; the sum must be at most 1000000, so use rounder numbers',
  ]);
});

test('401 groups are too many', () => {
  const groups = (count: number) => faultsOf(specOf(four(Array<Group>(count).fill({ first: 0, count: 1 }))));
  expect(groups(400)).toEqual([]);
  expect(groups(401)).toEqual(['groups 401 groups are declared; the maximum is 400']);
});

test('texts that the file lacks have no further faults', () => {
  const spec = specOf({
    ...urls(sigv4({ region: '', service: '' })),
    groups: [{ first: 0, count: 1, forEach: { name: 'a', list: '', atMost: 2 } }],
  });
  const targets = spec.targets.map((target) => ({ ...target, url: '' }));
  expect(faultsOf({ ...spec, targets })).toEqual([]);
});

test.each([
  [78, `"${'?'.repeat(78)}"`],
  [79, `"${'?'.repeat(76)}…"`],
])('a name of %i characters in a fault is quoted as %s', (length, quoted) => {
  expect(faultsOf(specOf(urls(header('?'.repeat(length), ''))))).toEqual([
    `urls.0.headers.${'?'.repeat(length)}! ${quoted} is not a valid header name`,
  ]);
});
