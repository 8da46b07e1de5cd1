/** Values of a test: parsing, display and properties. */
import { describe, expect, test } from 'vitest';
import { abortRulesOf, canStillBeMet, thresholdOfRule } from '../../../../src/core/model/abort-rule.ts';
import { createAppFinder, findObservedApp, isLoopback, machineOf } from '../../../../src/core/model/app.ts';
import {
  conditionMeantBy,
  expectedValueText,
  parseNumber,
  textsOfExpected,
} from '../../../../src/core/model/condition.ts';
import { mapTexts, resolvedHostsOf, withKnownTexts } from '../../../../src/core/model/connection.ts';
import { isPlainEmailAddress } from '../../../../src/core/model/email-address.ts';
import {
  expectsRedirect,
  expectsStatus,
  parseExpectedStatus,
  statusText,
} from '../../../../src/core/model/expectation.ts';
import { isFlowName, isWeight } from '../../../../src/core/model/flow.ts';
import { isRepetitionCount } from '../../../../src/core/model/group.ts';
import { hasGenerated } from '../../../../src/core/model/expression.ts';
import { appId, resultId } from '../../../../src/core/model/ids.ts';
import {
  hasBodilessResponse,
  isIdempotent,
  METHODS,
  sendsZeroContentLength,
  takesBody,
} from '../../../../src/core/model/method.ts';
import { isSha256, keyOfRows, rowLimitOf } from '../../../../src/core/model/payload-file.ts';
import { needsFullRecord, NO_REGRESSION } from '../../../../src/core/model/regression.ts';
import { haveSameVerdict, type RunVerdict } from '../../../../src/core/model/run-verdict.ts';
import { maskText, ReturnedText, revealText, Secret, secretsOf } from '../../../../src/core/model/secret.ts';
import { compileTemplate, hasEscape, unescapeExpressions } from '../../../../src/core/model/template.ts';
import {
  acceptsSecret,
  secretsOfSpec,
  secretTextsOf,
  withPublicFields,
} from '../../../../src/core/model/test-fields.ts';
import { isStoppable, stateOf } from '../../../../src/core/model/test-state.ts';
import { titleOf } from '../../../../src/core/model/test-title.ts';
import { parseThreshold, type Metric, type Threshold } from '../../../../src/core/model/threshold.ts';
import { isLiteralAddress } from '../../../../src/core/model/url.ts';
import { urlLabels } from '../../../../src/core/model/url-label.ts';
import {
  hasAnyItem,
  isVariableName,
  parseVariablePick,
  parseVariableSource,
} from '../../../../src/core/model/variable.ts';
import { formatRfc3339, timeText } from '../../../../src/core/instant.ts';
import { pullRequestCommit } from '../../../../src/core/pull-request-event.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { declaredTest } from '../../../support/declared-state.ts';

describe('request methods', () => {
  test.each([
    [
      'POST, PUT, PATCH, DELETE and OPTIONS may have a body',
      takesBody,
      ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    ],
    [
      'POST, PUT and PATCH send "Content-Length: 0" without content',
      sendsZeroContentLength,
      ['POST', 'PUT', 'PATCH'],
    ],
    ['HEAD has a response without content', hasBodilessResponse, ['HEAD']],
    [
      'GET, PUT, DELETE, HEAD and OPTIONS are idempotent',
      isIdempotent,
      ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'],
    ],
  ])('among the request methods, only %s', (_, has, methods) => {
    expect(METHODS.filter((method) => has(method))).toEqual(methods);
  });
});

describe('expected statuses', () => {
  test.each<readonly [string | number, number | string | null]>([
    [200, 200],
    ['599', 599],
    ['2XX', '2xx'],
    [199, null],
    [600, null],
    [200.5, null],
    ['2000', null],
    ['200.0', null],
    ['0200', null],
    ['x200', null],
    ['20', null],
    ['1xx', null],
    ['6xx', null],
    ['2xxx', null],
    ['a2xx', null],
  ])('parseExpectedStatus(%j) returns %j', (text, status) => {
    expect(parseExpectedStatus(text)).toBe(status);
  });

  test('expectsStatus, statusText and expectsRedirect evaluate a list of expected statuses and classes, and the default without a list', () => {
    const base = { headers: null, body: null, json: null };
    const accepts = (status: Parameters<typeof expectsStatus>[0]['status'], ...codes: readonly number[]) =>
      codes.filter((code) => expectsStatus({ ...base, status }, code));
    expect(accepts(null, 200, 399, 400, 500)).toEqual([200, 399]);
    expect(accepts([404, '2xx'], 200, 299, 300, 404, 405)).toEqual([200, 299, 404]);
    expect(accepts([], 200)).toEqual([]);
    expect(statusText({ ...base, status: [409, '2xx', 201, 409] })).toBe('201, 2xx, 409');
    expect(statusText({ ...base, status: null })).toBe('below 400');
    const redirects = [null, [200, '2xx'], [300], [399], [400], ['3xx']] as const;
    expect(redirects.map((status) => expectsRedirect({ ...base, status }))).toEqual([
      ...[false, false, true, true, false, true],
    ]);
  });
});

