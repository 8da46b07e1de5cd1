/** What a page shows of all tests together, and the verdicts that were told. */
import { describe, expect, test } from 'vitest';
import type { TestLoad } from '../../src/core/report/generated/documents.ts';
import { loadText } from '../../src/core/report/load-text.ts';
import { milliseconds } from '../../src/core/units.ts';
import { formatMarker, notesWithMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { HOUR } from '../support/test-clock.ts';
import { openShop } from '../support/shop.ts';
import {
  ANY_ID,
  openTestService,
  smallTestFields,
  createTemporaryDirectory,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';

const HOST = '127.0.0.1:4080';

function marked(key: string, { environment = null, notes = null }: Marked = {}): string {
  const mark = {
    ...{ project: 'shop', environment, key, listed: '9f2c41d07ab3', unlisted: '50.51be0c9e' },
    ...{ repetition: 0, nonce: '5tq0mZ8c' },
  };
  expect(formatMarker(mark)).toContain(key);
  return notesWithMarker(notes, mark);
}

interface Marked {
  readonly environment?: string | null;
  readonly notes?: string | null;
}

interface Key {
  readonly title: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly key: string | null;
  readonly status: string;
  readonly test_id: string;
  readonly tests: number;
  readonly runs: number;
  readonly recent: readonly Readonly<Record<string, unknown>>[];
}

interface Overview {
  readonly now: string;
  readonly running: readonly Readonly<Record<string, unknown>>[];
  readonly scheduled: readonly Readonly<Record<string, unknown>>[];
  readonly keys: readonly Key[];
  readonly apps: { readonly verified: number; readonly unverified: number };
}

async function overviewOf(rig: TestService): Promise<Overview> {
  const { text } = await rig.call('GET', '/v2/overview');
  const overview = JSON.parse(text) as Overview; // checked in the next line
  expect(apiMismatch('overview', overview)).toBeNull();
  return overview;
}

async function keysOf(
  rig: TestService,
  query = '',
): Promise<{ readonly total: number; readonly keys: readonly Key[] }> {
  const list = JSON.parse((await rig.call('GET', `/v2/keys${query}`)).text) as Awaited<
    ReturnType<typeof keysOf>
  >; // checked in the next line
  expect(apiMismatch('key-list', list)).toBeNull();
  return list;
}

async function shop(options: Parameters<typeof openTestService>[0] = {}): Promise<TestService> {
  const rig = await openTestService(options);
  await rig.verifiedApp(HOST);
  return rig;
}

async function create(rig: TestService, changes: Readonly<Record<string, unknown>>) {
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`, changes) });
  return { testId: json.test_id, resultId: json.result_id, run: rig.runner.runs.at(-1) };
}

async function ended(rig: TestService, changes: Readonly<Record<string, unknown>>) {
  const { run, ...ids } = await create(rig, changes);
  run?.end();
  await waitUntil(async () => {
    const { json } = await rig.call('GET', `/v2/tests/${ids.testId}`);
    return json.status === 'complete' ? json : null;
  });
  return ids;
}

const pathOf = ({ testId, resultId }: { readonly testId: string; readonly resultId: string }) =>
  `/v2/tests/${testId}/results/${resultId}`;

const JUDGEMENT = {
  verdict: 'fail',
  thresholds: [
    { metric: 'p95', limit: '< 300ms', value: 412, bounds: { low: 400, high: 412 }, verdict: 'fail' },
    {
      metric: 'error_rate',
      url: 'cart',
      limit: '< 1%',
      value: null,
      verdict: 'inconclusive',
      reason: 'it is',
    },
  ],
};

describe('the overview', () => {
  test('is empty where there is nothing', async () => {
    const rig = await openTestService();
    expect(await overviewOf(rig)).toEqual({
      ...{ now: expect.stringMatching(/Z$/) as unknown, running: [], scheduled: [], keys: [] },
      apps: { verified: 0, unverified: 0 },
    });
  });

  test('tells what runs, and how far it has come', async () => {
    const rig = await shop();
    const { testId, resultId, run } = await create(rig, {
      ...{ name: 'Checkout', duration: 60 },
      notes: marked('checkout', { environment: 'production', notes: 'Mine.' }),
    });
    const label = { title: 'Checkout', project: 'shop', environment: 'production', key: 'checkout' };
    const running = { test_id: testId, result_id: resultId, duration_ms: 60_000, ...label };
    expect((await overviewOf(rig)).running).toMatchObject([{ ...running, progress: null }]);
    run?.reportProgress({
      ...{ elapsed: milliseconds(3000), warmingUp: false, connections: 7, success: 10, error: 1 },
      ...{ timeoutError: 0, networkError: 0, requestsPerSecond: 4, p95: 12, targets: [11] },
    });
    const overview = await overviewOf(rig);
    expect(overview.running).toMatchObject([
      { ...running, progress: { elapsed_ms: 3000, connections: 7, success: 10, p95: 12 } },
    ]);
    expect(overview.keys).toMatchObject([
      {
        ...label,
        status: 'running',
        tests: 1,
        runs: 1,
        recent: [{ test_id: testId, status: 'not_ready', p95: null }],
      },
    ]);
  });

  test('tells what is due next, the earliest first', async () => {
    const { service, target, clock } = await openShop();
    const times = [3 * HOUR, HOUR].map((inMs) => new Date(clock.now() + inMs).toISOString());
    for (const [index, at] of times.entries()) {
      const json = smallTestFields(`${target.url}/`, { scheduled_at: at, notes: marked(`test-${index}`) });
      expect((await service.call('POST', '/v2/tests', { json })).status).toBe(200);
    }
    await service.call('POST', '/v2/apps', { form: { app: 'shop.example' } });
    const { scheduled, apps } = await overviewOf(service);
    expect(scheduled).toMatchObject([
      { key: 'test-1', scheduled_at: times[1] },
      { key: 'test-0', scheduled_at: times[0] },
    ]);
    expect(apps).toEqual({ verified: 1, unverified: 1 });
  });

  test('puts the versions of a key together; the latest run comes first, and who has no key stands alone', async () => {
    const rig = await shop();
    const first = await ended(rig, { notes: marked('cart') });
    const own = [await ended(rig, {}), await ended(rig, { name: 'By hand' })];
    const second = await ended(rig, { notes: marked('cart'), name: 'Cart' });
    const other = await ended(rig, { notes: marked('cart', { environment: 'staging' }) });
    const { keys } = await overviewOf(rig);
    const row = ({ key, environment, title, test_id: id, runs, tests, recent }: Key) => ({
      ...{ key, environment, title, id, runs, tests, recent: recent.map((run) => run['result_id']) },
    });
    const title = `http://${HOST}/`;
    const staging = {
      ...{ key: 'cart', environment: 'staging', title, id: other.testId },
      ...{ runs: 1, tests: 1, recent: [other.resultId] },
    };
    const cart = { key: 'cart', environment: null, title: 'Cart', id: second.testId, runs: 2, tests: 2 };
    const alone = [...own].reverse().map(({ testId, resultId }, index) => ({
      ...{ key: null, environment: null, title: index === 0 ? 'By hand' : title },
      ...{ id: testId, runs: 1, tests: 1, recent: [resultId] },
    }));
    expect(keys.map(row)).toEqual([staging, { ...cart, recent: [second.resultId] }, ...alone]);
    const list = await keysOf(rig);
    expect(list.total).toBe(4);
    const both = [second.resultId, first.resultId];
    expect(list.keys.map(row)).toEqual([{ ...cart, recent: both }, staging, ...alone]);
  });

  test.each([
    ['', ['a cart', 'a login', 'b cart', 'b search', 'By hand']],
    ['cart', ['a cart', 'b cart']],
    ['CART b', ['b cart']],
    ['hand', ['By hand']],
    ['%', []],
    ['a b c d e f g h i j', []],
  ])('the list of keys is searched for %j', async (search, found) => {
    const rig = await shop();
    for (const [environment, key] of [
      ['b', 'search'],
      ['a', 'login'],
      ['b', 'cart'],
      ['a', 'cart'],
    ] as const)
      await ended(rig, { notes: marked(key, { environment }), name: 'Z' });
    await ended(rig, { name: 'By hand' });
    const { total, keys } = await keysOf(rig, `?search=${encodeURIComponent(search)}`);
    const named = ({ environment, key, title }: Key) =>
      key === null ? title : `${environment ?? ''} ${key}`;
    expect([total, keys.map(named)]).toEqual([found.length, found]);
    const second = await keysOf(rig, `?search=${encodeURIComponent(search)}&after=1&limit=1`);
    expect(second.keys.map(named)).toEqual(found.slice(1, 2));
  });

  test.each([['search=a&search=b'], [`search=${'x'.repeat(201)}`], ['limit=-1'], ['after=x']])(
    'the list of keys is not asked with %s',
    async (query) => {
      const rig = await openTestService();
      expect((await rig.call('GET', `/v2/keys?${query}`)).status).toBe(422);
    },
  );

  test('does not tell the query of a URL, which may hold a key', async () => {
    const rig = await shop();
    await ended(rig, { urls: [{ url: `http://${HOST}/a?token=very-secret` }] });
    const { text } = await rig.call('GET', '/v2/overview');
    expect(text).not.toContain('very-secret');
  });

  test('forgets the tests of an app that was deleted', async () => {
    const rig = await openTestService();
    const app = await rig.verifiedApp(HOST);
    await ended(rig, { notes: marked('cart') });
    await rig.call('DELETE', `/v2/apps/${app}`);
    expect(await overviewOf(rig)).toMatchObject({ keys: [], apps: { verified: 0 } });
  });

  test('knows the tests of data that an earlier version has written', async () => {
    const dataDirectory = createTemporaryDirectory();
    const before = await shop({ dataDirectory });
    await ended(before, { notes: marked('cart'), name: 'Cart' });
    await before.service.close();
    const database = await openDatabase(dataDirectory);
    database.prepare('DELETE FROM labels').run();
    database.close();
    const after = await openTestService({ dataDirectory });
    expect((await overviewOf(after)).keys).toMatchObject([{ key: 'cart', title: 'Cart', runs: 1 }]);
  });
});

