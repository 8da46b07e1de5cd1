/** Number of threads: as many as the load needs and the machine allows, and reported truthfully. */
// @module-tag load
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { readCpuCapacity } from '../../src/engine/cpu-capacity.ts';
import { openCpuGroup } from '../support/cpu-group.ts';
import { jobOf, useTestEngine, runJob, runInChildProcess, targetOf } from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';

const testEngine = useTestEngine();

/** More clients than one thread should have. */
const MANY = { testType: 'cycling', initial: 600, total: 600, duration: 100, threads: null } as const;

describe('a run without a declared number of threads', () => {
  test('without a declared number of threads, a run with a small load uses one thread', async () => {
    const shop = await openRawTarget();
    const { report } = await runJob(
      testEngine.engine,
      jobOf([targetOf(shop.port)], { total: 30, threads: null }),
    );
    expect(report.generator.threads).toBe(1);
    expect(report.machine).toMatchObject({ cores: availableParallelism(), threadReason: 'load' });
    expect(report.machine?.threadLoads).toHaveLength(1);
  });

  test('without a declared number of threads, a run with a large load uses at most three threads, and leaves one of several cores for a local target', async () => {
    const shop = await openRawTarget();
    const { report } = await runJob(testEngine.engine, jobOf([targetOf(shop.port)], MANY));
    expect(report.generator.threads).toBe(Math.max(1, Math.min(3, availableParallelism() - 1)));
  });

  test('without a declared number of threads, a run uses one thread if another run uses all cores', async () => {
    const shop = await openRawTarget();
    const cores = availableParallelism();
    const other = testEngine.engine.start(
      jobOf([targetOf(shop.port)], { threads: cores, total: 100 }),
      () => undefined,
    );
    const { report } = await runJob(testEngine.engine, jobOf([targetOf(shop.port)], MANY));
    await other.ended;
    expect(report.generator.threads).toBe(1);
    expect(report.machine?.threadReason).toBe('runs');
  });
});

test('a run that declares five threads uses five threads', async () => {
  const shop = await openRawTarget();
  const { report } = await runJob(testEngine.engine, jobOf([targetOf(shop.port)], { total: 30, threads: 5 }));
  expect(report.generator.threads).toBe(5);
  expect(report.machine?.threadReason).toBe('asked');
  expect(report.machine?.threadLoads).toHaveLength(5);
});

describe('the capacity of the system', () => {
  const installed = spawnSync('taskset', ['-V'], { stdio: 'ignore' }).status === 0;

  test('a run with a CPU affinity of one core uses one thread', async ({ skip }) => {
    skip(!installed, 'needs taskset');
    const shop = await openRawTarget();
    const prepare = 'exec taskset -c 0 "$0" "$@";';
    const report = await runInChildProcess(testEngine, jobOf([targetOf(shop.port)], MANY), { prepare })
      .report;
    expect(report.machine).toMatchObject({ cores: 1, threadReason: 'target' });
    expect(report.generator.threads).toBe(1);
  });

  test.for([0.5, 1.5])(
    'a run with a CPU quota of %d cores reports the quota and uses one thread',
    async (quota, { skip }) => {
      const group = openCpuGroup(quota);
      if (typeof group === 'string') return skip(group);
      const shop = await openRawTarget();
      try {
        const { child, report } = runInChildProcess(testEngine, jobOf([targetOf(shop.port)], MANY), {
          prepare: group.join,
        });
        const childClosed = once(child, 'close');
        const { machine, generator } = await report;
        await childClosed;
        expect(machine).toMatchObject({ quota, cores: availableParallelism() });
        expect(generator.threads).toBe(1);
      } finally {
        group.close();
      }
    },
  );

  test('a target is local if one of its addresses is a loopback address or an address of the machine', () => {
    const capacityFor = (...addresses: readonly string[]) =>
      readCpuCapacity(jobOf([targetOf(80, { addresses })]), 0);
    const localAddresses = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).map((entry) => entry.address),
    );
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', ...localAddresses]) {
      expect(capacityFor(address).targetIsLocal, address).toBe(true);
    }
    expect(capacityFor('192.0.2.1').targetIsLocal).toBe(false);
    expect(capacityFor('192.0.2.1', '127.0.0.1').targetIsLocal).toBe(true);
  });
});
