/** Warm-up in real runs, compared with the target's own count. */
// @module-tag load
import { expect, test } from 'vitest';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import { replyOk, openRawTarget } from '../support/raw-target.ts';

const testEngine = useTestEngine();

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

test.each([
  { testType: 'cycling', initial: 8, total: 8 },
  { testType: 'per-second', total: 30 },
  { testType: 'non-cycling', total: 60 },
] as const)(
  'in a $testType run, the successful requests of the warm-up and of the measured part add up to the requests that the target received',
  async (load) => {
    const shop = await openRawTarget((request, write, socket) => {
      setTimeout(() => replyOk(request, write, socket), 10);
    });
    const urls = ['/a', '/b'].map((path) => targetOf(shop.port, { path }));
    const { report, progress } = await runJob(
      testEngine.engine,
      jobOf(urls, { ...load, duration: 2000, warmup: 1000, threads: 2 }),
    );
    const { ledger } = report.total;
    const { warmup } = report;
    expect(warmup).toMatchObject({ seconds: 1, complete: true });
    expect(ledger.success + (warmup?.ledger.success ?? 0)).toBe(shop.requests.length);
    if (load.testType !== 'cycling') {
      // Half of the clients are due in each half, even if they start late.
      expect(warmup?.ledger.planned).toBe(60);
      expect(ledger.planned).toBe(60);
    }
    expect(ledger.success).toBeGreaterThan(0);
    expect(sumOf(report.total.statusCodes)).toBe(ledger.success);
    expect(progress.at(-1)?.success).toBe(shop.requests.length);
    expect(progress.at(-1)?.warmingUp).toBe(false);
  },
);
