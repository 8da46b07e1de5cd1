/**
 * Limits of the machine: few open files and few source ports. The run is refused before its start, or the
 * generator is at fault.
 */
// @module-tag load
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { jobOf, useTestEngine, runInChildProcess, targetOf } from '../support/test-engine.ts';
import { openRawTarget, responseText } from '../support/raw-target.ts';

const testEngine = useTestEngine();

describe('open files', () => {
  test('with a limit of 64 open files, a run of 200 clients is refused, and the message states the required number', async () => {
    const shop = await openRawTarget();
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 200, total: 200 });
    const { report, refusal } = await runInChildProcess(testEngine, job, { prepare: 'ulimit -n 64 &&' })
      .output;
    expect(report).toBeNull();
    const [, needed] =
      /^with this run, the process needs ([\d,]+) open files, but the limit is 64$/.exec(refusal ?? '') ?? [];
    // The clients, the files that are already open, and a few spare ones.
    expect(Number(needed?.replaceAll(',', ''))).toBeGreaterThan(264);
    expect(Number(needed?.replaceAll(',', ''))).toBeLessThan(364);
    expect(shop.connections()).toBe(0);
  });

  test('if the open-file limit is exactly the number that the error requires, a run of 200 clients opens all of its connections', async () => {
    const waiting: (() => void)[] = [];
    // Responds when all connections are open.
    const shop = await openRawTarget((_request, write) => {
      waiting.push(() => write(responseText(200, 'ok')));
      if (shop.connections() === 200) for (const respond of waiting.splice(0)) respond();
    });
    const job = jobOf([targetOf(shop.port)], {
      testType: 'cycling',
      initial: 200,
      total: 200,
      iterations: 200,
      duration: 60_000,
      timeout: 60_000,
    });
    const { refusal } = await runInChildProcess(testEngine, job, { prepare: 'ulimit -n 64 &&' }).output;
    const needed = Number(/needs ([\d,]+) open files/.exec(refusal ?? '')?.[1]?.replaceAll(',', ''));
    const { total, peakConnections } = await runInChildProcess(testEngine, job, {
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

/** Delays the responses of a server program. */
function respondLate(program: string, ms: number): string {
  return program.replace(/socket\.write\((.*)\)\)/, `setTimeout(() => socket.write($1), ${ms}))`);
}

describe('source ports', () => {
  /** A network namespace with a hundred source ports. */
  const IN_NAMESPACE = `exec unshare --net --map-root-user sh -c '
    ip link set lo up && echo 40000 40099 > /proc/sys/net/ipv4/ip_local_port_range && exec "$0" "$@"' "$0" "$@";`;
  const permitted = spawnSync('sh', ['-c', IN_NAMESPACE, 'true'], { stdio: 'ignore' }).status === 0;
  const NOT_PERMITTED = 'needs "unshare --net", which is not permitted here';

  // The target must be inside the namespace.
  const server = `
    (await import('node:net')).createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'));
    }).listen({ port: 8080, host: '127.0.0.1', backlog: 4096 });`;

  test('a run is refused if the load generator has fewer source ports than the run has clients, and the message states both numbers', async ({
    skip,
  }) => {
    skip(!permitted, NOT_PERMITTED);
    const job = jobOf([targetOf(8080)], { testType: 'cycling', initial: 200, total: 200 });
    const { refusal } = await runInChildProcess(testEngine, job, { prepare: IN_NAMESPACE, prelude: server })
      .output;
    expect(refusal).toBe('the run needs 200 source ports to one address, but the load generator has 100');
  });

  test('a per-second run is refused if it needs more source ports at the same time than are available, and otherwise reuses ports after TIME_WAIT', async ({
    skip,
  }) => {
    skip(!permitted, NOT_PERMITTED);
    const job = (total: number) =>
      jobOf([targetOf(8080)], { testType: 'per-second', total, duration: 3500, threads: 1 });
    const { refusal } = await runInChildProcess(testEngine, job(150), {
      prepare: IN_NAMESPACE,
      prelude: server,
    }).output;
    expect(refusal).toBe(
      'the run needs 150 source ports to one address, but the load generator has 100: each client opens a connection, and its port stays in use for 1 s after the connection closes',
    );
    const report = await runInChildProcess(testEngine, job(40), { prepare: IN_NAMESPACE, prelude: server })
      .report;
    // More clients than ports. Sixty ports are spare for 1.5 s in which the machine may be busy.
    expect(report.total.ledger).toMatchObject({ success: 140, notStarted: { noSocket: 0 } });
  });

  test('with 100 source ports, a run opens 240 connections to a host with three addresses', async ({
    skip,
  }) => {
    skip(!permitted, NOT_PERMITTED);
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    // All clients can start within the duration, even on a slow machine.
    const load = { testType: 'cycling', initial: 240, total: 240, duration: 5000 } as const;
    const job = jobOf([targetOf(8080, { addresses })], load);
    const serverOnAllAddresses = respondLate(server, 1000).replace("host: '127.0.0.1'", "host: '0.0.0.0'");
    const report = await runInChildProcess(testEngine, job, {
      prepare: IN_NAMESPACE,
      prelude: serverOnAllAddresses,
    }).report;
    expect(report.peakConnections).toBe(240);
    expect(report.total.ledger).toMatchObject({ notStarted: { noSocket: 0 }, network: {} });
  });

  test('requests without a free source port count as not started by the load generator, not as failures of the target', async ({
    skip,
  }) => {
    skip(!permitted, NOT_PERMITTED);
    // The ports are free after a second, but the responses take longer.
    const slowServer = respondLate(server, 2500);
    const job = jobOf([targetOf(8080)], { testType: 'per-second', total: 90, duration: 2000, timeout: 5000 });
    const report = await runInChildProcess(testEngine, job, { prepare: IN_NAMESPACE, prelude: slowServer })
      .report;
    const { ledger } = report.total;
    expect(ledger.notStarted.noSocket).toBeGreaterThan(50);
    expect(ledger).toMatchObject({ planned: 180, network: {}, protocol: {}, httpError: {}, abandoned: 0 });
    expect(ledger.success).toBe(180 - ledger.notStarted.noSocket);
    expect(ledger.success).toBeGreaterThanOrEqual(100);
    expect(report.generator.overloaded).toBe(true);
    expect(report.errorSamples).toContainEqual({
      url: 'http://shop.test:8080/',
      error: 'not sent: no socket available on the load generator',
      count: ledger.notStarted.noSocket,
    });
  });
});
