/** Source ports that wait: what an open test needs of them, told before it starts. */
import { describe, expect, test } from 'vitest';
import { rampsOf } from '../../../src/core/load/ramps.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { findShortage, type MachineLimits } from '../../../src/engine/machine-limits.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';

const LIMITS: MachineLimits = { files: null, openFiles: 20, ports: 28_232, portReuse: 'loopback' };
const at = (...addresses: readonly string[]) => targetOf(80, { hostname: addresses.join(), addresses });
const minute = (total: number): JobChanges => ({ testType: 'per-second', total, duration: 60_000 });
const AWAY = '192.0.2.1';

describe('source ports that wait', () => {
  test.each<[name: string, targets: Parameters<typeof jobOf>[0], changes: JobChanges, needed: number | null]>(
    [
      ['470 clients a second for a minute are what there is', [at(AWAY)], minute(470), null],
      ['471 are too many', [at(AWAY)], minute(471), 28_260],
      ['and no more for an hour', [at(AWAY)], { ...minute(470), duration: 3_600_000 }, null],
      ['for half a minute twice as many', [at(AWAY)], { ...minute(940), duration: 30_000 }, null],
      [
        'evenly over the test',
        [at(AWAY)],
        { testType: 'non-cycling', total: 30_000, duration: 60_000 },
        30_000,
      ],
      ['of two addresses each has its own', [at(AWAY, '192.0.2.2')], minute(940), null],
      ['of two addresses, too many for each', [at(AWAY, '192.0.2.2')], minute(942), 28_260],
      [
        'of two hosts at one address, both',
        [at(AWAY), targetOf(80, { addresses: [AWAY] })],
        minute(236),
        28_320,
      ],
      ['on this machine they wait for a second', [at('127.0.0.1')], minute(28_000), null],
      ['and over IPv6', [at('::1')], minute(28_000), null],
      ['on this machine too many', [at('127.0.0.1')], minute(30_000), 30_000],
      [
        'clients of a cycling test keep their connections',
        [at(AWAY)],
        { ...minute(20_000), testType: 'cycling' },
        null,
      ],
    ],
  )('%s', (_name, targets, changes, needed) => {
    const found = findShortage(jobOf(targets, changes), LIMITS, 0);
    const said = /^the run needs (\d+) source ports to one address, but this machine has 28232: /.exec(
      found?.message ?? '',
    );
    expect(said === null ? found : Number(said[1])).toBe(needed);
  });

  test('a delay between requests keeps connections open, and their ports taken', () => {
    const rests = { min: milliseconds(30_000), max: milliseconds(50_000) };
    const targets = [targetOf(80, { delay: rests }), targetOf(80, { delay: rests })];
    const job = (total: number) => jobOf(targets, { testType: 'per-second', total, duration: 60_000 });
    // Half a minute and, on this machine, a second; what comes behind the last request keeps nothing.
    expect(findShortage(job(910), LIMITS, 0)).toBeNull();
    expect(findShortage(job(911), LIMITS, 0)?.message).toMatch(/^the run needs 28241 source ports/);
    const few: MachineLimits = { ...LIMITS, files: 1024 };
    expect(findShortage(job(31), few, 0)).toBeNull();
    expect(findShortage(job(40), few, 0)?.message).toMatch(/^the run needs 1284 open files/);
  });

  test('in stages the densest minute counts', () => {
    const stages = (to: number) => {
      const ramps = rampsOf('rate', 0, [
        { duration: milliseconds(120_000), to },
        { duration: milliseconds(120_000), to: 0 },
      ]);
      return jobOf([at(AWAY)], { testType: 'per-second', total: to, duration: 240_000, ramps });
    };
    // A minute around the peak has seven eighths of it.
    expect(findShortage(stages(530), LIMITS, 0)).toBeNull();
    expect(findShortage(stages(600), LIMITS, 0)).toMatchObject({
      message: expect.stringMatching(/^the run needs 31500 source ports/) as unknown,
      hint: expect.stringMatching(/^start at most 483 clients a second/) as unknown,
    });
  });

  test.each([
    ['all', 28_000, null],
    ['loopback', 28_000, 1_680_000],
    ['none', 28_000, 1_680_000],
  ] as const)('where ports are used again: %s', (portReuse, total, needed) => {
    const found = findShortage(jobOf([at(AWAY)], minute(total)), { ...LIMITS, portReuse }, 0);
    expect(found === null ? null : Number(/needs (\d+)/.exec(found.message)?.[1])).toBe(needed);
  });

  test('are told with the number that would do', () => {
    const found = findShortage(jobOf([at(AWAY)], minute(1000)), LIMITS, 0);
    expect(found).toMatchObject({
      code: 'LT_RUN_CAPACITY',
      message:
        'the run needs 60000 source ports to one address, but this machine has 28232: each client opens a connection, and its port stays taken for 60 s after it',
      hint: 'start at most 423 clients a second, or widen net.ipv4.ip_local_port_range; with net.ipv4.tcp_tw_reuse=1 a port is free after 1 s',
    });
    expect(findShortage(jobOf([at(AWAY)], minute(470)), LIMITS, 0)).toBeNull();
  });
});