describe('thresholds that end a run', () => {
  const threshold = (changes: Partial<Threshold>) =>
    ({ metric: 'p95', limit: '< 1s', url: null, ...changes }) as Threshold; // complete enough
  const after = milliseconds(30_000);

  test('abortRulesOf returns a rule for each threshold with abort_after, for the test or for its URL, flow or group', () => {
    expect(abortRulesOf([threshold({})])).toBeNull();
    expect(abortRulesOf([])).toBeNull();
    const group = { label: 'read', urls: [0, 2] };
    const rules = abortRulesOf([
      threshold({ abortAfter: after }),
      threshold({}),
      threshold({ abortAfter: after, minSamples: 5, url: { index: 1, label: 'cart' } }),
      threshold({ abortAfter: after, flow: { index: 2, label: 'buy' } }),
      threshold({ abortAfter: after, group }),
    ]);
    const rule = { metric: 'p95', limit: '< 1s', after };
    expect(rules).toEqual([
      rule,
      { ...rule, minSamples: 5, url: 1 },
      { ...rule, flow: 2 },
      { ...rule, group: { name: 'read', urls: [0, 2] } },
    ]);
  });

  test('thresholdOfRule returns a threshold with the label of the URL, flow or group, and null for an invalid metric or limit', () => {
    const subjects = {
      targets: [
        { url: 'http://a/', method: null },
        { url: 'http://a/cart', method: 'POST', name: 'cart' },
      ],
      flows: [{ name: 'buy' }],
    };
    const rule = { metric: 'p95', limit: '< 1s', after } as const;
    const of = (changes: object, given: typeof subjects | { targets: []; flows: null } = subjects) =>
      thresholdOfRule({ ...rule, ...changes }, given);
    const base = { metric: 'p95', limit: '< 1s', abortAfter: after, url: null };
    expect(of({})).toMatchObject(base);
    expect(of({})).not.toHaveProperty('minSamples');
    expect(of({ minSamples: 0 })).toMatchObject({ ...base, minSamples: 0 });
    expect(of({ url: 0 })).toMatchObject({ url: { index: 0, label: 'GET /' } });
    expect(of({ url: 1 })).toMatchObject({ url: { index: 1, label: 'cart' } });
    expect(of({ url: 2 })).toMatchObject({ url: { index: 2, label: '' } });
    expect(of({ flow: 0 })).toMatchObject({ flow: { index: 0, label: 'buy' } });
    expect(of({ flow: 0 }, { targets: [], flows: null })).toMatchObject({ flow: { index: 0, label: '' } });
    expect(of({ group: { name: 'g', urls: [1] } })).toMatchObject({ group: { label: 'g', urls: [1] } });
    expect(of({ metric: 'speed' })).toBeNull();
    expect(of({ limit: 'fast' })).toBeNull();
  });

  test('canStillBeMet returns true only for lower limits of counts and maxima, for upper limits of minima, and for all limits of the request rate', () => {
    const metrics = [
      'min',
      'max',
      'iteration_max',
      'requests',
      'requests_per_second',
      'p95',
      'error_rate',
    ] as const;
    const met = (operator: Threshold['operator']) =>
      metrics.filter((metric) => canStillBeMet({ metric, operator }));
    expect(met('<')).toEqual(['min', 'requests_per_second']);
    expect(met('<=')).toEqual(['min', 'requests_per_second']);
    expect(met('>')).toEqual(['max', 'iteration_max', 'requests', 'requests_per_second']);
    expect(met('>=')).toEqual(['max', 'iteration_max', 'requests', 'requests_per_second']);
  });
});

