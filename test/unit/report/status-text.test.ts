import { describe, expect, test } from 'vitest';
import type { RunProgress } from '../../../src/core/load/run-report.ts';
import { testId } from '../../../src/core/model/ids.ts';
import type { ObservedTest } from '../../../src/core/model/load-test.ts';
import type { RegisteredWorker } from '../../../src/core/model/worker.ts';
import { createAccountStatus } from '../../../src/core/report/status-document.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { statusText } from '../../../src/report/status-text.ts';
import { simulateApply } from '../../../src/core/reconcile/simulated-apply.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { declareState } from '../../support/declared-state.ts';

const PROGRESS: RunProgress = {
  elapsed: milliseconds(3_980),
  warmingUp: false,
  connections: 5,
  success: 12_000,
  error: 1_000,
  timeoutError: 200,
  networkError: 34,
  requestsPerSecond: 3_305.6,
  p95: 23.946,
};

function running(duration: string): ObservedTest {
  const [only] = simulateApply(declareState().app('shop').test('home', { duration }).state, sha256, 0).tests;
  if (only === undefined) throw new Error('there is no test');
  return { ...only, status: 'running', statusKind: 'running' };
}

describe('running tests in the text of a status', () => {
  const progress = new Map([[testId('home'), PROGRESS]]);

  test('the text of a status shows the progress of a test in lines of at most 60 characters', () => {
    const status = createAccountStatus([], [running('1m')], { now: 0, progress, workers: [] });
    const lines = statusText(status, NO_PAINT).split('\n');
    expect(lines.slice(3, 5)).toEqual([
      '      running 3s of 1m',
      '      13,234 requests, 3,306/s, 1,234 failed, p95 23.9 ms',
    ]);
    expect(Math.max(...lines.slice(3, 5).map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test('the text of a status marks tests that are warming up', () => {
    const warmingUp = new Map([[testId('home'), { ...PROGRESS, warmingUp: true }]]);
    const status = createAccountStatus([], [running('1m')], { now: 0, progress: warmingUp, workers: [] });
    expect(statusText(status, NO_PAINT)).toContain('      running 3s of 1m, warming up\n');
    expect(status.unmanaged_tests?.[0]?.progress).toMatchObject({ warming_up: true });
  });

  test('the text of a status omits a duration and a p95 that the service does not report', () => {
    const withoutP95 = new Map([[testId('home'), { ...PROGRESS, p95: null }]]);
    const withoutDuration = { ...running('1m'), duration: null };
    const text = statusText(
      createAccountStatus([], [withoutDuration], { now: 0, progress: withoutP95, workers: [] }),
      NO_PAINT,
    );
    expect(text).toContain('      running 3s\n      13,234 requests, 3,306/s, 1,234 failed\n');
  });

  test('the text of a status shows a request rate below 1 per second', () => {
    const slow = new Map([[testId('home'), { ...PROGRESS, requestsPerSecond: 0.25 }]]);
    const status = createAccountStatus([], [running('1m')], { now: 0, progress: slow, workers: [] });
    expect(statusText(status, NO_PAINT)).toContain(' 0.25/s, 1,234 failed');
  });

  test('the status document contains the progress of a running test, or null if the progress is unknown', () => {
    const { unmanaged_tests: tests } = createAccountStatus([], [running('1m')], {
      now: 0,
      progress,
      workers: [],
    });
    expect(tests?.[0]?.progress).toEqual({
      elapsed: 3.98,
      duration: 60,
      connections: 5,
      requests: 13_234,
      failed: 1_234,
      requests_per_second: 3_305.6,
      p95: 23.946,
    });
    expect(
      createAccountStatus([], [running('1m')], { now: 0, progress: new Map(), workers: [] })
        .unmanaged_tests?.[0]?.progress,
    ).toBe(null);
  });
});

describe('workers in the text of a status', () => {
  const worker: RegisteredWorker = {
    id: '0123456789abcdef',
    name: 'east-1',
    version: '1.2.3',
    protocol: 1,
    compatible: true,
    connectedAt: 0,
    state: 'busy',
    runId: 'f00d',
    threads: 4,
    connections: 28_000,
    families: [4, 6],
    clock: { offsetMs: 0, uncertaintyMs: 0 },
    load: 0,
  };

  test('the text of a status lists the capacity and the active run of each worker, and marks incompatible workers', () => {
    const other: RegisteredWorker = {
      ...worker,
      name: 'west\u001b[2J',
      state: 'ready',
      runId: null,
      compatible: false,
      threads: 1,
      connections: null,
      families: [],
    };
    const status = createAccountStatus([], [], { now: 0, progress: new Map(), workers: [worker, other] });
    const lines = statusText(status, NO_PAINT).trimEnd().split('\n').slice(-3);
    expect(lines[0]).toBe('Workers');
    expect(lines[1]).toBe(
      '  east-1             busy       4 threads, 28,000 connections, IPv4 and IPv6, running f00d',
    );
    expect(lines[2]).toMatch(/^ {2}west\S+ +unusable +1 thread, incompatible version 1\.2\.3$/);
    expect(lines[2]).not.toContain('\u001b');
  });

  test('the text of a status states what a lost worker ran, and why the state of the workers is unknown', () => {
    const lost: RegisteredWorker = { ...worker, state: 'lost', runId: 'ab12', lostAt: 0 };
    const moment = { now: 0, progress: new Map() };
    expect(statusText(createAccountStatus([], [], { ...moment, workers: [lost] }), NO_PAINT)).toMatch(
      /^ {2}east-1 +lost .*, ran ab12$/m,
    );
    const unknown = createAccountStatus([], [], { ...moment, workers: [], workersError: 'no response' });
    expect(statusText(unknown, NO_PAINT)).toContain('Workers\n  unknown: no response\n');
  });

  test('the text of a status has no section for workers if the service has no workers', () => {
    const status = createAccountStatus([], [], { now: 0, progress: new Map(), workers: [] });
    expect(status.workers).toBeUndefined();
    expect(statusText(status, NO_PAINT)).not.toContain('Workers');
  });
});

test('the text of a status shows a percentile that is affected by timeouts as "≥" and the timeout', () => {
  const metrics = { requests: 100, timeout_error: 60, p50: 2041, p95: 2043 };
  const result = { timeout_ms: 2000, timeout_error: 60 };
  const lastRun = {
    result_id: 'r1',
    started_at: null,
    state: 'ended' as const,
    verdict: 'none' as const,
    reason: null,
    thresholds: [],
    metrics,
    result,
  };
  const status = {
    ...createAccountStatus([], [], { now: 0, progress: new Map(), workers: [] }),
    tests: [
      {
        address: 'test.home',
        declared: 'present' as const,
        test_id: 't1',
        status: 'complete',
        state: 'ended' as const,
        scheduled_at: null,
        current_run: null,
        superseded: [],
        last_run: lastRun,
      },
    ],
  };
  expect(statusText(status, NO_PAINT)).toContain('p50 ≥ 2 s (60 timed out), p95 ≥ 2 s (60 timed out)');
});
