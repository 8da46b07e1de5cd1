/** A service, its workers and a Redis, as processes of their own: what workers make is what the target sees. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { API_KEY, startTestCluster, type TestCluster } from '../support/cluster-processes.ts';
import { SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { openTestTarget, servePages, withDelay, type TestTarget } from '../support/test-target.ts';

describe.skipIf(SKIP_WITHOUT_REDIS !== null)('a service with workers', () => {
  let rig: TestCluster;

  beforeAll(async () => {
    rig = await startTestCluster();
  });
  afterAll(async () => {
    await rig.close();
  });

  /** A target that has consented. */
  async function consenting(content: Readonly<Record<string, string>> = {}): Promise<TestTarget> {
    const all: Record<string, string> = { '/': 'hello', ...content };
    const target = await openTestTarget(withDelay(servePages(all)));
    await rig.verify(target.host, (path, token) => {
      all[path] = token;
    });
    return target;
  }

  async function start(spec: Readonly<Record<string, unknown>>): Promise<string> {
    const created = await rig.call('POST', '/v2/tests', spec);
    expect(created.json).toMatchObject({ message: 'success', status: 'running' });
    return String(created.json['test_id']);
  }

  function configOf(target: TestTarget, tests: string): string {
    const service = `service: { base_url: '${rig.url()}' }`;
    return `version: 1\nproject: cluster\n${service}\napps: { shop: '${target.host}' }\ntests:\n${tests}`;
  }

  function seenAt(target: TestTarget, path = '/'): number {
    return target.requests.filter(
      (line) => line.split(' ')[1]?.startsWith(path) === true && !line.includes('.txt'),
    ).length;
  }

  test('makes no load itself: without a worker it says what to start', async () => {
    const target = await consenting();
    const spec = { test_type: 'non-cycling', total: 1, duration: 1, urls: [{ url: `${target.url}/` }] };
    const refused = await rig.call('POST', '/v2/tests', spec);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('loadtests worker --redis');
    expect(seenAt(target)).toBe(0);
  });

  describe('two of them', () => {
    beforeAll(async () => {
      await rig.startWorker('one', ['--threads', '2']);
      await rig.startWorker('two');
    });

    test.each([
      { test_type: 'non-cycling', total: 101, duration: 1 },
      { test_type: 'per-second', total: 70, duration: 2 },
      { test_type: 'cycling', initial: 1, total: 6, duration: 1 },
    ])('make one exact run: $test_type', async (pace) => {
      const target = await consenting();
      const testId = await start({ ...pace, urls: [{ url: `${target.url}/` }] });
      const result = await rig.result(testId);
      expect(result).toMatchObject({ status: 'ready', abort_reason: null });
      expect([result.requests, result.success]).toEqual([seenAt(target), seenAt(target)]);
      if (pace.test_type !== 'cycling')
        expect(result.requests).toBe(pace.total * (pace.test_type === 'per-second' ? pace.duration : 1));
      expect(result).toMatchObject({ generator: { threads: 3 } });
      const workers = [...result.workers].sort((one, other) => (one.name < other.name ? -1 : 1));
      expect(workers).toMatchObject([
        { name: 'one', threads: 2, lost: null },
        { name: 'two', threads: 1, lost: null },
      ]);
      for (const made of ['started', 'finished'] as const)
        expect(workers.reduce((sum, worker) => sum + worker[made], 0)).toBe(result.requests);
      for (const { start_skew_ms: skew, clock_uncertainty_ms: uncertainty } of workers) {
        // Of one machine; how far its processes are kept waiting depends on what else it does.
        expect(Math.abs(skew ?? Infinity)).toBeLessThan(500);
        expect(uncertainty).toBeGreaterThan(0);
      }
    });

    test('draw each row once, whoever makes the request', async () => {
      // More than a mailbox takes in one message.
      const values = Array.from({ length: 100_000 }, (_, index) => [`row-number-${index}`]);
      const target = await consenting({ '/rows.json': JSON.stringify({ keys: ['sku'], values }) });
      const testId = await start({
        ...{ test_type: 'non-cycling', total: 60, duration: 1, error_threshold: 100 },
        urls: [{ url: `${target.url}/shop`, payload_file_url: `${target.url}/rows.json` }],
      });
      expect(await rig.result(testId)).toMatchObject({ requests: 60, abort_reason: null });
      const drawn = target.requests.filter((line) => /\/shop\?sku=row-number-\d+$/.test(line));
      expect([drawn.length, new Set(drawn).size]).toEqual([60, 60]);
    });

    test('end a run when it is stopped, and let no other begin before', async () => {
      const target = await consenting();
      const spec = {
        test_type: 'cycling',
        initial: 4,
        total: 4,
        duration: 60,
        urls: [{ url: `${target.url}/` }],
      };
      const testId = await start(spec);
      while (seenAt(target) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      const other = await rig.call('POST', '/v2/tests', spec);
      expect([other.status, other.text]).toEqual([429, expect.stringContaining('busy')]);

      const known = await keptInRedis(rig);
      expect(known).toContain('{loadtests}:run:');
      expect(known).not.toContain(target.host);
      expect(known).not.toContain('hello');

      expect((await rig.call('PUT', `/v2/tests/${testId}/stop`)).status).toBe(200);
      const result = await rig.result(testId);
      expect(result).toMatchObject({ status: 'ready', abort_reason: 'stopped' });
      const seen = seenAt(target);
      // What was in flight may have been given up.
      expect(result.requests).toBeLessThanOrEqual(seen);
      expect(seen - result.requests).toBeLessThanOrEqual(4);
    });

    test('are free for another run where they have no part in one', async () => {
      const target = await consenting();
      const urls = [{ url: `${target.url}/` }];
      const one = { test_type: 'cycling', initial: 1, total: 1, duration: 60, urls };
      const [first, second] = [await start(one), await start(one)];
      for (const testId of [first, second]) {
        expect((await rig.call('PUT', `/v2/tests/${testId}/stop`)).status).toBe(200);
        expect(await rig.result(testId)).toMatchObject({
          abort_reason: 'stopped',
          generator: { threads: 1 },
        });
      }
    });

    test('make a run that a service which was killed takes up again, exactly', async () => {
      const target = await consenting();
      const testId = await start({
        ...{ test_type: 'per-second', total: 20, duration: 4, urls: [{ url: `${target.url}/` }] },
      });
      while (seenAt(target) < 20) await new Promise((resolve) => setTimeout(resolve, 50));
      rig.service().kill('SIGKILL');
      await rig.service().ended;
      await rig.startService();
      const result = await rig.result(testId);
      expect(result).toMatchObject({ status: 'ready', abort_reason: null, requests: 80, success: 80 });
      expect(seenAt(target)).toBe(80);
      const { workers } = result;
      expect(workers.map(({ name }) => name).sort()).toEqual(['one', 'two']);
      expect(workers.reduce((sum, { finished }) => sum + finished, 0)).toBe(80);
    });

    test('are judged by apply as an engine of its own would be, and stopped by stop --all', async () => {
      const target = await consenting();
      const url = `urls: ['${target.url}/']`;
      const env = { LOADTESTS_API_KEY: API_KEY };
      const { directory } = rig;
      writeFileSync(
        join(directory, 'loadtests.yaml'),
        configOf(
          target,
          `  quick: { test_type: non-cycling, total: 5, duration: 1s, ${url}, thresholds: { requests: '>= 6' } }\n`,
        ),
      );
      const failed = await runCli(['apply', '--yes'], { directory, env });
      expect([failed.exit, failed.stderr]).toEqual([10, expect.anything()]);

      writeFileSync(
        join(directory, 'loadtests.yaml'),
        configOf(
          target,
          `  long: { test_type: cycling, initial: 2, total: 2, duration: 60s, ${url}, thresholds: { error_rate: '< 100%' } }\n`,
        ),
      );
      const before = seenAt(target);
      const ended = runCli(['apply', '--yes'], { directory, env });
      while (seenAt(target) === before) await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await runCli(['stop', '--all', '--yes'], { directory, env })).exit).toBe(0);
      expect((await ended).exit).toBe(11);
    });

    test('leave a run without a verdict when one of them dies on the way: apply exits 11', async () => {
      const target = await consenting();
      const three = await rig.startWorker('three');
      const { directory } = rig;
      // Whatever is left of it would keep to this.
      const thresholds = `thresholds: { error_rate: '< 100%' }`;
      const pace = `test_type: per-second, total: 20, duration: 3s, urls: ['${target.url}/']`;
      writeFileSync(
        join(directory, 'loadtests.yaml'),
        configOf(target, `  hurt: { ${pace}, ${thresholds} }\n`),
      );
      const ended = runCli(['apply', '--yes', '--json'], { directory, env: { LOADTESTS_API_KEY: API_KEY } });
      while (seenAt(target) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      three.kill('SIGKILL');
      const { exit, stdout } = await ended;
      expect([exit, stdout]).toEqual([
        11,
        expect.stringContaining('the run ended early: not all of its load could be made'),
      ]);
      expect(stdout).toMatch(/"name": ?"three"[^}]*"lost": ?"it said nothing for 8 s"/);
    });
  });
});

/** All keys, and whatever they hold. */
async function keptInRedis({ redis }: TestCluster): Promise<string> {
  const keys = (await redis.command('KEYS', '*')) as readonly string[]; // of texts
  const values = await Promise.all(keys.map((key) => redis.command('DUMP', key)));
  return [...keys, ...values].join('\n');
}