describe('files with rows', () => {
  test('rowLimitOf returns the row count of the smallest file whose rows are used once, or null if no such count is known', () => {
    expect(rowLimitOf([])).toBeNull();
    expect(
      rowLimitOf([{ rows: 5 }, { order: 'random', rows: 1 }, { order: 'once', rows: undefined }]),
    ).toBeNull();
    expect(rowLimitOf([{ order: 'once', rows: 9 }, { order: 'once', rows: 3 }, { rows: 1 }])).toBe(3);
  });

  test('keyOfRows returns the digest of the file, followed by all options', () => {
    const file = { sha256: 'ab', declared: null };
    expect(keyOfRows(file)).toBe('ab');
    const options = { columns: ['a', 'b'], delimiter: ';', order: 'client', mask: [] } as const;
    expect(keyOfRows({ ...file, options })).toBe(
      'ab columns: ["a","b"], delimiter: ";", order: "client", mask: []',
    );
    expect(keyOfRows({ ...file, options: { order: 'once' } })).toBe('ab order: "once"');
  });

  test('isSha256 accepts only strings of exactly 64 lowercase hex digits', () => {
    const digest = 'a1'.repeat(32);
    const others = [`${digest}0`, `0${digest}`, digest.slice(1), digest.toUpperCase(), 'g'.repeat(64)];
    expect([digest, ...others].filter(isSha256)).toEqual([digest]);
  });
});

describe('names', () => {
  test('each URL has a unique label: its name, or its method and path', () => {
    const url = (address: string, method: string | null = null, name: string | null = null) => ({
      ...{ name, method, url: address },
    });
    expect(
      urlLabels([url('http://a'), url('HTTPS://a/?q', 'POST'), url('http://a/x', null, 'home')]),
    ).toEqual(['GET /', 'POST /?q', 'home']);
    expect(urlLabels([url('http://a/'), url('http://b/'), url('http://a/x')])).toEqual([
      'GET / (URL 1)',
      'GET / (URL 2)',
      'GET /x',
    ]);
    expect(urlLabels([url(`/${'x'.repeat(55)}`), url(`/${'y'.repeat(56)}`)])).toEqual([
      `GET /${'x'.repeat(55)}`,
      `GET /${'y'.repeat(54)}…`,
    ]);
  });

  test('the title of a test is its name, or its first URL without the query and the fragment', () => {
    const targets = (...urls: readonly string[]) =>
      ({ name: null, targets: urls.map((url) => ({ url })) }) as never; // complete enough
    expect(titleOf({ name: 'Home', targets: [] })).toBe('Home');
    expect(titleOf(targets('http://a/b?token=1', 'http://c/'))).toBe('http://a/b');
    expect(titleOf(targets('http://a/b#c\nd'))).toBe('http://a/b');
    expect(titleOf(targets())).toBe('');
  });

  test('isVariableName and parseVariableSource accept only valid names and sources, and hasAnyItem returns true only for paths with a "*" segment', () => {
    const names = ['a', '_', 'a-1_B', '1a', '-a', 'a b', 'a!', '', ' a'];
    expect(names.filter(isVariableName)).toEqual(['a', '_', 'a-1_B']);
    const sources = ['header', 'cookie', 'json', 'body', 'status', 'headers', ''];
    expect(sources.map(parseVariableSource)).toEqual([...sources.slice(0, 5), null, null]);
    expect(['/a/*/b', '/*', '*', '/a*', '/a'].filter(hasAnyItem)).toEqual(['/a/*/b', '/*', '*']);
  });

  test('resultId accepts IDs of 1 to 128 letters, digits, hyphens and underscores, and throws for other strings', () => {
    for (const id of ['a', 'A-1_b', 'x'.repeat(128)]) expect(resultId(id)).toBe(id);
    for (const id of ['', 'x'.repeat(129), 'a/b', 'a b', 'é', 'a\n'])
      expect(() => resultId(id)).toThrow(
        'Bug: an ID is empty, too long, or contains characters that are not allowed',
      );
  });

  test.each([
    ['ada@shop.example', true],
    ["a.b+c!#$%&'*/=?^_`{|}~-@a-b.example", true],
    [`${'a'.repeat(64)}@b.c`, true],
    [`${'a'.repeat(65)}@b.c`, false],
    [`a@${'b'.repeat(63)}.c`, true],
    [`a@${'b'.repeat(64)}.c`, false],
    [`a@${'b.'.repeat(125)}cd`, true],
    [`a@${'b.'.repeat(126)}cd`, false],
    ['@shop.example', false],
    ['shop.example', false],
    ['a@example', false],
    ['a@shop.123', false],
    ['a@shop.1b', true],
    ['a@-shop.example', false],
    ['a@shop-.example', false],
    ['a@shop..example', false],
    ['.a@shop.example', false],
    ['a.@shop.example', false],
    ['a..b@shop.example', false],
    ['a b@shop.example', false],
    ['a@b@shop.example', false],
    ['a@shop.example\n', false],
    ['é@shop.example', false],
  ])('isPlainEmailAddress(%j) returns %j', (text, plain) => {
    expect(isPlainEmailAddress(text)).toBe(plain);
  });

  test('pullRequestCommit reads a commit from the event of a pull request only if the commit is a full hash', () => {
    const commit = 'a1'.repeat(20);
    const event = (sha: unknown) => ({ pull_request: { base: { sha }, head: { sha: 'b'.repeat(64) } } });
    expect(pullRequestCommit(event(commit), 'base')).toBe(commit);
    expect(pullRequestCommit(event(commit), 'head')).toBe('b'.repeat(64));
    for (const sha of [commit.slice(1), `${commit}g`, `x${commit}`, 'a'.repeat(65), 7, undefined, [commit]])
      expect(pullRequestCommit(event(sha), 'base')).toBeNull();
    for (const other of [null, {}, { pull_request: null }, { pull_request: { base: null } }])
      expect(pullRequestCommit(other, 'base')).toBeNull();
  });
});

