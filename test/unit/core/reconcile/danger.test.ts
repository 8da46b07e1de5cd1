/** Dangers of single changes of a file, and of the load of two versions of a file. */
import { describe, expect, test } from 'vitest';
import { findChangeDangers, findLoadDangers } from '../../../../src/core/reconcile/danger.ts';
import { changeOf, type FileChange } from '../../../../src/core/reconcile/file-changes.ts';
import { computePlannedLoad } from '../../../../src/core/reconcile/planned-load.ts';
import { declareState, type DeclaredStateBuilder } from '../../../support/declared-state.ts';

const SOURCE = { file: 'loadtests.yaml', line: 7, column: 3 };

function change(address: string, parts: Partial<FileChange>): FileChange {
  const values = { before: null, after: null, source: SOURCE };
  return changeOf(address, { field: null, kind: 'changed', ...values, ...parts });
}

const secrets = (before: readonly string[], after: readonly string[]): Partial<FileChange> => ({
  ...{ field: 'headers.x', kind: 'changed', before: '${a}', after: '${b}' },
  secrets: { before, after },
});

describe('dangers of a change', () => {
  test.each<readonly [string, string, Partial<FileChange>, readonly string[]]>([
    [
      'a removed test',
      'test.home',
      { kind: 'removed', before: { tls_verify: false } },
      ['unmanaged: Test "home" is removed from the file and is no longer managed.'],
    ],
    [
      'a removed app',
      'app.shop',
      { kind: 'removed' },
      ['deleted-apps: App "shop" is removed from the file.'],
    ],
    ['a removed environment', 'environment.staging', { kind: 'removed' }, []],
    ['an added environment', 'environment.staging', { kind: 'added' }, []],
    [
      'an added test that does not verify certificates',
      'test.a.b',
      { kind: 'added', after: { tls_verify: false } },
      ['loosened: "a.b": "tls_verify" is "false".'],
    ],
    [
      'an added test that verifies certificates',
      'test.home',
      { kind: 'added', after: { tls_verify: true } },
      [],
    ],
    ['an added test', 'test.home', { kind: 'added', after: { verification: { command: './a' } } }, []],
    ['an added app', 'app.shop', { kind: 'added', after: { tls_verify: false, verification: {} } }, []],
    ['an added app that is only a host', 'app.shop', { kind: 'added', after: 'shop.example' }, []],
    [
      'an added app with a verification command',
      'app.shop',
      { kind: 'added', after: { verification: { command: 'say "a"' } } },
      [`commands: App "shop": "verification.command" is added: "say 'a'".`],
    ],
    [
      'a removed URL with expectations',
      'test.home',
      { url: 'GET /', kind: 'removed', before: { expect: 200 } },
      ['loosened: "home", URL "GET /" is removed with its expectations.'],
    ],
    ['a removed URL', 'test.home', { url: 'GET /', kind: 'removed', before: { url: '/' } }, []],
    ['a removed URL that is only a string', 'test.home', { url: 'GET /', kind: 'removed', before: '/' }, []],
    [
      'an added URL with expectations',
      'test.home',
      { url: 'GET /', kind: 'added', after: { expect: 200 } },
      [],
    ],
    [
      'an added command of the web server',
      'web_server',
      { field: 'command', kind: 'added', after: 'npm start' },
      ['commands: "web_server.command" is added: "npm start".'],
    ],
    [
      'a removed command of the web server',
      'web_server',
      { field: 'command', kind: 'removed', before: 'a' },
      [],
    ],
    ['a changed URL of the web server', 'web_server', { field: 'url', before: 'a', after: 'b' }, []],
    [
      'a field of the web server with the name of a verification command',
      'web_server',
      { field: 'verification.command', before: 'a', after: 'b' },
      [],
    ],
    [
      'a changed verification command',
      'app.shop',
      { field: 'verification.command', before: './a', after: './b' },
      ['commands: App "shop": "verification.command" is changed: "./a" → "./b".'],
    ],
    ['another command in an app', 'app.shop', { field: 'command', before: './a', after: './b' }, []],
    ['a command in a test', 'test.app.a', { field: 'verification.command', before: './a', after: './b' }, []],
    ...['base_url', 'auth_header', 'api_key_env', 'allow_plain_http'].map(
      (field) =>
        [
          `a changed ${field} of the service`,
          'service',
          { field, before: 'a', after: true },
          [`service: "service.${field}" is changed: "a" → "true".`],
        ] as const,
    ),
    [
      'a removed base_url of the service',
      'service',
      { field: 'base_url', kind: 'removed', before: 'https://a.example' },
      ['service: "service.base_url" is removed (it was "https://a.example").'],
    ],
    ['another changed field of the service', 'service', { field: 'timeout', before: 1, after: 2 }, []],
    ['a base_url in another section', 'project', { field: 'base_url', before: 'a', after: 'b' }, []],
    [
      'a raised limit',
      'limits',
      { field: 'max_connections', kind: 'loosened', before: 5, after: 6 },
      ['limits: "limits.max_connections" is raised: "5" → "6".'],
    ],
    [
      'a longer list of hosts',
      'limits',
      { field: 'hosts', kind: 'loosened', before: ['a'], after: ['a', 'b'] },
      ['limits: "limits.hosts" is loosened: "a" → "a, b".'],
    ],
    [
      'a removed limit',
      'limits',
      { field: 'max_duration', kind: 'removed', before: '5m' },
      ['limits: "limits.max_duration" is removed (it was "5m").'],
    ],
    ['a lower limit', 'limits', { field: 'max_duration', kind: 'tightened', before: '5m', after: '4m' }, []],
    ['an added limit', 'limits', { field: 'max_duration', kind: 'added', after: '4m' }, []],
    [
      'a loosened field that had its default',
      'test.home',
      { field: 'error_threshold', kind: 'loosened', after: 90 },
      ['loosened: "home": "error_threshold" is loosened: the default → "90".'],
    ],
    [
      'a loosened field that returns to its default',
      'test.home',
      { field: 'timeout', kind: 'loosened', before: '1s' },
      ['loosened: "home": "timeout" is loosened: "1s" → the default.'],
    ],
    [
      'a tightened field',
      'test.home',
      { field: 'timeout', kind: 'tightened', before: '2s', after: '1s' },
      [],
    ],
    ['a removed field', 'test.home', { field: 'timeout', kind: 'removed', before: '1s' }, []],
    [
      'a removed field whose name contains that of a check',
      'test.home',
      { field: 'headers.expectation', kind: 'removed', before: 'a' },
      [],
    ],
    ...['thresholds.p95', 'groups.read.thresholds.p95', 'regression.p99', 'expect.status', 'expect'].map(
      (field) =>
        [
          `a removed condition in ${field}`,
          'test.home',
          { url: 'cart', field, kind: 'removed', before: { a: 1 } },
          [`loosened: "home", URL "cart": "${field}" is removed (it was "{'a':1}").`],
        ] as const,
    ),
    ['an added condition', 'test.home', { field: 'thresholds.p95', kind: 'added', after: '< 1s' }, []],
    [
      'a loosened field of another section',
      'defaults',
      { field: 'timeout', kind: 'loosened', after: '9s' },
      [],
    ],
    [
      'a value of 120 characters',
      'web_server',
      { field: 'command', kind: 'added', after: 'a'.repeat(120) },
      [`commands: "web_server.command" is added: "${'a'.repeat(120)}".`],
    ],
    [
      'a value of 121 characters',
      'web_server',
      { field: 'command', kind: 'added', after: 'a'.repeat(121) },
      [`commands: "web_server.command" is added: "${'a'.repeat(119)}…".`],
    ],
    [
      'an added secret',
      'test.home',
      secrets([], ['A']),
      ['secrets: "home": "headers.x" uses the secret "A".'],
    ],
    [
      'an additional secret',
      'test.home',
      { ...secrets(['A'], ['B', 'C']), url: 'cart' },
      ['secrets: "home", URL "cart": "headers.x" uses the secrets "B", "C" instead of "A".'],
    ],
    [
      'a single secret instead of two',
      'app.shop',
      secrets(['A', 'B'], ['C']),
      ['secrets: App "shop": "headers.x" uses the secret "C" instead of "A", "B".'],
    ],
    [
      'a secret that is no longer used',
      'test.home',
      secrets(['A'], []),
      ['secrets: "home": "headers.x" no longer uses the secret "A".'],
    ],
    [
      'a removed use of two secrets',
      'test.home',
      secrets(['A', 'B'], []),
      ['secrets: "home": "headers.x" no longer uses the secrets "A", "B".'],
    ],
    [
      'a removed field with a secret',
      'test.home',
      { ...secrets(['A'], []), kind: 'removed', after: null },
      [],
    ],
    ['a secret in another section', 'vars', secrets(['A'], ['B']), []],
  ])('%s is reported as exactly the expected dangers', (_, address, parts, expected) => {
    const changed = change(address, parts);
    const found = findChangeDangers([changed]);
    expect(found.map(({ kind, message }) => `${kind}: ${message}`)).toEqual(expected);
    for (const danger of found) expect(danger).toMatchObject({ address, source: SOURCE });
  });

  test('a loosened command with a different secret is reported as three dangers', () => {
    const both = change('app.shop', {
      ...secrets(['A'], ['B']),
      field: 'verification.command',
      kind: 'loosened',
      before: './a',
      after: './b',
    });
    expect(findChangeDangers([both]).map(({ kind }) => kind)).toEqual(['commands', 'loosened', 'secrets']);
  });
});

