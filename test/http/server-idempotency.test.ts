import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notesWithMarker, type Marker } from '../../src/core/reconcile/ownership-marker.ts';
import { scaleCount } from '../support/test-scale.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';
const BODY = smallTestFields(`http://${HOST}/`);

async function openService(options: Parameters<typeof openTestService>[0] = {}): Promise<TestService> {
  const rig = await openTestService(options);
  await rig.verifiedApp(HOST);
  return rig;
}

async function create(rig: TestService, key: string, json: unknown = BODY) {
  return await rig.call('POST', '/v2/tests', { json, headers: { 'Idempotency-Key': key } });
}

describe('creating a test with an idempotency key', () => {
  test('a create request with an idempotency key is executed once, and a repetition returns the first response', async () => {
    const rig = await openService();
    const first = await create(rig, 'k1');
    const again = await create(rig, 'k1');
    expect(again.status).toBe(first.status);
    expect(again.text).toBe(first.text);
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(1);
    expect(rig.runner.runs).toHaveLength(1);
  });

  test('fifty concurrent create requests with one idempotency key create one test and start one run', async () => {
    const rig = await openService();
    const responses = await Promise.all(Array.from({ length: 50 }, async () => await create(rig, 'k1')));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(1);
    expect(rig.runner.runs).toHaveLength(1);
  });

  test('a request that repeats an idempotency key with a different body is refused', async () => {
    const rig = await openService();
    await create(rig, 'k1');
    const response = await create(rig, 'k1', { ...BODY, total: 6 });
    expect(response.status).toBe(422);
    expect(response.json.message).toBe('error');
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(1);
  });

  test('two concurrent create requests with one idempotency key and different bodies create one test', async () => {
    const rig = await openService();
    const responses = await Promise.all([create(rig, 'k1'), create(rig, 'k1', { ...BODY, total: 6 })]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(1);
  });

  test('a request that repeats an idempotency key and reorders the members of the body receives the first response', async () => {
    const rig = await openService();
    const first = await create(rig, 'k1');
    const reordered = Object.fromEntries(Object.entries(BODY).reverse());
    expect((await create(rig, 'k1', reordered)).text).toBe(first.text);
  });

  test('create requests with different idempotency keys create different tests', async () => {
    const rig = await openService();
    await create(rig, 'k1');
    await create(rig, 'k2');
    expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(2);
  });

  test('the stored response for an idempotency key survives a restart and the deletion of the test', async () => {
    const dataDirectory = createTestDirectory();
    const before = await openService({ dataDirectory });
    const first = await create(before, 'k1');
    await before.service.close();
    const rig = await openTestService({ dataDirectory });
    expect((await create(rig, 'k1')).text).toBe(first.text);
    const app = (await rig.call('GET', '/v2/apps')).list[0]?.app_id ?? '';
    await rig.call('DELETE', `/v2/apps/${app}`);
    expect((await create(rig, 'k1')).text).toBe(first.text);
    expect((await rig.call('GET', '/v2/tests')).json).toEqual([]);
  });

  test('the response for an idempotency key is stored for a day, and has expired after eight days', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const rig = await openService({ now: () => now });
    const first = await create(rig, 'k1');
    now += 24 * 3_600_000;
    expect((await create(rig, 'k1')).text).toBe(first.text);
    await create(rig, 'k2');
    expect((await create(rig, 'k1')).text).toBe(first.text);
    now += 7 * 24 * 3_600_000;
    await create(rig, 'k3');
    expect((await create(rig, 'k1')).text).not.toBe(first.text);
  });

  test('a refused create request can be repeated with the same idempotency key', async () => {
    const rig = await openTestService();
    expect((await create(rig, 'k1')).status).toBe(422);
    await rig.verifiedApp(HOST);
    expect((await create(rig, 'k1')).status).toBe(200);
  });

  test.each([
    ['is empty', ''],
    ['contains a space', 'with blank'],
    ['has 256 characters', 'x'.repeat(256)],
    ['contains a character outside of ASCII', 'ü'],
  ])('an idempotency key is refused if it %s', async (_, key) => {
    const rig = await openService();
    expect((await create(rig, key)).status).toBe(422);
  });
});

