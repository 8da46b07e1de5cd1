/** Meaning of each kind of value in the configuration file. */
import { describe, expect, it } from 'vitest';
import type { LoadTestSpec } from '../../../src/core/model/load-test.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { HEAD, fileWithTest, linesOf, loaded, problemsOf } from './load-text.ts';

function specOf(lines: string, extra = ''): LoadTestSpec {
  const spec = loaded(`${fileWithTest(lines)}${extra}`).desired.tests[0]?.spec;
  if (spec === undefined) throw new Error('no test was loaded');
  return spec;
}

const remote = '\nservice: { base_url: https://api.example.com }\n';

describe('durations', () => {
  it.each([
    ['1m30s', 90_000],
    ['90s', 90_000],
    ['90', 90_000],
    ["'90'", 90_000],
    ['1.5m', 90_000],
    ['2000ms', 2000],
    ['1h', 3_600_000],
  ])('the duration %s is %i ms', (text, ms) => {
    expect(specOf(`duration: ${text}`).duration).toBe(ms);
  });

  it('a duration of 1500ms is rejected, and the error contains a reason and a location', () => {
    expect(linesOf(problemsOf(fileWithTest('duration: 1500ms')))).toEqual([
      'loadtests.yaml:7:15+6 error LT_CONFIG_VALUE: "1500ms" is not a whole number of seconds; "duration" must be in whole seconds, such as 2s',
    ]);
  });
});

describe('numbers without a unit', () => {
  const warned = (lines: string) => linesOf(problemsOf(fileWithTest(lines)));

  it.each([
    [
      'timeout: 2',
      'loadtests.yaml:7:14+1',
      '"2" is 2ms, because a "timeout" without a unit is in milliseconds; write "2s" if you mean seconds, otherwise "2ms"',
    ],
    [
      "timeout: '30'",
      'loadtests.yaml:7:14+4',
      '"30" is 30ms, because a "timeout" without a unit is in milliseconds; write "30s" if you mean seconds, otherwise "30ms"',
    ],
    [
      'duration: 60000',
      'loadtests.yaml:7:15+5',
      '"60000" is 16h40m, because a "duration" without a unit is in seconds; write "1m" if you mean milliseconds, otherwise "16h40m"',
    ],
  ])('an ambiguous number causes a warning with both interpretations: %s', (lines, location, message) => {
    expect(warned(lines)).toEqual([`${location} warning LT_CONFIG_VALUE: ${message}`]);
  });

  it('an ambiguous number in the limits, or in defaults that several tests share, causes only one warning', () => {
    const text = `${HEAD}
limits: { max_duration: 60000 }
defaults: { test_type: cycling, duration: 1m, timeout: 5, urls: ['http://shop.example.com/'] }
tests: { home: {}, cart: {}, search: {} }`;
    expect(linesOf(problemsOf(text)).map((line) => line.split(' ').slice(0, 2))).toEqual([
      ['loadtests.yaml:4:25+5', 'warning'],
      ['loadtests.yaml:5:56+1', 'warning'],
    ]);
  });

  it.each([
    'timeout: 2ms',
    'timeout: 100',
    'timeout: 2500',
    'duration: 7200',
    'duration: 16h40m',
    'duration: 1',
  ])('an unambiguous number causes no warning: %s', (lines) => {
    expect(warned(lines)).toEqual([]);
  });
});

describe('hosts of the limits', () => {
  it.each([
    ['München.example', 'xn--mnchen-3ya.example'],
    ["'*.münchen.example:8443'", '*.xn--mnchen-3ya.example:8443'],
    ['shop.example.com:443', 'shop.example.com'],
    ["'*.example.com'", '*.example.com'],
    ["'*:4080'", '*:4080'],
    ["'127.0.0.1:*'", '127.0.0.1:*'],
  ])('the host %s in the limits is normalized to %s', (text, host) => {
    expect(loaded(`${HEAD}\nlimits: { hosts: [${text}] }`).desired.limits.hosts).toEqual([host]);
  });
});

describe('numbers above the largest safe integer', () => {
  it.each(['9007199254740993', "'9007199254740993'", '1e300'])(
    'the number %s is rejected as too large',
    (total) => {
      expect(linesOf(problemsOf(fileWithTest(`total: ${total}`)))).toEqual([
        expect.stringMatching(/is too large; "total" must be at most 9007199254740991$/),
      ]);
    },
  );
});

