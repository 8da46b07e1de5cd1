/** Which fields of a test need which extension, and what happens on a service that does not list it. */
import { describe, expect, test } from 'vitest';
import { adviceOnExpression, equivalentExpression } from '../../../src/core/model/expression-advice.ts';
import { parseExpression } from '../../../src/core/model/expression.ts';
import {
  EXTENSION_NAMES,
  EXTENSIONS,
  extensionsOf,
  findBlockingExtensions,
  resultPartsOf,
  RESULT_PARTS,
  toSentSpec,
  type Extension,
} from '../../../src/core/model/extensions.ts';
import type { TargetSpec, VariableSpec } from '../../../src/core/model/load-test.ts';
import { Secret } from '../../../src/core/model/secret.ts';
import { parseThreshold } from '../../../src/core/model/threshold.ts';
import { milliseconds, seconds } from '../../../src/core/units.ts';
import {
  declaredTest,
  declareState,
  type TestFields,
  type UrlChanges,
} from '../../support/declared-state.ts';

const { apps } = declareState().app('shop').state;
const testOf = (fields: TestFields) => declaredTest('home', fields, apps);
const specOf = (fields: TestFields) => testOf(fields).spec;
const url = (changes: UrlChanges): TestFields => ({ urls: ['/', changes] });
const header = (value: NonNullable<TargetSpec['headers']>[number]['value']) =>
  url({ headers: [{ name: 'x', value }] });
const variable = (fields: Partial<VariableSpec>): TestFields =>
  url({ variables: [{ name: 'a', property: '/a', source: 'json', ...fields }] });
const expectation = (fields: Partial<NonNullable<TargetSpec['expect']>>): TestFields =>
  url({ expect: { status: null, headers: null, body: null, json: null, ...fields } });
const file = { sha256: 'a', declared: null };