describe('states of tests', () => {
  const now = 1000;
  test.each([
    ['unspecified', null, 'unspecified', false],
    ['complete', null, 'ended', false],
    ['running', null, 'running', true],
    ['unrecognized', null, 'running', true],
    ['pending', null, 'running', true],
    ['pending', now, 'running', true],
    ['pending', now + 1, 'scheduled', true],
    ['running', now + 1, 'running', true],
  ] as const)(
    'at the time 1000, a test with the status %s and the start time %j has the state %s',
    (statusKind, scheduledAt, state, stoppable) => {
      expect(stateOf({ statusKind, scheduledAt }, now)).toBe(state);
      expect(isStoppable(state)).toBe(stoppable);
    },
  );

  test('a test without a state cannot be stopped', () => {
    expect(isStoppable(null)).toBe(false);
  });
});

describe('secrets', () => {
  const secret = new Secret('TOKEN', 'hidden');
  const unset = new Secret('OTHER', null);
  const text = { parts: ['Bearer ', secret, '!'] };

  test('a secret is converted to asterisks, and only reveal and revealText return its value', () => {
    expect([String(secret), JSON.stringify({ secret }), maskText(text)]).toEqual([
      '***',
      '{"secret":"***"}',
      'Bearer ***!',
    ]);
    expect([secret.name, secret.present, unset.present]).toEqual(['TOKEN', true, false]);
    expect([secret.reveal(), revealText(text), revealText('plain')]).toEqual([
      'hidden',
      'Bearer hidden!',
      'plain',
    ]);
    expect(() => revealText({ parts: [unset] })).toThrow(
      'Bug: the value of the secret OTHER is read, but the secret is not set',
    );
    expect([secretsOf(text), secretsOf('plain'), secretsOf(new ReturnedText('a'))]).toEqual([
      [secret],
      [],
      [],
    ]);
  });

  test('text from a service is displayed as its number of characters, and only revealText returns the text', () => {
    const [returned, one, empty] = ['a🛒b', '🛒', ''].map((value) => new ReturnedText(value));
    expect([returned, one, empty].map((value) => value && maskText(value))).toEqual([
      '‹3 characters›',
      '‹1 character›',
      '‹0 characters›',
    ]);
    expect(JSON.stringify([returned])).toBe('["‹3 characters›"]');
    expect([returned?.empty, empty?.empty, returned && revealText(returned)]).toEqual([false, true, 'a🛒b']);
  });

  test.each([
    [['headers', 'authorization'], true],
    [['headers'], false],
    [['headers', 'a', 'b'], false],
    [['raw_post_body'], true],
    [['raw_post_body', 'x'], false],
    [['multipart', 'part', 'value'], true],
    [['multipart', 'part', 'filename'], false],
    [['multipart', 'part'], true],
    [['headers', 'part', 'value'], false],
    [['aws_sigv4', 'secret_access_key'], true],
    [['aws_sigv4', 'region'], false],
    [['aws_sigv4'], false],
    [['url'], false],
    [['unknown'], false],
  ])('acceptsSecret(%j) returns %j', (path, accepted) => {
    expect(acceptsSecret(path)).toBe(accepted);
  });

  test('secretsOfSpec returns the secrets in all fields of a test, including connections and phases', () => {
    const of = (name: string) => ({ parts: ['a', new Secret(name, 'hidden')] });
    const field = (name: string) => [{ name: 'x', value: of(name) }];
    const inPhase = (name: string) => ({
      targets: declaredTest('home', { urls: [{ url: '/', headers: field(name) }] }, []).spec.targets,
    });
    const { spec } = declaredTest(
      'home',
      {
        urls: [
          { url: '/', headers: field('header'), params: field('param') },
          { url: '/', credentials: { login: of('login'), password: of('password') } },
          { url: '/', method: 'POST', body: of('body') },
          { url: '/', method: 'POST', multipart: field('part') },
          {
            url: '/',
            awsSigv4: {
              ...{ region: 'eu', service: 'sqs', accessKeyId: of('id') },
              ...{ secretAccessKey: of('key'), sessionToken: of('token') },
            },
          },
        ],
        connection: [{ host: 'shop.example', options: { cert: of('cert'), key: of('private'), ca: 'a' } }],
        setup: inPhase('setup'),
        teardown: inPhase('teardown'),
      },
      [],
    );
    const names = secretsOfSpec(spec).map(({ name }) => name);
    expect(names.sort()).toEqual(
      [
        ...['header', 'param', 'login', 'password', 'body', 'part', 'id', 'key', 'token'],
        ...['cert', 'private', 'setup', 'teardown'],
      ].sort(),
    );
    expect(secretsOfSpec(declaredTest('home', {}, []).spec)).toEqual([]);
  });

  test('secretTextsOf names each string by its path in the field, such as "urls/1/headers/x"', () => {
    const targets = declaredTest(
      'home',
      { urls: ['/', { url: '/', headers: [{ name: 'x', value: 'a' }] }] },
      [],
    ).spec.targets;
    const field = (kind: string, value: unknown) =>
      secretTextsOf({ name: 'f', kind, value, readFrom: 'list' } as never); // as in the table of fields
    expect(field('phase', { targets })).toEqual([{ name: 'urls/1/headers/x', value: 'a' }]);
    expect(field('credentials', { login: 'a', password: null })).toEqual([
      { name: 'login', value: 'a' },
      { name: 'password', value: '' },
    ]);
    expect(field('secretText', 'a')).toEqual([{ name: '', value: 'a' }]);
    expect(field('connection', [{ host: 'h', options: { ca: 'A' } }])).toEqual([
      { name: 'h/cert', value: '' },
      { name: 'h/key', value: '' },
      { name: 'h/passphrase', value: '' },
      { name: 'h/ca', value: 'A' },
    ]);
    expect(field('url', 'http://a/')).toEqual([]);
  });

  test('withPublicFields removes the fields of a test that may be confidential, such as notes, callbacks, headers and bodies', () => {
    const { spec } = declaredTest(
      'home',
      {
        ...{
          name: 'Home',
          notes: 'internal',
          callback: 'http://a/',
          total: 5,
          duration: '2m',
          type: 'per-second',
        },
        urls: [
          {
            ...{ url: '/?key=1', method: 'POST', body: 'text' },
            headers: [{ name: 'a', value: 'b' }],
          },
          '/',
        ],
      },
      [],
    );
    const found = withPublicFields(spec);
    expect(found).toMatchObject({
      notes: null,
      callback: null,
      total: 5,
      duration: 120_000,
      testType: 'per-second',
    });
    expect(found.targets).toHaveLength(2);
    expect(found.targets[0]).toMatchObject({ method: 'POST', headers: null, body: null });
    expect(JSON.stringify(found)).not.toMatch(/internal|"text"/);
  });
});

