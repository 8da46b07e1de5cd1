/** Generated tests with all fields that a file supports, some of them invalid. */
import fc from 'fast-check';
import { OWN_LIMITS } from '../../src/core/model/capabilities.ts';
import { arbitraryString } from './arbitrary-string.ts';

export const HOST = '127.0.0.1:4080';
export const URL_OF = `http://${HOST}`;

/** Fields of a test as JSON, by the names of the file, most of which are also those of the API. */
export type Fields = Readonly<Record<string, unknown>>;

const TOO_LONG_TEXT = 'a'.repeat(OWN_LIMITS.value + 1);

/** Payload files with rows for iterations, and the variable that requests use. */
const ITERATION_FILES = {
  'buyers.csv': { variable: 'buyer', content: 'buyer,basket\nsteve,1\n"jo, e",2\n' },
  'rows/lists.json': {
    variable: 'sku',
    content: '{"version": 1, "variables": [{"names": ["sku"], "values": [["a"], [7]]}]}',
  },
} as const;
/** Payload file with rows for the requests of one URL, as their parameters. */
const REQUEST_FILE = 'keys.json';

/** Payload files of a test by path; the first ones are valid. */
export const PAYLOAD_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(ITERATION_FILES).map(([path, { content }]) => [path, content])),
  [REQUEST_FILE]: '{"keys": ["user", "p n"], "values": [["steve", true], ["joe", ""]]}',
  // Variables that other files or requests may also define.
  'token.csv': 'token\n1\n',
  'again.csv': 'buyer,token\nsteve,1\n',
  'no-rows.csv': 'buyer\n',
  'broken.json': '{"keys": 1}',
  '.hidden.csv': 'buyer\nsteve\n',
};

/** Generates a value in one of `times` cases. */
function arbitraryOnceIn<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: times - 1 }, { arbitrary, weight: 1 });
}

function arbitraryOf<T>(...values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

function mapOf<T>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<T>, minKeys = 0) {
  return fc.dictionary(keys, values, { minKeys, maxKeys: 3, noNullPrototype: true });
}

const NAMES = ['token', 'user', 'a-b'] as const;

