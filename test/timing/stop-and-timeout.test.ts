/** Early ends of runs: stops, error thresholds, lost threads and limits of the machine. */
import { writeFileSync } from 'node:fs';
import { withCommas } from '../../src/core/counted.ts';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ProblemError } from '../../src/core/problem.ts';
import {
  countRequiredConnections,
  findShortage,
  readMachineLimits,
} from '../../src/engine/machine-limits.ts';
import { createEngine } from '../../src/engine/engine.ts';
import {
  jobOf,
  openTestEngine,
  useTestEngine,
  runJob,
  runInChildProcess,
  targetOf,
} from '../support/test-engine.ts';
import { responseText, openRawTarget } from '../support/raw-target.ts';

const testEngine = useTestEngine();

const soon = (milliseconds: number, what: () => void): void => {
  setTimeout(what, milliseconds);
};

describe('stopping a run', () => {
  test.each([
    ['stopped', 'stopped'],
    ['verification_lost', 'aborted'],
  ] as const)(
    'no request begins more than 100 ms after a stop with the reason "%s", and all planned requests are counted',
    async (reason, unstarted) => {
      let stoppedAt = Number.POSITIVE_INFINITY;
      const shop = await openRawTarget();
      const job = jobOf([targetOf(shop.port), targetOf(shop.port, { path: '/b' })], {
        total: 1000,
        duration: 10_000,
      });
      const { report, ledger } = await runJob(testEngine.engine, job, (load) => {
        soon(600, () => {
          stoppedAt = performance.now();
          load.stop(reason);
          load.stop('partial');
        });
      });
      expect(report.abortReason).toBe(reason);
      expect(report.elapsed).toBeLessThan(1500);
      expect(Math.max(...shop.requests.map(({ at }) => at))).toBeLessThan(stoppedAt + 100);
      expect(ledger).toMatchObject({
        planned: 2000,
        started: shop.requests.length,
        success: shop.requests.length,
      });
      expect(ledger.notStarted[unstarted]).toBe(2000 - shop.requests.length);
    },
  );

  test('requests that are in flight when a run is stopped can finish', async () => {
    let onAllSent = (): void => undefined;
    const shop = await openRawTarget((_request, write) => {
      setTimeout(write, 400, responseText(200, ''));
      if (shop.requests.length === 5) onAllSent();
    });
    const job = jobOf([targetOf(shop.port)], { testType: 'cycling', initial: 5, total: 5, duration: 10_000 });
    const { ledger, report } = await runJob(testEngine.engine, job, (load) => {
      onAllSent = () => load.stop('stopped');
    });
    expect(ledger).toMatchObject({ planned: 5, started: 5, success: 5, abandoned: 0 });
    expect(report.elapsed).toBeLessThan(2000);
  });

  test('ten requests without a response count as timed out or abandoned', async () => {
    const shop = await openRawTarget(() => undefined);
    const job = jobOf([targetOf(shop.port)], { total: 10, duration: 200, timeout: 300 });
    const { ledger, report } = await runJob(testEngine.engine, job);
    expect(ledger.timeout.response + ledger.abandoned).toBe(10);
    expect(report.elapsed).toBeLessThan(700);
  });

  test('a run that is stopped before its threads are ready reports all planned requests as not started', async () => {
    const shop = await openRawTarget();
    const { ledger, report } = await runJob(testEngine.engine, jobOf([targetOf(shop.port)]), (load) => {
      load.stop('stopped');
    });
    expect(ledger).toMatchObject({ planned: 10, started: 0, notStarted: { stopped: 10 } });
    expect(report).toMatchObject({ abortReason: 'stopped', elapsed: 0 });
    expect(shop.connections()).toBe(0);
  });

  test('closing the engine stops its run, and the requests in flight count as abandoned', async () => {
    const ownEngine = openTestEngine();
    const shop = await openRawTarget(() => undefined);
    const started = performance.now();
    const [{ ledger, report }] = await Promise.all([
      runJob(
        ownEngine.engine,
        jobOf([targetOf(shop.port)], { total: 100, duration: 20_000, timeout: 20_000 }),
      ),
      new Promise<void>((resolve) => {
        soon(500, () => resolve(ownEngine.close()));
      }),
    ]);
    expect(performance.now() - started).toBeLessThan(2500);
    expect(report.abortReason).toBe('stopped');
    expect(ledger).toMatchObject({ planned: 100, abandoned: shop.requests.length });
  });
});

