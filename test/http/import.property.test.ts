/** Whatever a service holds and however it spells it: a file imported from it loads, and its plan has no changes. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importConfig, type ImportedFile } from '../../src/config/config-import.ts';
import { isChange, type Action } from '../../src/core/reconcile/action.ts';
import type { ObservedState } from '../../src/core/model/state.ts';
import { formatMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { planFromLists } from '../../src/core/reconcile/plan.ts';
import { sha256 } from '../../src/cli/files/sha256.ts';
import { arbitraryString } from '../support/arbitrary-string.ts';
import { createHostedClient } from '../support/hosted-client.ts';
import { HOSTED_DEFAULTS, NEWER_LABELS, type HostedOptions } from '../support/hosted-options.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { scaleCount } from '../support/test-scale.ts';
import { loadText } from '../unit/config/load-text.ts';

const HOSTS = ['shop.example.com', 'api.example.com', '127.0.0.1:4080'];

/** Texts that a file could get wrong: references, quotes, line ends, what YAML reads as something else. */
const awkward = fc.oneof(
  fc.string(),
  arbitraryString({ maxLength: 20 }),
  fc.constantFrom(
    '${name}',
    '$${name}',
    '$$${secret:X}',
    '${',
    "it's",
    '"quoted"',
    'a: b # c',
    'null',
    'true',
    '~',
    '0x1f',
    '1e3',
    '- a',
    '{{token}}',
    ' blank around ',
    'Жара 🛒 \u200d\u2028\u0085\ufeff',
    'two\nlines',
    'two\r\nlines',
    'blanks  \n  and lines\n',
    '\ttab',
    '\ud800',
    '*alias',
    '&anchor',
    '!tag',
    '%directive',
    '---',
    '',
  ),
);

/** Texts without what no request can carry: control characters, and the half of a character. */
const sayable = awkward.map((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '-'));

/** Now and then what the file cannot say, so that leaving out is met as well. */
function mostly<T>(good: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 25, arbitrary: good }, { weight: 1, arbitrary: odd });
}

function sometimes<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq: 1 });
}

const word = fc.constantFrom('a', 'sku', 'X-Trace', 'accept', 'x-api-key', 'Cookie', 'if-match');

const headers = fc.dictionary(
  mostly(word, fc.constantFrom('Host', '__proto__', 'a b')),
  mostly(sayable, awkward),
  {
    maxKeys: 3,
  },
);

const target = fc
  .record({
    host: mostly(fc.constantFrom(...HOSTS), fc.constant('unknown.example.com')),
    path: mostly(
      fc.constantFrom(
        '',
        '/',
        '/cart',
        '/cart?x=%20y&z=${z}',
        '/{{token}}/%7Btoken%7D',
        "/it's#part",
        '/a,b;c[1]',
      ),
      awkward,
    ),
    method: mostly(fc.constantFrom('GET', 'POST', 'get', 'PUT', 'HEAD'), fc.constant('PURGE')),
    credentials: sometimes(fc.record({ login: mostly(sayable, awkward), password: awkward })),
    authorization: fc.boolean(),
    headers: sometimes(headers),
    params: sometimes(fc.dictionary(awkward, awkward, { maxKeys: 3 })),
    body: sometimes(awkward),
    delay: sometimes(
      mostly<unknown>(
        fc.constantFrom(0, 1, 1500, [0, 500], [90_000, 90_001]),
        fc.constantFrom('1s', 1.5, -1, [5], [1, 2, 3], null),
      ),
    ),
    payload: sometimes(mostly(fc.constant('https://example.com/rows.json'), fc.constant('no url'))),
  })
  .map(
    ({ host, path, method, credentials, authorization, headers: given, params, body, payload, delay }) => ({
      url: `http://${host}${path}`,
      request_type: method,
      ...(credentials === undefined ? {} : { credentials }),
      headers: {
        ...given,
        ...(authorization && credentials === undefined ? { Authorization: 'Bearer 5e1f' } : {}),
      },
      ...(params === undefined ? {} : { request_params: params }),
      ...(body === undefined || (method !== 'POST' && method !== 'PUT') || params !== undefined
        ? {}
        : { raw_post_body: body }),
      ...(payload === undefined ? {} : { payload_file_url: payload }),
      ...(delay === undefined ? {} : { delay }),
    }),
  );