describe('dangers of the load', () => {
  test('the danger of a test whose location is unknown has no location', () => {
    const { tests } = declareState().app('shop').test('home').state;
    const after = { tests, load: computePlannedLoad(tests) };
    expect(findLoadDangers(null, after)).toMatchObject([{ kind: 'new-hosts', source: null }]);
  });

  const shop = declareState().app('shop');
  const loadOf = ({ state: { tests } }: DeclaredStateBuilder) => {
    const located = tests.map((one, index) => {
      return { ...one, source: { ...SOURCE, line: index + 1, length: 1, lineText: 'a' } };
    });
    return { tests: located, load: computePlannedLoad(located) };
  };
  const dangersOf = (before: DeclaredStateBuilder | null, after: DeclaredStateBuilder) =>
    findLoadDangers(before === null ? null : loadOf(before), loadOf(after));
  const at = (line: number) => ({ ...SOURCE, line });

  test('without an earlier version, each host is new, and its location is that of the largest test', () => {
    const after = shop
      .test('small', { total: 1 })
      .test('large', { total: 2 })
      .test('other', { urls: ['http://b.example/'] });
    expect(dangersOf(null, after)).toEqual([
      {
        kind: 'new-hosts',
        message: 'New host: "shop.example" receives load.',
        address: null,
        source: at(2),
      },
      { kind: 'new-hosts', message: 'New host: "b.example" receives load.', address: null, source: at(3) },
    ]);
  });

  test('an equal or lower load is not a danger', () => {
    const before = shop.test('home', { type: 'per-second', total: 5, duration: '2m' });
    expect(dangersOf(before, before)).toEqual([]);
    const lower = shop.test('home', { type: 'per-second', total: 4, duration: '1m' });
    expect(dangersOf(before, lower)).toEqual([]);
    expect(dangersOf(before, shop)).toEqual([]);
  });

  test('a higher peak of a host with one test is reported only for the host', () => {
    const before = shop.test('home', { total: 999 });
    expect(dangersOf(before, shop.test('home', { total: 1000 }))).toEqual([
      {
        kind: 'higher-peak',
        message: 'Peak on "shop.example" rises from 999 to 1,000 connections.',
        address: null,
        source: at(1),
      },
    ]);
  });

  test('more connections of a test are reported even if a larger test determines the peak of the host', () => {
    const large = shop.test('large', { total: 2000 });
    const before = large.test('home', { total: 1 });
    expect(dangersOf(before, large.test('home', { total: 1200 }))).toEqual([
      {
        kind: 'higher-peak',
        message: '"home" opens up to 1,200 connections instead of 1.',
        address: 'test.home',
        source: at(2),
      },
    ]);
    expect(dangersOf(large.test('home', { total: 1200 }), before)).toEqual([]);
  });

  test('a higher rate of clients and a longer duration are reported with the location of the test', () => {
    const fields = { type: 'per-second', timeout: '10s' } as const;
    const large = shop.test('large', { total: 9000 });
    const before = large.test('home', { ...fields, total: 1000, duration: '2s' });
    const found = dangersOf(before, large.test('home', { ...fields, total: 1001, duration: '3s' }));
    const common = { address: 'test.home', source: at(2) };
    expect(found).toEqual([
      {
        kind: 'higher-peak',
        message: '"home" starts up to 1,001 clients per second instead of 1,000.',
        ...common,
      },
      { kind: 'higher-peak', message: '"home" opens up to 3,003 connections instead of 2,000.', ...common },
      { kind: 'longer', message: '"home" runs for 3s instead of 2s.', ...common },
    ]);
  });

  test('a test that becomes a per-second test has no earlier rate', () => {
    const before = shop.test('home', { type: 'cycling', total: 100, duration: '5s' });
    const rate = shop.test('home', { type: 'per-second', total: 20, duration: '5s' });
    expect(dangersOf(before, rate)).toEqual([]);
    expect(dangersOf(rate, shop.test('home', { type: 'non-cycling', total: 21, duration: '5s' }))).toEqual(
      [],
    );
  });

  test('the longest time of a test with a setup is a maximum', () => {
    const [target] = shop.test('a').state.tests[0]?.spec.targets ?? [];
    if (target === undefined) throw new Error('no target');
    const fields = { total: 1, duration: '10s', timeout: '1s' } as const;
    const found = dangersOf(
      shop.test('home', fields),
      shop.test('home', { ...fields, setup: { targets: [target] } }),
    );
    expect(found.map(({ message }) => message)).toEqual(['"home" runs for up to 11s instead of 10s.']);
  });
});
