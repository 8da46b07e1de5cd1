/** The budget that all bodies of a process share, and the outcome of a run that exceeds it. */
import { expect, test } from 'vitest';
import { decodeResult, encodeResult } from '../../../src/contract/result-codec.ts';
import { evaluateRun } from '../../../src/core/compare/run-evaluation.ts';
import { declaredTest } from '../../support/declared-state.ts';
import { bodyContaining } from '../../../src/core/model/expectation.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const BODY = `${'x'.repeat(40_000)} accepted`;

/** Sends the response in two parts, half a second apart, so that the first one must be buffered. */
const replyInTwoParts: RawReply = (_request, write) => {
  const response = responseText(200, BODY);
  write(response.slice(0, 20_000));
  setTimeout(write, 500, response.slice(20_000));
};

async function runWith(bodyRoom: number) {
  const shop = await openRawTarget(replyInTwoParts);
  const expectation = { status: null, headers: null, body: bodyContaining('accepted'), json: null };
  const job = jobOf([targetOf(shop.port, { expect: expectation })], {
    testType: 'cycling',
    initial: 10,
    total: 10,
    duration: 5000,
    threads: 2,
  });
  return { shop, report: await runInVirtualTime(job, shop, { bodyRoom }) };
}

test('a run whose buffered bodies fit into the memory budget is not overloaded, and all its requests succeed', async () => {
  const { report, shop } = await runWith(10 * 200_000);
  expect(report).toMatchObject({ abortReason: null, generator: { overloaded: false } });
  expect(report.total.ledger.success).toBe(shop.requests.length);
});

test('a run whose buffered bodies exceed the memory budget ends early as overloaded, and its verdict is inconclusive', async () => {
  const { report, shop } = await runWith(5 * 40_000);
  expect(report).toMatchObject({ abortReason: 'partial', generator: { overloaded: true } });
  expect(report.elapsed).toBeLessThan(2000);
  // Bodies beyond the budget count as too large; the others were checked.
  const { success, unexpected } = report.total.ledger;
  expect(success + (unexpected['size'] ?? 0)).toBe(shop.requests.length);
  expect(unexpected['size']).toBeGreaterThan(0);
  expect(shop.requests.length).toBeLessThanOrEqual(20);
  const result = decodeResult(encodeResult({ id: 'a'.repeat(32), startedAt: 0 }, report, true));
  const declared = declaredTest('home', { thresholds: { error_rate: '< 1%' } }, []);
  expect(result.record.generator?.overloaded).toBe(true);
  expect(evaluateRun(declared, result)).toMatchObject({ verdict: 'inconclusive' });
});