describe('the fields "initial" and "total"', () => {
  it.each([
    ['non-cycling', '"initial" has no effect on a non-cycling test; remove it, or set "test_type: cycling"'],
    [
      'per-second',
      '"initial" has no effect on a per-second test without "stages"; remove "initial", or write "stages" instead of "total" and "duration"',
    ],
  ])(
    '"initial" of a %s test without stages is rejected, and the error contains a correction',
    (type, message) => {
      expect(linesOf(problemsOf(fileWithTest(`test_type: ${type}\ninitial: 5`)))).toEqual([
        `loadtests.yaml:8:5+7 error LT_CONFIG_VALUE: ${message}`,
      ]);
    },
  );

  it.each([
    ['-2.5', '"-2.5" is too small; "total" must be above 0'],
    ['0', '"0" is too small; "total" must be above 0'],
    ['true', '"total" is true; it must be a number'],
  ])('the invalid total %s results in one error', (total, message) => {
    expect(linesOf(problemsOf(fileWithTest(`total: ${total}`)))).toEqual([
      `loadtests.yaml:7:12+${total.length} error LT_CONFIG_SHAPE: ${message}`,
    ]);
  });

  it('"initial" of a per-second test with stages is the rate at the start', () => {
    const text = `${HEAD}
tests:
  home:
    test_type: per-second
    initial: 5
    stages: [{ for: 10s, to: 10 }]
    urls: ['http://shop.example.com/']`;
    expect(loaded(text).desired.tests[0]?.spec).toMatchObject({ initial: 5, total: 10 });
  });

  it('"initial" in the defaults applies to a cycling test, but not to a per-second test', () => {
    const text = `${HEAD}
defaults: { test_type: cycling, initial: 5, duration: 1m, urls: ['http://shop.example.com/'] }
tests: { home: {}, cart: { test_type: per-second } }`;
    expect(loaded(text).desired.tests.map(({ spec }) => spec.initial)).toEqual([5, null]);
  });
});

describe('quantities', () => {
  it.each<[string, Partial<LoadTestSpec>]>([
    ['timeout: 250', { timeout: 250 as LoadTestSpec['timeout'] }],
    ['timeout: 10s', { timeout: 10_000 as LoadTestSpec['timeout'] }],
    ['total: 1', { total: 1 }],
    ['initial: 0', { initial: 0 }],
    ['initial: 90\ntotal: 10', { initial: 90, total: 10 }],
    ['error_threshold: 0', { errorThreshold: 0 }],
    ['error_threshold: 99.5', { errorThreshold: 99.5 }],
    ['name: ""', { name: null }],
    ['notes: |\n  two\n  lines\n', { notes: 'two\nlines' }],
    ['iterations: 12', { iterations: 12 }],
    ['iterations_per_client: 3', { iterationsPerClient: 3 }],
    ['pace: 1.5s', { pace: milliseconds(1500) }],
    ['pace: 250', { pace: milliseconds(250) }],
    ['keep_alive: false', { keepAlive: false }],
    ['tls_verify: false', { tlsVerify: false }],
    ['callback: http://127.0.0.1:4090/hook?a=b', { callback: 'http://127.0.0.1:4090/hook?a=b' }],
    ['callback: https://shop.example.com/hook', { callback: 'https://shop.example.com/hook' }],
  ])('the declaration %j is converted to %j', (lines, expected) => {
    expect(specOf(lines)).toMatchObject(expected);
  });

  it.each<[string, Partial<LoadTestSpec>]>([
    ['callback: https://ci.example.com/hook?a=b', { callback: 'https://ci.example.com/hook?a=b' }],
    ['callback_email: a.b+c@example.com', { callbackEmail: 'a.b+c@example.com' }],
  ])(
    'the field "%s" is accepted for a remote service and rejected for the embedded service',
    (lines, expected) => {
      expect(specOf(lines, remote)).toMatchObject(expected);
      const [problem] = problemsOf(fileWithTest(lines));
      expect(problem).toMatchObject({ code: 'LT_CONFIG_VALUE', severity: 'error', source: { line: 7 } });
    },
  );

  it('the omitted fields name, initial, total, timeout and error_threshold of a test are converted to null', () => {
    expect(specOf('parallel: true')).toMatchObject({
      name: null,
      initial: null,
      total: null,
      timeout: null,
      errorThreshold: null,
    });
  });

  it.each([
    ['2026-12-24 03:00:00', Date.UTC(2026, 11, 24, 3)],
    ['2026-2-4 3:00:00', Date.UTC(2026, 1, 4, 3)],
    ['2026-12-24T03:00:00Z', Date.UTC(2026, 11, 24, 3)],
    ["'2026-12-24T03:00:00+01:00'", Date.UTC(2026, 11, 24, 2)],
  ])('the field scheduled_at accepts %s', (text, instant) => {
    expect(specOf(`scheduled_at: ${text}`, remote).scheduledAt).toBe(instant);
  });

  it.each([
    'a@b c',
    'a b@c.example',
    '@example.com',
    'a@',
    '.a@example.com',
    'a@-b.com',
    '"a\\nb@c.d"',
    'a@b@c.d',
  ])('the field callback_email rejects %s', (address) => {
    expect(
      linesOf(
        problemsOf(
          fileWithTest(`callback_email: ${address.startsWith('"') ? address : JSON.stringify(address)}`),
        ),
      ).join(),
    ).toContain('is not a valid email address');
  });
});