describe('connections', () => {
  const texts = { cert: 'C', key: 'K', passphrase: 'P', ca: 'A' } as const;

  test('if a secret of a connection is not set, withKnownTexts removes the certificates, the key and the passphrase from the settings of the connection', () => {
    const options = { ...texts, serverName: 's', ip: 4 } as const;
    expect(withKnownTexts(options)).toBe(options);
    const known = { ...options, key: { parts: [new Secret('KEY', 'hidden')] } };
    expect(withKnownTexts(known)).toBe(known);
    const unset = { ...options, key: { parts: [new Secret('KEY', null)] } };
    expect(withKnownTexts(unset)).toEqual({ serverName: 's', ip: 4 });
  });

  test('mapTexts converts only the certificates, key and passphrase of a connection, and adds no absent texts', () => {
    const lower = (text: string) => text.toLowerCase();
    expect(mapTexts<string, string>({ ...texts, serverName: 'S' }, lower)).toEqual({
      ...{ cert: 'c', key: 'k', passphrase: 'p', ca: 'a', serverName: 'S' },
    });
    expect(Object.keys(mapTexts<string, string>({ ip: 6 }, lower))).toEqual(['ip']);
  });

  test.each([
    ['192.0.2.1', true],
    ['192.0.2.1:8080', true],
    ['[2001:db8::1]', true],
    ['[2001:db8::1]:8443', true],
    ['shop.example', false],
    ['192.0.2', false],
    ['a.192.0.2.1', false],
    ['[v1.a]', false],
    ['192.0.2.1.', false],
    ['0300.0.2.1', false],
    ['2001:db8::1', false],
  ])('isLiteralAddress("%s") returns %j', (host, isLiteral) => {
    expect(isLiteralAddress(host)).toBe(isLiteral);
  });
});