const stage = fc.record({ for: fc.constantFrom(1, 30, 90), to: fc.integer({ min: 1, max: 300 }) });

/** With what its stages amount to, as whoever created it had to say; a test that has none of them, without. */
interface Load {
  readonly test_type: string;
  readonly initial?: number | undefined;
  readonly stages?: readonly { readonly for: number; readonly to: number }[] | undefined;
}

function withStages({ stages, ...fields }: Load): Record<string, unknown> {
  if (stages === undefined || !['cycling', 'per-second'].includes(fields.test_type)) return fields;
  const total = Math.max(fields.initial ?? 0, ...stages.map(({ to }) => to));
  const duration = stages.reduce((sum, one) => sum + one.for, 0);
  return { ...fields, stages, total, duration };
}

const listed = fc
  .record({
    test_type: mostly(
      fc.constantFrom('cycling', 'non-cycling', 'per-second', 'maintain-load'),
      fc.constant('of another kind'),
    ),
    duration: mostly(fc.constantFrom(60, 90, 1, 3600), fc.constant(1.5)),
    initial: sometimes(fc.nat(10)),
    total: sometimes(mostly(fc.integer({ min: 1, max: 300 }), fc.constant(0))),
    timeout: sometimes(fc.constantFrom(10_000, 1, 2500, 86_400_000)),
    name: sometimes(mostly(sayable, awkward)),
    callback: sometimes(mostly(fc.constant('https://ci.example.com/hook?a=${b}'), fc.constant('no url'))),
    callback_email: sometimes(mostly(fc.constant('team@example.com'), fc.constant('no address'))),
    scheduled_at: sometimes(fc.constantFrom('2020-01-01 00:00:00', '2099-12-24 03:00:00')),
    warmup: sometimes(mostly<unknown>(fc.constantFrom(1, 20), fc.constantFrom(0, 90, 1.5, '5s', null))),
    stages: sometimes(fc.array(stage, { minLength: 1, maxLength: 2 })),
    urls: fc.array(target, { minLength: 1, maxLength: 2 }),
    own: sometimes(mostly(sayable, awkward)),
    mark: sometimes(
      fc.record({
        project: fc.constantFrom('shop', 'shop', 'other'),
        environment: fc.constantFrom(null, null, 'production'),
        key: fc.constantFrom('home', 'checkout', 'headers', 'x-y', '__proto__', 'null', '1'),
        unlisted: fc.constantFrom('50.4f53cda1', '25.4f53cda1', '50.00000000', 'strange'),
        damaged: mostly(fc.constant(false), fc.constant(true)),
      }),
    ),
  })
  .map(({ own, mark, ...fields }) => ({ own, mark, fields: withStages(fields) }));

const spelling: fc.Arbitrary<Partial<HostedOptions>> = fc.record({
  labels: fc.constantFrom(HOSTED_DEFAULTS.labels, NEWER_LABELS),
  nothing: fc.constantFrom('documented', 'null', 'object', 'list', 'absent'),
  unnamed: fc.constantFrom('', null, 'first-url'),
  numbersAsText: fc.boolean(),
  shuffle: fc.constantFrom(null, 7),
  appStatus: fc.constantFrom('shown', 'record', 'hidden'),
  echoPasswords: fc.boolean(),
});

type Listed = typeof listed extends fc.Arbitrary<infer T> ? T : never;

function recordOf({ own, mark, fields }: Listed): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (mark === undefined) return { ...given, ...(own === undefined ? {} : { notes: own }) };
  const text = formatMarker({ ...mark, listed: '9f2c41d07ab3', repetition: 0, nonce: '5tq0mZ8c' });
  const line = mark.damaged ? text.replace('9f2c', '9f2d') : text;
  return { ...given, notes: own === undefined ? line : `${own}\n${line}` };
}