describe('services', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://API.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/load/', 'https://api.example.com/load'],
    ['http://127.0.0.1:4900', 'http://127.0.0.1:4900'],
  ])('the base_url %s is normalized to %s', (text, url) => {
    expect(loaded(`${HEAD}\nservice: { base_url: '${text}' }`).service.baseUrl).toBe(url);
  });

  it('a service without base_url accepts scheduled_at only if LOADTESTS_BASE_URL is set', () => {
    const schedule = fileWithTest("scheduled_at: 2026-12-24 03:00:00\nurls: ['http://shop.example.com/']");
    const text = `${schedule}service: { settle: 5s }`;
    expect(loaded(text, { env: { LOADTESTS_BASE_URL: 'https://api.example.com' } }).service).toMatchObject({
      baseUrl: null,
      settle: 5000,
    });
    expect(linesOf(problemsOf(text)).join()).toContain('start "loadtests serve"');
  });

  it.each([
    ['https://api.example.com/v2', 'write "https://api.example.com"'],
    ['https://api.example.com/v2/', 'write "https://api.example.com"'],
    ['https://api.example.com/v2?a=b', 'write "https://api.example.com"'],
    ['https://api.example.com/?a=b', 'must not contain a query or fragment'],
    ['https://api.example.com/#a', 'must not contain a query or fragment'],
    ['https://:b@api.example.com/', 'a user name or password'],
    ['api.example.com', 'must begin with http://'],
    ['file:///etc', 'must begin with http://'],
  ])('the base_url %s is rejected with a message that contains %j', (text, message) => {
    expect(linesOf(problemsOf(`${HEAD}\nservice: { base_url: '${text}' }`))).toEqual([
      expect.stringContaining(message),
    ]);
  });
});

