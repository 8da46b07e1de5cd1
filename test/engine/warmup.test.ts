/** A warm-up in real runs, beside a target that counts for itself. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { replyOk, openRawTarget } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

test.each([
  { testType: 'cycling', initial: 8, total: 8 },
  { testType: 'per-second', total: 120 },
  { testType: 'non-cycling', total: 240 },
] as const)('$testType: both ledgers together are what the target saw', async (load) => {
  const shop = await openRawTarget(replyOk);
  const urls = ['/a', '/b'].map((path) => targetOf(shop.port, { path }));
  const { report, progress } = await runJob(
    rig.engine,
    jobOf(urls, { ...load, duration: 2000, warmup: 1000, threads: 2 }),
  );
  const { ledger } = report.total;
  const { warmup } = report;
  expect(warmup).toMatchObject({ seconds: 1, complete: true });
  expect(ledger.success + (warmup?.ledger.success ?? 0)).toBe(shop.requests.length);
  if (load.testType !== 'cycling') {
    // Half of the clients are due in each half, late or not.
    expect(warmup?.ledger.planned).toBe(240);
    expect(ledger.planned).toBe(240);
  }
  expect(ledger.success).toBeGreaterThan(0);
  expect(sumOf(report.total.statusCodes)).toBe(ledger.success);
  expect(progress.at(-1)?.success).toBe(shop.requests.length);
  expect(progress.at(-1)?.warmingUp).toBe(false);
});
