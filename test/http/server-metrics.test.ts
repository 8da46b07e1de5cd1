import perfHooks from 'node:perf_hooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { milliseconds } from '../../src/core/units.ts';
import type { Prometheus } from '../../src/server/prometheus.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { openTestService, smallTestFields, waitUntil, type TestService } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';

interface PrometheusModule {
  readonly createPrometheus: () => Prometheus;
}

/** Returns the value of a series; null if it does not exist. */
async function valueOf(rig: TestService, series: string): Promise<number | null> {
  const { text } = await rig.call('GET', '/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

describe('metrics in the Prometheus format', () => {
  test('metrics require the API key unless the operator makes the metrics public', async () => {
    const closed = await openTestService({ mode: 'serve' });
    expect((await closed.call('GET', '/metrics', { key: null })).status).toBe(401);
    expect((await closed.call('GET', '/metrics')).status).toBe(200);
    const open = await openTestService({ mode: 'serve', publicMetrics: true });
    const response = await open.call('GET', '/metrics', { key: null });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(response.text).toContain('process_cpu_seconds_total');
    // Other routes still need the key.
    expect((await open.call('GET', '/v2/apps', { key: null })).status).toBe(401);
    expect((await open.call('POST', '/metrics', { key: null })).status).toBe(401);
  });

  test('two services in one process both report process metrics', async () => {
    const services = [await openTestService({ mode: 'serve' }), await openTestService({ mode: 'serve' })];
    for (const rig of services) {
      expect(await valueOf(rig, 'nodejs_eventloop_lag_p99_seconds')).not.toBeNull();
      expect(await valueOf(rig, 'loadtests_runs_running')).toBe(0);
    }
  });

  test('the metrics of the first service in a process start one event-loop monitor, and those of the second service start none', async () => {
    const spy = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
    onTestFinished(() => spy.mockRestore());
    // Another instance of the module, because tests that share this process may have created metrics before.
    const url = new URL('../../src/server/prometheus.ts?first', import.meta.url).href;
    const { createPrometheus } = (await import(url)) as PrometheusModule;
    const monitorsAfter = () => {
      createPrometheus();
      return spy.mock.calls.length;
    };
    expect([monitorsAfter(), monitorsAfter()]).toEqual([1, 1]);
  });

  test('the embedded service does not provide metrics', async () => {
    const rig = await openTestService({ publicMetrics: true });
    expect((await rig.call('GET', '/metrics')).status).toBe(404);
  });

  test('metrics count active runs, and ended runs by reason', async () => {
    const shop = await openShop();
    const create = async () =>
      (await shop.service.call('POST', '/v2/tests', { json: smallTestFields(`${shop.target.url}/`) })).json
        .test_id;
    await create();
    const second = await create();
    expect(await valueOf(shop.service, 'loadtests_runs_running')).toBe(2);
    shop.service.runner.runs[0]?.end();
    await shop.service.call('PUT', `/v2/tests/${second}/stop`);
    await waitUntil(async () =>
      (await valueOf(shop.service, 'loadtests_runs_running')) === 0 ? true : null,
    );
    expect(await valueOf(shop.service, 'loadtests_runs_ended_total{reason="finished"}')).toBe(1);
    expect(await valueOf(shop.service, 'loadtests_runs_ended_total{reason="stopped"}')).toBe(1);
  });

  test('metrics count requests during a run, and do not count them again when the run ends', async () => {
    const shop = await openShop();
    await shop.service.call('POST', '/v2/tests', { json: smallTestFields(`${shop.target.url}/`) });
    const sent = async () => await valueOf(shop.service, 'loadtests_load_requests_total{outcome="success"}');
    const report = (success: number) => {
      shop.service.runner.latest().reportProgress({
        elapsed: milliseconds(1000),
        warmingUp: false,
        connections: 7,
        success,
        error: 0,
        timeoutError: 0,
        networkError: 0,
        requestsPerSecond: 1,
        p95: 1,
        targets: [success],
      });
    };
    report(1);
    expect(await sent()).toBe(1);
    expect(await valueOf(shop.service, 'loadtests_load_connections')).toBe(7);
    shop.service.runner.latest().end();
    await waitUntil(async () =>
      (await valueOf(shop.service, 'loadtests_runs_running')) === 0 ? true : null,
    );
    // The final report has two successful responses and one 404.
    expect(await sent()).toBe(2);
    expect(await valueOf(shop.service, 'loadtests_load_requests_total{outcome="error"}')).toBe(1);
    expect(await valueOf(shop.service, 'loadtests_load_connections')).toBe(0);
  });

  test('metrics count callbacks by state', async () => {
    const shop = await openShop();
    const receiver = await openCallbackReceiver();
    receiver.respondWith((_, response) => {
      response.writeHead(receiver.received.length === 1 ? 200 : 500).end();
    });
    for (let count = 0; count < 2; count++) {
      const json = smallTestFields(`${shop.target.url}/`, { callback: receiver.url });
      await shop.service.call('POST', '/v2/tests', { json });
      shop.service.runner.latest().end();
      await waitUntil(() => (receiver.received.length === count + 1 ? true : null));
    }
    await waitUntil(async () =>
      (await valueOf(shop.service, 'loadtests_callbacks{state="delivered"}')) === 1 ? true : null,
    );
    expect(await valueOf(shop.service, 'loadtests_callbacks{state="pending"}')).toBe(1);
  });

  test('metrics count responses by route and status, and do not contain unknown request paths', async () => {
    const rig = await openTestService({ mode: 'serve' });
    await rig.call('GET', '/v2/apps');
    await rig.call('GET', `/v2/tests/${'0'.repeat(32)}`);
    for (let count = 0; count < 20; count++) await rig.call('GET', `/made/up/${count}`);
    const series = 'loadtests_http_requests_total{method="GET",route="/v2/apps",status="200"}';
    expect(await valueOf(rig, series)).toBe(1);
    const { text } = await rig.call('GET', '/metrics');
    expect(text).toContain('route="/v2/tests/:test_id",status="404"');
    expect(text).not.toContain('made');
  });
});