describe('apps and URLs', () => {
  const fileWithUrl = (app: string, url: string) => `version: 1\nproject: shop\napps: { shop: '${app}' }
tests: { home: { test_type: cycling, duration: 1, urls: ["${url}"] } }`;

  it.each([
    ['shop.example.com', 'http://shop.example.com/', 'shop.example.com'],
    ['SHOP.example.com:8080', 'http://shop.EXAMPLE.com:8080/a', 'shop.example.com:8080'],
    ['shop.example.com', 'https://shop.example.com:8443/', 'shop.example.com'],
    ['shop.example.com:443', 'https://shop.example.com/', 'shop.example.com'],
    ["'[::1]:4080'", 'http://[0:0::1]:4080/', '[::1]:4080'],
    ['127.0.0.1:4080', 'http://127.1:4080/', '127.0.0.1:4080'],
    ['bücher.example', 'http://BÜCHER.example/', 'xn--bcher-kva.example'],
    ['shop.example.com', 'http://shop.example.com?a=b', 'shop.example.com'],
  ])('the app %s covers the URL %s', (app, url, host) => {
    const { desired } = loaded(`version: 1\nproject: shop\napps: { shop: ${app} }
tests: { home: { test_type: cycling, duration: 1, urls: ['${url}'] } }`);
    expect(desired.apps[0]?.host).toBe(host);
  });

  it('normalizing a URL changes only the spelling of its host', () => {
    const urls = ['http://Shop.Example.com/%{1, 2}?q=ü', 'http://127.1:4080/x/../y'];
    const { desired } = loaded(`version: 1\nproject: shop\napps: { a: shop.example.com, b: '127.0.0.1:4080' }
tests: { home: { test_type: cycling, duration: 1, urls: ${JSON.stringify(urls)} } }`);
    expect(desired.tests[0]?.spec.targets.map(({ url }) => url)).toEqual([
      urls[0],
      'http://127.0.0.1:4080/x/../y',
    ]);
  });

  it.each([
    ['another port on the host', 'shop.example.com:8080', 'http://shop.example.com/', 'shop.example.com'],
    ['a subdomain', 'example.com', 'http://shop.example.com/', 'shop.example.com'],
    ['a parent domain', 'shop.example.com', 'http://example.com/', 'example.com'],
  ])('a URL with %s of the declared app has the error LT_CONFIG_NO_APP', (_name, app, url, host) => {
    expect(problemsOf(fileWithUrl(app, url))).toMatchObject([
      {
        code: 'LT_CONFIG_NO_APP',
        message: expect.stringContaining(`no app is declared for "${host}" (declared: ${app})`) as unknown,
      },
    ]);
  });

  it('the error LT_CONFIG_NO_APP suggests the key that an import would choose', () => {
    expect(problemsOf(fileWithUrl('other.example', 'http://www.my-shop.example/'))).toMatchObject([
      { message: expect.stringMatching(/for example: my-shop: "www\.my-shop\.example"$/) as unknown },
    ]);
  });

  it.each([
    ['a host after a user name', 'http://shop.example.com@evil.example/', 'a user name or password'],
    ['a host after a backslash', 'http://evil.example\\\\@shop.example.com/', 'a user name or password'],
    ['an expression in the host', 'http://%{1}.shop.example.com/', 'a variable or an expression in its host'],
    ['an expression in the port', 'http://shop.example.com:%{1}/', 'a variable or an expression in its host'],
  ])('a URL with %s has only the error LT_CONFIG_VALUE, which contains the reason', (_name, url, reason) => {
    expect(problemsOf(fileWithUrl('shop.example.com', url))).toMatchObject([
      { code: 'LT_CONFIG_VALUE', message: expect.stringContaining(reason) as unknown },
    ]);
  });

  it('numbers and booleans in headers and parameters keep the spelling that they have in the file', () => {
    const { desired } = loaded(
      fileWithTest(
        'urls: [{ url: "http://shop.example.com/", headers: { x-a: 1.10 }, request_params: { id: 007, on: true } }]',
      ),
    );
    expect(desired.tests[0]?.spec.targets[0]).toMatchObject({
      headers: [{ name: 'x-a', value: '1.10' }],
      body: {
        fields: [
          { name: 'id', value: '007' },
          { name: 'on', value: 'true' },
        ],
      },
    });
  });
});

