/** As much as goes, on a thousand connections and more: what does not depend on this machine gets its verdict. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../src/contract/result-codec.ts';
import { evaluateRun } from '../../src/core/run-evaluation.ts';
import type { RunVerdict } from '../../src/core/model/run-verdict.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { startNginx, type NginxTarget } from '../support/nginx-target.ts';
import { declaredTest } from '../support/declared-state.ts';

let rig: TestEngine;
let shop: NginxTarget;
beforeAll(async () => {
  [rig, shop] = await Promise.all([openTestEngine(), startNginx({ keptFor: 1e9 })]);
});
afterAll(() => Promise.all([rig.close(), shop.close()]));

function verdictOf(report: RunReport, limits: Readonly<Record<string, string>>): RunVerdict {
  const result = decodeResult(encodeResult({ id: 'r', startedAt: 0 }, report, false));
  return evaluateRun(declaredTest('home', { thresholds: limits }, []), result);
}

describe.each([
  [1024, 2000],
  [5000, 3000],
])('%d connections at full speed', (connections, duration) => {
  test('limits that this machine has no part in get verdicts, the others say why not', async () => {
    // Every second request is answered with 503.
    const targets = [targetOf(shop.port), targetOf(shop.port, { path: '/flaky/7' })];
    const { report, ledger } = await runJob(
      rig.engine,
      jobOf(targets, {
        ...{ testType: 'cycling', initial: connections, total: connections, threads: null },
        ...{ duration, timeout: 20_000 },
      }),
    );
    const facts = JSON.stringify({ ...report, timeline: [], total: [], targets: [] });
    expect(ledger.network, facts).toEqual({});
    expect(ledger.success + (ledger.httpError['503'] ?? 0)).toBe((await shop.log()).length);

    const few = { requests: '> 100', p50: '< 20s', error_rate: '< 99%' };
    const verdict = verdictOf(report, few);
    if (report.delivery?.model === 'closed' && report.delivery.heldShare < 0.99) {
      // So slow a machine has not made the connections within a second.
      expect(verdict.reason).toMatch(
        /^the declared load was not offered: clients were there for [\d.]+% of their time; this machine /,
      );
      return;
    }
    expect(verdict.verdict, facts).toBe('pass');
    expect(verdictOf(report, { ...few, error_rate: '< 1%' }).verdict, facts).toBe('fail');
    expect(verdictOf(report, { ...few, requests: '< 100' }).verdict, facts).toBe('fail');

    // What this machine may have made worse itself.
    const { low = 0, high = 0 } = report.bounds.p95 ?? {};
    const between = verdictOf(report, { p95: `< ${((low + (high ?? 0)) / 2).toFixed(6)}ms` });
    expect(between.verdict, facts).toBe('inconclusive');
    const busy = (report.machine?.threadLoads ?? []).some(({ mean }) => mean > 0.95);
    const limit = /: this machine was the limit: .* was busy \d+% of the time/;
    expect(between.thresholds[0]?.reason, facts).toMatch(busy ? limit : /: this machine /);
    if (!busy) return;
    const faster = verdictOf(report, { requests_per_second: `> ${2 * report.requestsPerSecond}` });
    expect(faster.verdict, facts).toBe('inconclusive');
    expect(faster.thresholds[0]?.reason, facts).toMatch(limit);
  });
});
