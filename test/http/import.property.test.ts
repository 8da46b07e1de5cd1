/** Files imported from any service: the file loads, and its plan has no changes. */
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
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { scaleCount } from '../support/test-scale.ts';
import { loadText } from '../unit/config/load-text.ts';
import { planOptions } from '../support/simulated-machine.ts';

const HOSTS = ['shop.example.com', 'api.example.com', '127.0.0.1:4080'];

/** Strings that are difficult to write to a file: references, quotes, line endings, and YAML syntax. */
const awkwardString = fc.oneof(
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

/** Strings that a request can contain: without control characters and unpaired surrogates. */
const sendable = awkwardString.map((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '-'));

/** Returns mostly valid values, and sometimes values that the file cannot represent and the import omits. */
function mostly<T>(good: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 25, arbitrary: good }, { weight: 1, arbitrary: odd });
}

function sometimes<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq: 1 });
}

const word = fc.constantFrom('a', 'sku', 'X-Trace', 'accept', 'x-api-key', 'Cookie', 'if-match');

const headers = fc.dictionary(
  mostly(word, fc.constantFrom('Host', '__proto__', 'a b')),
  mostly(sendable, awkwardString),
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
      awkwardString,
    ),
    method: mostly(fc.constantFrom('GET', 'POST', 'get', 'PUT', 'HEAD'), fc.constant('PURGE')),
    credentials: sometimes(fc.record({ login: mostly(sendable, awkwardString), password: awkwardString })),
    authorization: fc.boolean(),
    headers: sometimes(headers),
    params: sometimes(fc.dictionary(awkwardString, awkwardString, { maxKeys: 3 })),
    body: sometimes(awkwardString),
    delay: sometimes(
      mostly<unknown>(
        fc.constantFrom(0, 1, 1500, [0, 500], [90_000, 90_001]),
        fc.constantFrom('1s', 1.5, -1, [5], [1, 2, 3], null),
      ),
    ),
    payload: sometimes(mostly(fc.constant('https://example.com/rows.json'), fc.constant('no url'))),
  })
  .map(
    ({
      host,
      path,
      method,
      credentials,
      authorization,
      headers: declared,
      params,
      body,
      payload,
      delay,
    }) => ({
      url: `http://${host}${path}`,
      request_type: method,
      ...(credentials === undefined ? {} : { credentials }),
      headers: {
        ...declared,
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

interface Load {
  readonly test_type: string;
  readonly initial?: number | undefined;
  readonly stages?: readonly { readonly for: number; readonly to: number }[] | undefined;
}

/** Adds the total and the duration of the stages, which the API requires; other test types lose the stages. */
function withStages({ stages, ...fields }: Load): Record<string, unknown> {
  if (stages === undefined || !['cycling', 'per-second'].includes(fields.test_type)) return fields;
  const total = Math.max(fields.initial ?? 0, ...stages.map(({ to }) => to));
  const duration = stages.reduce((sum, item) => sum + item.for, 0);
  return { ...fields, stages, total, duration };
}

/** Adds a flow for each request, the first of which has the given name. */
function withFlows(
  fields: Record<string, unknown>,
  name: unknown,
  requests: number,
): Record<string, unknown> {
  if (name === undefined) return fields;
  const flows = Array.from({ length: requests }, (_, index) => ({
    name: index === 0 ? name : `flow-${index}`,
    weight: 5 - index,
    urls: 1,
  }));
  return { ...fields, flows };
}

const listedTest = fc
  .record({
    test_type: mostly(
      fc.constantFrom('cycling', 'non-cycling', 'per-second', 'maintain-load'),
      fc.constant('unknown type'),
    ),
    duration: mostly(fc.constantFrom(60, 90, 1, 3600), fc.constant(1.5)),
    initial: sometimes(fc.nat(10)),
    total: sometimes(mostly(fc.integer({ min: 1, max: 300 }), fc.constantFrom(0, 2.5, 0.0001))),
    timeout: sometimes(fc.constantFrom(10_000, 1, 2500, 86_400_000)),
    name: sometimes(mostly(sendable, awkwardString)),
    callback: sometimes(mostly(fc.constant('https://ci.example.com/hook?a=${b}'), fc.constant('no url'))),
    callback_email: sometimes(mostly(fc.constant('team@example.com'), fc.constant('no address'))),
    scheduled_at: sometimes(fc.constantFrom('2020-01-01 00:00:00', '2099-12-24 03:00:00')),
    warmup: sometimes(mostly<unknown>(fc.constantFrom(1, 20), fc.constantFrom(0, 90, 1.5, '5s', null))),
    stages: sometimes(fc.array(stage, { minLength: 1, maxLength: 2 })),
    urls: fc.array(target, { minLength: 1, maxLength: 2 }),
    flow: sometimes(mostly(fc.constantFrom('browse', 'a.b', '1'), fc.constantFrom('a b', '', 7))),
    own: sometimes(mostly(sendable, awkwardString)),
    marker: sometimes(
      fc.record({
        project: fc.constantFrom('shop', 'shop', 'other'),
        environment: fc.constantFrom(null, null, 'production'),
        key: fc.constantFrom('home', 'checkout', 'headers', 'x-y', '__proto__', 'null', '1'),
        unlisted: fc.constantFrom('50.4f53cda1', '25.4f53cda1', '50.00000000', 'strange'),
        damaged: mostly(fc.constant(false), fc.constant(true)),
      }),
    ),
  })
  .map(({ own, marker, flow, ...fields }) => ({
    own,
    marker,
    fields: withFlows(withStages(fields), flow, fields.urls.length),
  }));

const spelling: fc.Arbitrary<Partial<HostedOptions>> = fc.record({
  labels: fc.constantFrom(HOSTED_DEFAULTS.labels, NEWER_LABELS),
  emptyValue: fc.constantFrom('documented', 'null', 'object', 'list', 'absent'),
  unnamed: fc.constantFrom('', null, 'first-url'),
  numbersAsStrings: fc.boolean(),
  shuffle: fc.constantFrom(null, 7),
  appStatus: fc.constantFrom('shown', 'record', 'hidden'),
  echoPasswords: fc.boolean(),
});

type ListedTest = typeof listedTest extends fc.Arbitrary<infer T> ? T : never;

function recordOf({ own, marker, fields }: ListedTest): Record<string, unknown> {
  const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (marker === undefined) return { ...defined, ...(own === undefined ? {} : { notes: own }) };
  const text = formatMarker({ ...marker, listed: '9f2c41d07ab3', repetition: 0, nonce: '5tq0mZ8c' });
  const line = marker.damaged ? text.replace('9f2c', '9f2d') : text;
  return { ...defined, notes: own === undefined ? line : `${own}\n${line}` };
}

const DEFAULT_OPTIONS = planOptions(Date.now());

function importOf(observed: ObservedState, environment: string | null): ImportedFile {
  const imported = importConfig({
    observed,
    unmarked: [],
    project: 'shop',
    environment,
    service: [{ name: 'base_url', value: 'https://api.example.com' }],
    declared: null,
    selects: () => true,
    comments: ['Written by a test.'],
    sha256,
  });
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('\n'));
  return imported.value;
}

/** Returns the changes in the plan of an imported file, except those that the import itself announces. */
function changesOf(file: ImportedFile, observed: ObservedState, environment: string | null): string[] {
  const loaded = loadText(file.text, environment === null ? {} : { environment });
  if (!loaded.ok) return loaded.problems.map(({ message }) => message);
  const { desired } = loaded.value;
  const plan = planFromLists(desired, observed, { options: DEFAULT_OPTIONS, sha256 });
  const dropped = new Set(file.dropped.map(({ test: item }) => item.id));
  const expected = (action: Action) =>
    // Tests that the file omits are stopped if they are running or scheduled; an app in use is verified.
    (action.verb === 'stop' && dropped.has(action.observed.id)) ||
    (action.verb === 'verify' && observed.apps.some((app) => app.status !== 'verified'));
  return plan.actions
    .filter((action) => isChange(action) && !expected(action))
    .map(({ verb, address }) => `${verb} ${address}`);
}

async function observedOn(service: HostedService) {
  const client = createHostedClient(service.url);
  const [apps, list] = [await client.listApps(), await client.listTests()];
  await client.close();
  return {
    apps: apps.items,
    tests: list.items,
    maybeTruncated: false,
    firstStartTimes: new Map(),
  };
}

describe('config import', () => {
  test('the plan of an imported file has no changes except app verifications and the stops that the import reports', async () => {
    let written = 0;
    let omitted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(listedTest, { maxLength: 6 }),
        spelling,
        fc.constantFrom(null, 'production'),
        async (tests, options, environment) => {
          const service = await startHostedService({ ...options, verifiedHosts: HOSTS });
          try {
            for (const entry of tests) service.state.addTest(recordOf(entry));
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
            const earlier = file.tests.flatMap((item) => item.earlier.map(({ id }) => id));
            const reported = [
              ...file.tests.map((item) => item.test.id),
              ...file.omitted.map(({ id }) => id),
              ...earlier,
            ];
            for (const { id } of list.items) expect(reported).toContain(id);
            written += file.tests.length;
            omitted += file.omitted.length;
            await client.close();
          } finally {
            await service.close();
          }
        },
      ),
      { numRuns: scaleCount(300) },
    );
    // The generated values are awkward, but the import must not omit most of them.
    expect(written).toBeGreaterThan(2 * omitted);
  });

  test('the import writes references instead of values that may be secrets, and the plan of the file has no changes', async () => {
    const service = await startHostedService({ verifiedHosts: HOSTS, echoPasswords: true });
    const addTest = (canary: string, notes: string) => {
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
    const marker = {
      project: 'shop',
      environment: null,
      listed: '9f2c41d07ab3',
      unlisted: '50.4f53cda1',
    };
    addTest('canary-foreign', 'of another user');
    addTest('canary-own', formatMarker({ ...marker, key: 'home', repetition: 0, nonce: '5tq0mZ8c' }));
    const observed = await observedOn(service);
    await service.close();
    const file = importOf(observed, null);
    expect(file.text).not.toContain('canary');
    expect(JSON.stringify(observed.tests.map((item) => item.targets()))).not.toContain('canary');
    expect(file.tests).toHaveLength(2);
    expect(file.secrets).toContain('LT_HOME_X_ODD');
    expect(changesOf(file, observed, null)).toEqual([]);
  });

  test.each([
    ['apps for host and host:443', ['shop.example.com', 'shop.example.com:443']],
    ['apps for host:443 and host', ['shop.example.com:443', 'shop.example.com']],
    ['apps for host:80 and host:443', ['shop.example.com:80', 'shop.example.com:443']],
    ['only an app for host:443', ['shop.example.com:443']],
  ])(
    'the import writes one app if the service has %s, and the plan has no changes',
    async (_name, verifiedHosts) => {
      const service = await startHostedService({ verifiedHosts });
      service.state.addTest({
        test_type: 'cycling',
        duration: 60,
        urls: [{ url: 'https://shop.example.com/' }, { url: 'http://shop.example.com:80/' }],
      });
      const observed = await observedOn(service);
      await service.close();
      const file = importOf(observed, null);
      expect([file.apps, file.omitted]).toEqual([['shop.example.com'], []]);
      expect(file.tests).toHaveLength(1);
      expect(changesOf(file, observed, null)).toEqual([]);
    },
  );

  test('the import reports every test that a plan of the file would stop', async () => {
    const service = await startHostedService({ verifiedHosts: HOSTS });
    onTestFinished(() => service.close());
    const addTest = (key: string, changes: Readonly<Record<string, unknown>> = {}) => {
      const fields = { test_type: 'cycling', duration: 60, urls: [{ url: `http://${HOSTS[0] ?? ''}/` }] };
      const marker = formatMarker({
        project: 'shop',
        environment: null,
        key,
        listed: '9f2c41d07ab3',
        unlisted: '50.4f53cda1',
        repetition: 0,
        nonce: '5tq0mZ8c',
      });
      const scheduled = { scheduled_at: '2099-12-24 03:00:00' };
      return service.state.addTest({ ...fields, ...scheduled, notes: marker, ...changes });
    };
    // The last test of a key is current; if the file cannot represent it, the file omits the key.
    const earlier = [
      addTest('home', { name: 'earlier version' }),
      addTest('cart', { name: 'earlier version' }),
    ];
    const last = [addTest('home'), addTest('cart', { name: 'current version \u0000' })];
    const observed = await observedOn(service);
    const file = importOf(observed, null);
    expect(file.tests.map(({ test: { id } }) => id)).toEqual([last[0]?.id]);
    expect(file.omitted.map(({ id }) => id)).toEqual([last[1]?.id, earlier[1]?.id]);
    const reported = file.dropped.map(({ test: { id }, key, earlier: isEarlier }) => [id, key, isEarlier]);
    expect(reported).toEqual([
      [earlier[0]?.id, 'home', true],
      [earlier[1]?.id, 'cart', false],
      [last[1]?.id, 'cart', false],
    ]);
    expect(changesOf(file, observed, null)).toEqual([]);
    expect(changesOf({ ...file, dropped: [] }, observed, null)).toHaveLength(3);
  });
});
