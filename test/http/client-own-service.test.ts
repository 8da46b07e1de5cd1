/** The client with the service of this project, including guarantees of only this service. */
import { onTestFinished, describe, expect, it } from 'vitest';
import { createClient, type ServiceClient } from '../../src/client/client.ts';
import { readProgress } from '../../src/apply/observation/progress.ts';
import { testId } from '../../src/core/model/ids.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { milliseconds, seconds } from '../../src/core/units.ts';
import { expectFailure, homeSpec } from '../support/hosted-client.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { API_KEY, openTestService, type TestService } from '../support/test-service.ts';
import { startRawTarget } from '../support/raw-target.ts';

async function start(
  options: Parameters<typeof openTestService>[0] = {},
): Promise<{ rig: TestService; client: ServiceClient; spec: typeof homeSpec }> {
  const rig = await openTestService(options);
  const target = await startRawTarget();
  const client = createClient({
    baseUrl: rig.service.url,
    authHeader: 'service-auth',
    key: new Secret('LOADTESTS_API_KEY', API_KEY),
    requestTimeout: seconds(10),
    version: '1.2.3',
    caller: 'loadtests apply (process 42)',
  });
  onTestFinished(async () => {
    await client.close();
    await target.close();
  });
  const host = `127.0.0.1:${target.port}`;
  const app = await client.registerApp(host);
  expect(app.verificationId).toBe(`service-${app.id}`);
  expect(await client.verifyApp(app.id, 'http')).toEqual({ verified: true });
  const [first] = homeSpec.targets;
  if (first === undefined) throw new Error('the spec has no target');
  return { rig, client, spec: { ...homeSpec, targets: [{ ...first, url: `http://${host}/` }] } };
}