describe('extensions', () => {
  const USES: readonly (readonly [extension: Extension, fields: TestFields])[] = [
    ...(['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const).map(
      (method) => ['methods', url({ method })] as const,
    ),
    ['stages', { stages: [{ duration: seconds(10), to: 5 }] }],
    ['flows', { flows: [{ name: 'a', weight: 1, urls: 1 }] }],
    ['groups', { groups: [{ first: 0, count: 1, repeat: 2 }] }],
    ['parallel', { groups: [{ first: 0, count: 1, parallel: true }] }],
    ['setup', { setup: { targets: [] } }],
    ['teardown', { teardown: { targets: [] } }],
    ['on_failure', url({ onFailure: 'stop' })],
    ['on_start', { onStart: 1 }],
    ['resolve_url', url({ resolveUrl: true })],
    ['fractional_rates', { initial: 0.5 }],
    ['fractional_rates', { total: 2.5 }],
    ['warmup', { warmup: '5s' }],
    ['expect', expectation({ status: [200] })],
    ['expect', expectation({ json: [{ pointer: '/a', value: 1 }] })],
    ['expect_conditions', expectation({ json: [{ pointer: '/a', value: { exists: true } }] })],
    ['expect_conditions', expectation({ within: 500 })],
    ['expect_conditions', expectation({ headers: [{ name: 'a', value: '{{b}}' }] })],
    ['delay', url({ delay: { min: milliseconds(0), max: milliseconds(5) } })],
    ['payload_file', url({ payloadFile: file })],
    ['row_options', url({ payloadFile: { ...file, options: {} } })],
    ['variables', variable({})],
    ['variables', variable({ source: 'cookie' })],
    ['pick', variable({ pick: 'first' })],
    ['pick', variable({ property: '/*' })],
    ['pick', variable({ source: 'status', property: '' })],
    ['expressions', url({ url: '/%{uuid}' })],
    ['expressions', header('%{text:8}')],
    ['expressions', header({ parts: ['%{text:8}', new Secret('KEY', null)] })],
    ['expressions', url({ method: 'POST', body: '%{now}' })],
    ['values', { values: [{ name: 'a', value: 'b' }] }],
    ['connections', { connections: 5 }],
    ['iterations', { iterations: 5 }],
    ['iterations', { iterationsPerClient: 5 }],
    ['pace', { pace: seconds(1) }],
    ['arrivals', { arrivals: 'random' }],
    ['keep_alive', { keepAlive: false }],
    ['connection', { connection: [] }],
    [
      'aws_sigv4',
      url({
        awsSigv4: { region: 'a', service: 'b', accessKeyId: 'c', secretAccessKey: 'd', sessionToken: null },
      }),
    ],
    ['abort_after', { abortRules: [] }],
    ['json', url({ method: 'POST', body: '{}', jsonBody: true })],
    ['body_file', url({ method: 'POST', bodyFile: file })],
    ['multipart', url({ method: 'POST', multipart: [{ name: 'a', value: 'b' }] })],
  ];

  test.each(USES)('extensionsOf returns only %s for %j', (name, fields) => {
    expect(extensionsOf(specOf(fields))).toEqual([name]);
  });

  test('each extension has a description, and the test cases cover all extensions', () => {
    expect(new Set(USES.map(([name]) => name))).toEqual(new Set(EXTENSION_NAMES));
    for (const { description } of Object.values(EXTENSIONS)) expect(description).toMatch(/^[a-z].{8,}$/i);
  });

  test.each<[name: string, fields: TestFields]>([
    ['only required fields', {}],
    ['GET and POST', { urls: [{ method: 'GET' }, { method: 'POST' }] }],
    ['default values', { keepAlive: true, arrivals: 'even', tlsVerify: true, values: [] }],
    ['whole rates', { initial: 1, total: 3 }],
    ['iterations that continue after failures', url({ onFailure: 'continue', resolveUrl: false })],
    ['variables from headers', variable({ source: 'header', property: 'x-*' })],
    ['numbers in expressions', header('%{1:100}')],
    ['generated values in a secret', header({ parts: [new Secret('KEY', '%{uuid}')] })],
    [
      'parameters and text bodies',
      {
        urls: [
          { method: 'POST', params: [{ name: 'a', value: 'b' }] },
          { method: 'POST', body: 'a' },
        ],
      },
    ],
  ])('a test with %s needs no extension', (_, fields) => {
    expect(extensionsOf(specOf(fields))).toEqual([]);
  });

  test.each<[name: string, fields: TestFields, extensions: readonly Extension[]]>([
    ['stages with decimals', { stages: [{ duration: seconds(1), to: 0.5 }] }, ['stages', 'fractional_rates']],
    [
      'a parallel group with a condition',
      { groups: [{ first: 0, count: 1, parallel: true, when: [] }] },
      ['groups', 'parallel'],
    ],
    [
      'values of a flow',
      { flows: [{ name: 'a', weight: 1, urls: 1, values: [{ name: 'a', value: 'b' }] }] },
      ['flows', 'values'],
    ],
    [
      'a method in a setup',
      { setup: { targets: specOf(url({ method: 'PUT' })).targets } },
      ['methods', 'setup'],
    ],
    [
      'a group in a teardown',
      { teardown: { targets: [], groups: [{ first: 0, count: 1, repeat: 2 }] } },
      ['groups', 'teardown'],
    ],
    ['literal braces', header('\\{{a}}'), ['expressions']],
  ])('a test with %s needs the extensions $2', (_, fields, extensions) => {
    expect(extensionsOf(specOf(fields))).toEqual(extensions);
  });

  test('findBlockingExtensions returns the extensions that a test needs and the service does not list, except extensions with a fallback', () => {
    const spec = specOf({
      ...url({ method: 'PUT', body: '{}', jsonBody: true }),
      pace: seconds(1),
      keepAlive: false,
    });
    expect(findBlockingExtensions(spec, new Set(['pace']))).toEqual(['methods', 'keep_alive']);
    expect(findBlockingExtensions(spec, new Set(['pace', 'methods', 'keep_alive', 'json']))).toEqual([]);
  });

  test('a JSON body is sent as text to a service without the extension json, and the missing escaping of values is reported', () => {
    const spec = specOf({
      urls: [{ method: 'POST', body: '{"a":"{{b}}"}', jsonBody: true }, '/', { method: 'POST', body: 'c' }],
    });
    const sent = toSentSpec(spec, new Set());
    expect(sent.spec.targets.map(({ body }) => body?.kind)).toEqual(['text', undefined, 'text']);
    expect({ ...sent.spec, targets: [] }).toEqual({ ...spec, targets: [] });
    expect(sent.spec.targets[0]?.body).toEqual({ kind: 'text', text: '{"a":"{{b}}"}' });
    expect(sent.losses.map(({ text, hint }) => [text, hint])).toEqual([
      [
        'the service does not list support for escaped values of "{{…}}" in "json"; a value with a quote, backslash or line break produces invalid JSON',
        'use the embedded service or "loadtests serve", which escape these values',
      ],
    ]);
    expect(toSentSpec(spec, new Set(['json']))).toEqual({ spec, losses: [] });
  });
});

describe('parts of results', () => {
  const threshold = (
    metric: 'p97' | 'error_rate' | 'iteration_p95' | 'http_error_rate',
    more: object = {},
  ) => {
    const parsed = parseThreshold(metric, metric.endsWith('rate') ? '< 1%' : '< 1s', null);
    if (parsed === null) throw new Error('Bug: the threshold is invalid');
    return { ...parsed, ...more };
  };
  const onUrl = { url: { index: 0, label: 'home' } };

  test.each<[name: string, thresholds: readonly ReturnType<typeof threshold>[], parts: readonly string[]]>([
    ['no metric', [], []],
    ['an error rate', [threshold('error_rate')], []],
    ['a percentile', [threshold('p97')], ['histograms: p97']],
    ['an error rate of a URL', [threshold('error_rate', onUrl)], ['urls: error_rate of "home"']],
    [
      'an error rate of a group',
      [threshold('error_rate', { group: { label: 'login', urls: [0] } })],
      ['urls: error_rate of the group "login"'],
    ],
    ['a percentile of iterations', [threshold('iteration_p95')], ['iteration_times: iteration_p95']],
    ['the rate of HTTP errors', [threshold('http_error_rate')], ['status_codes: http_error_rate']],
  ])('resultPartsOf returns the expected parts for thresholds on %s', (_, thresholds, parts) => {
    const declared = { ...testOf({}), thresholds };
    expect(
      resultPartsOf(declared).map((name) => `${name}: ${RESULT_PARTS[name].thresholdsOf(declared).join()}`),
    ).toEqual(parts);
  });

  test('a regression threshold on p97 needs the histograms of results', () => {
    const declared = testOf({});
    const regression = { ...declared.regression, thresholds: [{ metric: 'p97' }] };
    expect(resultPartsOf({ ...declared, regression: regression as never })).toEqual(['histograms']);
  });
});

describe('advice on expressions', () => {
  test.each([
    ['$guid', '%{uuid}'],
    ['$randomUUID', '%{uuid}'],
    [' random_uuid ', '%{uuid}'],
    ['uuidv4()', '%{uuid}'],
    ['randomString(10)', '%{text:8}'],
    ['__Random(1,10)', '%{*:1-100}'],
    ['random.int', '%{*:1-100}'],
    ['random-decimal', '%{decimal:0.5-99.99}'],
    ['$isoTimestamp', '%{now}'],
    ['__timeMs', '%{now:unix_ms}'],
    ['__VU', '%{client}'],
    ['iteration', '%{iteration}'],
    ['$randomEmail', 'user-%{text:8}@example.com'],
    ['nothing', null],
    ['1 uuid', null],
    ['', null],
  ])('equivalentExpression("%s") returns %j', (text, expression) => {
    expect(equivalentExpression(text)).toBe(expression);
  });

  test.each(['uuid', 'text', 'hex', 'digits', 'int', 'decimal', 'boolean', 'date', 'time', 'unix', 'vu'])(
    'the equivalent expression for "%s" is valid',
    (name) => {
      const [, inner = ''] = /^%\{(.*)\}$/.exec(equivalentExpression(name) ?? '') ?? [];
      expect(parseExpression(inner)).not.toBeNull();
    },
  );

  test.each([
    ['$guid', /^write "%\{uuid\}"$/],
    ['1:', /^write numbers as in "%\{1, 2, 3\}"/],
    ['', /^write numbers as in "%\{1, 2, 3\}"/],
    ['1:x', /^for a generated value, write "%\{NAME\}", where NAME is uuid/],
  ])('adviceOnExpression("%s") returns a text that matches %s', (text, advice) => {
    expect(adviceOnExpression(text)).toMatch(advice);
  });
});
