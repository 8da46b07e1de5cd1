/** Responses that lack a variable for a later request of the iteration. */
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const SETS_VARIABLE = { variables: [{ name: 'id', header: 'x-id' }] };
const USES_VARIABLE = { path: '/cart/{{id}}' };

/** Simulates ten clients that send one iteration of these requests. */
async function simulate(
  reply: RawReply,
  targets: readonly Partial<JobTarget>[],
  testType: 'cycling' | 'non-cycling' = 'non-cycling',
): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  const jobTargets = targets.map((changes) => targetOf(shop.port, changes));
  const job = jobOf(jobTargets, {
    testType,
    initial: 3,
    total: testType === 'cycling' ? 3 : 10,
    duration: 200,
  });
  return await runInVirtualTime(job, shop);
}

/** Sends the variable to every second client. */
const everySecondResponse = (): RawReply => {
  let count = 0;
  return ({ path }, write) => {
    setTimeout(write, 10, responseText(200, '', path === '/' && count++ % 2 === 0 ? ['X-Id: 7'] : []));
  };
};

describe('a response without a variable', () => {
  test('a response counts as unexpected if it lacks a variable that a later request uses', async () => {
    const report = await simulate(everySecondResponse(), [SETS_VARIABLE, USES_VARIABLE]);
    const [first, second] = report.targets;
    expect(first?.ledger).toMatchObject({
      started: 10,
      success: 5,
      unexpected: { variable: 5 },
      httpError: {},
    });
    expect(first?.statusCodes).toEqual({ 200: 10 });
    expect(second?.ledger).toMatchObject({ started: 5, success: 5, notStarted: { undefinedVariable: 5 } });
    expect(report.timeline.reduce((sum, { error }) => sum + error, 0)).toBe(5);
    expect(report.errorSamples).toContainEqual({
      url: first?.url,
      error: 'response lacks a variable that a later request uses',
      count: 5,
    });
  });

  test('in a cycling test, each response that lacks a variable for a later request counts as unexpected', async () => {
    const report = await simulate(
      everySecondResponse(),
      [SETS_VARIABLE, { path: '/2' }, USES_VARIABLE],
      'cycling',
    );
    const [first] = report.targets;
    expect(first?.ledger.unexpected['variable']).toBe(Math.floor((first?.ledger.started ?? 0) / 2));
  });

  test.each<readonly [name: string, reply: RawReply, targets: readonly Partial<JobTarget>[], first: object]>([
    [
      'that lacks an unused variable is a success',
      (_, write) => write(responseText(200, '')),
      [SETS_VARIABLE, { path: '/' }],
      { success: 10, unexpected: {} },
    ],
    [
      'that lacks a variable set by an intermediate response is a success',
      ({ path }, write) => write(responseText(200, '', path === '/2' ? ['X-Id: 7'] : [])),
      [SETS_VARIABLE, { ...SETS_VARIABLE, path: '/2' }, USES_VARIABLE],
      { success: 10, unexpected: {} },
    ],
    [
      'with status 503 that lacks a variable counts only as an HTTP error',
      (_, write) => write(responseText(503, '')),
      [SETS_VARIABLE, USES_VARIABLE],
      { success: 0, unexpected: {}, httpError: { 503: 10 } },
    ],
    [
      'that lacks a variable set by the preceding redirect is a success',
      ({ path }, write) => {
        write(path === '/' ? responseText(302, '', ['Location: /end', 'X-Id: 7']) : responseText(200, ''));
      },
      [SETS_VARIABLE, USES_VARIABLE],
      { success: 20, unexpected: {} },
    ],
    [
      'that lacks a variable counts as unexpected after a redirect without the variable',
      ({ path }, write) => {
        write(path === '/' ? responseText(302, '', ['Location: /end']) : responseText(200, ''));
      },
      [SETS_VARIABLE, USES_VARIABLE],
      { success: 10, unexpected: { variable: 10 } },
    ],
    [
      'that lacks a variable set by an earlier response is a success',
      ({ path }, write) => write(responseText(200, '', path === '/' ? ['X-Id: 7'] : [])),
      [SETS_VARIABLE, { ...SETS_VARIABLE, path: '/2' }, USES_VARIABLE],
      { success: 10, unexpected: {} },
    ],
  ])('a response %s', async (_name, reply, targets, first) => {
    const report = await simulate(reply, targets);
    expect(report.targets[0]?.ledger).toMatchObject(first);
    const others = report.targets.slice(1).map(({ ledger }) => ledger.unexpected);
    expect(others).toEqual(others.map(() => ({})));
  });

  test('responses that lack a variable for a later request count toward the error threshold', async () => {
    const shop = await openRawTarget((_, write) => write(responseText(200, '')));
    const job = jobOf([targetOf(shop.port, SETS_VARIABLE), targetOf(shop.port, USES_VARIABLE)], {
      testType: 'per-second',
      total: 100,
      duration: 5000,
      errorThreshold: 50,
    });
    const report = await runInVirtualTime(job, shop);
    expect(report.abortReason).toBe('error_threshold');
  });
});