test('a run request with an idempotency key starts one run, even if the request is repeated', async () => {
  const rig = await openService();
  const { test_id: id } = (await create(rig, 'k1')).json;
  rig.runner.latest().end();
  await waitUntil(async () =>
    (await rig.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
  );
  const run = async (key: string) =>
    await rig.call('PUT', `/v2/tests/${id}/run`, { headers: { 'idempotency-key': key } });
  const responses = await Promise.all(Array.from({ length: 10 }, async () => await run('k2')));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(responses[0]?.status).toBe(200);
  rig.runner.latest().end();
  await waitUntil(async () =>
    (await rig.call('GET', `/v2/tests/${id}`)).json.status === 'complete' ? true : null,
  );
  expect((await run('k2')).text).toBe(responses[0]?.text);
  expect(rig.runner.runs).toHaveLength(2);
  expect((await run('k1')).status).toBe(422);
});

describe('creating tests with ownership markers', () => {
  const markerOf = (key: string, nonce: string): Marker => ({
    project: 'shop',
    environment: null,
    key,
    listed: '9f2c41d07ab3',
    unlisted: '50.51be0c9e',
    repetition: 0,
    nonce,
  });
  const createMarked = async (rig: TestService, marker: Marker, changes: object = {}, key?: string) =>
    await rig.call('POST', '/v2/tests', {
      json: { ...BODY, notes: notesWithMarker(null, marker), ...changes },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });

  test('if 2 to 50 machines create tests with one or two ownership markers at random times, each marker has one test and one run', async () => {
    const rig = await openService();
    const arbitraryCreate = fc.record({
      mark: fc.constantFrom('a', 'b'),
      after: fc.integer({ min: 0, max: 3 }),
      hasKey: fc.boolean(),
      times: fc.integer({ min: 1, max: 2 }),
    });
    let seeds = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryCreate, { minLength: 2, maxLength: 50, size: 'max' }),
        async (creates) => {
          const seed = ++seeds;
          const runs = rig.runner.runs.length;
          const responses = await Promise.all(
            creates.map(async ({ mark, after, hasKey, times }, machine) => {
              for (let turn = 0; turn < after; turn++) await new Promise((resolve) => setImmediate(resolve));
              const nonce = `n${seed}m${machine}`;
              const key = hasKey ? nonce : undefined;
              const sent = Array.from({ length: times }, () =>
                createMarked(rig, markerOf(`${mark}${seed}`, nonce), {}, key),
              );
              return (await Promise.all(sent)).map((response) => ({ mark, response }));
            }),
          );
          const answers = responses.flat();
          expect(new Set(answers.map(({ response }) => response.status))).toEqual(new Set([200]));
          const marks = new Set(answers.map(({ mark }) => mark));
          expect(rig.runner.runs.length - runs).toBe(marks.size);
          for (const one of marks) {
            const ofMark = answers.filter(({ mark }) => mark === one).map(({ response }) => response.json);
            expect(new Set(ofMark.map(({ test_id: id }) => id)).size).toBe(1);
            expect(new Set(ofMark.map(({ result_id: id }) => id)).size).toBe(1);
          }
        },
      ),
      { numRuns: scaleCount(100) },
    );
  });

  test('a create request with the ownership marker of an existing test returns that test, even after the run and a restart', async () => {
    const dataDirectory = createTestDirectory();
    const before = await openService({ dataDirectory });
    const first = await createMarked(before, markerOf('home', 'one'));
    before.runner.latest().end();
    await waitUntil(async () =>
      (await before.call('GET', `/v2/tests/${first.json.test_id}`)).json.status === 'complete' ? true : null,
    );
    await before.service.close();
    const rig = await openTestService({ dataDirectory });
    const again = await createMarked(rig, markerOf('home', 'two'));
    expect(again.json).toEqual({
      message: 'success',
      test_id: first.json.test_id,
      result_id: first.json.result_id,
      status: 'complete',
      existing: true,
    });
    expect(rig.runner.runs).toHaveLength(0);
  });

  test('a create request with the ownership marker of an existing test and different fields is refused', async () => {
    const rig = await openService();
    const first = await createMarked(rig, markerOf('home', 'one'));
    const other = await createMarked(rig, markerOf('home', 'two'), { total: 6 });
    expect(other.status).toBe(422);
    expect(other.text).toContain(
      `the test ${first.json.test_id} has the same ownership marker but different fields`,
    );
    expect(rig.runner.runs).toHaveLength(1);
  });

  test.each<[string, Partial<Marker>]>([
    ['repetition', { repetition: 1 }],
    ['environment', { environment: 'staging' }],
    ['digest', { listed: '000000000000' }],
    ['error threshold', { unlisted: '60.51be0c9e' }],
  ])(
    'create requests whose ownership markers differ in the %s create different tests',
    async (_name, change) => {
      const rig = await openService();
      await createMarked(rig, markerOf('home', 'one'));
      const other = await createMarked(rig, { ...markerOf('home', 'two'), ...change });
      expect(other.json).not.toHaveProperty('existing');
      expect((await rig.call('GET', '/v2/tests')).json).toHaveLength(2);
    },
  );

  test('after a refused create request, two machines that repeat the request start one run', async () => {
    const rig = await openTestService();
    expect((await createMarked(rig, markerOf('home', 'one'))).status).toBe(422);
    await rig.verifiedApp(HOST);
    const [one, two] = await Promise.all([
      createMarked(rig, markerOf('home', 'one')),
      createMarked(rig, markerOf('home', 'two')),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(rig.runner.runs).toHaveLength(1);
  });
});
