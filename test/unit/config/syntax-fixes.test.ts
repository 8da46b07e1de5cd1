/** Common mistakes: each one results in one problem at the correct location with the correct form. */
import { describe, expect, test } from 'vitest';
import { HEAD, fileWithTest, linesOf, problemsOf } from './load-text.ts';

/** Returns the single problem of a file without its code: `line:column+length severity: message`. */
function only(text: string): string {
  const lines = linesOf(problemsOf(text)).map((line) =>
    line.replace(/^loadtests\.yaml:(\S+ \w+) LT_\w+/, '$1'),
  );
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('invalid values', () => {
  test.each([
    ['duration: 1 min', '7:15+5 error: "1 min" is not a valid duration; write "1m"'],
    ['duration: 1min', '7:15+4 error: "1min" is not a valid duration; write "1m"'],
    ['duration: 1h 30M', '7:15+6 error: "1h 30M" is not a valid duration; write "1h30m"'],
    ['timeout: 30 Seconds', '7:14+10 error: "30 Seconds" is not a valid duration; write "30s"'],
    ['timeout: 500 msec', '7:14+8 error: "500 msec" is not a valid duration; write "500ms"'],
    [
      'error_threshold: 50%',
      '7:22+3 error: "50%" is not a number; "error_threshold" is already a percentage; write 50',
    ],
    ['total: 50%', '7:12+3 error: "50%" is not a number; "total" must be a number'],
    ['total: 1,000', '7:12+5 error: "1,000" is not a number; write 1000'],
    ['total: 10_000', '7:12+6 error: "10_000" is not a number; write 10000'],
    [
      'thresholds: { p9: < 300ms }',
      '7:19+2 warning: only 9% of the requests are faster than "p9"; write "p90" if you mean 90%',
    ],
    [
      'thresholds: { p95: 500 }',
      '7:24+3 error: "p95" is a number; it must be a string or a map (write a string such as "< 500ms")',
    ],
    [
      'thresholds: { p97: 1.5 }',
      '7:24+3 error: "p97" is a fraction; it must be a string or a map (write a string such as "< 1.5ms")',
    ],
    [
      'thresholds: { error_rate: 2 }',
      '7:31+1 error: "error_rate" is a number; it must be a string or a map (write a string such as "< 2%")',
    ],
    [
      'thresholds: { error_rate: 0.05 }',
      '7:31+4 error: "error_rate" is a fraction; it must be a string or a map (write a string such as "< 1%")',
    ],
    [
      'thresholds: { p95: < 0.3 }',
      '7:24+5 error: "< 0.3" is not a valid threshold for "p95"; write <, <=, > or >= and a time in ms or s, such as "< 300ms"',
    ],
    [
      'thresholds: { success_rate: 95 }',
      '7:33+2 error: "success_rate" is a number; it must be a string or a map (write a string such as ">= 95%")',
    ],
    [
      'thresholds: { requests: 50 }',
      '7:29+2 error: "requests" is a number; it must be a string or a map (write a string such as ">= 50")',
    ],
    [
      'thresholds: { p95: true }',
      '7:24+4 error: "p95" is true; it must be a string or a map (write a string such as "< 300ms")',
    ],
    [
      'thresholds: { p95: 500ms }',
      '7:24+5 error: "500ms" is not a valid threshold for "p95"; write "< 500ms"',
    ],
    ['thresholds: { p95: <500 }', '7:24+4 error: "<500" is not a valid threshold for "p95"; write "< 500ms"'],
    [
      'thresholds: { p95: "1.5 s" }',
      '7:24+7 error: "1.5 s" is not a valid threshold for "p95"; write "< 1.5s"',
    ],
    [
      'thresholds: { error_rate: 2% }',
      '7:31+2 error: "2%" is not a valid threshold for "error_rate"; write "< 2%"',
    ],
    [
      'thresholds: { success_rate: 95% }',
      '7:33+3 error: "95%" is not a valid threshold for "success_rate"; write "> 95%"',
    ],
    ['thresholds: { error: "10" }', '7:26+4 error: "10" is not a valid threshold for "error"; write "<= 10"'],
    [
      'callback: 5',
      '7:15+1 error: "callback" is a number; it must be a string (write a string such as "https://ci.example.com/hook")',
    ],
    [
      'scheduled_at: 2026',
      '7:19+4 error: "scheduled_at" is a number; it must be a string (write a string such as "2026-12-24 03:00:00")',
    ],
    [
      'urls: [5]',
      '7:12+1 error: entry 1 of "urls" is a number; it must be a string or a map (write a string such as "https://www.example.com/")',
    ],
    [
      'id: 5',
      '7:9+1 error: "id" is a number; it must be a string (quote the value; the field accepts an ID of the service, with at most 128 characters: A-Z, a-z, 0-9, _ and -)',
    ],
    ['name: 5', '7:11+1 error: "name" is a number; it must be a string (quote the value)'],
    [
      'name: !important',
      '7:11+10 error: only the tags of the YAML 1.2 core schema are supported; remove the tag, or quote the value if it is a string: "!important"',
    ],
    [
      'notes: !Note that "it" is slow # now',
      `7:12+5 error: only the tags of the YAML 1.2 core schema are supported; remove the tag, or quote the value if it is a string: '!Note that "it" is slow'`,
    ],
    [
      'x-a: [!a, b]',
      '7:11+2 error: only the tags of the YAML 1.2 core schema are supported; remove the tag, or quote the value if it is a string: "!a"',
    ],
    [
      'x-a: !!omap [a]',
      '7:10+6 error: only the tags of the YAML 1.2 core schema are supported; remove the tag',
    ],
    ['thresholds: { p(95): < 300ms }', '7:19+5 error: unknown key "p(95)"; did you mean "p95"?'],
    [
      'test_type: per_second',
      '7:16+10 error: "per_second" is not a valid value (did you mean "per-second"?); "test_type" must be one of cycling, non-cycling, per-second',
    ],
  ])('the invalid value "%s" results in one problem at its location', (lines, problem) => {
    expect(only(fileWithTest(lines))).toBe(problem);
  });
});

/** Returns a file with a test that begins at line 5 with the lines. */
const inTest = (lines: string) => `${HEAD}
tests:
${lines}
    test_type: cycling
    duration: 1m
    urls: ['http://shop.example.com/']
`;

describe('invalid YAML', () => {
  test.each([
    ['  home:\n    total 5', '6:5+7 error: "total 5" has no colon; write "total: 5"'],
    ['  home:\n    total:5', '6:5+7 error: "total:5" has no space after its colon; write "total: 5"'],
    ['  home', '5:3+4 error: "home" has no colon; write "home:"'],
    [
      '  home:\n\t\ttotal: 5\n\t\tinitial: 1',
      '6:1+2 error: tabs are not allowed for indentation; use spaces, here and in 1 more line',
    ],
    ['  home:\n  \ttotal: 5', '6:3+1 error: tabs are not allowed for indentation; use spaces'],
    [
      '  home:\n    total: 5\n      initial: 1',
      '7:7+7 error: "initial" begins in column 7, but its siblings begin in column 5; align them',
    ],
    [
      '  home:\n    total: 5\n   initial: 1',
      '7:4+7 error: "initial" begins in column 4, but its siblings begin in column 5; align them',
    ],
    [
      '  home:\n    x-a:\n      - a\n     - b',
      '8:6+3 error: "- b" begins in column 6, but its siblings begin in column 7; align them',
    ],
    ['  home:\n    thresholds: { p95: < 1s', '6:17+1 error: unclosed "{"; add "}"'],
    ['  home:\n    thresholds: { p95: < 1s # soon', '6:17+1 error: unclosed "{"; add "}"'],
    ['  home:\n    x-a: [a, b', '6:10+1 error: unclosed "["; add "]"'],
    ['  home:\n    x-a: [a]]', '6:13+1 error: "]" has no opening bracket; remove it'],
    ['  home:\n    name: "Home', '6:11+5 error: unclosed quote; add " at the end of the value'],
    ["  home:\n    name: 'Home\n    x-a: 'b'", "6:11+5 error: unclosed quote; add ' at the end of the value"],
    ["  home:\n    name: 'it's'", `6:11+6 error: 'it's' has text after its closing quote; write "it's"`],
    ['  home:\n    name: "a" b', `6:11+5 error: "a" b has text after its closing quote; write '"a" b'`],
    [
      '  home:\n    name: Home: a page',
      '6:11+12 error: "Home: a page" needs quotes, because ": " ends a key; write "Home: a page"',
    ],
    [
      '  home:\n    name: @home',
      '6:11+5 error: "@home" needs quotes, because "@" cannot begin a value; write "@home"',
    ],
    [
      '  home:\n    name: {{home}}',
      '6:11+8 error: "{{home}}" needs quotes, because "{" begins a map; write "{{home}}"',
    ],
    [
      '  home:\n    thresholds:\n      requests: > 1000\n      p95: < 1s',
      '7:17+6 error: "> 1000" needs quotes, because ">" begins a block string; write "> 1000"',
    ],
    [
      '  home:\n    x-a: { b: %{rand} }',
      '6:15+7 error: "%{rand}" needs quotes, because "%" cannot begin a value; write "%{rand}"',
    ],
    [
      '  home:\n    x-a:\n      - https://a.example/ # soon\n        name: a',
      '7:9+18 error: "https://a.example/" has fields below it; write "url: https://a.example/"',
    ],
    [
      '  home:\n    x-a:\n      - "https://a.example/"\n\n        name: a',
      '7:9+20 error: "https://a.example/" has fields below it; write "url: https://a.example/"',
    ],
    [
      '  home:\n    x-a: { b: c: d }',
      '6:15+4 error: "c: d" needs quotes, because ": " ends a key; write "c: d"',
    ],
  ])('the invalid YAML %j results in one problem at its location', (lines, problem) => {
    expect(only(inTest(lines))).toBe(problem);
  });

  test.each([
    ['x-a: { b: {{token}}, c: 1 }', '{{token}}'],
    ['x-a: { b: Bearer {{token}} }', 'Bearer {{token}}'],
    ['x-a: [http://${host}/%{1:9}?a={{a}}]', 'http://${host}/%{1:9}?a={{a}}'],
    ['x-a: { "b":{{token}} }', '{{token}}'],
    ['x-a:\n      [\n        a,\n        {{token}}, # later\n      ]', '{{token}}'],
  ])('the message states that a value with braces in brackets needs quotes: %j', (lines, value) => {
    expect(only(inTest(`  home:\n    ${lines}`))).toMatch(
      `+${value.length} error: "${value}" needs quotes, because "{" begins a map; write "${value}"`,
    );
  });

  test('for a host pattern that YAML reads as an alias, the message advises the user to quote the pattern', () => {
    expect(only(`${HEAD}\nlimits: { hosts: [*.example.com] }`)).toContain(
      'if the value is a string, write "*.example.com"',
    );
  });

  test('syntax mistakes do not hide other problems, and locations refer to the original file', () => {
    const text = `version: 1
project: shop
apps:
\tshop: shop.example.com
tests:
  home
    test_type cycling
    duratoin: 1m
    name: it's: "new"
    urls: [http://shop.example.com/
    total: 5
`;
    expect(linesOf(problemsOf(text)).map((line) => line.replace(/;.*/, ''))).toEqual([
      'loadtests.yaml:4:1+1 error LT_CONFIG_SYNTAX: tabs are not allowed for indentation',
      'loadtests.yaml:6:3+4 error LT_CONFIG_SYNTAX: "home" has no colon',
      'loadtests.yaml:7:5+17 error LT_CONFIG_SYNTAX: "test_type cycling" has no colon',
      'loadtests.yaml:8:5+8 error LT_CONFIG_UNKNOWN_KEY: unknown key "duratoin"',
      `loadtests.yaml:9:11+11 error LT_CONFIG_SYNTAX: "it's: \\"new\\"" needs quotes, because ": " ends a key`,
      'loadtests.yaml:10:11+1 error LT_CONFIG_SYNTAX: unclosed "["',
    ]);
  });
});

describe('misindented fields', () => {
  const misindented = (lines: string) => only(`${HEAD}\n${lines}\n`);
  const TEST = "test_type: cycling\n  duration: 1m\n  urls: ['http://shop.example.com/']";

  test.each([
    ['test_type', 'home', '6:3+9', `tests:\n  home:\n  ${TEST}`, ' and the 2 keys after it'],
    [
      'total',
      'home',
      '8:3+5',
      `tests:\n  home: # the page\n\n  # load\n  total: 5\n  ${TEST}`,
      ' and the 3 keys after it',
    ],
    [
      'duration',
      'home',
      '6:3+8',
      'tests:\n  home:\n  duration: 1m\n  x-note: a\n  test_type: cycling\n  urls:\n  - http://shop.example.com/\n  cart:\n    test_type: cycling\n    duration: 1m\n    urls: [http://shop.example.com/]',
      ' and the 3 keys after it',
    ],
    ['home', 'tests', '5:1+4', `tests:\nhome:\n  ${TEST}`, ''],
    [
      'test_type',
      'defaults',
      '5:1+9',
      'defaults:\ntest_type: cycling\nduration: 1m\ntests: {}',
      ' and the key after it',
    ],
    ['max_duration', 'limits', '5:1+12', 'limits:\nmax_duration: 5m', ''],
    ['any', 'vars', '5:1+3', 'vars:\nany: a', ''],
    ['vars', 'ci', '6:3+4', 'environments:\n  ci:\n  vars: { a: b }\n  tests: {}', ' and the key after it'],
    ['total', 'home', '8:7+5', 'environments:\n  ci:\n    tests:\n      home:\n      total: 5', ''],
  ])(
    'the misindented field "%s" on the level of "%s" is reported at the location %s',
    (key, above, location, lines, others) => {
      expect(misindented(lines)).toBe(
        `${location} error: "${key}" is on the same level as "${above}" but belongs below it; indent "${key}"${others} by two more spaces`,
      );
    },
  );

  test.each([
    ['p95', 'thresholds', '8:5+3', 'thresholds:\np95: < 300ms'],
    ['x-any', 'headers', '10:9+5', 'urls:\n  - url: http://shop.example.com/\n    headers:\n    x-any: a'],
    [
      'login',
      'credentials',
      '10:9+5',
      'urls:\n  - url: http://shop.example.com/\n    credentials:\n    login: a\n    password: b',
    ],
  ])(
    'in a test or URL, the misindented field "%s" on the level of "%s" is reported at the location %s',
    (key, above, location, lines) => {
      expect(only(fileWithTest(lines))).toContain(
        `${location} error: "${key}" is on the same level as "${above}" but belongs below it`,
      );
    },
  );

  test('a misindented "app" is reported even if YAML accepts it as an app', () => {
    const text = 'version: 1\nproject: shop\napps:\n  shop:\n  app: shop.example.com\n';
    expect(only(text)).toContain('5:3+3 error: "app" is on the same level as "shop" but belongs below it');
  });

  test('misindented fields are reported once per test and hide no other problem', () => {
    const test = TEST.replace('1m', '1 min');
    const lines = linesOf(problemsOf(`${HEAD}\ntests:\n  home:\n  ${test}\n  cart:\n  ${test}\n`));
    expect(lines.map((line) => line.replace(/^loadtests\.yaml:(\S+).*?: (.*?) is .*/, '$1 $2'))).toEqual([
      '6:3+9 "test_type"',
      '7:13+5 "1 min"',
      '10:3+9 "test_type"',
      '11:13+5 "1 min"',
    ]);
  });

  test.each([
    'environments: { ci: { apps: { shop: , app: other.example.com } } }',
    'environments:\n  ci:\n    apps:\n      shop:\n      app: other.example.com',
    'environments:\n  ci:\n    tests:\n      home:\n      urls: { total: 5 }',
    'environments:\n  ci:\n    defaults:\n      url:\n      thresholds: { p95: < 300ms }',
    'x-a:\n  home:\n  duration: 1m',
  ])('valid indentation is not reported as a problem: %j', (lines) => {
    expect(problemsOf(`${HEAD}\n${lines}\n`)).toEqual([]);
  });
});

describe('files with several problems', () => {
  const summaries = (text: string) =>
    linesOf(problemsOf(text)).map((line) => line.replace(/ error LT_\w+: (.*?)[;(].*$/, ' $1'));

  test('the problems from all stages of the validation are reported together', () => {
    const text = `version: 1
project: Shop
apps: { shop: shop.example.com }
vars: { host: shop.example.com }
tests:
  home:
    test_typ: cycling
    duration: 1 min
    urls: ["http://\${hots}/", http://shop.exmple.com/]
  cart: { test_type: cycling, duration: soon, urls: [http://shop.example.com/], needs: [hme, home] }
`;
    expect(summaries(text)).toEqual([
      'loadtests.yaml:2:10+4 "Shop" is not a valid value',
      'loadtests.yaml:7:5+8 unknown key "test_typ"',
      'loadtests.yaml:8:15+5 "1 min" is not a valid duration',
      'loadtests.yaml:9:20+7 "${hots}" is not declared',
      expect.stringContaining('loadtests.yaml:9:31+23 no app is declared for "shop.exmple.com"'),
      'loadtests.yaml:10:41+4 "soon" is not a valid duration',
      expect.stringContaining('loadtests.yaml:10:89+3 "cart" needs "hme", which is not a test in this file'),
    ]);
  });

  test.each([
    ['an app that is a URL', 'apps: {shop: https://shop.example.com/}', '3:14+25'],
    ['an app without a value', 'apps: {shop: }', '3:14+1'],
    ['an app that cannot be resolved', "apps: {shop: '${gone}'}", '3:15+7'],
    ['an alias without an anchor', 'apps: {shop: *gone}', '3:14+5'],
    ['apps that are a list', 'apps: [shop.example.com]', '3:1+4'],
  ])('an invalid app causes only one problem: %s', (_name, apps, location) => {
    const text = `version: 1\nproject: shop\n${apps}
tests:
  home: { test_type: cycling, duration: 1m, callback: 'https://shop.example.com/', urls: [https://shop.example.com/] }
`;
    expect(summaries(text)).toEqual([
      expect.stringMatching(`^loadtests.yaml:${location.replace('+', '\\+')} `),
    ]);
  });

  test.each([
    [
      'an unknown key in place of the duration',
      'duratoin: 1m\n    test_type: cycling\n    urls: [http://shop.example.com/]',
    ],
    [
      'an undeclared reference in the duration',
      "duration: '${gone}'\n    test_type: cycling\n    urls: [http://shop.example.com/]",
    ],
    [
      'an invalid test type',
      'duration: 1m\n    test_type: per_second\n    initial: 5\n    urls: [http://shop.example.com/]',
    ],
    [
      'an unknown key in place of a URL',
      'duration: 1m\n    test_type: cycling\n    urls: [{ ulr: http://shop.example.com/ }]',
    ],
    [
      'an undeclared reference in place of a URL',
      "duration: 1m\n    test_type: cycling\n    urls: ['${gone}']",
    ],
    [
      'a variable without a property',
      'duration: 1m\n    test_type: cycling\n    urls: [{ url: http://shop.example.com/, variables: [{ name: a }] }, "http://shop.example.com/{{a}}"]',
    ],
    [
      'a request type in lower case',
      'duration: 1m\n    test_type: cycling\n    urls: [{ url: http://shop.example.com/, request_type: post, raw_post_body: a }]',
    ],
    ['a variable in a host', "duration: 1m\n    test_type: cycling\n    urls: ['http://{{host}}/']"],
    [
      'a repetition without requests',
      'duration: 1m\n    test_type: cycling\n    urls: [{ repeat: 3 }, http://shop.example.com/]',
    ],
    [
      'a list without a variable',
      'duration: 1m\n    test_type: cycling\n    urls: [{ for_each: { at_most: 3 }, urls: [http://shop.example.com/] }]',
    ],
    [
      'an empty list',
      'duration: 1m\n    test_type: cycling\n    urls: [{ for_each: {}, urls: [http://shop.example.com/] }]',
    ],
    [
      'a group of URLs with an unknown name',
      'total: 1\n    duration: 1s\n    test_type: per-second\n    urls: [http://shop.example.com/]\n    groups: { all: { urls: [home], thresholds: { p95: < 1s } } }',
    ],
    [
      'an unknown key in the credentials',
      'duration: 1m\n    test_type: cycling\n    urls: [{ url: http://shop.example.com/, credentials: { login: a, pass: b } }]',
    ],
  ])('a test with %s causes only one problem', (_, lines) => {
    expect(summaries(`${HEAD}\ntests:\n  home:\n    ${lines}\n`)).toHaveLength(1);
  });

  test('each field of a request in a group results in one problem', () => {
    const group = 'repeat: 2, headers: { a: b }, delay: 1s, urls: [http://shop.example.com/]';
    const text = `${HEAD}\ntests: { home: { test_type: cycling, duration: 1m, urls: [{ ${group} }] } }`;
    expect(summaries(text).map((line) => line.replace(/,.*/, ''))).toEqual([
      'loadtests.yaml:4:72+7 "headers" applies only to a request',
      'loadtests.yaml:4:91+5 "delay" applies only to a request',
    ]);
  });

  test('a misspelled key in "defaults" or "service", or a misspelled "defaults", causes only one problem', () => {
    const tests = "tests: { home: { urls: ['http://shop.example.com/'] } }";
    expect(summaries(`${HEAD}\ndefaults: { test_type: cycling, duratoin: 1m }\n${tests}`)).toHaveLength(1);
    expect(summaries(`${HEAD}\ndefault: { test_type: cycling, duration: 1m }\n${tests}`)).toHaveLength(1);
    const later = "scheduled_at: '2026-12-24 03:00:00', test_type: cycling, duration: 1m";
    const served = `tests: { home: { ${later}, urls: ['http://shop.example.com/'] } }`;
    expect(summaries(`${HEAD}\nservice: { base_ulr: 'https://api.example.com' }\n${served}`)).toHaveLength(1);
  });

  test.each([
    ['name: # Home', '"#" begins a comment; if it is part of the value, quote the value'],
    ['name: &co', '"&" begins an anchor; if it is part of the value, write "&co"'],
  ])('the hint states why a field has no value: %s', (line, hint) => {
    expect(problemsOf(fileWithTest(line)).map((problem) => problem.hint)).toEqual([hint]);
  });
});
