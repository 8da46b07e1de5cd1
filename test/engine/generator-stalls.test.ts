/** Stalls of the load generator distort metrics and must never be attributed to the target. */
// @module-tag load
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../src/contract/result-codec.ts';
import { evaluateRun } from '../../src/core/compare/run-evaluation.ts';
import type { RunVerdict } from '../../src/core/model/run-verdict.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import type { LoadJob } from '../../src/core/load/load-job.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { declaredTest } from '../support/declared-state.ts';
import {
  createThreadEntry,
  jobOf,
  openTestEngine,
  runInChildProcess,
  runJob,
  targetOf,
  type OpenTestEngine,
} from '../support/test-engine.ts';
import { runAfter } from '../support/run-after.ts';
import { sampleRows } from '../support/test-scale.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

let testEngine: OpenTestEngine;
let shop: ReferenceTarget;
beforeAll(async () => {
  testEngine = openTestEngine();
  shop = await startReferenceTarget();
});
afterAll(() => Promise.all([testEngine.close(), shop.close()]));

const STALL_MS = 700;

/** Runs a job and stalls its generator after the first requests have arrived. */
type StalledRun = (job: LoadJob) => Promise<RunReport>;

const stopProcess =
  (durationMs: number): StalledRun =>
  async (job) => {
    await shop.log();
    const childRun = runInChildProcess(testEngine, job);
    for (let requestCount = 0; requestCount === 0; requestCount = (await shop.log()).requests.length)
      await runAfter(25, () => undefined);
    await runAfter(300, () => childRun.child.kill('SIGSTOP'));
    await runAfter(durationMs, () => childRun.child.kill('SIGCONT'));
    return childRun.report;
  };

/** Executes statements in one of two threads, some time after its start, when the load of a slow machine has begun. */
const inThread =
  (name: string, statements: string): StalledRun =>
  async (job) => {
    const program = `if (workerData.shard.threadIndex === 1) setTimeout(() => { ${statements} }, 1800);`;
    const engine = createEngine({
      threadUrl: createThreadEntry(testEngine, name, program),
      version: '0.0.0',
    });
    try {
      return (await runJob(engine, job)).report;
    } finally {
      await engine.close();
    }
  };

const STALLS: readonly (readonly [string, StalledRun])[] = [
  ['the process was stopped', stopProcess(STALL_MS)],
  [
    'a thread waited',
    inThread('waits', `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STALL_MS});`),
  ],
  [
    'a thread was busy',
    inThread('burns', `for (const end = performance.now() + ${STALL_MS}; performance.now() < end;);`),
  ],
];

function verdictOf(report: RunReport, thresholds: Readonly<Record<string, string>>): RunVerdict {
  const result = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, false));
  return evaluateRun(declaredTest('home', { thresholds }, []), result);
}

/** Far above the times of the target, and far below the stall. */
const THRESHOLD_MS = 300;

/** Plays an open test, whose thresholds fail only because of a stall. */
async function expectInconclusiveOpenTest(runStalled: StalledRun): Promise<void> {
  const target = targetOf(shop.port, { path: '/plain/%{1:9999}?wait=10' });
  const report = await runStalled(
    jobOf([target], { testType: 'per-second', total: 100, duration: 3500, timeout: 5000, threads: 2 }),
  );
  for (const metric of ['p95', 'p99', 'max']) {
    const verdict = verdictOf(report, { [metric]: `< ${THRESHOLD_MS}ms` });
    expect(verdict.verdict, JSON.stringify([verdict, report.bounds, report.machine])).toBe('inconclusive');
  }
  expect(verdictOf(report, { p95: '< 10s', error_rate: '< 1%' }).verdict).toBe('pass');
  expect(verdictOf(report, { min: '> 5s' }).verdict).toBe('fail');
}

/** Plays a cycling test, whose thresholds, including one on timeouts, fail only because of a stall. */
async function expectInconclusiveCyclingTest(runStalled: StalledRun): Promise<void> {
  const target = targetOf(shop.port, { path: '/plain/%{1:9999}?wait=30' });
  const report = await runStalled(
    jobOf([target], {
      testType: 'cycling',
      initial: 6,
      total: 6,
      duration: 3500,
      timeout: 500,
      threads: 2,
    }),
  );
  const { timeoutError, requestsPerSecond } = {
    timeoutError: report.total.ledger.timeout.response,
    requestsPerSecond: report.requestsPerSecond,
  };
  expect(timeoutError).toBeGreaterThan(0);
  const thresholds = {
    max: `< ${THRESHOLD_MS}ms`,
    timeout_error: '<= 0',
    error_rate: '<= 0%',
    // Less than the stall took from one of the threads.
    requests_per_second: `> ${(1.05 * requestsPerSecond).toFixed(3)}`,
  };
  for (const [metric, threshold] of Object.entries(thresholds)) {
    const verdict = verdictOf(report, { [metric]: threshold });
    expect(verdict.verdict, JSON.stringify([verdict, report.bounds])).toBe('inconclusive');
    expect(verdict.thresholds[0]?.reason).toMatch(
      /: the load generator (stalled for up to [\d,]+ ms|was saturated)/,
    );
  }
  expect(verdictOf(report, { max: '< 10s', error_rate: '< 50%' }).verdict).toBe('pass');
}

// All pairs of a type of test and a stall. By default, each stall with one of the types.
const CASES = STALLS.flatMap(([stall, runStalled], index) => {
  const types = [
    ['an open test', stall, () => expectInconclusiveOpenTest(runStalled)],
    ['a cycling test', stall, () => expectInconclusiveCyclingTest(runStalled)],
  ] as const;
  return index % 2 === 0 ? types.toReversed() : types;
});

test.each(sampleRows(CASES, STALLS.length))(
  'thresholds of %s are inconclusive if they fail only because of a stall of the load generator: %s',
  async (_type, _stall, play) => await play(),
);

test('a run is inconclusive if a stall of the load generator prevents a large part of the declared load', async () => {
  const target = targetOf(shop.port, { path: '/plain/%{1:9999}' });
  const job = jobOf([target], { testType: 'per-second', total: 100, duration: 3000, timeout: 5000 });
  const report = await stopProcess(1800)(job);
  const verdict = verdictOf(report, { error_rate: '< 50%' });
  expect(verdict.verdict).toBe('inconclusive');
  expect(verdict.reason).toMatch(
    /^the load generator did not deliver the declared load: \d+ of 300 clients never started; the load generator stalled for up to [\d,]+ ms in \d of \d seconds$/,
  );
  expect(report.total.ledger.notStarted.saturated).toBeGreaterThan(30);
});
