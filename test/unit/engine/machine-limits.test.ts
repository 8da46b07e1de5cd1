/** Source ports in TIME_WAIT: an open test that needs too many is refused before it starts. */
import { describe, expect, test } from 'vitest';
import { rampsOf } from '../../../src/core/model/ramps.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { findShortage, type MachineLimits } from '../../../src/engine/machine-limits.ts';
import { jobOf, targetOf, type JobChanges } from '../../support/test-engine.ts';

const LIMITS: MachineLimits = { files: null, openFiles: 20, ports: 28_232, portReuse: 'loopback' };
const targetAt = (...addresses: readonly string[]) => targetOf(80, { hostname: addresses.join(), addresses });
const perSecond = (total: number): JobChanges => ({ testType: 'per-second', total, duration: 60_000 });
const REMOTE = '192.0.2.1';

describe('source ports of a run', () => {
  const LOADS: readonly (readonly [
    name: string,
    targets: Parameters<typeof jobOf>[0],
    changes: JobChanges,
    needed: number | null,
  ])[] = [
    ['470 clients per second for a minute', [targetAt(REMOTE)], perSecond(470), null],
    ['471 clients per second for a minute', [targetAt(REMOTE)], perSecond(471), 28_260],
    [
      '470 clients per second for an hour',
      [targetAt(REMOTE)],
      { ...perSecond(470), duration: 3_600_000 },
      null,
    ],
    [
      '940 clients per second for half a minute',
      [targetAt(REMOTE)],
      { ...perSecond(940), duration: 30_000 },
      null,
    ],
    [
      '30,000 clients in a minute',
      [targetAt(REMOTE)],
      { testType: 'non-cycling', total: 30_000, duration: 60_000 },
      30_000,
    ],
    ['940 clients per second to two addresses', [targetAt(REMOTE, '192.0.2.2')], perSecond(940), null],
    ['942 clients per second to two addresses', [targetAt(REMOTE, '192.0.2.2')], perSecond(942), 28_260],
    [
      '236 clients per second to two hosts at one address',
      [targetAt(REMOTE), targetOf(80, { addresses: [REMOTE] })],
      perSecond(236),
      28_320,
    ],
    ['28,000 clients per second to loopback', [targetAt('127.0.0.1')], perSecond(28_000), null],
    ['28,000 clients per second to loopback over IPv6', [targetAt('::1')], perSecond(28_000), null],
    ['30,000 clients per second to loopback', [targetAt('127.0.0.1')], perSecond(30_000), 30_000],
    [
      '20,000 clients of a cycling test',
      [targetAt(REMOTE)],
      { ...perSecond(20_000), testType: 'cycling' },
      null,
    ],
  ];

  test.each(LOADS.map((row) => [row[3] === null ? 'accepts' : 'refuses', ...row] as const))(
    'the check of source ports %s %s',
    (_outcome, _name, targets, changes, needed) => {
      const shortage = findShortage(jobOf(targets, changes), LIMITS, 0);
      const match =
        /^the run needs ([\d,]+) source ports to one address, but the load generator has 28,232: /.exec(
          shortage?.message ?? '',
        );
      expect(match === null ? shortage : Number(match[1]?.replaceAll(',', ''))).toBe(needed);
    },
  );

  test('connections that stay open during delays between requests count toward the required ports and open files', () => {
    const delay = { min: milliseconds(30_000), max: milliseconds(50_000) };
    const targets = [targetOf(80, { delay }), targetOf(80, { delay })];
    const job = (total: number) => jobOf(targets, { testType: 'per-second', total, duration: 60_000 });
    // The delay takes half a minute, and TIME_WAIT on loopback takes a second. The last request has no delay.
    expect(findShortage(job(910), LIMITS, 0)).toBeNull();
    expect(findShortage(job(911), LIMITS, 0)?.message).toMatch(/^the run needs 28,241 source ports/);
    const fileLimits: MachineLimits = { ...LIMITS, files: 1024 };
    expect(findShortage(job(31), fileLimits, 0)).toBeNull();
    expect(findShortage(job(40), fileLimits, 0)?.message).toMatch(
      /^with this run, the process needs 1,284 open files/,
    );
  });

  test('requests that a client sends at the same time require a port and an open file each', () => {
    const targets = [1, 2, 3, 4].map(() => targetAt(REMOTE));
    const groups = [{ first: 1, count: 3, parallel: true as const }];
    const job = (total: number) => jobOf(targets, { ...perSecond(total), groups });
    expect(findShortage(job(156), LIMITS, 0)).toBeNull();
    expect(findShortage(job(157), LIMITS, 0)?.message).toMatch(/^the run needs 28,260 source ports/);
    const cycling = (total: number) => jobOf(targets, { testType: 'cycling', initial: total, total, groups });
    expect(findShortage(cycling(9410), LIMITS, 0)).toBeNull();
    expect(findShortage(cycling(9411), LIMITS, 0)?.message).toMatch(/^the run needs 28,233 source ports/);
    const fileLimits: MachineLimits = { ...LIMITS, files: 1024 };
    const files = (total: number) => findShortage(cycling(total), fileLimits, 0)?.message ?? null;
    expect([files(300), files(400)]).toEqual([
      null,
      expect.stringMatching(/^with this run, the process needs 1,284 open files/),
    ]);
  });

  test('a test with stages requires as many ports as its minute with the highest load', () => {
    const stages = (to: number) => {
      const ramps = rampsOf('rate', 0, [
        { duration: milliseconds(120_000), to },
        { duration: milliseconds(120_000), to: 0 },
      ]);
      return jobOf([targetAt(REMOTE)], { testType: 'per-second', total: to, duration: 240_000, ramps });
    };
    // The minute around the peak contains seven eighths of it.
    expect(findShortage(stages(530), LIMITS, 0)).toBeNull();
    expect(findShortage(stages(600), LIMITS, 0)).toMatchObject({
      message: expect.stringMatching(/^the run needs 31,500 source ports/) as unknown,
      hint: expect.stringMatching(/^start at most 483 clients per second/) as unknown,
    });
  });

  test.each([
    ['all', 28_000, 'accepted', null],
    ['loopback', 28_000, 'refused', 1_680_000],
    ['none', 28_000, 'refused', 1_680_000],
  ] as const)(
    'with the port reuse "%s", %i clients per second to a remote address are %s',
    (portReuse, rate, _outcome, needed) => {
      const shortage = findShortage(jobOf([targetAt(REMOTE)], perSecond(rate)), { ...LIMITS, portReuse }, 0);
      const ports = /needs ([\d,]+)/.exec(shortage?.message ?? '')?.[1]?.replaceAll(',', '');
      expect(shortage === null ? null : Number(ports)).toBe(needed);
    },
  );

  test('the error about a port shortage contains the required number of ports and the possible rate', () => {
    const shortage = findShortage(jobOf([targetAt(REMOTE)], perSecond(1000)), LIMITS, 0);
    expect(shortage).toMatchObject({
      code: 'LT_RUN_CAPACITY',
      message:
        'the run needs 60,000 source ports to one address, but the load generator has 28,232: each client opens a connection, and its port stays in use for 60 s after the connection closes',
      hint: 'start at most 423 clients per second, share connections with "connections: 200", or widen net.ipv4.ip_local_port_range; with net.ipv4.tcp_tw_reuse=1, a port is free after 1 s',
    });
    expect(findShortage(jobOf([targetAt(REMOTE)], perSecond(470)), LIMITS, 0)).toBeNull();
  });

  test('the error about a port shortage suggests no rate if the ports do not suffice for one client per second', () => {
    const shortage = findShortage(jobOf([targetAt(REMOTE)], perSecond(10)), { ...LIMITS, ports: 60 }, 0);
    expect(shortage?.hint).toMatch(/^share connections with "connections: 200", or widen /);
  });
});
