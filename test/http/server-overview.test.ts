/** The overview of all tests in the web UI, and published verdicts. */
import { describe, expect, test } from 'vitest';
import type { TestLoad } from '../../src/core/report/generated/documents.ts';
import { loadText } from '../../src/core/report/load-text.ts';
import { milliseconds } from '../../src/core/units.ts';
import { formatMarker, notesWithMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { createFakeReport } from '../support/fake-runner.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { HOUR } from '../support/test-clock.ts';
import { useShared } from '../support/shared.ts';
import { openShop } from '../support/shop.ts';
import {
  ANY_ID,
  openTestService,
  smallTestFields,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';

function notesFor(
  key: string,
  { environment = null, notes = null, repetition = 0 }: MarkerOptions = {},
): string {
  const marker = {
    project: 'shop',
    environment,
    key,
    listed: '9f2c41d07ab3',
    unlisted: '50.51be0c9e',
    repetition,
    nonce: '5tq0mZ8c',
  };
  expect(formatMarker(marker)).toContain(key);
  return notesWithMarker(notes, marker);
}

interface MarkerOptions {
  readonly environment?: string | null;
  readonly notes?: string | null;
  readonly repetition?: number;
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
  readonly keys_version: string;
  readonly apps: { readonly verified: number; readonly unverified: number };
}

async function overviewOf(rig: TestService): Promise<Overview> {
  const { text } = await rig.call('GET', '/v2/overview');
  const overview = JSON.parse(text) as Overview; // checked in the next line
  expect(apiMismatch('overview', overview)).toBeNull();
  return overview;
}

test('the overview omits the list of test keys only while the request names the current version of the list', async () => {
  const rig = await openService();
  const { testId, resultId } = await finishRun(rig, { notes: notesFor('cart') });
  const overview = await overviewOf(rig);
  const get = async () => {
    const { text } = await rig.call('GET', `/v2/overview?known=${overview.keys_version}`);
    const again = JSON.parse(text) as Overview; // checked in the next line
    expect(apiMismatch('overview', again)).toBeNull();
    return again;
  };
  expect(overview.keys).toHaveLength(1);
  expect(await get()).toMatchObject({ keys: null, keys_version: overview.keys_version });
  await rig.call('PUT', `${pathOf({ testId, resultId })}/verdict`, { json: VERDICT });
  const changed = await get();
  expect(changed.keys).toHaveLength(1);
  expect(changed.keys_version).not.toBe(overview.keys_version);
});

async function keysOf(
  rig: TestService,
  query = '',
): Promise<{
  readonly total: number;
  readonly owners: readonly { readonly project: string; readonly environment: string }[];
  readonly keys: readonly Key[];
}> {
  const list = JSON.parse((await rig.call('GET', `/v2/keys${query}`)).text) as Awaited<
    ReturnType<typeof keysOf>
  >; // checked in the next line
  expect(apiMismatch('key-list', list)).toBeNull();
  return list;
}

async function openService(options: Parameters<typeof openTestService>[0] = {}): Promise<TestService> {
  const rig = await openTestService(options);
  await rig.verifiedApp(HOST);
  return rig;
}

async function create(rig: TestService, changes: Readonly<Record<string, unknown>>) {
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`, changes) });
  return { testId: json.test_id, resultId: json.result_id, run: rig.runner.runs.at(-1) };
}

async function finishRun(rig: TestService, changes: Readonly<Record<string, unknown>>) {
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

const VERDICT = {
  verdict: 'fail',
  thresholds: [
    { metric: 'p95', limit: '< 300ms', value: 412, bounds: { low: 400, high: 412 }, verdict: 'fail' },
    {
      metric: 'error_rate',
      url: 'cart',
      limit: '< 1%',
      value: null,
      verdict: 'inconclusive',
      reason: 'too few samples',
    },
  ],
};

describe('the overview of all tests', () => {
  test('the overview of a new service is empty', async () => {
    const rig = await openTestService();
    expect(await overviewOf(rig)).toEqual({
      now: expect.stringMatching(/Z$/) as unknown,
      running: [],
      scheduled: [],
      keys: [],
      keys_version: expect.any(String) as unknown,
      apps: { verified: 0, unverified: 0 },
    });
  });

  test('the overview contains running tests with their progress', async () => {
    const rig = await openService();
    const { testId, resultId, run } = await create(rig, {
      name: 'Checkout',
      duration: 60,
      notes: notesFor('checkout', { environment: 'production', notes: 'Mine.' }),
    });
    const label = { title: 'Checkout', project: 'shop', environment: 'production', key: 'checkout' };
    const running = { test_id: testId, result_id: resultId, duration_ms: 60_000, ...label };
    expect((await overviewOf(rig)).running).toMatchObject([{ ...running, progress: null }]);
    run?.reportProgress({
      elapsed: milliseconds(3000),
      warmingUp: false,
      connections: 7,
      success: 10,
      error: 1,
      timeoutError: 0,
      networkError: 0,
      requestsPerSecond: 4,
      p95: 12,
      targets: [11],
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

  test('the overview contains scheduled tests, sorted by start time, and the numbers of verified and unverified apps', async () => {
    const { service, target, clock } = await openShop();
    const times = [3 * HOUR, HOUR].map((inMs) => new Date(clock.now() + inMs).toISOString());
    for (const [index, at] of times.entries()) {
      const json = smallTestFields(`${target.url}/`, { scheduled_at: at, notes: notesFor(`test-${index}`) });
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

  test('the overview groups the versions of a test key, lists tests without a key separately, and sorts all entries by latest run', async () => {
    const rig = await openService();
    const first = await finishRun(rig, { notes: notesFor('cart') });
    const unmanaged = [await finishRun(rig, {}), await finishRun(rig, { name: 'By hand' })];
    const second = await finishRun(rig, { notes: notesFor('cart', { repetition: 1 }), name: 'Cart' });
    const other = await finishRun(rig, { notes: notesFor('cart', { environment: 'staging' }) });
    const { keys } = await overviewOf(rig);
    const row = ({ key, environment, title, test_id: id, runs, tests, recent }: Key) => ({
      key,
      environment,
      title,
      id,
      runs,
      tests,
      recent: recent.map((run) => run['result_id']),
    });
    const title = `http://${HOST}/`;
    const staging = {
      key: 'cart',
      environment: 'staging',
      title,
      id: other.testId,
      runs: 1,
      tests: 1,
      recent: [other.resultId],
    };
    const cart = { key: 'cart', environment: null, title: 'Cart', id: second.testId, runs: 2, tests: 2 };
    const alone = [...unmanaged].reverse().map(({ testId, resultId }, index) => ({
      key: null,
      environment: null,
      title: index === 0 ? 'By hand' : title,
      id: testId,
      runs: 1,
      tests: 1,
      recent: [resultId],
    }));
    expect(keys.map(row)).toEqual([staging, { ...cart, recent: [second.resultId] }, ...alone]);
    const list = await keysOf(rig);
    expect(list.total).toBe(4);
    const both = [second.resultId, first.resultId];
    expect(list.keys.map(row)).toEqual([{ ...cart, recent: both }, staging, ...alone]);
  });

  const searchedService = useShared(async () => {
    const rig = await openService();
    for (const [environment, key] of [
      ['b', 'search'],
      ['a', 'login'],
      ['b', 'cart'],
      ['a', 'cart'],
    ] as const)
      await finishRun(rig, { notes: notesFor(key, { environment }), name: 'Z' });
    await finishRun(rig, { name: 'By hand' });
    return rig;
  });

  test.each([
    ['', ['a cart', 'a login', 'b cart', 'b search', 'By hand']],
    ['cart', ['a cart', 'b cart']],
    ['CART b', ['b cart']],
    ['hand', ['By hand']],
    ['%', []],
    ['a b c d e f g h i j', []],
  ])('the list of test keys is filtered by the search %j', async (search, found) => {
    const rig = searchedService();
    const { total, keys } = await keysOf(rig, `?search=${encodeURIComponent(search)}`);
    const nameOf = ({ environment, key, title }: Key) =>
      key === null ? title : `${environment ?? ''} ${key}`;
    expect([total, keys.map(nameOf)]).toEqual([found.length, found]);
    const second = await keysOf(rig, `?search=${encodeURIComponent(search)}&after=1&limit=1`);
    expect(second.keys.map(nameOf)).toEqual(found.slice(1, 2));
  });

  test('the list of test keys can be filtered by project, environment and verdict, and sorted by name, start, verdict or a metric', async () => {
    const rig = await openService();
    const a = await finishRun(rig, { notes: notesFor('cart', { environment: 'a' }) });
    const b = await finishRun(rig, { notes: notesFor('cart', { environment: 'b' }) });
    await finishRun(rig, { notes: notesFor('login', { environment: 'b' }) });
    await create(rig, { notes: notesFor('search', { environment: 'b' }) });
    await finishRun(rig, { name: 'By hand' });
    await rig.call('PUT', `${pathOf(a)}/verdict`, { json: VERDICT });
    await rig.call('PUT', `${pathOf(b)}/verdict`, { json: { verdict: 'pass', thresholds: [] } });
    const find = async (query: string) => {
      const { total, owners, keys } = await keysOf(rig, `?${query}`);
      expect(total).toBe(keys.length);
      expect(owners.map(({ project, environment }) => `${project} ${environment}`)).toEqual([
        ' ',
        'shop a',
        'shop b',
      ]);
      return keys.map(({ environment, key }) => `${environment ?? ''} ${key ?? ''}`);
    };
    expect(await find('verdict=fail')).toEqual(['a cart']);
    expect(await find('verdict=none')).toEqual(['b login', ' ']);
    expect(await find('verdict=running')).toEqual(['b search']);
    expect(await find('project=shop&environment=b&verdict=pass')).toEqual(['b cart']);
    expect(await find('project=')).toEqual([' ']);
    expect(await find('sort=-name')).toEqual(['b search', 'b login', 'b cart', 'a cart', ' ']);
    expect(await find('sort=started')).toEqual(['a cart', 'b cart', 'b login', 'b search', ' ']);
    expect(await find('sort=-started')).toEqual([' ', 'b search', 'b login', 'b cart', 'a cart']);
    expect(await find('sort=verdict')).toEqual(['a cart', 'b login', ' ', 'b cart', 'b search']);
    // A run in progress has no values, so its test comes last in both directions.
    for (const sort of ['p95', '-p95', 'requests_per_second', '-requests_per_second'])
      expect((await find(`sort=${sort}`)).at(-1)).toBe('b search');
    expect((await find('sort=runs')).length).toBe(5);
    expect((await rig.call('GET', '/v2/keys?sort=title')).status).toBe(422);
  });

  test('the history of a test contains the clients that started its runs and the notes on the runs, and invalid notes are refused', async () => {
    const rig = await openService();
    const first = await finishRun(rig, { notes: notesFor('cart') });
    const headers = { 'x-loadtests-client': 'loadtests run' };
    await rig.call('PUT', `/v2/tests/${first.testId}/run`, { headers });
    const put = async (note: unknown) =>
      (await rig.call('PUT', `${pathOf(first)}/note`, { json: { note } })).status;
    const runs = async () => {
      const { text } = await rig.call('GET', `/v2/tests/${first.testId}/history`);
      const { results } = JSON.parse(text) as {
        readonly results: readonly { readonly started_by: string | null; readonly note: string | null }[];
      };
      return results.map(({ started_by: by, note }) => [by, note]);
    };
    expect(await runs()).toEqual([
      ['loadtests run', null],
      ['node', null],
    ]);
    expect(await put(' with the new cache ')).toBe(200);
    expect((await runs())[1]).toEqual(['node', 'with the new cache']);
    expect([await put('x'.repeat(201)), await put('a\nb'), await put(1)]).toEqual([422, 422, 422]);
    expect(await put('')).toBe(200);
    expect((await runs())[1]).toEqual(['node', null]);
    const missing = await rig.call('PUT', `/v2/tests/${first.testId}/results/${'f'.repeat(32)}/note`, {
      json: { note: 'x' },
    });
    expect(missing.status).toBe(404);
  });

  test('the history of a test contains the thresholds of a published verdict', async () => {
    const rig = await openService();
    const run = await finishRun(rig, { notes: notesFor('cart') });
    const limits = async () => {
      const history = JSON.parse((await rig.call('GET', `/v2/tests/${run.testId}/history`)).text) as {
        readonly limits: readonly unknown[];
      };
      expect(apiMismatch('test-history', history)).toBeNull();
      return history.limits;
    };
    expect(await limits()).toEqual([]);
    await rig.call('PUT', `${pathOf(run)}/verdict`, { json: VERDICT });
    expect(await limits()).toEqual([
      { metric: 'p95', url: null, flow: null, limit: '< 300ms', baseline: null, allowed: null },
      { metric: 'error_rate', url: 'cart', flow: null, limit: '< 1%', baseline: null, allowed: null },
    ]);
  });

  test.each([
    ['two searches', 'search=a&search=b'],
    ['a search of 201 characters', `search=${'x'.repeat(201)}`],
    ['a negative limit', 'limit=-1'],
    ['an offset that is not a number', 'after=x'],
  ])('a request for the list of test keys with %s is refused', async (_, query) => {
    const rig = await openTestService();
    expect((await rig.call('GET', `/v2/keys?${query}`)).status).toBe(422);
  });

  test('the overview omits the tests of a deleted app', async () => {
    const rig = await openTestService();
    const app = await rig.verifiedApp(HOST);
    await finishRun(rig, { notes: notesFor('cart') });
    await rig.call('DELETE', `/v2/apps/${app}`);
    expect(await overviewOf(rig)).toMatchObject({ keys: [], apps: { verified: 0 } });
  });

  test('the overview includes tests that an earlier version of the service stored', async () => {
    const dataDirectory = createTestDirectory();
    const before = await openService({ dataDirectory });
    await finishRun(before, { notes: notesFor('cart'), name: 'Cart' });
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

  test('the history of each version of a test contains all versions and runs of the test key', async () => {
    const rig = await openService();
    const first = await finishRun(rig, { notes: notesFor('cart'), name: 'Old', duration: 60 });
    const second = await finishRun(rig, {
      notes: notesFor('cart', { repetition: 1 }),
      name: 'Cart',
      duration: 90,
    });
    await finishRun(rig, { notes: notesFor('cart', { environment: 'staging' }) });
    await rig.call('PUT', `${pathOf(first)}/verdict`, { json: VERDICT });
    const history = await historyOf(rig, first.testId);
    expect(history).toMatchObject({
      title: 'Cart',
      project: 'shop',
      environment: null,
      key: 'cart',
      tests: 2,
      runs: 2,
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
      `non-cycling, 5 clients and 5 requests in total, up to 1 connection, 1m30s on ${HOST}`,
      `non-cycling, 5 clients and 5 requests in total, up to 1 connection, 1m on ${HOST}`,
    ]);
  });

  test('the history of a test without a key contains only this test, and an unknown test has no history', async () => {
    const rig = await openService();
    const [unmanaged] = [await finishRun(rig, {}), await finishRun(rig, {})];
    expect(await historyOf(rig, unmanaged.testId)).toMatchObject({
      key: null,
      tests: 1,
      runs: 1,
      versions: [{ test_id: unmanaged.testId }],
      results: [{ result_id: unmanaged.resultId }],
    });
    expect((await rig.call('GET', `/v2/tests/${'f'.repeat(32)}/history`)).status).toBe(404);
  });
});

describe('published verdicts', () => {
  test('a published verdict appears in the result, the list of results and the overview, and can be replaced', async () => {
    const rig = await openService();
    const ids = await finishRun(rig, { notes: notesFor('cart') });
    const path = pathOf(ids);
    expect((await rig.call('GET', path)).json).not.toHaveProperty('verdict');
    expect((await rig.call('PUT', `${path}/verdict`, { json: VERDICT })).status).toBe(200);
    expect((await rig.call('GET', path)).json).toMatchObject({ verdict: VERDICT, result_id: ANY_ID });
    expect((await rig.call('GET', `/v2/tests/${ids.testId}/results`)).list).toMatchObject([
      { verdict: VERDICT },
    ]);
    expect((await overviewOf(rig)).keys[0]?.recent).toMatchObject([{ verdict: 'fail' }]);
    const better = { verdict: 'pass', thresholds: [] };
    await rig.call('PUT', `${path}/verdict`, { json: better });
    expect((await rig.call('GET', path)).json).toMatchObject({ verdict: better });
  });

  test('a verdict for a running or unknown run is refused', async () => {
    const rig = await openService();
    const ids = await create(rig, {});
    const running = await rig.call('PUT', `${pathOf(ids)}/verdict`, { json: VERDICT });
    expect([running.status, running.json.errors]).toEqual([422, ['the run has not ended']]);
    const unknown = pathOf({ ...ids, resultId: 'f'.repeat(32) });
    expect((await rig.call('PUT', `${unknown}/verdict`, { json: VERDICT })).status).toBe(404);
  });

  test('thresholds that are published for a run in progress are returned with current values but not stored, and a run without such thresholds has those of the latest verdict', async () => {
    const rig = await openService();
    const ids = await create(rig, {});
    const run = rig.runner.latest();
    run.count(createFakeReport(run.job, 'partial'));
    const json = {
      verdict: 'none',
      in_progress: true,
      url_names: ['start page'],
      thresholds: [{ metric: 'p95', limit: '< 300ms', value: null, verdict: 'inconclusive' }],
    };
    const publish = async () => (await rig.call('PUT', `${pathOf(ids)}/verdict`, { json })).status;
    const progress = async () =>
      JSON.parse((await rig.call('GET', `${pathOf(ids)}/progress`)).text) as unknown;
    expect(await publish()).toBe(200);
    const { thresholds, url_names: names } = json;
    expect(await progress()).toMatchObject({
      in_progress: true,
      thresholds_of: ids.resultId,
      report: {
        state: 'running',
        verdict: 'none',
        thresholds: thresholds.map((one) => ({ ...one, value: expect.any(Number) as number })),
        url_names: names,
      },
    });
    run.end();
    await expect.poll(progress).toMatchObject({ in_progress: false, report: { thresholds: [] } });
    // A run without published thresholds has those of the latest run of the test with a verdict.
    await rig.call('PUT', `${pathOf(ids)}/verdict`, { json: VERDICT });
    const again = await rig.call('PUT', `/v2/tests/${ids.testId}/run`);
    const active = { testId: ids.testId, resultId: again.json.result_id };
    const { job } = rig.runner.latest();
    rig.runner.latest().count(createFakeReport(job, 'partial'));
    const { text } = await rig.call('GET', `${pathOf(active)}/progress`);
    expect(JSON.parse(text)).toMatchObject({
      in_progress: true,
      thresholds_of: ids.resultId,
      report: { thresholds: VERDICT.thresholds.map(({ metric, limit }) => ({ metric, limit })) },
    });
    expect((await rig.call('GET', pathOf(active))).json).not.toHaveProperty('verdict');
    // The run ended before the request of its client arrived.
    expect(await publish()).toBe(200);
    expect((await rig.call('GET', pathOf(ids))).json).toMatchObject({ verdict: VERDICT });
  });

  test.each([
    ['is null', null],
    ['is a list', []],
    ['has no thresholds', { verdict: 'pass' }],
    ['has an unknown value', { verdict: 'maybe', thresholds: [] }],
    ['has an unknown field', { verdict: 'pass', thresholds: [], more: 1 }],
    [
      'has a threshold value that is a string',
      { verdict: 'pass', thresholds: [{ metric: 'p95', limit: '< 1s', value: '1', verdict: 'pass' }] },
    ],
    ['has a reason of 2,001 characters', { verdict: 'pass', thresholds: [], reason: 'x'.repeat(2001) }],
  ])('the service refuses to publish a verdict that %s', async (_, json) => {
    const rig = await openService();
    const ids = await finishRun(rig, {});
    expect((await rig.call('PUT', `${pathOf(ids)}/verdict`, { json })).status).toBe(422);
    expect((await rig.call('GET', pathOf(ids))).json).not.toHaveProperty('verdict');
  });
});

describe('comparisons of runs', () => {
  async function comparisonOf(rig: TestService, runs: readonly Parameters<typeof pathOf>[0][]) {
    const query = runs.map(({ testId, resultId }) => `run=${testId}:${resultId}`).join('&');
    const { status, text } = await rig.call('GET', `/v2/comparison?${query}`);
    const body = JSON.parse(text) as { readonly errors?: readonly string[] }; // a response of this service
    if (status === 200) expect(apiMismatch('run-comparison', body)).toBeNull();
    return { status, body };
  }

  test('a comparison sorts runs by start time, and contains the changes of metrics and the reasons why runs are not comparable', async () => {
    let at = Date.parse('2026-11-22T10:00:00Z');
    const rig = await openService({ now: () => at });
    const first = await finishRun(rig, { name: 'Cart' });
    at += 1000;
    const second = await finishRun(rig, { name: 'Cart' });
    at += 1000;
    const other = await finishRun(rig, { name: 'Other', total: 9 });
    await rig.call('PUT', `${pathOf(second)}/verdict`, { json: VERDICT });
    const { body } = await comparisonOf(rig, [other, first, second]);
    expect(body).toMatchObject({
      runs: [
        { label: 'A', test_id: first.testId, result_id: first.resultId, title: 'Cart', metrics: [] },
        { label: 'B', result_id: second.resultId, report: { verdict: 'fail' }, obstacles: [] },
        {
          label: 'C',
          title: 'Other',
          report: { state: 'ended', verdict: 'none' },
          obstacles: ['the load differs: total 5 → 9'],
        },
      ],
    });
    const { runs } = body as { readonly runs: readonly { readonly metrics: readonly unknown[] }[] };
    expect(runs[1]?.metrics).toContainEqual({ metric: 'requests', before: 3, after: 3, change: 0 });
  });

  test('a comparison contains an active run and the reason why the run is not comparable', async () => {
    let at = Date.parse('2026-11-22T10:00:00Z');
    const rig = await openService({ now: () => at });
    const first = await finishRun(rig, {});
    at += 1000;
    const second = await create(rig, {});
    expect((await comparisonOf(rig, [first, second])).body).toMatchObject({
      runs: [{}, { report: { state: 'running' }, obstacles: ['the later run has not ended'] }],
    });
  });

  test('a comparison requires two to five existing runs', async () => {
    const rig = await openService();
    const run = await finishRun(rig, {});
    const unknownRun = (digit: string) => ({ testId: run.testId, resultId: digit.repeat(32) });
    expect(await comparisonOf(rig, [run, unknownRun('f')])).toMatchObject({
      status: 404,
      body: { errors: [`the run ${'f'.repeat(32)} of the test ${run.testId} does not exist`] },
    });
    const many = ['a', 'b', 'c', 'd', 'e'].map(unknownRun);
    for (const runs of [[], [run], [run, run], [run, ...many], [run, { ...run, resultId: "x' OR 1" }]])
      expect((await comparisonOf(rig, runs)).status).toBe(422);
    expect((await comparisonOf(rig, [])).body.errors).toEqual([
      '"run" must name 2 to 5 different runs, each as run=TEST_ID:RESULT_ID',
    ]);
  });
});
