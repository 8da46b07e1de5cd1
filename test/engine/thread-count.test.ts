/** As many threads as a load needs and this machine has room for: what is told of it is what was used. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCpuCapacity } from '../../src/engine/cpu-capacity.ts';
import { openCpuGroup } from '../support/cpu-group.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
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

/** More than one thread is meant to hold. */
const MANY = { testType: 'cycling', initial: 600, total: 600, duration: 600, threads: null } as const;

describe('a run whose threads nobody asked for', () => {
  test('has one for a small load, whatever the machine has', async () => {
    const shop = await openRawTarget();
    const { report } = await runJob(rig.engine, jobOf([targetOf(shop.port)], { total: 30, threads: null }));
    expect(report.generator.threads).toBe(1);
    expect(report.machine).toMatchObject({ cores: availableParallelism(), because: 'load' });
    expect(report.machine?.threadLoads).toHaveLength(1);
  });

  test('leaves a core to a target on this machine', async () => {
    const shop = await openRawTarget();
    const { report } = await runJob(rig.engine, jobOf([targetOf(shop.port)], MANY));
    expect(report.generator.threads).toBe(Math.max(1, Math.min(3, availableParallelism() - 1)));
  });

  test('leaves the cores of other runs to them', async () => {
    const shop = await openRawTarget();
    const cores = availableParallelism();
    const other = rig.engine.start(
      jobOf([targetOf(shop.port)], { threads: cores, total: 100 }),
      () => undefined,
    );
    const { report } = await runJob(rig.engine, jobOf([targetOf(shop.port)], MANY));
    await other.ended;
    expect(report.generator.threads).toBe(1);
    expect(report.machine?.threadReason).toBe('runs');
  });
});

test('as many as were asked for are used, also more than there are cores', async () => {
  const shop = await openRawTarget();
  const { report } = await runJob(rig.engine, jobOf([targetOf(shop.port)], { total: 30, threads: 5 }));
  expect(report.generator.threads).toBe(5);
  expect(report.machine?.threadReason).toBe('asked');
  expect(report.machine?.threadLoads).toHaveLength(5);
});

describe('what the system gives', () => {
  const installed = spawnSync('taskset', ['-V'], { stdio: 'ignore' }).status === 0;

  test('one core by affinity is one thread', async ({ skip }) => {
    skip(!installed, 'needs taskset');
    const shop = await openRawTarget();
    const prepare = 'exec taskset -c 0 "$0" "$@";';
    const report = await runInChildProcess(rig, jobOf([targetOf(shop.port)], MANY), { prepare }).report;
    expect(report.machine).toMatchObject({ cores: 1, because: 'target' });
    expect(report.generator.threads).toBe(1);
  });

  test.for([0.5, 1.5])(
    'a quota of %d cores is seen, and one thread is made for it',
    async (quota, { skip }) => {
      const group = openCpuGroup(quota);
      if (typeof group === 'string') return skip(group);
      const shop = await openRawTarget();
      try {
        const { child, report } = runInChildProcess(rig, jobOf([targetOf(shop.port)], MANY), {
          prepare: group.join,
        });
        const gone = once(child, 'close');
        const { machine, generator } = await report;
        await gone;
        expect(machine).toMatchObject({ quota, cores: availableParallelism() });
        expect(generator.threads).toBe(1);
      } finally {
        group.close();
      }
    },
  );

  test('a target is on this machine if its address is one of this machine', () => {
    const roomFor = (...addresses: readonly string[]) =>
      readCpuCapacity(jobOf([targetOf(80, { addresses })]), 0);
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((one) => one.address));
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', ...own]) {
      expect(roomFor(address).targetIsLocal, address).toBe(true);
    }
    expect(roomFor('192.0.2.1').targetIsLocal).toBe(false);
    expect(roomFor('192.0.2.1', '127.0.0.1').targetIsLocal).toBe(true);
  });
});