describe('conditions', () => {
  test('textsOfExpected returns each string of a condition with the path of its member', () => {
    expect(textsOfExpected('a')).toEqual([{ path: [], text: 'a' }]);
    expect([textsOfExpected(5), textsOfExpected(null), textsOfExpected({ exists: true })]).toEqual([
      [],
      [],
      [],
    ]);
    const found = textsOfExpected({
      ...{ length: '> 1', number: '< {{n}}', oneOf: [1, 'b', null, 'c'], matches: 'd' },
      not: { oneOf: ['e'] },
    });
    expect(found.map(({ path, text }) => `${path.join('.')} ${text}`)).toEqual([
      ...['length > 1', 'number < {{n}}', 'one_of.1 b', 'one_of.3 c', 'matches d', 'not.one_of.0 e'],
    ]);
  });
});

describe('times for display', () => {
  test.each([
    [0, '1970-01-01 00:00:00 UTC'],
    [60, '1970-01-01 01:00:00 UTC+1'],
    [-300, '1969-12-31 19:00:00 UTC−5'],
    [330, '1970-01-01 05:30:00 UTC+5:30'],
    [-65, '1969-12-31 22:55:00 UTC−1:05'],
  ])('with an offset of %d minutes, the start of the epoch is displayed as %s', (zone, text) => {
    expect(timeText(0, zone)).toBe(text);
  });

  test('timeText(NaN) returns "an unknown time", and formatRfc3339 formats a time in milliseconds', () => {
    expect(timeText(Number.NaN)).toBe('an unknown time');
    expect(formatRfc3339(1500)).toBe('1970-01-01T00:00:01.500Z');
  });
});

describe('generated values', () => {
  test.each([
    ['%{uuid}', true],
    ['a{{b}}c%{iteration}', true],
    ['{{a}}%{uuid}{{b}}', true],
    ['%{item(a)}', false],
    ['%{unknown}', false],
    [String.raw`\%{uuid}`, false],
    ['{{uuid}}', false],
  ])('hasGenerated("%s") returns %j', (text, generated) => {
    expect(hasGenerated(text)).toBe(generated);
  });
});

describe('templates', () => {
  test.each([
    ['a{{b}}c', ['a', 'c'], ['b']],
    ['{{ a }}{{b}}', ['', '', ''], ['a', 'b']],
    [String.raw`\{{a}}`, ['{{a}}'], []],
    [String.raw`\\{{a}}`, [String.raw`\\`, ''], ['a']],
    [String.raw`\\\{{a}}`, [String.raw`\\{{a}}`], []],
    ['{{a b}}{{}}', ['{{a b}}{{}}'], []],
    ['%7B%7Ba%7D%7D', ['%7B%7Ba%7D%7D'], []],
  ])('compileTemplate(%j) returns the constants %j and the names %j', (text, constants, names) => {
    expect(compileTemplate(text)).toEqual({ constants, names });
  });

  test('with the option "escaped", compileTemplate also finds names in percent-encoded braces', () => {
    const { constants, names } = compileTemplate('a%7b%7B%20b%20%7D%7dc{{d}}', { escaped: true });
    expect([constants, names]).toEqual([
      ['a', 'c', ''],
      ['b', 'd'],
    ]);
  });

  test('a backslash before "%{" makes the expression literal, and hasEscape detects a backslash before "{{" or "%{"', () => {
    expect(unescapeExpressions(String.raw`\%{a} %{b} \{{c}}`)).toBe(String.raw`%{a} %{b} \{{c}}`);
    expect(unescapeExpressions(String.raw`\\%{a} \\\%{b}`)).toBe(String.raw`\\%{a} \\%{b}`);
    const texts = [String.raw`\{{`, String.raw`\%{`, String.raw`\\{{`, '{{', String.raw`\a`];
    expect(texts.map(hasEscape)).toEqual([true, true, false, false, false]);
  });
});

