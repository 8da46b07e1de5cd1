/**
 * A run on workers whose service is killed and restarted. The service must be ready again before the workers stop the
 * load, and repeats the setup every second, so the machine must not be busy.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../support/cluster-processes.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('a service with two workers', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster();
    await cluster.startWorker('one');
    await cluster.startWorker('two');
  });
  afterAll(() => cluster.close());

  test('after a kill and a restart, the service repeats the setup of the active run, and a later stop sends the teardown once', async () => {
    let logins = 0;
    const used: string[] = [];
    const pages: Record<string, string> = {};
    const respond = servePages(pages);
    const target = await openTestTarget((request, response) => {
      if (request.method !== 'POST') {
        respond(request, response);
        return;
      }
      if (request.url === '/login') logins++;
      else used.push(request.url ?? '');
      response.end(JSON.stringify({ token: `secret-${logins}` }));
    });
    await cluster.verify(target.host, (path, token) => {
      pages[path] = token;
    });
    const post = (path: string) => ({ url: `${target.url}${path}`, request_type: 'POST' });
    const variables = [{ name: 'token', property: '/token', source: 'json' }];
    const latestUsed = () => Math.max(0, ...used.map((path) => Number(path.split('-')[1])));
    const created = await cluster.call('POST', '/v2/tests', {
      ...{ test_type: 'cycling', initial: 6, total: 6, duration: 600 },
      setup: { urls: [{ ...post('/login'), variables }], refresh: 1 },
      teardown: { urls: [post('/end/{{token}}')] },
      urls: [{ ...post('/items/{{token}}'), delay: 50 }],
    });
    expect(created.json).toMatchObject({ message: 'success', status: 'running' });
    const testId = String(created.json['test_id']);
    onTestFinished(async () => {
      // The run of a failed attempt would occupy the workers of the next one. A run that has ended is not stopped.
      const { status } = await cluster.call('PUT', `/v2/tests/${testId}/stop`);
      if (status === 200) await cluster.result(testId);
    });
    await expect.poll(() => latestUsed(), { timeout: 60_000 }).toBeGreaterThan(1);
    cluster.service().kill('SIGKILL');
    await cluster.service().ended;
    const stored = readDatabase(cluster);
    expect(stored).toContain('/items/{{token}}');
    expect(stored).not.toContain('secret-1');
    const before = logins;
    await cluster.startService();
    // Both workers receive the new values.
    await expect.poll(() => latestUsed(), { timeout: 60_000 }).toBeGreaterThan(before);
    expect((await cluster.call('PUT', `/v2/tests/${testId}/stop`)).status).toBe(200);
    const result = await cluster.result(testId);
    const ends = used.filter((path) => path.startsWith('/end/'));
    expect(ends).toHaveLength(1);
    expect(ends[0]).toBe(`/end/secret-${logins}`);
    expect(result).toMatchObject({
      abort_reason: 'stopped',
      teardown: { requests: 1, failed: 0 },
      setup: { failure: null },
    });
    // The result does not contain a repetition that the kill interrupted.
    const { requests = 0 } = result['setup'] as { readonly requests?: number };
    expect(logins - requests).toBeGreaterThanOrEqual(0);
    expect(logins - requests).toBeLessThanOrEqual(1);
  });
});

/** Returns the content of all files of the service's data directory. */
function readDatabase({ directory }: TestCluster): string {
  const data = join(directory, 'data');
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('');
}
