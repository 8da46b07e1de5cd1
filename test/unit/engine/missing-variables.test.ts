/** Answers that lack what a later request of the pass needs. */
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { RunReport } from '../../../src/core/load/run-report.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const GIVES = { variables: [{ name: 'id', header: 'x-id' }] };
const USES = { path: '/cart/{{id}}' };

/** Ten clients make a pass of such requests each. */
async function play(
  reply: RawReply,
  targets: readonly Partial<JobTarget>[],
  testType: 'cycling' | 'non-cycling' = 'non-cycling',
): Promise<RunReport> {
  const shop = await openRawTarget(reply);
  const made = targets.map((changes) => targetOf(shop.port, changes));
  const job = jobOf(made, { testType, initial: 3, total: testType === 'cycling' ? 3 : 10, duration: 200 });
  return await runInVirtualTime(job, shop);
}

/** Gives the variable to every second client. */
const sometimes = (): RawReply => {
  let count = 0;
  return ({ path }, write) => {
    setTimeout(write, 10, responseText(200, '', path === '/' && count++ % 2 === 0 ? ['X-Id: 7'] : []));
  };
};

describe('an answer without a variable', () => {
  test('that a later request uses is unexpected, an error, and told in words', async () => {
    const report = await play(sometimes(), [GIVES, USES]);
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
      error: 'answered without a variable that a later request uses',
      count: 5,
    });
  });

  test('in a closed test too', async () => {
    const report = await play(sometimes(), [GIVES, { path: '/2' }, USES], 'cycling');
    const [first] = report.targets;
    expect(first?.ledger.unexpected['variable']).toBe(Math.floor((first?.ledger.started ?? 0) / 2));
  });

  test.each<readonly [name: string, reply: RawReply, targets: readonly Partial<JobTarget>[], first: object]>([
    [
      'that nothing uses',
      (_, write) => {
        write(responseText(200, ''));
      },
      [GIVES, { path: '/' }],
      { success: 10, unexpected: {} },
    ],
    [
      'that a request in between gives',
      ({ path }, write) => {
        write(responseText(200, '', path === '/2' ? ['X-Id: 7'] : []));
      },
      [GIVES, { ...GIVES, path: '/2' }, USES],
      { success: 10, unexpected: {} },
    ],
    [
      'that is an error already',
      (_, write) => {
        write(responseText(503, ''));
      },
      [GIVES, USES],
      { success: 0, unexpected: {}, httpError: { 503: 10 } },
    ],
    [
      'that a redirect gave',
      ({ path }, write) => {
        write(path === '/' ? responseText(302, '', ['Location: /end', 'X-Id: 7']) : responseText(200, ''));
      },
      [GIVES, USES],
      { success: 20, unexpected: {} },
    ],
    [
      'that a redirect was expected to lead to',
      ({ path }, write) => {
        write(path === '/' ? responseText(302, '', ['Location: /end']) : responseText(200, ''));
      },
      [GIVES, USES],
      { success: 10, unexpected: { variable: 10 } },
    ],
    [
      'that an earlier one gave',
      ({ path }, write) => {
        write(responseText(200, '', path === '/' ? ['X-Id: 7'] : []));
      },
      [GIVES, { ...GIVES, path: '/2' }, USES],
      { success: 10, unexpected: {} },
    ],
  ])('%s', async (_name, reply, targets, first) => {
    const report = await play(reply, targets);
    expect(report.targets[0]?.ledger).toMatchObject(first);
    const others = report.targets.slice(1).map(({ ledger }) => ledger.unexpected);
    expect(others).toEqual(others.map(() => ({})));
  });

  test('counts for the error threshold', async () => {
    const shop = await openRawTarget((_, write) => {
      write(responseText(200, ''));
    });
    const job = jobOf([targetOf(shop.port, GIVES), targetOf(shop.port, USES)], {
      testType: 'per-second',
      total: 100,
      duration: 5000,
      errorThreshold: 50,
    });
    const report = await runInVirtualTime(job, shop);
    expect(report.abortReason).toBe('error_threshold');
  });
});