describe('verdicts', () => {
  const threshold = { metric: 'p95', limit: '< 1s', value: 2, verdict: 'fail', url: null } as const;
  const verdict = (changes: object, of: object = {}): RunVerdict =>
    ({ verdict: 'fail', reason: null, thresholds: [{ ...threshold, ...changes }], ...of }) as never; // complete enough

  test('two verdicts are equal only if they differ at most in the locations of thresholds', () => {
    const base = verdict({ bounds: { low: 1, high: 2 }, regression: { worseBy: 1 } });
    const moved = { source: { file: 'a', line: 1, column: 2 } };
    expect(
      haveSameVerdict(base, verdict({ regression: { worseBy: 1 }, bounds: { low: 1, high: 2 }, ...moved })),
    ).toBe(true);
    expect(haveSameVerdict(base, verdict({ bounds: { low: 1, high: 2 }, regression: { worseBy: 2 } }))).toBe(
      false,
    );
    expect(haveSameVerdict(base, verdict({ bounds: { low: 1, high: 3 }, regression: { worseBy: 1 } }))).toBe(
      false,
    );
    expect(haveSameVerdict(verdict({}), verdict({ bounds: { low: 1, high: 3 } }))).toBe(false);
    expect(haveSameVerdict(verdict({}), verdict({}, { reason: 'a' }))).toBe(false);
    expect(haveSameVerdict(verdict({}), verdict({}, { verdict: 'inconclusive' }))).toBe(false);
    expect(haveSameVerdict(verdict({}), verdict({ value: 3 }))).toBe(false);
  });
});

describe('limits of thresholds', () => {
  test.each<[Metric, string, string, number]>([
    ['p95', ' <  300ms ', '<', 300],
    ['p95', '<=0.25 s', '<=', 250],
    ['p95', '>12s', '>', 12_000],
    ['error_rate', '>= 1.25 %', '>=', 1.25],
    ['requests', '> 10', '>', 10],
  ])('parseThreshold parses the limit of %s in "%s" as %s %d', (metric, text, operator, value) => {
    const parsed = { metric, url: null, operator, value, limit: text.trim(), source: null };
    expect(parseThreshold(metric, text, null)).toEqual(parsed);
  });

  test.each<[Metric, string]>([
    ['p95', '300ms'],
    ['p95', 'p95 < 300ms'],
    ['p95', '< 300ms or so'],
    ['p95', '== 300ms'],
    ['p95', '< 300'],
    ['p95', '< 300%'],
    ['p95', '< .5s'],
    ['error_rate', '< 1'],
    ['error_rate', '< 1s'],
    ['requests', '> 10%'],
    ['requests', '> 10s'],
    ['requests', '> 10ms'],
    ['speed' as Metric, '> 10'],
  ])('parseThreshold returns null for %s with the limit "%s"', (metric, text) => {
    expect(parseThreshold(metric, text, null)).toBeNull();
  });

  test('full records are needed only for thresholds on parts of a run and on metrics that lists of results lack', () => {
    const of = (metric: Metric, changes: Partial<Threshold> = {}) => {
      const threshold = parseThreshold(metric, metric === 'within_1s' ? '> 1%' : '< 1s', null);
      return {
        thresholds: threshold === null ? [] : [{ ...threshold, ...changes }],
        regression: NO_REGRESSION,
      };
    };
    const regressionOn = (metric: Metric) => ({
      thresholds: [],
      regression: { baseline: null, thresholds: [{ metric, allowed: 0.1, limit: '10%', source: null }] },
    });
    const needed = [
      of('p95', { url: { index: 0, label: 'a' } }),
      of('p95', { flow: { index: 0, label: 'a' } }),
      of('p95', { group: { label: 'a', urls: [0] } }),
      of('p97'),
      of('within_1s'),
      regressionOn('p97'),
    ];
    expect(needed.map(needsFullRecord)).toEqual(needed.map(() => true));
    expect([of('p95'), regressionOn('p95')].map(needsFullRecord)).toEqual([false, false]);
  });
});

describe('expected values', () => {
  test.each([
    ['-12.50e+10', -125e9],
    ['1E-12', 1e-12],
    ['12.345', 12.345],
    ['1.', null],
    ['.5', null],
    ['1e', null],
    ['x1', null],
    ['1x', null],
  ])('parseNumber("%s") returns %s', (text, number) => {
    expect(parseNumber(text)).toBe(number);
  });

  test.each([
    [{ exists: true }, 'any value'],
    [{ exists: false }, 'no value'],
    [{ length: '>= 1', number: '> 0' }, 'length >= 1 and a number > 0'],
    [{ oneOf: ['a', 1], matches: '^a' }, 'one of "a", 1 and a value that matches "^a"'],
    [{ not: { oneOf: [null] } }, 'not one of null'],
    ['paid', '"paid"'],
  ])('expectedValueText formats %j as %s', (expected, text) => {
    expect(expectedValueText(expected)).toBe(text);
  });

  test.each([
    ['*', '{ exists: true }'],
    [' != null ', '{ exists: true }'],
    ['== none', '{ exists: false }'],
    ["!=''", '{ exists: true }'],
    ['== ""', '{ exists: false }'],
    ['>=3', "{ number: '>= 3' }"],
    ['!= paid', '{ not: paid }'],
    ['!= nullable', '{ not: nullable }'],
    ['!= not null', '{ not: not null }'],
    ['== paid', null],
    ['a != null', null],
    ['!=', null],
    ['paid', null],
  ])('conditionMeantBy(%j) returns %s', (text, condition) => {
    expect(conditionMeantBy(text)).toBe(condition);
  });
});