describe('defaults', () => {
  it('the default thresholds for URLs apply to each URL and contain its label', () => {
    const { desired } = loaded(`${HEAD}
defaults: { test_type: cycling, duration: 5, url: { thresholds: { error_rate: '< 1%' } } }
tests:
  shop:
    thresholds: { p95: '< 1s' }
    urls:
      - { url: 'http://shop.example.com/pay?a=1', name: pay, thresholds: { p97.5: '< 2s' } }
      - { url: 'http://shop.example.com', request_type: POST }
      - { url: 'http://shop.example.com/', request_type: POST }`);
    const [test] = desired.tests;
    expect(test?.urlNames).toEqual(['pay', null, null]);
    expect(test?.thresholds.map(({ metric, limit, url }) => [url?.index, url?.label, metric, limit])).toEqual(
      [
        [undefined, undefined, 'p95', '< 1s'],
        [0, 'pay', 'error_rate', '< 1%'],
        [0, 'pay', 'p97.5', '< 2s'],
        [1, 'POST / (URL 2)', 'error_rate', '< 1%'],
        [2, 'POST / (URL 3)', 'error_rate', '< 1%'],
      ],
    );
    // None of these fields are sent.
    expect(JSON.stringify(test?.spec)).not.toMatch(/pay"|error_rate|p97/);
  });

  it('duplicate or empty names of URLs, and invalid thresholds, are reported with locations', () => {
    expect(
      linesOf(
        problemsOf(`${HEAD}
defaults: { test_type: cycling, duration: 5 }
tests:
  shop:
    urls:
      - { url: 'http://shop.example.com/a', name: pay, thresholds: { p97: 2s } }
      - { url: 'http://shop.example.com/b', name: pay }
      - { url: 'http://shop.example.com/c', name: '' }`),
      ),
    ).toEqual([
      expect.stringMatching(/:8:\d+.*"2s" is not a valid threshold for "p97"/),
      expect.stringMatching(/:9:\d+.*two URLs in this test have the name "pay"; rename one of them/),
      expect.stringMatching(/:10:\d+.*"name" is empty/),
    ]);
  });

  it('a threshold can be a map with "limit" and "min_samples"', () => {
    const { desired } = loaded(`${HEAD}
defaults: { test_type: cycling, duration: 5, thresholds: { p95: { limit: '< 1s', min_samples: 50 } } }
tests:
  first: { urls: ['http://shop.example.com/'] }
  second:
    thresholds: { p95: { limit: '< 2s' }, p99: { limit: '< 3s', min_samples: '7' } }
    urls: ['http://shop.example.com/']`);
    expect(
      desired.tests.map(({ thresholds }) => thresholds.map(({ limit, minSamples }) => [limit, minSamples])),
    ).toEqual([
      [['< 1s', 50]],
      [
        ['< 2s', 50],
        ['< 3s', 7],
      ],
    ]);
  });

  it('a group contains the indexes of its URLs, and its thresholds apply to all these URLs', () => {
    const { desired } = loaded(`${HEAD}
tests:
  shop:
    test_type: cycling
    duration: 5
    urls:
      - { url: 'http://shop.example.com/list', name: list }
      - { url: 'http://shop.example.com/pay' }
      - { url: 'http://shop.example.com/item', name: item }
    groups:
      read: { urls: [item, list], thresholds: { p95: '< 1s' } }
      items: { urls: [item] }`);
    expect(desired.tests[0]?.urlGroups).toEqual([
      { name: 'read', urls: [0, 2] },
      { name: 'items', urls: [2] },
    ]);
    expect(desired.tests[0]?.thresholds).toMatchObject([
      { metric: 'p95', url: null, group: { label: 'read', urls: [0, 2] }, source: { line: 13 } },
    ]);
  });

  it('groups with unknown, repeated or missing URLs, or with an invalid name, are reported with locations', () => {
    const text = `${HEAD}
tests:
  shop:
    test_type: cycling
    duration: 5
    urls: [{ url: 'http://shop.example.com/list', name: list }]
    groups:
      read: { urls: [lst, list, list, cart] }
      none: { thresholds: { p95: '< 1s' } }
      'a b': { urls: [list] }`;
    expect(linesOf(problemsOf(text))).toEqual([
      'loadtests.yaml:10:22+3 error LT_CONFIG_REFERENCE: no URL in this test has the name "lst"; did you mean "list"?',
      'loadtests.yaml:10:33+4 error LT_CONFIG_VALUE: "list" is listed twice; remove one entry',
      'loadtests.yaml:10:39+4 error LT_CONFIG_REFERENCE: no URL in this test has the name "cart"; add "name: cart" to a URL',
      'loadtests.yaml:11:7+4 error LT_CONFIG_SHAPE: "none" has no "urls", which is required',
      'loadtests.yaml:12:7+5 error LT_CONFIG_SHAPE: "a b" is not a valid key; the name of a group has at most 64 characters: A-Z, a-z, 0-9, _, . and -',
    ]);
  });

  it('invalid options of thresholds are reported with locations', () => {
    expect(
      linesOf(
        problemsOf(`${HEAD}
tests:
  home:
    test_type: cycling
    duration: 5
    urls: ['http://shop.example.com/']
    thresholds:
      p95: { limit: '< 1', min_samples: 0 }
      p99: { min_samples: 5 }
      p90: { limit: '< 1s', min_samples: 1.5 }
      error_rate: { limit: '< 1%', min_samples: 5 }
      p50: { limit: '< 1s', samples: 5 }`),
      ),
    ).toEqual([
      'loadtests.yaml:10:21+5 error LT_CONFIG_VALUE: "< 1" is not a valid threshold for "p95"; write "< 1ms"',
      'loadtests.yaml:10:41+1 error LT_CONFIG_SHAPE: "0" is too small; "min_samples" must be at least 1',
      'loadtests.yaml:11:7+3 error LT_CONFIG_SHAPE: "p99" has no "limit", which is required',
      'loadtests.yaml:12:42+3 error LT_CONFIG_SHAPE: "min_samples" is a fraction; it must be a whole number',
      'loadtests.yaml:13:36+11 error LT_CONFIG_VALUE: "min_samples" applies only to percentiles and "within_…" thresholds; remove it from "error_rate"',
      'loadtests.yaml:14:29+7 error LT_CONFIG_UNKNOWN_KEY: unknown key "samples" (valid keys: limit, min_samples, abort_after)',
    ]);
  });

  it.each([
    [
      'p95: < 1s',
      199,
      'a warning',
      'p95 cannot pass in "home": the declared load generates 199 requests, and at least 200 responses',
    ],
    ['p95: < 1s', 200, 'no warning', null],
    [
      'p99: < 1s',
      999,
      'a warning',
      'p99 cannot pass in "home": the declared load generates 999 requests, and at least 1,000 responses',
    ],
    ['p99: { limit: < 1s, min_samples: 30 }', 30, 'no warning', null],
    ['error_rate: < 1%', 1, 'no warning', null],
  ])('the threshold "%s" of a test with "total: %i" causes %s', (threshold, total, _, warning) => {
    const warnings = linesOf(
      problemsOf(`${HEAD}
tests:
  home:
    test_type: non-cycling
    total: ${total}
    duration: 5
    urls: ['http://shop.example.com/']
    thresholds: { ${threshold} }`),
    );
    expect(warnings).toEqual(warning === null ? [] : [expect.stringContaining(warning)]);
  });

  it('requests of the warm-up of an open model do not count as responses for a percentile', () => {
    const text = `${HEAD}
tests:
  home:
    test_type: per-second
    total: 5
    duration: 60s
    warmup: 55s
    urls: ['http://shop.example.com/']
    thresholds: { p95: < 1s, iteration_p95: < 1s }`;
    const message =
      'cannot pass in "home": the declared load generates 25 requests after the warm-up, and at least 200 responses are needed';
    expect(linesOf(problemsOf(text))).toEqual([
      expect.stringContaining(`p95 ${message}`),
      expect.stringContaining(
        'iteration_p95 cannot pass in "home": the declared load generates 25 iterations after the warm-up',
      ),
    ]);
    expect(linesOf(problemsOf(text.replace('55s', '20s')))).toEqual([]);
  });

  it('if a percentile threshold of a URL or flow cannot pass, the warning contains the number of requests of that URL or flow', () => {
    expect(
      linesOf(
        problemsOf(`${HEAD}
tests:
  shop:
    test_type: non-cycling
    total: 250
    duration: 5
    thresholds: { p95: '< 1s' }
    flows:
      browse: { weight: 4, urls: ['http://shop.example.com/'], thresholds: { p95: '< 1s' } }
      buy:
        urls: [{ url: 'http://shop.example.com/buy', name: pay, thresholds: { p95: '< 1s' } }]
        thresholds: { p95: '< 1s' }`),
      ),
    ).toEqual([
      expect.stringMatching(/p95 of "pay" cannot pass in "shop": the declared load generates 50 requests/),
      expect.stringMatching(
        /p95 of the flow "buy" cannot pass in "shop": the declared load generates 50 requests/,
      ),
    ]);
  });

  it('defaults apply to every test and URL; maps are merged and other values are replaced', () => {
    const { desired } = loaded(`${HEAD}
defaults:
  test_type: cycling
  duration: 5
  thresholds: { p95: '< 1s', error_rate: '< 1%' }
  needs: [first]
  url: { headers: { accept: a, x-a: b }, request_params: { a: '1' } }
tests:
  first: { needs: [], urls: ['http://shop.example.com/'] }
  second:
    thresholds: { p95: '< 2s' }
    urls: [{ url: 'http://shop.example.com/', headers: { accept: c } }]`);
    const [first, second] = desired.tests;
    expect([first?.needs, second?.needs]).toEqual([[], ['first']]);
    expect(second?.thresholds.map(({ limit }) => limit)).toEqual(['< 2s', '< 1%']);
    expect(second?.spec.targets[0]?.headers).toEqual([
      { name: 'accept', value: 'c' },
      { name: 'x-a', value: 'b' },
    ]);
    const fields = [{ name: 'a', value: '1' }];
    expect(first?.spec.targets[0]?.body).toEqual({ kind: 'params', fields });
  });
});

describe('environments', () => {
  const text = `${HEAD}
environments: { staging: { apps: { extra: extra.example.com } }, production: {} }`;

  it('an environment can add an app', () => {
    expect(loaded(text, { environment: 'staging' }).desired.apps.map(({ key }) => key)).toEqual([
      'shop',
      'extra',
    ]);
    expect(loaded(text).desired).toMatchObject({ environment: null, apps: [{ key: 'shop' }] });
  });

  it('an undeclared environment is rejected, and the error lists the declared names', () => {
    expect(linesOf(problemsOf(text, { environment: 'stagin' }))).toEqual([
      'loadtests.yaml:4:1+12 error LT_CONFIG_ENVIRONMENT: the environment "stagin" is not declared; did you mean "staging"? (declared environments: staging, production)',
    ]);
    expect(linesOf(problemsOf(text, { environment: 'ci' }))).toEqual([
      'loadtests.yaml:4:1+12 error LT_CONFIG_ENVIRONMENT: the environment "ci" is not declared; the environments are staging, production',
    ]);
    expect(linesOf(problemsOf(HEAD, { environment: 'ci' })).join()).toContain(
      'the file declares no environments',
    );
  });

  it('the environment name "Big One" is rejected as an invalid key', () => {
    const lines = linesOf(
      problemsOf(`${HEAD}\nenvironments: { 'Big One': {} }`, { environment: 'Big One' }),
    ).join();
    expect(lines).toContain('"Big One" is not a valid key; the name of an environment has at most 40');
  });

  it('an environment cannot change the project name', () => {
    expect(
      linesOf(problemsOf(`${HEAD}\nenvironments: { ci: { project: other } }`, { environment: 'ci' })).join(),
    ).toContain('unknown key "project"');
  });
});

describe('expressions', () => {
  it('expressions are allowed in a URL after its host, in values of headers and parameters, and in a body', () => {
    const spec = specOf(`urls:
  - url: http://shop.example.com/%{1:9}?a=%{*:1-9}#%
    headers: { x-a: '%{1, 2}' }
    request_params: { b: '100% %{3}' }
  - { url: 'http://shop.example.com/', request_type: POST, raw_post_body: '%{1:9} {"a": {}}' }`);
    expect(spec.targets.map(({ body }) => body)).toEqual([
      { kind: 'params', fields: [{ name: 'b', value: '100% %{3}' }] },
      { kind: 'text', text: '%{1:9} {"a": {}}' },
    ]);
  });

  const entry = (fields: string) =>
    `urls:\n  - url: http://shop.example.com/\n    ${fields.replace(', ', '\n    ')}`;
  const unended = (text: string, literal = String.raw`, or write "\%{" for a literal "%{"`) =>
    `"${text}" begins an expression that has no closing "}"; add the brace${literal}`;
  const none = (text: string) =>
    `"%{${text}}" is not a valid expression; write numbers as in "%{1, 2, 3}", "%{1:100:2}" or "%{*:1-100}"`;

  it.each([
    ['a URL', `urls: ['http://shop.example.com/%{1:9']`, '7:12+31', unended('%{1:9', '')],
    ['a query', "urls: ['http://shop.example.com/?a=%{1;}']", '7:12+34', none('1;')],
    ['a header', entry('headers: { x-a: "%{1" }'), '9:25+5', unended('%{1')],
    ['a parameter', entry('request_params: { a: "%{2:1:1}" }'), '9:30+10', none('2:1:1')],
    ['a body', entry('request_type: POST, raw_post_body: "%{1:{{n}}}"'), '10:24+12', unended('%{1:')],
  ])('an invalid expression in %s is reported with its location', (_, line, location, message) => {
    const problems = linesOf(problemsOf(fileWithTest(line)));
    expect(problems).toContain(`loadtests.yaml:${location} error LT_CONFIG_VALUE: ${message}`);
  });

  it('expressions in and around secrets are checked, and the errors do not contain the secret', () => {
    const env = { LT_TOKEN: 'canary%{' };
    const header = (value: string) => fileWithTest(entry(`headers: { authorization: '${value}' }`));
    expect(linesOf(problemsOf(header('${secret:LT_TOKEN}'), { env }))).toEqual([
      'loadtests.yaml:9:35+20 error LT_CONFIG_VALUE: once its secrets are inserted, this text contains an invalid expression; change the value of the secret',
    ]);
    const unset = problemsOf(header('${secret:LT_TOKEN}'));
    expect(unset.map(({ severity }) => severity)).toEqual(['warning']);
    const [problem] = linesOf(problemsOf(header('%{1:9 ${secret:LT_TOKEN}'), { env }));
    expect(problem).toContain('begins an expression');
    expect(problem).not.toContain('canary');
  });
});

describe('the field "moved"', () => {
  const file = (moved: string) => `${fileWithTest('duration: 1m')}\nmoved: ${moved}\n`;

  it('a chain of "moved" entries maps each old key to the current key, regardless of the order of the entries', () => {
    for (const moved of ['{ home: b, b: a }', '{ b: a, home: b }'])
      expect(loaded(file(moved)).desired.moved).toEqual(
        new Map([
          ['a', 'home'],
          ['b', 'home'],
        ]),
      );
  });

  it('a chain of "moved" entries is rejected if it is circular or does not end at a test', () => {
    for (const moved of ['{ c: b, b: a }', '{ a: b, b: a }']) {
      const problems = linesOf(problemsOf(file(moved)));
      expect(problems).toHaveLength(2);
      expect(problems[0]).toContain(
        'is not a test in this file; write entries of "moved" as "new key: old key"',
      );
    }
  });
});

describe('regression thresholds', () => {
  it('a regression threshold is converted from a percentage to a fraction, and keeps its location', () => {
    const [test] = loaded(fileWithTest('regression: { p95: 10%, p97.5: 2.5%, requests_per_second: " 5 %" }'))
      .desired.tests;
    expect(test?.regression.thresholds.map(({ metric, allowed, limit }) => [metric, allowed, limit])).toEqual(
      [
        ['p95', 0.1, '10%'],
        ['p97.5', 0.025, '2.5%'],
        ['requests_per_second', 0.05, '5 %'],
      ],
    );
    expect(test?.regression.thresholds[0]?.source).toMatchObject({ line: 7 });
  });

  it.each([
    [
      '{ p95: 0% }',
      '7:24+2',
      '"0%" is not a valid regression threshold for "p95"; write a percentage above 0% and below 10000%, such as "10%"',
    ],
    [
      '{ p95: < 10% }',
      '7:24+5',
      '"< 10%" is not a valid regression threshold for "p95"; write a percentage above 0% and below 10000%, such as "10%"',
    ],
    [
      '{ p95: "10" }',
      '7:24+4',
      '"10" is not a valid regression threshold for "p95"; write a percentage above 0% and below 10000%, such as "10%"',
    ],
    [
      '{ requests_per_second: 100% }',
      '7:40+4',
      '"100%" is not a valid regression threshold for "requests_per_second"; write a percentage above 0% and below 100%, such as "5%"',
    ],
    [
      '{ error_rate: 10% }',
      '7:19+10',
      'unknown key "error_rate" (valid keys: avg_response_time, min, max, p50',
    ],
    ['{ p59: 10%, p9l: 5% }', '7:29+3', 'unknown key "p9l"; did you mean'],
  ])(
    'an invalid regression threshold is rejected, and the error has a location and advice: %s',
    (text, location, message) => {
      const [line = ''] = linesOf(problemsOf(fileWithTest(`regression: ${text}`)));
      expect(line).toContain(`loadtests.yaml:${location} error`);
      expect(line).toContain(message);
    },
  );

  it('a regression threshold on requests_per_second is rejected in a per-second test', () => {
    expect(
      linesOf(problemsOf(fileWithTest('test_type: per-second\nregression: { requests_per_second: 5% }'))),
    ).toEqual([
      expect.stringContaining(
        'the declared load of a per-second test determines "requests_per_second"; remove this threshold, or set "test_type: cycling"',
      ) as string,
    ]);
  });

  it('an environment can replace and remove individual regression thresholds of the defaults', () => {
    const text = `${HEAD}
defaults: { test_type: cycling, duration: 1m, urls: ['http://shop.example.com/'], regression: { p95: 10%, p99: 20% } }
environments: { ci: { defaults: { regression: { p95: 30%, p99: null } } } }
tests: { home: {} }
`;
    const allowed = (options = {}) =>
      loaded(text, options).desired.tests[0]?.regression.thresholds.map(
        ({ metric, limit }) => `${metric} ${limit}`,
      );
    expect(allowed()).toEqual(['p95 10%', 'p99 20%']);
    expect(allowed({ environment: 'ci' })?.sort()).toEqual(['p95 30%']);
  });

  it('a regression threshold does not change the test that is sent to the service', () => {
    const [plain, limited] = ['', 'regression: { p95: 10% }'].map((line) =>
      specOf(line || 'parallel: false'),
    );
    expect(limited).toEqual(plain);
  });
});

describe('keys that begin with "x-"', () => {
  it('in bodies, parts, conditions and lists, keys that begin with "x-" are data', () => {
    const { targets, groups } = specOf(`x-note: ignored
values: { x-role: admin }
urls:
  - url: http://shop.example.com/
    request_type: POST
    json: { x-id: 1, list: [{ x-name: a }] }
    x-note: ignored
  - { url: 'http://shop.example.com/', request_type: POST, multipart: { x-part: a } }
  - repeat: { at_most: 2, until: { x-role: user } }
    when: { x-role: admin }
    urls: ['http://shop.example.com/']
  - { for_each: { x-size: [s, m] }, urls: ['http://shop.example.com/{{x-size}}'] }`);
    expect(targets.slice(0, 2).map(({ body }) => body)).toMatchObject([
      { kind: 'text', text: '{"x-id":1,"list":[{"x-name":"a"}]}' },
      { kind: 'multipart', parts: [{ name: 'x-part', value: 'a' }] },
    ]);
    expect(groups).toMatchObject([
      { repeat: { until: [{ name: 'x-role' }] }, when: [{ name: 'x-role', value: 'admin' }] },
      { forEach: { name: 'x-size', values: ['s', 'm'] } },
    ]);
  });
});