describe('the history of a test', () => {
  interface History {
    readonly versions: readonly { readonly load: TestLoad }[];
  }

  async function historyOf(rig: TestService, testId: string): Promise<History> {
    const history = JSON.parse((await rig.call('GET', `/v2/tests/${testId}/history`)).text) as History; // checked below
    expect(apiMismatch('test-history', history)).toBeNull();
    return history;
  }

  test('has every version and run of its key, whichever version is asked for', async () => {
    const rig = await shop();
    const first = await ended(rig, { notes: marked('cart'), name: 'Old', duration: 60 });
    const second = await ended(rig, { notes: marked('cart'), name: 'Cart', duration: 90 });
    await ended(rig, { notes: marked('cart', { environment: 'staging' }) });
    await rig.call('PUT', `${pathOf(first)}/verdict`, { json: JUDGEMENT });
    const history = await historyOf(rig, first.testId);
    expect(history).toMatchObject({
      ...{ title: 'Cart', project: 'shop', environment: null, key: 'cart', tests: 2, runs: 2 },
      versions: [
        { test_id: second.testId, status: 'complete', scheduled_at: null, load: { seconds: 90 } },
        { test_id: first.testId, load: { seconds: 60, hosts: [HOST] } },
      ],
      results: [
        { test_id: second.testId, result_id: second.resultId, verdict: null, status: 'ready' },
        { test_id: first.testId, result_id: first.resultId, verdict: 'fail' },
      ],
    });
    expect(await historyOf(rig, second.testId)).toEqual(history);
    expect(history.versions.map(({ load }) => loadText(load))).toEqual([
      `non-cycling, 5 clients in total, up to 1 connection, 1m30s on ${HOST}`,
      `non-cycling, 5 clients in total, up to 1 connection, 1m on ${HOST}`,
    ]);
  });

  test('of a test without a key is its own', async () => {
    const rig = await shop();
    const [own] = [await ended(rig, {}), await ended(rig, {})];
    expect(await historyOf(rig, own.testId)).toMatchObject({
      ...{ key: null, tests: 1, runs: 1, versions: [{ test_id: own.testId }] },
      results: [{ result_id: own.resultId }],
    });
    expect((await rig.call('GET', `/v2/tests/${'f'.repeat(32)}/history`)).status).toBe(404);
  });
});