const NOTHING_SAID = {
  now: Date.now(),
  start: true,
  maxAge: null,
  replace: [],
  onDrift: 'report',
  only: [],
  exclude: [],
  allowLimits: [],
  allowUnmarked: false,
} as const;

function importOf(observed: ObservedState, environment: string | null): ImportedFile {
  const made = importConfig({
    observed,
    unmarked: [],
    project: 'shop',
    environment,
    service: { ...NO_SERVICE, base_url: 'https://api.example.com' },
    declared: null,
    selects: () => true,
    comments: ['Written by a test.'],
    sha256,
  });
  if (!made.ok) throw new Error(made.problems.map(({ message }) => message).join('\n'));
  return made.value;
}

const NO_SERVICE = {
  auth_header: null,
  api_key_env: null,
  token_prefix: null,
  request_timeout: null,
  settle: null,
  allow_plain_http: null,
} as const;

/** The actions that a plan of an imported file has, without those that the import itself tells of. */
function changesOf(file: ImportedFile, observed: ObservedState, environment: string | null): string[] {
  const loaded = loadText(file.text, environment === null ? {} : { environment });
  if (!loaded.ok) return loaded.problems.map(({ message }) => message);
  const { desired } = loaded.value;
  const plan = planFromLists(desired, observed, { options: NOTHING_SAID, sha256 });
  const dropped = new Set(file.dropped.map(({ test: one }) => one.id));
  const expected = (action: Action) =>
    // What the file does not stand for is stopped while it runs or waits; an app that is used is verified.
    (action.verb === 'stop' && dropped.has(action.observed.id)) ||
    (action.verb === 'verify' && observed.apps.some((app) => app.status !== 'verified'));
  return plan.actions
    .filter((action) => isChange(action) && !expected(action))
    .map(({ verb, address }) => `${verb} ${address}`);
}

