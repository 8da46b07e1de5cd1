/** What the machine leaves to a run: few files, few source ports. It is told before the start, or is the generator's fault. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  jobOf,
  openTestEngine,
  runInChildProcess,
  targetOf,
  type TestEngine,
} from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

describe('open files', () => {
  test('with a limit of 64 a run of 200 clients is refused before it starts, with the number it needs', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 200, total: 200 });
    const { report, refusal } = await runInChildProcess(rig, job, { prepare: 'ulimit -n 64 &&' }).told;
    expect(report).toBeNull();
    const [, needed] =
      /^the run needs (\d+) open files, but this process is limited to 64$/.exec(refusal ?? '') ?? [];
    // The clients, what is open already, and a little to spare.
    expect(Number(needed)).toBeGreaterThan(264);
    expect(Number(needed)).toBeLessThan(364);
    expect(shop.connections()).toBe(0);
  });

  test('with as many as it said, the run takes place', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], {
      testType: 'cycling',
      initial: 200,
      total: 200,
      duration: 600,
    });
    const { refusal } = await runInChildProcess(rig, job, { prepare: 'ulimit -n 64 &&' }).told;
    const needed = Number(/needs (\d+) open files/.exec(refusal ?? '')?.[1]);
    const { total, peakConnections } = await runInChildProcess(rig, job, {
      prepare: `ulimit -n ${needed} &&`,
    }).report;
    expect(peakConnections).toBe(200);
    expect(total.ledger).toMatchObject({
      notStarted: { noSocket: 0 },
      network: {},
      started: shop.requests.length,
    });
  });
});

describe('source ports', () => {
  /** A network of its own with a hundred of them. */
  const IN_NAMESPACE = `exec unshare --net --map-root-user sh -c '
    ip link set lo up && echo 40000 40099 > /proc/sys/net/ipv4/ip_local_port_range && exec "$0" "$@"' "$0" "$@";`;
  const permitted = spawnSync('sh', ['-c', IN_NAMESPACE, 'true'], { stdio: 'ignore' }).status === 0;
  const NOT_PERMITTED = 'needs "unshare --net", which does not meet permitted here';

  // Nobody outside of the namespace could answer.
  const server = `
    (await import('node:net')).createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'));
    }).listen({ port: 8080, host: '127.0.0.1', backlog: 4096 });`;

  test('fewer than clients are a refusal before the start, with the number it needs', async ({ skip }) => {
    skip(!permitted, NOT_PERMITTED);
    const job = jobOf([targetOf(8080)], { testType: 'cycling', initial: 200, total: 200 });
    const { refusal } = await runInChildProcess(rig, job, { prepare: IN_NAMESPACE, prelude: server }).told;
    expect(refusal).toBe('the run needs 200 source ports to one address, but this machine has 100');
  });

  test('that wait after each client are a refusal too, and serve again when they have waited', async ({
    skip,
  }) => {
    skip(!permitted, NOT_PERMITTED);
    const job = (total: number) =>
      jobOf([targetOf(8080)], { testType: 'per-second', total, duration: 3500, threads: 1 });
    const { refusal } = await runInChildProcess(rig, job(150), { prepare: IN_NAMESPACE, prelude: server })
      .told;
    expect(refusal).toBe(
      'the run needs 150 source ports to one address, but this machine has 100: each client opens a connection, and its port stays taken for 1 s after it',
    );
    const report = await runInChildProcess(rig, job(40), { prepare: IN_NAMESPACE, prelude: server }).report;
    // More than there are ports. Sixty of them are to spare for a second and a half in which this machine is busy.
    expect(report.total.ledger).toMatchObject({ success: 140, notStarted: { noSocket: 0 } });
  });

  test('several addresses of one host share them', async ({ skip }) => {
    skip(!permitted, NOT_PERMITTED);
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    const job = jobOf([targetOf(8080, { addresses })], { testType: 'cycling', initial: 240, total: 240 });
    const everywhere = server.replace("host: '127.0.0.1'", "host: '0.0.0.0'");
    const report = await runInChildProcess(rig, job, { prepare: IN_NAMESPACE, prelude: everywhere }).report;
    expect(report.peakConnections).toBe(240);
    expect(report.total.ledger).toMatchObject({ notStarted: { noSocket: 0 }, network: {} });
  });

  test('that run out are a fault of the generator, never of the target', async ({ skip }) => {
    skip(!permitted, NOT_PERMITTED);
    // Their ports are free again after a second, but the answers take longer.
    const late = server.replace(/socket\.write\((.*)\)\)/, 'setTimeout(() => socket.write($1), 2500))');
    const job = jobOf([targetOf(8080)], { testType: 'per-second', total: 90, duration: 2000, timeout: 5000 });
    const report = await runInChildProcess(rig, job, { prepare: IN_NAMESPACE, prelude: late }).report;
    const { ledger } = report.total;
    expect(ledger.notStarted.noSocket).toBeGreaterThan(50);
    expect(ledger).toMatchObject({ planned: 180, network: {}, protocol: {}, httpError: {}, abandoned: 0 });
    expect(ledger.success).toBe(180 - ledger.notStarted.noSocket);
    expect(ledger.success).toBeGreaterThanOrEqual(100);
    expect(report.generator.overloaded).toBe(true);
    expect(report.errorSamples).toContainEqual({
      url: 'http://shop.test:8080/',
      error: 'not sent: no socket available on this machine',
      count: ledger.notStarted.noSocket,
    });
  });
});
