/** How far a run has come, as a page asks for it: nothing is lost, and nothing is told twice. */
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { milliseconds } from '../../src/core/units.ts';
import { createFakeReport } from '../support/fake-runner.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import {
  ANY_ID,
  openTestService,
  smallTestFields,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { openTestTarget, withDelay } from '../support/test-target.ts';

const HOST = '127.0.0.1:4080';

interface Second {
  readonly second: number;
  readonly span: number;
  readonly success: number;
  readonly error: number;
}

interface Progress {
  readonly in_progress: boolean;
  readonly elapsed_ms: number | null;
  readonly duration_ms: number;
  readonly connections: number | null;
  readonly report: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
  readonly timeline: readonly Second[];
}

interface Ids {
  readonly test_id: string;
  readonly result_id: string;
}

async function progressOf(rig: TestService, ids: Ids, after: number | null): Promise<Progress> {
  const query = after === null ? '' : `?after=${after}`;
  const response = await rig.call('GET', `${pathOf(ids)}/progress${query}`);
  expect(response.status).toBe(200);
  const progress = JSON.parse(response.text) as Progress; // checked in the next line
  expect(apiMismatch('result-progress', progress)).toBeNull();
  return progress;
}

function pathOf({ test_id: id, result_id: result }: Ids): string {
  return `/v2/tests/${id}/results/${result}`;
}

function p95Of({ latency }: Readonly<Record<string, unknown>>): unknown {
  return (latency as Readonly<Record<string, unknown>> | null)?.['p95']; // as results have it
}

/** As the page does it: what comes replaces what is there from its first entry on. */
function joined(before: readonly Second[], { timeline }: Progress): readonly Second[] {
  const [first] = timeline;
  return first === undefined
    ? before
    : [...before.filter(({ second }) => second < first.second), ...timeline];
}

function endOf(timeline: readonly Second[]): number {
  const last = timeline.at(-1);
  return last === undefined ? 0 : last.second + last.span;
}

test('a page that asks now and then has the timeline and the counts of the result', async () => {
  let turn = 0;
  const target = await openTestTarget(
    withDelay((_, response) => {
      response.statusCode = turn++ % 5 === 0 ? 404 : 200;
      response.end('hello');
    }),
  );
  const rig = await openTestService({
    runner: createEngine({
      threadUrl: new URL('../../dist/engine/thread.js', import.meta.url),
      version: '0.0.0-test',
    }),
  });
  await rig.verifiedApp(target.host);
  const { json } = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`${target.url}/`, { test_type: 'cycling', initial: 3, total: 3, duration: 3 }),
  });
  let timeline: readonly Second[] = [];
  const told: Progress[] = [];
  const last = await waitUntil(async () => {
    const progress = await progressOf(rig, json, endOf(timeline));
    timeline = joined(timeline, progress);
    told.push(progress);
    return progress.in_progress ? null : progress;
  });
  const record = JSON.parse((await rig.call('GET', pathOf(json))).text) as Record<string, unknown>;
  expect(timeline).toEqual(record['timeline']);
  expect(last.result).toMatchObject({
    status: 'ready',
    success: record['success'],
    ledger: record['ledger'],
  });
  expect(last.result['error_samples']).toEqual(record['error_samples']);
  const metrics = { requests: record['requests'], error: record['error'], p95: p95Of(record) };
  expect(last.report).toMatchObject({ state: 'ended', verdict: 'none', thresholds: [], metrics });
  // While it went on, more and more was told, and never what was not there in the end.
  const live = told.filter(({ elapsed_ms: elapsed }) => elapsed !== null);
  expect(live.length).toBeGreaterThan(0);
  expect(live[0]).toMatchObject({ in_progress: true, duration_ms: 3000, connections: 3 });
  for (const { report: now, result, timeline: some } of live) {
    expect(now).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(now['metrics']).toMatchObject({ success: result['success'], p95: p95Of(result) });
    expect(result).toMatchObject({ status: 'not_ready', abort_reason: null });
    expect(Number(result['success'])).toBeLessThanOrEqual(Number(record['success']));
    for (const entry of some) expect(record['timeline']).toContainEqual(entry);
  }
});

test('entries of a longer span come again, so that none is missed', async () => {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
  const run = rig.runner.latest();
  const report = createFakeReport(run.job, 'partial');
  const [entry] = report.timeline;
  if (entry === undefined) throw new Error('a report without a timeline');
  const tell = (spans: readonly (readonly [second: number, span: number])[], seconds: number) => {
    run.count({ ...report, timeline: spans.map(([second, span]) => ({ ...entry, second, span })) });
    run.reportProgress({
      ...{ elapsed: milliseconds(seconds * 1000), warmingUp: false, connections: 2, success: 1, error: 0 },
      ...{ timeoutError: 0, networkError: 0, requestsPerSecond: 1, p95: 2, targets: [1] },
    });
  };
  const asked = async (after: number) => {
    const { timeline } = await progressOf(rig, json, after);
    return timeline.map(({ second, span }) => [second, span]);
  };
  tell([[0, 1], [1, 1], [2, 1], [3, 1]], 3); // oxfmt-ignore
  expect(await asked(0)).toEqual([[0, 1], [1, 1], [2, 1]]); // oxfmt-ignore
  // The second that is not over is told when it is.
  expect(await asked(3)).toEqual([]);
  tell([[0, 2], [2, 2], [4, 2]], 5); // oxfmt-ignore
  expect(await asked(3)).toEqual([[2, 2]]);
});

test('before the first second nothing is known but that the run goes on', async () => {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
  expect(await progressOf(rig, json, null)).toEqual({
    ...{ in_progress: true, elapsed_ms: null, connections: null, duration_ms: 1000, timeline: [] },
    report: {
      ...{ result_id: ANY_ID, started_at: expect.any(String) as unknown, state: 'running' },
      ...{ verdict: 'none', reason: null, thresholds: [], metrics: {} },
    },
    result: {
      ...{ result_id: ANY_ID, started_at: expect.any(String) as unknown, status: 'not_ready' },
      error_samples: [],
    },
  });
});

test.each(['-1', '1.5', 'x', '', '1&after=2'])('"after=%s" is refused', async (after) => {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
  const response = await rig.call('GET', `${pathOf(json)}/progress?after=${after}`);
  expect(response.status).toBe(422);
  expect(response.json.errors).toEqual(['"after" must be a whole number']);
});

test('an unknown test or result is not found', async () => {
  const rig = await openTestService();
  const none = 'f'.repeat(32);
  expect((await rig.call('GET', `/v2/tests/${none}/results/${none}/progress`)).status).toBe(404);
});
