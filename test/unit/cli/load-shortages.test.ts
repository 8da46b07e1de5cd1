/** Warnings of a plan about load that exceeds the capacity of the machine. */
import { expect, test } from 'vitest';
import { findLoadShortages } from '../../../src/cli/session/load-shortages.ts';
import type { CpuCapacity } from '../../../src/core/load/thread-count.ts';
import type { MachineLimits } from '../../../src/engine/machine-limits.ts';
import { planFromLists } from '../../../src/core/reconcile/plan.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { declareState, type TestFields } from '../../support/declared-state.ts';
import { planOptions } from '../../support/simulated-machine.ts';

const LIMITS: MachineLimits = { files: 10_000, openFiles: 20, ports: 28_232, portReuse: 'loopback' };
const CPU: CpuCapacity = { cores: 2, quota: null, threadsInUse: 0, targetIsLocal: true };

const TESTS: readonly (readonly [name: string, fields: TestFields, warning: string | null])[] = [
  [
    'needs more source ports than the machine has',
    { type: 'per-second', total: 900, duration: '60s', urls: ['http://192.0.2.1/', 'http://192.0.2.1/a'] },
    '"home": the run needs 54,000 source ports to one address, but the load generator has 28,232: each client opens a connection, and its port stays in use for 60 s after the connection closes',
  ],
  [
    'needs slightly fewer source ports than the machine has',
    { type: 'per-second', total: 470, duration: '60s', urls: ['http://192.0.2.1/'] },
    null,
  ],
  [
    'sends requests to a loopback address, whose ports are free after a second',
    { type: 'per-second', total: 900, duration: '60s', urls: ['http://localhost:8080/'] },
    null,
  ],
  [
    'shares connections',
    { type: 'per-second', total: 900, duration: '60s', connections: 200, urls: ['http://192.0.2.1/'] },
    null,
  ],
  [
    'needs more open files than the limit of the process',
    { type: 'cycling', initial: 10_000, total: 10_000, duration: '60s', urls: ['http://192.0.2.1/'] },
    '"home": with this run, the process needs 10,084 open files, but the limit is 10,000',
  ],
  [
    'opens connections faster than one core can',
    { type: 'cycling', initial: 1, total: 9001, duration: '6s', urls: ['https://192.0.2.1/'] },
    '"home": opening about 1,500 connections per second takes 1.5 cores, but the load generator can use 1',
  ],
  [
    'opens connections more slowly than one core can',
    { type: 'cycling', initial: 1, total: 9001, duration: '10s', urls: ['https://192.0.2.1/'] },
    null,
  ],
  [
    'opens all of its 9,000 connections at the start',
    { type: 'cycling', initial: 9000, total: 9000, duration: '10s', urls: ['https://192.0.2.1/'] },
    null,
  ],
  [
    'starts more TLS clients per second than one core can',
    { type: 'per-second', total: 1200, duration: '10s', urls: ['https://127.0.0.1/'] },
    '"home": starting about 1,200 clients per second takes 1.2 cores, but the load generator can use 1',
  ],
  [
    'shares connections among TLS clients',
    { type: 'per-second', total: 1200, duration: '10s', connections: 50, urls: ['https://127.0.0.1/'] },
    null,
  ],
];

test.each(TESTS.map((row) => [row[2] === null ? 'no warning' : 'a warning', ...row] as const))(
  'a plan contains %s about the capacity for a test that %s',
  async (_found, _name, fields, warning) => {
    const desired = declareState().app('shop').test('home', fields).state;
    const observed = { apps: [], tests: [], maybeTruncated: false, firstStartTimes: new Map() };
    const { actions } = planFromLists(desired, observed, {
      options: planOptions(0),
      sha256,
    });
    const warnings = await findLoadShortages(actions, { limits: LIMITS, cpu: () => CPU });
    expect(warnings.map(({ message, severity }) => [severity, message])).toEqual(
      warning === null ? [] : [['warning', warning]],
    );
  },
);
