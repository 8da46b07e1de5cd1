/** A generator that stands still spoils figures, and is never charged to the target. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../src/contract/result-codec.ts';
import { evaluateRun } from '../../src/core/run-evaluation.ts';
import type { RunVerdict } from '../../src/core/model/run-verdict.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { declaredTest } from '../support/declared-state.ts';
import {
  createThreadEntry,
  jobOf,
  openTestEngine,
  runInChildProcess,
  targetOf,
  type TestEngine,
} from '../support/test-engine.ts';
import { runAfter } from '../support/run-after.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

let rig: TestEngine;
let shop: ReferenceTarget;
beforeAll(async () => {
  [rig, shop] = await Promise.all([openTestEngine(), startReferenceTarget()]);
});
afterAll(() => Promise.all([rig.close(), shop.close()]));

const STALL_MS = 700;

/** Runs a job; once its first requests have come, something happens to its generator. */
type Stalled = (job: LoadJob) => Promise<RunReport>;

const sigstop =
  (lasting: number): Stalled =>
  async (job) => {
    await shop.log();
    const apart = runInChildProcess(rig, job);
    for (let seen = 0; seen === 0; seen = (await shop.log()).requests.length)
      await runAfter(5, () => undefined);
    await runAfter(300, () => apart.child.kill('SIGSTOP'));
    await runAfter(lasting, () => apart.child.kill('SIGCONT'));
    return apart.report;
  };

/** What one of two threads does, some time after it has come up. */
const inThread =
  (name: string, does: string): Stalled =>
  (job) => {
    const program = `if (workerData.share.worker === 1) setTimeout(() => { ${does} }, 900);`;
    return runInChildProcess(rig, job, { threadUrl: createThreadEntry(rig, name, program) }).report;
  };

const STALLS: readonly (readonly [string, Stalled])[] = [
  ['the process stood still', sigstop(STALL_MS)],
  [
    'a thread waited',
    inThread('waits', `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STALL_MS});`),
  ],
  [
    'a thread burnt its core',
    inThread('burns', `for (const end = performance.now() + ${STALL_MS}; performance.now() < end;);`),
  ],
];

function verdictOf(report: RunReport, limits: Readonly<Record<string, string>>): RunVerdict {
  const result = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, false));
  return evaluateRun(declaredTest('home', { thresholds: limits }, []), result);
}

/** Far above what the target takes, which is 10 ms, and far below what the stall makes of that. */
const LIMIT_MS = 300;

describe.each(STALLS)('limits that only a stall breaks are left open: %s', (_name, stalled) => {
  test('in an open test', async () => {
    const target = targetOf(shop.port, { path: '/plain/%{1:9999}?wait=10' });
    const report = await stalled(
      jobOf([target], { testType: 'per-second', total: 100, duration: 2500, timeout: 5000, threads: 2 }),
    );
    for (const metric of ['p95', 'p99', 'max']) {
      const verdict = verdictOf(report, { [metric]: `< ${LIMIT_MS}ms` });
      expect(verdict.verdict, JSON.stringify([verdict, report.bounds, report.machine])).toBe('inconclusive');
    }
    expect(verdictOf(report, { p95: '< 10s', error_rate: '< 1%' }).verdict).toBe('pass');
    expect(verdictOf(report, { min: '> 5s' }).verdict).toBe('fail');
  });

  test('in a cycling test, also where answers were read too late', async () => {
    const target = targetOf(shop.port, { path: '/plain/%{1:9999}?wait=10' });
    const report = await stalled(
      jobOf([target], {
        testType: 'cycling',
        initial: 6,
        total: 6,
        duration: 2500,
        timeout: 500,
        threads: 2,
      }),
    );
    const { timeoutError, requestsPerSecond } = {
      timeoutError: report.total.ledger.timeout.response,
      requestsPerSecond: report.requestsPerSecond,
    };
    expect(timeoutError).toBeGreaterThan(0);
    const limits = {
      max: `< ${LIMIT_MS}ms`,
      timeout_error: '<= 0',
      error_rate: '<= 0%',
      // Less than the stall has taken from one of the threads.
      requests_per_second: `> ${(1.05 * requestsPerSecond).toFixed(3)}`,
    };
    for (const [metric, limit] of Object.entries(limits)) {
      const verdict = verdictOf(report, { [metric]: limit });
      expect(verdict.verdict, JSON.stringify([verdict, report.bounds])).toBe('inconclusive');
      expect(verdict.thresholds[0]?.reason).toMatch(
        /: this machine (stood still for up to [\d,]+ ms|was the limit)/,
      );
    }
    expect(verdictOf(report, { max: '< 10s', error_rate: '< 50%' }).verdict).toBe('pass');
  });
});

test('a load of which much was never offered makes the run inconclusive as a whole', async () => {
  const target = targetOf(shop.port, { path: '/plain/%{1:9999}' });
  const job = jobOf([target], { testType: 'per-second', total: 100, duration: 3000, timeout: 5000 });
  const report = await sigstop(1800)(job);
  const verdict = verdictOf(report, { error_rate: '< 50%' });
  expect(verdict.verdict).toBe('inconclusive');
  expect(verdict.reason).toMatch(
    /^the declared load was not offered: \d+ of 300 clients never started; this machine stood still for up to [\d,]+ ms in \d of \d seconds$/,
  );
  expect(report.total.ledger.notStarted.saturated).toBeGreaterThan(30);
});