describe('import', () => {
  test('writes a file that loads and whose plan has no changes, whatever the service holds', async () => {
    let written = 0;
    let leftOut = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(listed, { maxLength: 6 }),
        spelling,
        fc.constantFrom(null, 'production'),
        async (tests, options, environment) => {
          const service = await startHostedService({ ...options, verifiedHosts: HOSTS });
          try {
            for (const given of tests) service.state.addTest(recordOf(given));
            const client = createHostedClient(service.url);
            const [apps, list] = [await client.listApps(), await client.listTests()];
            const observed = {
              apps: apps.items,
              tests: list.items,
              maybeTruncated: false,
              firstStartTimes: new Map(),
            };
            const file = importOf(observed, environment);
            expect(changesOf(file, observed, environment)).toEqual([]);
            const earlier = file.tests.flatMap((one) => one.earlier.map(({ id }) => id));
            const told = [
              ...file.tests.map((one) => one.test.id),
              ...file.omitted.map(({ id }) => id),
              ...earlier,
            ];
            for (const { id } of list.items) expect(told).toContain(id);
            written += file.tests.length;
            leftOut += file.omitted.length;
            await client.close();
          } finally {
            await service.close();
          }
        },
      ),
      { numRuns: scaleCount(300) },
    );
    // What is generated is awkward, yet most of it must not be left out.
    expect(written).toBeGreaterThan(2 * leftOut);
  });

  test('writes no value that may have been a secret, and plans with references to it', async () => {
    const service = await startHostedService({ verifiedHosts: HOSTS, echoPasswords: true });
    const plant = (canary: string, notes: string) => {
      const url = `http://${HOSTS[0] ?? ''}/`;
      const body = { url, request_type: 'POST', raw_post_body: `{"key":"${canary}-body"}` };
      const headers = { accept: `${canary}-accept`, 'X-Odd': `Token ${canary}-header` };
      const credentials = { login: `${canary}-login`, password: `${canary}-password` };
      const form = {
        url,
        request_type: 'POST',
        headers,
        credentials,
        request_params: { sku: `${canary}-1` },
      };
      service.state.addTest({ test_type: 'cycling', duration: 60, urls: [form, body], notes });
    };
    const mark = {
      ...{ project: 'shop', environment: null, listed: '9f2c41d07ab3' },
      unlisted: '50.4f53cda1',
    };
    plant('canary-foreign', 'of somebody else');
    plant('canary-own', formatMarker({ ...mark, key: 'home', repetition: 0, nonce: '5tq0mZ8c' }));
    const client = createHostedClient(service.url);
    const [apps, list] = [await client.listApps(), await client.listTests()];
    await client.close();
    await service.close();
    const observed = {
      apps: apps.items,
      tests: list.items,
      maybeTruncated: false,
      firstStartTimes: new Map(),
    };
    const file = importOf(observed, null);
    expect(file.text).not.toContain('canary');
    expect(JSON.stringify(observed.tests.map((one) => one.targets()))).not.toContain('canary');
    expect(file.tests).toHaveLength(2);
    expect(file.secrets).toContain('LT_HOME_X_ODD');
    expect(changesOf(file, observed, null)).toEqual([]);
  });

  test.each([
    ['host and host:443', ['shop.example.com', 'shop.example.com:443']],
    ['host:443 and host', ['shop.example.com:443', 'shop.example.com']],
    ['host:80 and host:443', ['shop.example.com:80', 'shop.example.com:443']],
    ['host:443 alone', ['shop.example.com:443']],
  ])('has one app for %s, and a plan without changes', async (_name, verifiedHosts) => {
    const service = await startHostedService({ verifiedHosts });
    service.state.addTest({
      test_type: 'cycling',
      duration: 60,
      urls: [{ url: 'https://shop.example.com/' }, { url: 'http://shop.example.com:80/' }],
    });
    const client = createHostedClient(service.url);
    const [apps, list] = [await client.listApps(), await client.listTests()];
    await client.close();
    await service.close();
    const observed = {
      apps: apps.items,
      tests: list.items,
      maybeTruncated: false,
      firstStartTimes: new Map(),
    };
    const file = importOf(observed, null);
    expect([file.apps, file.omitted]).toEqual([['shop.example.com'], []]);
    expect(file.tests).toHaveLength(1);
    expect(changesOf(file, observed, null)).toEqual([]);
  });

  test('tells of every test that a plan of the file would stop, whether its key is in the file or not', async () => {
    const service = await startHostedService({ verifiedHosts: HOSTS });
    onTestFinished(async () => {
      await service.close();
    });
    const plant = (key: string, changes: Readonly<Record<string, unknown>> = {}) => {
      const fields = { test_type: 'cycling', duration: 60, urls: [{ url: `http://${HOSTS[0] ?? ''}/` }] };
      const mark = formatMarker({
        ...{ project: 'shop', environment: null, key },
        ...{ listed: '9f2c41d07ab3', unlisted: '50.4f53cda1', repetition: 0, nonce: '5tq0mZ8c' },
      });
      const scheduled = { scheduled_at: '2099-12-24 03:00:00' };
      return service.state.addTest({ ...fields, ...scheduled, notes: mark, ...changes });
    };
    // The last one of a key is what counts; where the file cannot say it, the file has no such key at all.
    const earlier = [plant('home', { name: 'as it was' }), plant('cart', { name: 'as it was' })];
    const last = [plant('home'), plant('cart', { name: 'as it is \u0000' })];
    const client = createHostedClient(service.url);
    const [apps, list] = [await client.listApps(), await client.listTests()];
    await client.close();
    const observed = {
      apps: apps.items,
      tests: list.items,
      maybeTruncated: false,
      firstStartTimes: new Map(),
    };
    const file = importOf(observed, null);
    expect(file.tests.map(({ test: { id } }) => id)).toEqual([last[0]?.id]);
    expect(file.omitted.map(({ id }) => id)).toEqual([last[1]?.id, earlier[1]?.id]);
    const told = file.dropped.map(({ test: { id }, key, earlier: isEarlier }) => [id, key, isEarlier]);
    expect(told).toEqual([
      [earlier[0]?.id, 'home', true],
      [earlier[1]?.id, 'cart', false],
      [last[1]?.id, 'cart', false],
    ]);
    expect(changesOf(file, observed, null)).toEqual([]);
    expect(changesOf({ ...file, dropped: [] }, observed, null)).toHaveLength(3);
  });
});
