/** Thresholds that end a run, from the API to the log of the target. */
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { openTestService, waitUntil } from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';

const WORKER = new URL('../../dist/engine/thread.js', import.meta.url);
/** Longer than any test runs, so that only a threshold can end the run. */
const DURATION = 600;

async function openShop(threads: number | null = null) {
  const target = await openTestTarget((request, response) => {
    response.statusCode = request.url === '/broken' ? 500 : 200;
    response.end('{}');
  });
  const service = await openTestService({
    runner: createEngine({ threadUrl: WORKER, version: '0.0.0-test' }),
    threads,
  });
  await service.verifiedApp(target.host);
  const start = async (fields: object) => {
    const json = { test_type: 'cycling', initial: 4, total: 4, duration: DURATION, ...fields };
    return await service.call('POST', '/v2/tests', { json });
  };
  return { target, service, start };
}

test.each([1, 4])(
  'with a thread count of %i, an abort rule for one URL ends the run, and the teardown is sent',
  async (threads) => {
    const { target, service, start } = await openShop(threads);
    const rule = { metric: 'error_rate', limit: '< 10%', after: 1, url: 1 };
    const created = await start({
      error_threshold: 100,
      urls: [{ url: `${target.url}/` }, { url: `${target.url}/broken` }],
      teardown: { urls: [{ url: `${target.url}/logout` }] },
      abort_rules: [{ metric: 'p95', limit: '< 500s', after: 0 }, rule],
    });
    const { test_id: testId, result_id: resultId } = created.json;
    const { json: listed } = await service.call('GET', `/v2/tests/${testId}`);
    expect(listed).toMatchObject({ abort_rules: [{ metric: 'p95' }, rule] });
    const result = await waitUntil(async () => {
      const { json } = await service.call('GET', `/v2/tests/${testId}/results/${resultId}`);
      return json.status === 'ready' ? json : null;
    });
    expect(result).toMatchObject({
      abort_reason: 'threshold',
      threshold_stop: { metric: 'error_rate', limit: '< 10%', value: 100, url: 'GET /broken' },
      teardown: { requests: 1, failed: 0 },
    });
    const { ledger } = result as unknown as { ledger: { started: number; abandoned: number } };
    const { started, abandoned } = ledger;
    expect(abandoned).toBe(0);
    expect(target.requests).toHaveLength(started + 1);
    expect(target.requests.at(-1)).toBe('GET /logout');
  },
);

test('a test with invalid abort rules is refused, and the errors contain the indexes of the rules', async () => {
  const { target, start } = await openShop();
  const { status, json } = await start({
    urls: [{ url: `${target.url}/` }],
    abort_rules: [
      { metric: 'requests', limit: '>= 1000', after: 1 },
      { metric: 'p95', limit: '5', after: 1 },
      { metric: 'p500', limit: '< 5ms', after: 1 },
      { metric: 'p95', limit: '< 5ms', after: 1, url: 1 },
      { metric: 'p95', limit: '< 5ms', after: 1, flow: 0 },
    ],
  });
  expect(status).toBe(422);
  expect(json.errors).toEqual([
    'abort_rules[0]: the threshold "requests >= 1000" cannot end a run early, because later requests can still meet it; remove this rule',
    'abort_rules[1]: the metric "p95" with the condition "5" is not a valid threshold; write, for example, "p95" and "< 300ms"',
    'abort_rules[2]: the metric "p500" with the condition "< 5ms" is not a valid threshold; write, for example, "p95" and "< 300ms"',
    'abort_rules[3]: the rule refers to a request that is not in "urls"',
    'abort_rules[4]: the rule refers to a flow that is not in "flows"',
  ]);
});