/** Strings with or without a special meaning, without `${`, which has one only in files. */
const validText = fc
  .array(
    arbitraryOf(
      'plain',
      '%{1:9}',
      '%{*:1-9}',
      '%%7B1:9%7D',
      '{{}}',
      'ü',
      '🛒',
      '%',
      'a b',
      '\\',
      '#',
      '?',
      '@',
      '"',
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((parts) => parts.join(''));
/** Strings that are invalid in most fields. */
const unusualText = fc.oneof(
  arbitraryOf(
    '%{',
    '%{x}',
    '%{1:{{token}}}',
    '{{token}}',
    '{{ user }}',
    '{{{token}}}',
    '%7B%7Btoken%7D%7D',
    ':',
  ),
  arbitraryOf('', ' ', '\u0007', '\u0085', '\t', '\r\n', '\0', '\u2028', '\ud800', TOO_LONG_TEXT),
  arbitraryString({ maxLength: 5 }).map((text) => text.replaceAll('$', '')),
);

const value = fc.oneof(validText, arbitraryOf<unknown>(42, -1.5, true, null, '%{1:9}', '{{}}'));
const jsonBody = fc.oneof(value, fc.array(value, { maxLength: 3 }), mapOf(validText, value));

const expectation = fc.record(
  {
    status: fc.array(arbitraryOf<unknown>(200, 302, 404, '2xx', '5xx'), { minLength: 1, maxLength: 3 }),
    headers: mapOf(arbitraryOf('x-a', 'content-type'), validText, 1),
    body: arbitraryOf('paid', ' '),
    json: mapOf(arbitraryOf('/a', '', '/a~1b/0'), arbitraryOf<unknown>('paid', 42, true, null), 1),
  },
  { requiredKeys: [] },
);
const limits = mapOf(arbitraryOf('p95', 'p99.5', 'p50'), arbitraryOf('< 300ms', '<= 1s'));

/** Fields in addition to the URL, by method. */
const withBody = fc.oneof(
  fc.record({ request_params: mapOf(arbitraryOf('sku', 'q', 'Toke n'), validText) }),
  fc.record({ raw_post_body: validText }),
  fc.record({ json: jsonBody }),
);
const withoutBody = fc.record({
  request_params: arbitraryOnceIn(3, mapOf(arbitraryOf('sku', 'q'), validText)),
});
const requestFields = fc.oneof(
  fc.tuple(arbitraryOf({}, { request_type: 'GET' }, { request_type: 'OPTIONS' }), withoutBody),
  fc.tuple(
    arbitraryOf('POST', 'PUT', 'PATCH', 'DELETE').map((method) => ({ request_type: method })),
    withBody,
  ),
);

const VALID_PAYLOAD_FILES = ['buyers.csv', 'rows/lists.json', REQUEST_FILE] as const;

const validUrl = fc
  .tuple(
    requestFields,
    fc.record({
      url: arbitraryOf(`${URL_OF}/`, `${URL_OF}/cart?a=%{1:9}`, URL_OF, `${URL_OF}/ü?b=🛒#top`),
      name: arbitraryOnceIn(5, arbitraryOf('cart', 'log in')),
      thresholds: arbitraryOnceIn(6, limits),
      headers: arbitraryOnceIn(3, mapOf(arbitraryOf('accept', 'x-token', 'x_y'), validText)),
      credentials: arbitraryOnceIn(
        6,
        fc.record({
          login: arbitraryOf('me', 'ü%', '🛒'),
          password: fc.oneof(validText, arbitraryOf('a:b')),
        }),
      ),
      delay: arbitraryOnceIn(3, arbitraryOf<unknown>(0, 1, 250, 600_000, [0, 1], [5, 5])),
      expect: arbitraryOnceIn(3, expectation),
      taken: arbitraryOnceIn(
        2,
        fc.record({
          names: fc.subarray([...NAMES], { minLength: 1 }),
          from: fc.array(
            arbitraryOf(
              ['X-Token', 'header'],
              ['location', 'header'],
              ['sid', 'cookie'],
              ['/a/0', 'json'],
              ['id=(a+)', 'body'],
            ),
            { minLength: 3, maxLength: 3 },
          ),
        }),
      ),
      rows: arbitraryOnceIn(
        4,
        arbitraryOf<keyof typeof ITERATION_FILES | typeof REQUEST_FILE>(...VALID_PAYLOAD_FILES),
      ),
      /** Fields that use a variable of an earlier request. */
      uses: fc.subarray(['url', 'headers', 'request_params', 'raw_post_body', 'json'] as const),
    }),
  )
  .map(([[method, body], { taken, rows, ...rest }]) => ({
    ...rest,
    ...method,
    ...body,
    // Rows of requests would be a second body.
    payload_file: rows === REQUEST_FILE && ('raw_post_body' in body || 'json' in body) ? undefined : rows,
    variables: taken?.names.map((name, at) => ({
      name,
      property: taken.from[at]?.[0],
      source: taken.from[at]?.[1],
    })),
  }));

type ValidUrl = typeof validUrl extends fc.Arbitrary<infer T> ? T : never;

/** Inserts `{{name}}` into the fields in `uses`: a variable of a payload file or of an earlier request. */
function linkVariables(entries: readonly ValidUrl[]): readonly Fields[] {
  const known = new Set<string>(
    entries.flatMap(({ payload_file: file }) =>
      file === undefined || file === REQUEST_FILE ? [] : [ITERATION_FILES[file].variable],
    ),
  );
  return entries.map(({ uses, ...entry }) => {
    const name = [...known].at(-1);
    for (const variable of entry.variables ?? []) known.add(variable.name);
    if (name === undefined) return entry;
    const filled: Record<string, unknown> = { ...entry };
    for (const field of uses) filled[field] = withVariable(filled[field], field, name);
    return filled;
  });
}

function withVariable(fieldValue: unknown, field: string, name: string): unknown {
  if (typeof fieldValue === 'string')
    return field === 'url' ? `${URL_OF}/a/{{${name}}}` : `${fieldValue}{{ ${name} }}`;
  if (typeof fieldValue !== 'object' || fieldValue === null) return fieldValue;
  return Array.isArray(fieldValue)
    ? (fieldValue as unknown[]).concat(`{{${name}}}`)
    : { ...fieldValue, 'x-user': `a {{${name}}}` };
}

const stage = fc.record({ for: arbitraryOf(1, 5, 30), to: arbitraryOf(1, 10, 80) });
const loadShape = fc.oneof(
  {
    arbitrary: fc.record({
      test_type: arbitraryOf('cycling', 'non-cycling', 'per-second'),
      duration: arbitraryOf(1, 5, 90, 86_400),
      initial: arbitraryOnceIn(3, fc.nat(90)),
      warmup: arbitraryOnceIn(3, arbitraryOf(1, 4)),
      total: arbitraryOnceIn(3, fc.integer({ min: 1, max: 90 })),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      test_type: fc.constant('per-second'),
      duration: arbitraryOf(1, 5, 90),
      initial: fc.constant(undefined),
      warmup: fc.constant(undefined),
      total: arbitraryOf(0.5, 12.25, 0.001),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      test_type: arbitraryOf('cycling', 'per-second'),
      initial: arbitraryOnceIn(3, arbitraryOf(0, 5)),
      stages: fc.array(stage, { minLength: 1, maxLength: 4 }),
    }),
    weight: 1,
  },
);

const OWN_HOSTS = [
  ...[`${URL_OF}/hook`, 'http://localhost:4090/', 'https://LOCALHOST/', 'http://[::1]:4090/a?b=c'],
  ...['http://127.0.0.2/', 'http://[::ffff:127.0.0.1]/', 'http://ci.localhost/', 'http://127.1/'],
  'http://127.0.0.1./',
];

const validTest: fc.Arbitrary<Fields> = fc
  .tuple(
    loadShape,
    fc.record({
      timeout: arbitraryOnceIn(3, arbitraryOf(1, 50, 3000)),
      error_threshold: arbitraryOnceIn(3, arbitraryOf(0, 0.5, 100)),
      callback: arbitraryOnceIn(5, fc.constantFrom(...OWN_HOSTS)),
      name: arbitraryOnceIn(4, validText),
      notes: arbitraryOnceIn(4, fc.oneof(validText, arbitraryOf('two\nlines', 'x: [a]'))),
      keep_alive: arbitraryOf(undefined, undefined, true),
      tls_verify: arbitraryOf(undefined, true, false),
      thresholds: arbitraryOnceIn(4, limits),
      parallel: arbitraryOnceIn(9, fc.boolean()),
    }),
    fc.array(validUrl, { minLength: 1, maxLength: 3 }).map(linkVariables),
  )
  .map(([load, rest, urls]) => {
    // Only these tests have an initial load.
    const starts = load.test_type === 'cycling' || 'stages' in load;
    const warmup = 'duration' in load && load.duration > 1 ? load.warmup : undefined;
    const initial = starts ? load.initial : undefined;
    return { ...load, initial, warmup, ...rest, urls: withUniqueLabels(urls) };
  });

/** Removes repeated names, because a name identifies one URL. */
function withUniqueLabels(urls: readonly Fields[]): readonly Fields[] {
  const seen = new Set<unknown>();
  return urls.map((url) => {
    const isFirst = !seen.has(url['name']);
    seen.add(url['name']);
    return isFirst ? url : { ...url, name: undefined };
  });
}

const UNDECLARED_HOSTS = [
  ...['https://ci.example/hook', 'http://10.0.0.1/', 'http://me:pass@127.0.0.1/', '/hook', ''],
  ...['http://127.0.0.1:0/', 'http://127.0.0.1/a b', 'http://127.0.0.1/\r\n'],
  ...['http://localhost.evil.example/', 'http://[64:ff9b::7f00:1]/'],
];

const UNUSUAL_URLS = [
  ...[`HTTP://${HOST}/`, 'http://127.1:4080/', `${URL_OF}?a=b`, `${URL_OF}#top`, `https://${HOST}/`, '/'],
  ...[` ${URL_OF}/`, `http://${HOST}\\@evil.example/`, `http://me@${HOST}/`, 'http://{{token}}/'],
  ...['http://%{1:9}/', 'http://', 'ftp://a/', 'http://127.0.0.1:0/', 'http://127.0.0.1:4081/', ''],
  ...[
    'http://other.example/',
    `${URL_OF}/{{token}}`,
    `${URL_OF}/%7B%7Btoken%7D%7D`,
    `${URL_OF}/${TOO_LONG_TEXT}`,
  ],
];

const unusualNumber = arbitraryOf<unknown>(
  0,
  -1,
  1.5,
  0.0625,
  86_401,
  99_999,
  100_000,
  100_001,
  1_000_000,
  1_000_001,
  'soon',
  [],
);
const unusualMap = fc.oneof(
  mapOf(
    arbitraryOf(
      'Accept',
      'accept',
      'Host',
      'Content-Length',
      'a b',
      '',
      ':path',
      'é',
      '{{token}}',
      'constructor',
      '\0',
    ),
    validText,
  ),
  mapOf(arbitraryOf('x-token', 'X-Token'), unusualText, 1),
  fc.integer({ min: 99, max: 1001 }).map(createHeaders),
);

/**
 * Replacements for fields of a test or of one of its URLs: most are invalid, some are valid in their place.
 */
const UNUSUAL_TEST_FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  test_type: arbitraryOf<unknown>('Cycling', 'open', 7, 'non-cycling'),
  duration: unusualNumber,
  initial: unusualNumber,
  total: unusualNumber,
  warmup: unusualNumber,
  timeout: fc.oneof(unusualNumber, arbitraryOf(600_000, 600_001)),
  error_threshold: arbitraryOf<unknown>(-1, 100.5, 101, 'half'),
  callback: fc.constantFrom(...UNDECLARED_HOSTS),
  callback_email: arbitraryOf('team@shop.example', 'a@b', 'a b@c.example'),
  scheduled_at: arbitraryOf('2099-12-24 03:00:00', '2001-12-24 03:00:00', 'soon'),
  name: unusualText,
  notes: fc.oneof(unusualText, arbitraryOf('[loadtests x]')),
  keep_alive: arbitraryOf<unknown>('no', 0),
  tls_verify: arbitraryOf<unknown>('yes', 1),
  thresholds: mapOf(
    arbitraryOf('p95', 'p0', 'p100', 'p99.', 'P95', 'mean'),
    arbitraryOf('< 1s', '1s', '< 5%', ''),
  ),
  stages: fc.array(fc.record({ for: arbitraryOf(0, 1, 86_400, 0.5), to: arbitraryOf(0, 1, 100_001, -1) }), {
    maxLength: 4,
  }),
  urls: arbitraryOf<unknown>(
    [],
    'x',
    {},
    Array.from({ length: OWN_LIMITS.targets + 1 }, () => ({ url: URL_OF })),
  ),
  durations: arbitraryOf(1),
};
const UNUSUAL_URL_FIELDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  url: fc.oneof(
    fc.constantFrom(...UNUSUAL_URLS),
    unusualText.map((text) => `${URL_OF}/${text}`),
  ),
  request_type: arbitraryOf('HEAD', 'get', 'TRACE', 'GET', 'DELETE', ''),
  credentials: fc.record({ login: fc.oneof(unusualText, arbitraryOf('a:b')), password: unusualText }),
  headers: fc.oneof(unusualMap, arbitraryOf({ authorization: 'a' })),
  request_params: unusualMap,
  raw_post_body: unusualText,
  json: fc.oneof(unusualText, mapOf(unusualText, unusualText)),
  payload_file: fc.constantFrom(
    ...Object.keys(PAYLOAD_FILES),
    ...['gone.csv', '../buyers.csv', '/shop/buyers.csv', 'rows/../keys.json', 'rows', '', '\0'],
  ),
  // The addresses of files that the service would fetch are validated.
  payload_file_url: fc.constantFrom(...UNDECLARED_HOSTS),
  delay: arbitraryOf<unknown>(600_001, [2, 1], [0, 600_001], -1, 0.5, [1], 'soon'),
  variables: fc.array(
    fc.record({
      name: arbitraryOf('token', '1a', 'é', '', 'a'.repeat(65)),
      property: arbitraryOf('a b', 'é', '/~2', 'a'.repeat(201), '/a', '', '(?=a)', '(a{600})', '(a)'),
      source: arbitraryOf('header', 'cookie', 'json', 'body', 'xml', 'Header'),
    }),
    { maxLength: 2 },
  ),
  expect: fc.record(
    {
      status: fc.array(arbitraryOf<unknown>(99, 600, 'ok', 200), { maxLength: 101 }),
      headers: unusualMap,
      body: arbitraryOf('', 'a'.repeat(65_537)),
      json: mapOf(
        arbitraryOf('a', '/~2', '/~', '/a'),
        fc.oneof(unusualText, arbitraryOf<unknown>([], 1e300)),
      ),
    },
    { requiredKeys: [] },
  ),
  name: unusualText,
  thresholds: mapOf(arbitraryOf('p95', 'p100', 'requests', 'mean'), arbitraryOf('< 1s', 'x')),
  uri: arbitraryOf('a'),
};

