/** Verdicts on metrics of targets that hang or stop under real load. */
import { expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../src/contract/result-codec.ts';
import { evaluateRun } from '../../src/core/compare/run-evaluation.ts';
import type { RunVerdict } from '../../src/core/model/run-verdict.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { parseThreshold, type Metric } from '../../src/core/model/threshold.ts';
import { thresholdsOf } from '../support/declared-state.ts';
import { findFreePort } from '../support/free-port.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import { responseText, openRawTarget, startRawTarget, type RawReply } from '../support/raw-target.ts';

const testEngine = useTestEngine();

/**
 * Evaluates a report as the command line evaluates the result of a service, as if the generator had not
 * stalled.
 */
function evaluate(report: RunReport, thresholdTexts: Partial<Record<Metric, string>>): RunVerdict {
  const thresholds = Object.entries(thresholdTexts).flatMap(([metric, text]) => {
    return parseThreshold(metric, text ?? '') ?? [];
  });
  const stallFree = { ...report, generator: { ...report.generator, overloaded: false } };
  return evaluateRun(
    thresholdsOf(thresholds),
    decodeResult(encodeResult({ id: 'r1', startedAt: 0 }, stallFree, true)),
  );
}

test('thresholds on the p99, the average and the maximum response time fail if nearly half of the requests time out', async () => {
  let count = 0;
  const shop = await openRawTarget((_request, write) => {
    if (count++ % 11 > 4) write(responseText(200, ''));
  });
  const job = jobOf([targetOf(shop.port)], {
    testType: 'per-second',
    total: 100,
    duration: 1000,
    timeout: 600,
  });
  const { report, ledger } = await runJob(testEngine.engine, job);
  expect(ledger.timeout.response).toBeGreaterThan(30);
  expect(evaluate(report, { p99: '< 300ms' }).verdict).toBe('fail');
  expect(evaluate(report, { avg_response_time: '< 100ms', max: '< 500ms' }).thresholds).toMatchObject([
    { verdict: 'fail' },
    { verdict: 'fail' },
  ]);
});

test('thresholds on the error rate and the p99 fail if the target of a closed test is down for three of four seconds', async () => {
  const reply: RawReply = (_request, write) => {
    setTimeout(write, 2, responseText(200, ''));
  };
  // No other server takes this port during the outage.
  const port = await findFreePort();
  let shop = await startRawTarget(reply, { port });
  const kill = async (): Promise<void> => {
    await shop.close();
    setTimeout(() => void startRawTarget(reply, { port }).then((restarted) => (shop = restarted)), 3000);
  };
  const job = jobOf([targetOf(port)], {
    testType: 'cycling',
    initial: 10,
    total: 10,
    duration: 4000,
    timeout: 2000,
  });
  const { report, ledger } = await runJob(testEngine.engine, job, () => setTimeout(() => void kill(), 600));
  await shop.close();
  expect(ledger.network['ECONNREFUSED']).toBeGreaterThan(20);
  expect(report.outage.spans).toBeGreaterThanOrEqual(1);
  expect(report.outage.seconds).toBeLessThanOrEqual(3.3);
  expect(report.total.omitted).toBeGreaterThan(ledger.success);
  expect(evaluate(report, { error_rate: '< 1%' }).verdict).toBe('fail');
  expect(evaluate(report, { p99: '< 300ms' }).verdict).toBe('fail');
});

test('thresholds on the error and success rates of an open test fail if iterations are abandoned, even without HTTP or network errors', async () => {
  const shop = await openRawTarget((_request, write) => {
    setTimeout(write, 400, responseText(200, ''));
  });
  const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
  const job = jobOf(
    paths.map((path) => targetOf(shop.port, { path })),
    { total: 50, duration: 600, timeout: 700 },
  );
  const { report, ledger } = await runJob(testEngine.engine, job);
  expect(ledger).toMatchObject({ planned: 500, httpError: {}, network: {} });
  expect(report.total.omitted).toBeGreaterThan(250);
  expect(evaluate(report, { error_rate: '< 1%' }).verdict).toBe('fail');
  expect(evaluate(report, { success_rate: '> 90%' }).verdict).toBe('fail');
});