describe('hosts of apps', () => {
  test.each([
    ['localhost', true],
    ['localhost:8080', true],
    ['127.0.0.1', true],
    ['127.10.200.30:8080', true],
    ['[::1]:80', true],
    ['my.localhost', false],
    ['x127.0.0.1', false],
    ['127.0.0.1.example', false],
    ['shop.example', false],
  ])('isLoopback("%s") returns %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
    expect(machineOf(host) === 'localhost').toBe(expected);
  });

  test('machineOf removes the port of a host', () => {
    expect(['shop.example:8080', '[2001:db8::1]:80', 'shop.example'].map(machineOf)).toEqual([
      'shop.example',
      '[2001:db8::1]',
      'shop.example',
    ]);
  });

  test('findObservedApp prefers a verified app, and otherwise returns the first app of the host', () => {
    const app = (id: string, host: string, status: 'verified' | 'unverified') => ({
      id: appId(id),
      host,
      status,
    });
    const apps = [
      app('1', 'a.example', 'unverified'),
      app('2', 'b.example', 'unverified'),
      app('3', 'b.example', 'unverified'),
      app('4', 'a.example', 'verified'),
    ];
    const found = ['a.example', 'b.example', 'c.example'].map((host) => findObservedApp(apps, { host })?.id);
    expect(found).toEqual(['4', '2', undefined]);
  });

  test('createAppFinder finds an app by host and port, then by host alone, and the first of two apps with the same host', () => {
    const apps = ['a.example', 'a.example:8080', 'a.example'].map((host, index) => ({ host, index }));
    const find = createAppFinder(apps);
    const urls = [
      'http://a.example/:9',
      'http://a.example:8080/',
      'http://a.example:8081/',
      'http://b.example/',
      'a',
    ];
    expect(urls.map((url) => find(url)?.index)).toEqual([0, 1, 0, undefined, undefined]);
  });

  test('resolvedHostsOf returns the addresses of a host with the port of the URL', () => {
    const connections = [
      { host: 'a.example', options: { resolve: ['192.0.2.1', '2001:db8::1'] } },
      { host: 'a.example:8080', options: {} },
    ];
    const hostsOf = (url: string) => resolvedHostsOf(connections, url);
    expect(hostsOf('https://a.example:8443/')).toEqual(['192.0.2.1:8443', '[2001:db8::1]:8443']);
    expect(hostsOf('http://a.example/')).toEqual(['192.0.2.1', '[2001:db8::1]']);
    for (const url of ['http://a.example:8080/', 'http://b.example/', 'a']) expect(hostsOf(url)).toEqual([]);
    expect(resolvedHostsOf(null, 'http://a.example/')).toEqual([]);
  });
});

describe('numbers and names in tests', () => {
  test.each([
    ['isWeight', isWeight, 1_000_000],
    ['isRepetitionCount', isRepetitionCount, 100_000],
  ])('%s accepts only whole numbers from 1 to its maximum', (_name, isValid, maximum) => {
    expect([1, 2, maximum].map(isValid)).toEqual([true, true, true]);
    expect([0, -1, 1.5, maximum + 1, Infinity, '1', null].map(isValid)).toEqual(Array(7).fill(false));
  });

  test('isFlowName accepts 1 to 64 letters, digits, periods, hyphens and underscores', () => {
    expect(['a', 'A.b-c_9', 'a'.repeat(64)].map(isFlowName)).toEqual([true, true, true]);
    expect(['', 'a b', ' a', 'a ', 'a'.repeat(65)].map(isFlowName)).toEqual(Array(5).fill(false));
  });

  test('parseVariablePick accepts only first, last, random and all', () => {
    const names = ['first', 'last', 'random', 'all', 'other', null];
    expect(names.map(parseVariablePick)).toEqual(['first', 'last', 'random', 'all', null, null]);
  });
});