export function createHeaders(count: number): Fields {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'a']));
}

interface FieldReplacement {
  /** Null for a field of the test; otherwise an index of its URLs, modulo their number. */
  readonly ofUrl: number | null;
  readonly field: string;
  readonly value: unknown;
}

function arbitraryReplacements(
  of: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  ofUrl: fc.Arbitrary<number | null>,
) {
  return Object.entries(of).map(([field, values]): fc.Arbitrary<FieldReplacement> =>
    fc.record({ ofUrl, field: fc.constant(field), value: values }),
  );
}

const fieldReplacement = fc.oneof(
  ...arbitraryReplacements(UNUSUAL_TEST_FIELDS, fc.constant(null)),
  ...arbitraryReplacements(UNUSUAL_URL_FIELDS, fc.nat(2)),
);

/** Most tests have no or one replaced field, a few have two or three. */
const fieldReplacements = fc.oneof(
  { arbitrary: fc.constant([]), weight: 9 },
  { arbitrary: fc.array(fieldReplacement, { minLength: 1, maxLength: 1 }), weight: 9 },
  { arbitrary: fc.array(fieldReplacement, { minLength: 2, maxLength: 3 }), weight: 2 },
);

function withReplacement(test: Fields, { ofUrl, field, value }: FieldReplacement): Fields {
  if (ofUrl === null) return { ...test, [field]: value };
  const urls: unknown = test['urls'];
  if (!Array.isArray(urls) || urls.length === 0) return test;
  const at = ofUrl % urls.length;
  return {
    ...test,
    urls: urls.map((url: Fields, index) => (index === at ? { ...url, [field]: value } : url)),
  };
}

/** A test as JSON, without undefined members. */
export const writtenTest: fc.Arbitrary<Fields> = fc
  .tuple(validTest, fieldReplacements)
  .map(
    ([test, replacements]) =>
      JSON.parse(JSON.stringify(replacements.reduce(withReplacement, test))) as Fields,
  );
