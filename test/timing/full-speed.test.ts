/**
 * Load at full speed on a thousand connections or more: metrics that do not depend on the load generator
 * receive their verdicts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../src/contract/result-codec.ts';
import { evaluateRun } from '../../src/core/compare/run-evaluation.ts';
import type { RunVerdict } from '../../src/core/model/run-verdict.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { jobOf, openTestEngine, runJob, targetOf, type OpenTestEngine } from '../support/test-engine.ts';
import { startNginx, type NginxTarget } from '../support/nginx-target.ts';
import { declaredTest } from '../support/declared-state.ts';

let testEngine: OpenTestEngine;
let shop: NginxTarget;
beforeAll(async () => {
  testEngine = openTestEngine();
  shop = await startNginx({ keptFor: 1e9 });
});
afterAll(() => Promise.all([testEngine.close(), shop.close()]));

function verdictOf(report: RunReport, thresholds: Readonly<Record<string, string>>): RunVerdict {
  const result = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, false));
  return evaluateRun(declaredTest('home', { thresholds }, []), result);
}

describe.each([
  [1024, 2000],
  [5000, 3000],
])('%d connections at full speed', (connections, duration) => {
  test('at full speed, thresholds on counts and errors pass or fail, and a threshold between the bounds of the p95 is inconclusive', async ({
    skip,
  }) => {
    // Discards the requests of a failed attempt.
    await shop.log();
    // Every second response is a 503.
    const targets = [targetOf(shop.port), targetOf(shop.port, { path: '/flaky/7' })];
    const { report, ledger } = await runJob(
      testEngine.engine,
      jobOf(targets, {
        testType: 'cycling',
        initial: connections,
        total: connections,
        threads: null,
        duration,
        timeout: 20_000,
      }),
    );
    const facts = JSON.stringify({ ...report, timeline: [], total: [], targets: [] });
    expect(ledger.network, facts).toEqual({});
    expect(ledger.success + (ledger.httpError['503'] ?? 0)).toBe((await shop.log()).length);

    const thresholds = { requests: '> 100', p50: '< 20s', error_rate: '< 99%' };
    const verdict = verdictOf(report, thresholds);
    if (report.delivery?.model === 'closed' && report.delivery.heldShare < 0.99) {
      expect(verdict.reason).toMatch(
        /^the load generator did not deliver the declared load: clients were active for only [\d.]+% of the scheduled time; the load generator /,
      );
      skip('this machine did not open all connections within a second, so all verdicts are inconclusive');
    }
    expect(verdict.verdict, facts).toBe('pass');
    expect(verdictOf(report, { ...thresholds, error_rate: '< 1%' }).verdict, facts).toBe('fail');
    expect(verdictOf(report, { ...thresholds, requests: '< 100' }).verdict, facts).toBe('fail');

    // Metrics that the load generator may have affected.
    const { low = 0, high = 0 } = report.bounds.p95 ?? {};
    const boundVerdict = verdictOf(report, { p95: `< ${((low + (high ?? 0)) / 2).toFixed(6)}ms` });
    expect(boundVerdict.verdict, facts).toBe('inconclusive');
    const isSaturated = (report.machine?.threadLoads ?? []).some(({ mean }) => mean > 0.95);
    const saturated = /: the load generator was saturated: .* was busy \d+% of the time/;
    expect(boundVerdict.thresholds[0]?.reason, facts).toMatch(
      isSaturated ? saturated : /: the load generator /,
    );
    if (!isSaturated) return;
    const rateVerdict = verdictOf(report, { requests_per_second: `> ${2 * report.requestsPerSecond}` });
    expect(rateVerdict.verdict, facts).toBe('inconclusive');
    expect(rateVerdict.thresholds[0]?.reason, facts).toMatch(saturated);
  });
});