describe('the error threshold', () => {
  test('an error threshold of 50% stops a run in which all requests fail, after at least 20 requests', async () => {
    const shop = await openRawTarget((_request, write) => write(responseText(500, '')));
    const job = jobOf([targetOf(shop.port)], {
      testType: 'per-second',
      total: 200,
      duration: 10_000,
      errorThreshold: 50,
    });
    const { report, ledger } = await runJob(testEngine.engine, job);
    expect(report.abortReason).toBe('error_threshold');
    expect(report.elapsed).toBeLessThan(1000);
    expect(ledger.httpError).toEqual({ 500: shop.requests.length });
    expect(shop.requests.length).toBeGreaterThanOrEqual(20);
    expect(ledger.notStarted.aborted).toBe(2000 - shop.requests.length);
  });
});

describe('engine threads', () => {
  /** Creates an entry that precedes the real one. One of the threads throws after it has reported requests. */
  function createDyingThread(): URL {
    const path = join(testEngine.directory, 'dying.mjs');
    writeFileSync(
      path,
      `import { parentPort, workerData } from 'node:worker_threads';
       const post = parentPort.postMessage.bind(parentPort);
       const fails = ({ type, snapshot }) =>
         workerData.shard.threadIndex === 1 && type === 'snapshot' && snapshot.targets[0].started > 0;
       parentPort.postMessage = (message) => {
         post(message);
         if (fails(message)) setTimeout(() => { throw new Error('planted'); }, 400);
       };
       await import(${JSON.stringify(testEngine.threadUrl.href)});`,
    );
    return pathToFileURL(path);
  }

  test('if one of two threads throws an error, the run is partial, and the requests of the remaining thread are counted', async () => {
    const shop = await openRawTarget();
    const engine = createEngine({ threadUrl: createDyingThread(), version: '0.0.0' });
    // The threads number their requests: one uses the even numbers, the other one the odd numbers.
    const job = jobOf([targetOf(shop.port, { path: '/%{0:99999}' })], {
      testType: 'per-second',
      total: 100,
      duration: 60_000,
      threads: 2,
    });
    const { report, ledger } = await runJob(engine, job);
    await engine.close();
    expect(report.abortReason).toBe('partial');
    expect(report.elapsed).toBeLessThan(30_000);
    expect(ledger.planned).toBe(6000);
    // The requests of the other thread are counted exactly; those of the lost one as far as it reported them.
    const ofOther = shop.requests.filter(({ path }) => Number(path.slice(1)) % 2 === 0).length;
    expect(ledger.started).toBeGreaterThan(ofOther);
    expect(ledger.started).toBeLessThanOrEqual(shop.requests.length);
  });

  test('the engine returns null when it is asked to resume a run of an earlier process', async () => {
    expect(await testEngine.engine.resume('some run', () => undefined)).toBeNull();
  });

  test('a run fails if its threads cannot be started', async () => {
    const engine = createEngine({ threadUrl: new URL('file:///nowhere/thread.js'), version: '0.0.0' });
    const load = engine.start(jobOf([targetOf(80)]), () => undefined);
    await expect(load.ended).rejects.toBeInstanceOf(ProblemError);
    await engine.close();
  });
});

