/** A service, its workers and a Redis, as processes of their own: what workers make is what the target sees. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCluster, type ClusterRig } from '../rig/cluster.ts';
import { WITHOUT_REDIS } from '../rig/redis.ts';
import { openTarget, pages } from '../rig/target.ts';

describe.skipIf(WITHOUT_REDIS !== null)('a service with workers', () => {
  let rig: ClusterRig;

  beforeAll(async () => {
    rig = await startCluster();
    await Promise.all(['one', 'two'].map((name) => rig.startWorker(name)));
  });
  afterAll(async () => {
    await rig.close();
  });

  test('makes one exact run: what its workers counted is what the target saw', async () => {
    const content: Record<string, string> = { '/': 'hello' };
    const target = await openTarget(pages(content));
    await rig.verify(target.host, (path, token) => {
      content[path] = token;
    });
    const test = { test_type: 'non-cycling', total: 100, duration: 2, urls: [{ url: `${target.url}/` }] };
    const created = await rig.call('POST', '/v2/tests', test);
    expect(created.json).toMatchObject({ message: 'success', status: 'running' });
    const result = await rig.result(String(created.json['test_id']));
    expect(result).toMatchObject({ status: 'ready', requests: 100, success: 100, abort_reason: null });
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(100);
  });
});