describe('a verdict', () => {
  test('that was told stands in the result, in lists and in the overview', async () => {
    const rig = await shop();
    const ids = await ended(rig, { notes: marked('cart') });
    const path = pathOf(ids);
    expect((await rig.call('GET', path)).json).not.toHaveProperty('verdict');
    expect((await rig.call('PUT', `${path}/verdict`, { json: JUDGEMENT })).status).toBe(200);
    expect((await rig.call('GET', path)).json).toMatchObject({ verdict: JUDGEMENT, result_id: ANY_ID });
    expect((await rig.call('GET', `/v2/tests/${ids.testId}/results`)).list).toMatchObject([
      { verdict: JUDGEMENT },
    ]);
    expect((await overviewOf(rig)).keys[0]?.recent).toMatchObject([{ verdict: 'fail' }]);
    const better = { verdict: 'pass', thresholds: [] };
    await rig.call('PUT', `${path}/verdict`, { json: better });
    expect((await rig.call('GET', path)).json).toMatchObject({ verdict: better });
  });

  test('is not taken of a run that goes on, nor of one that is unknown', async () => {
    const rig = await shop();
    const ids = await create(rig, {});
    const going = await rig.call('PUT', `${pathOf(ids)}/verdict`, { json: JUDGEMENT });
    expect([going.status, going.json.errors]).toEqual([422, ['the run has not ended']]);
    const unknown = pathOf({ ...ids, resultId: 'f'.repeat(32) });
    expect((await rig.call('PUT', `${unknown}/verdict`, { json: JUDGEMENT })).status).toBe(404);
  });

  test.each([
    [null],
    [[]],
    [{ verdict: 'pass' }],
    [{ verdict: 'perhaps', thresholds: [] }],
    [{ verdict: 'pass', thresholds: [], more: 1 }],
    [{ verdict: 'pass', thresholds: [{ metric: 'p95', limit: '< 1s', value: '1', verdict: 'pass' }] }],
    [{ verdict: 'pass', thresholds: [], reason: 'x'.repeat(2001) }],
  ])('that is none is refused: %j', async (json) => {
    const rig = await shop();
    const ids = await ended(rig, {});
    expect((await rig.call('PUT', `${pathOf(ids)}/verdict`, { json })).status).toBe(422);
    expect((await rig.call('GET', pathOf(ids))).json).not.toHaveProperty('verdict');
  });
});