describe('the client with the service of this project', () => {
  it('the client creates a test, reads the progress and results, publishes a verdict, and deletes the app of the test', async () => {
    const { rig, client, spec } = await start();
    const created = await client.createTest({ spec, notes: 'Before the sale', nonce: 'n1' });
    expect(created).toMatchObject({ status: 'running' });
    await expect.poll(() => rig.runner.runs.length).toBe(1);
    expect((await rig.call('GET', '/v2/overview')).json).toMatchObject({
      keys: [{ recent: [{ started_by: 'loadtests apply (process 42)' }] }],
    });
    const progress = {
      elapsed: milliseconds(2_000),
      warmingUp: true,
      connections: 3,
      success: 40,
      error: 1,
      timeoutError: 0,
      networkError: 2,
      requestsPerSecond: 21.5,
      p95: 12.5,
    };
    rig.runner.latest().reportProgress({ ...progress, targets: [43] });
    expect((await client.getTest(created.id)).progress).toEqual(progress);
    const { items } = await client.listTests();
    const deleted = items.map((test) => ({ ...test, id: testId('0'.repeat(32)) }));
    const progressById = await readProgress([...deleted, ...items], client, {
      now: Date.now(),
      parallelism: 4,
    });
    expect([...progressById]).toEqual([[created.id, progress]]);
    expect((await client.listResults(created.id))?.[0]?.status).toBe('not_ready');

    rig.runner.latest().end();
    await expect.poll(async () => (await client.getTest(created.id)).test.status).toBe('complete');
    const [result] = (await client.listResults(created.id)) ?? [];
    expect(result).toMatchObject({ id: created.resultId, status: 'ready', record: { abortReason: null } });
    expect(await client.getResult(created.id, result?.id ?? (created.id as never))).toMatchObject({
      status: 'ready',
    });

    const verdict = { verdict: 'fail', reason: 'the error threshold was reached', thresholds: [] } as const;
    expect(await client.listExtensions()).toContain('verdict');
    if (result !== undefined) await client.saveVerdict(created.id, result.id, verdict);
    expect(await client.listResults(created.id)).toMatchObject([{ verdict }]);

    const [app] = (await client.listApps()).items;
    if (app === undefined) throw new Error('the app is not listed');
    await client.deleteApp(app.id);
    expect((await client.listTests()).items).toEqual([]);
  });

  it('the record of a stopped run names the client that stopped the run', async () => {
    const { rig, client, spec } = await start({ fake: createFakeRunner({ endsOnStop: false }) });
    const created = await client.createTest({ spec, notes: '', nonce: 'n1' });
    await client.stopTest(created.id);
    rig.runner.latest().end('stopped');
    const stop = { cause: 'request', client: 'loadtests apply (process 42)' };
    await expect
      .poll(async () => (await client.listResults(created.id))?.[0])
      .toMatchObject({ record: { abortReason: 'stopped', stop } });
  });

  it('the service returns the first response to a create request that is repeated with the same idempotency key, and refuses the repeated request if its fields differ', async () => {
    const { client, spec } = await start();
    expect(client.supportsIdempotency()).toBe(true);
    const request = { spec, notes: 'marker', nonce: 'same' };
    const created = await client.createTest(request);
    expect(await client.createTest(request)).toEqual(created);
    expect((await client.listTests()).items).toHaveLength(1);
    const error = await expectFailure(client.createTest({ ...request, notes: 'another' }));
    expect(error).toMatchObject({ outcome: 'refused', status: 422 });
  });

  it('the client reports insufficient capacity of the load generator as LT_RUN_CAPACITY, and an unknown test as LT_API_REFUSED', async () => {
    const reason = 'with this run, the process needs 5,084 open files, but the limit is 256';
    const { client, spec } = await start({ fake: createFakeRunner({ check: () => reason }) });
    const error = await expectFailure(client.createTest({ spec, notes: 'marker', nonce: 'n1' }));
    expect(error).toMatchObject({ outcome: 'refused', status: 422, problem: { code: 'LT_RUN_CAPACITY' } });
    expect(error.message).toContain(reason);
    const unknown = await expectFailure(client.runTest('f'.repeat(32) as never, 'n2'));
    expect(unknown.problem.code).toBe('LT_API_REFUSED');
  });

  it('the client reports LT_RUN_CAPACITY if a test, alone or with active runs, exceeds the connection limit of its host', async () => {
    const { client, spec } = await start({ limits: { connectionsPerTarget: 30 } });
    const code = { problem: { code: 'LT_RUN_CAPACITY' } };
    const alone = await expectFailure(
      client.createTest({ spec: { ...spec, total: 31 }, notes: 'marker', nonce: 'n1' }),
    );
    expect(alone).toMatchObject({ ...code, status: 422, transient: false });
    await client.createTest({ spec, notes: 'marker', nonce: 'n2' });
    const together = await expectFailure(client.createTest({ spec, notes: 'marker', nonce: 'n3' }));
    expect(together).toMatchObject({ ...code, status: 429, transient: true });
  });

  it('a single iteration succeeds even if it lasts longer than the request timeout of the client', async () => {
    const { rig, spec } = await start({ fake: createFakeRunner({ endsIterations: false }) });
    const client = createClient({
      baseUrl: rig.service.url,
      authHeader: 'service-auth',
      key: new Secret('LOADTESTS_API_KEY', API_KEY),
      requestTimeout: milliseconds(300),
      version: '1.2.3',
    });
    onTestFinished(() => client.close());
    const iteration = client.runIteration(spec);
    await Promise.race([iteration, expect.poll(() => rig.runner.runs.length).toBe(1)]);
    const started = performance.now();
    const hasExceeded = () => performance.now() - started > 600;
    await Promise.race([iteration, expect.poll(hasExceeded).toBe(true)]);
    rig.runner.latest().end();
    expect(await iteration).toMatchObject({ omitted: { failed: 0 } });
  });

  it('the client reports LT_API_KEY if the service rejects the API key', async () => {
    const { rig } = await start();
    const client = createClient({
      baseUrl: rig.service.url,
      authHeader: 'service-auth',
      key: new Secret('LOADTESTS_API_KEY', 'f'.repeat(32)),
      requestTimeout: seconds(10),
      version: '1.2.3',
    });
    onTestFinished(() => client.close());
    expect(await expectFailure(client.listTests())).toMatchObject({ problem: { code: 'LT_API_KEY' } });
  });
});