describe('limits of the machine', () => {
  const limits = { files: 1024, openFiles: 20, ports: 28_000, portReuse: 'loopback' as const };
  const cycling = (total: number, duration = 1000): ReturnType<typeof jobOf> =>
    jobOf([targetOf(80)], { testType: 'cycling', total, duration });

  test.each([
    [900, 0, null],
    [1000, 0, 'with this run, the process needs 1,084 open files, but the limit is 1,024'],
    [900, 100, 'with this run, the process needs 1,084 open files, but the limit is 1,024'],
  ])(
    'for %i connections in addition to %i connections of other runs, the check of the open-file limit returns %j',
    (total, reserved, message) => {
      const problem = findShortage(cycling(total), limits, reserved);
      expect(problem?.message ?? null).toBe(message);
      expect(problem?.code ?? 'LT_RUN_CAPACITY').toBe('LT_RUN_CAPACITY');
    },
  );

  const targetAt = (hostname: string, ...addresses: readonly string[]) =>
    targetOf(80, { hostname, addresses });
  test.each([
    [
      '30,000 clients that connect to one address cause a shortage',
      [targetAt('a', '10.0.0.1')],
      30_000,
      30_000,
    ],
    [
      '28,000 clients that connect to one address cause no shortage',
      [targetAt('a', '10.0.0.1')],
      28_000,
      null,
    ],
    [
      '56,000 clients that connect to a host with two addresses cause no shortage',
      [targetAt('a', '10.0.0.1', '10.0.0.2')],
      56_000,
      null,
    ],
    [
      '56,001 clients that connect to a host with two addresses cause a shortage',
      [targetAt('a', '10.0.0.1', '10.0.0.2')],
      56_001,
      28_001,
    ],
    [
      '15,000 clients that connect to two host names with one address cause a shortage',
      [targetAt('a', '10.0.0.1'), targetAt('b', '10.0.0.1')],
      15_000,
      30_000,
    ],
    [
      '28,000 clients that request two URLs of one host cause no shortage',
      [targetAt('a', '10.0.0.1'), targetAt('a', '10.0.0.1')],
      28_000,
      null,
    ],
    [
      '28,000 clients that connect to two ports on different addresses cause no shortage',
      [targetAt('a', '10.0.0.1'), targetOf(81)],
      28_000,
      null,
    ],
  ])('with 28,000 source ports per address, %s', (_name, hosts, total, needed) => {
    const job = jobOf(hosts, { testType: 'cycling', initial: total, total });
    expect(findShortage(job, { ...limits, files: null }, 0)?.message ?? null).toBe(
      needed === null
        ? null
        : `the run needs ${withCommas(needed)} source ports to one address, but the load generator has 28,000`,
    );
  });

  test('for a per-second test with 1,000 clients per second, countRequiredConnections returns 101', () => {
    expect(
      countRequiredConnections(
        jobOf([targetOf(80)], { testType: 'per-second', total: 1000, duration: 5000 }),
      ),
    ).toBe(101);
  });

  test('readMachineLimits returns a positive open-file limit and a positive number of open files', () => {
    const { files, openFiles } = readMachineLimits();
    expect(files).toBeGreaterThan(0);
    expect(openFiles).toBeGreaterThan(0);
  });

  test('a run of 3,000,000 clients is refused with LT_RUN_CAPACITY because it exceeds the limits of this process', async () => {
    const load = testEngine.engine.start(cycling(3_000_000), () => undefined);
    await expect(load.ended).rejects.toThrow(/needs [\d,]+ (open files|source ports)/);
    await expect(load.ended).rejects.toMatchObject({ problem: { code: 'LT_RUN_CAPACITY' } });
    expect((await testEngine.engine.check(cycling(3_000_000)))?.reason).toMatch(
      /needs [\d,]+ (open files|source ports)/,
    );
    expect(await testEngine.engine.check(cycling(3))).toBeNull();
  });

  test('requests whose sockets the operating system refuses count as not started by the load generator, not as failures of the target', async () => {
    const shop = await openRawTarget(() => undefined);
    const job = jobOf([targetOf(shop.port)], { total: 150, duration: 700, timeout: 600, threads: 1 });
    const report = await runInChildProcess(testEngine, job, { prepare: 'ulimit -n 112 &&' }).report;
    const { ledger } = report.total;
    expect(ledger.notStarted.noSocket).toBeGreaterThan(0);
    expect(ledger).toMatchObject({ planned: 150, network: {}, protocol: {}, httpError: {} });
    expect(ledger.started).toBe(150 - ledger.notStarted.noSocket);
    expect(ledger.timeout.response).toBe(ledger.started);
    expect(report.generator.overloaded).toBe(true);
  });

  test('a job fails if it sets a Host header, or if a target address is not an IP address', async () => {
    const reservedHeader = targetOf(80, { headers: [{ name: 'Host', value: 'elsewhere' }] });
    await expect(testEngine.engine.start(jobOf([reservedHeader]), () => undefined).ended).rejects.toThrow(
      'Bug',
    );
    const unpinned = targetOf(80, { addresses: ['localhost'] });
    await expect(testEngine.engine.start(jobOf([unpinned]), () => undefined).ended).rejects.toThrow(
      'is not an IP address',
    );
  });
});