describe('runs beside each other', () => {
  async function comparisonOf(rig: TestService, runs: readonly Parameters<typeof pathOf>[0][]) {
    const query = runs.map(({ testId, resultId }) => `run=${testId}:${resultId}`).join('&');
    const { status, text } = await rig.call('GET', `/v2/comparison?${query}`);
    const body = JSON.parse(text) as { readonly errors?: readonly string[] }; // an answer of ours
    if (status === 200) expect(apiMismatch('run-comparison', body)).toBeNull();
    return { status, body };
  }

  test('stand in the order of time, with their changes and why they may not be compared', async () => {
    let at = Date.parse('2026-11-22T10:00:00Z');
    const rig = await shop({ now: () => at });
    const first = await ended(rig, { name: 'Cart' });
    at += 1000;
    const second = await ended(rig, { name: 'Cart' });
    at += 1000;
    const other = await ended(rig, { name: 'Other', total: 9 });
    await rig.call('PUT', `${pathOf(second)}/verdict`, { json: JUDGEMENT });
    const { body } = await comparisonOf(rig, [other, first, second]);
    expect(body).toMatchObject({
      runs: [
        { label: 'A', test_id: first.testId, result_id: first.resultId, title: 'Cart', metrics: [] },
        { label: 'B', result_id: second.resultId, report: { verdict: 'fail' }, obstacles: [] },
        {
          ...{ label: 'C', title: 'Other', report: { state: 'ended', verdict: 'none' } },
          obstacles: ['the load is another one: /total 5 → 9'],
        },
      ],
    });
    const { runs } = body as { readonly runs: readonly { readonly metrics: readonly unknown[] }[] };
    expect(runs[1]?.metrics).toContainEqual({ metric: 'requests', before: 3, after: 3, change: 0 });
  });

  test('that go on are told, and may not be compared', async () => {
    let at = Date.parse('2026-11-22T10:00:00Z');
    const rig = await shop({ now: () => at });
    const first = await ended(rig, {});
    at += 1000;
    const second = await create(rig, {});
    expect((await comparisonOf(rig, [first, second])).body).toMatchObject({
      runs: [{}, { report: { state: 'running' }, obstacles: ['the run has not ended'] }],
    });
  });

  test('are from two to five that are there', async () => {
    const rig = await shop();
    const run = await ended(rig, {});
    const strange = (digit: string) => ({ testId: run.testId, resultId: digit.repeat(32) });
    expect(await comparisonOf(rig, [run, strange('f')])).toMatchObject({
      status: 404,
      body: { errors: [`there is no run ${'f'.repeat(32)} of the test ${run.testId}`] },
    });
    const many = ['a', 'b', 'c', 'd', 'e'].map(strange);
    for (const runs of [[], [run], [run, run], [run, ...many], [run, { ...run, resultId: "x' OR 1" }]])
      expect((await comparisonOf(rig, runs)).status).toBe(422);
    expect((await comparisonOf(rig, [])).body.errors).toEqual([
      '"run" must name from two to 5 different runs, each as run=TEST_ID:RESULT_ID',
    ]);
  });
});
