/** Progress of a run for the web UI: successive requests return every second exactly once. */
// @module-tag load
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { milliseconds } from '../../src/core/units.ts';
import { readRunRecord } from '../../src/core/run-record/read-record.ts';
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

/** Maximum difference between the clocks of the load generator and of the target, in ms. */
const CLOCK_SLACK_MS = 50;

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

/** Merges in the same way as the web UI: new entries replace old ones from their first second on. */
function mergeTimeline(before: readonly Second[], { timeline }: Progress): readonly Second[] {
  const [first] = timeline;
  return first === undefined
    ? before
    : [...before.filter(({ second }) => second < first.second), ...timeline];
}

function endOf(timeline: readonly Second[]): number {
  const last = timeline.at(-1);
  return last === undefined ? 0 : last.second + last.span;
}

test('successive progress requests return the timeline and counts of the result, and the timeline matches the target log', async () => {
  let responses = 0;
  /** Times at which the target received requests, in milliseconds since the epoch. */
  const arrivals: number[] = [];
  const respond = withDelay((_, response) => {
    response.statusCode = responses++ % 5 === 0 ? 404 : 200;
    response.end('hello');
  });
  const target = await openTestTarget((request, response) => {
    arrivals.push(Date.now());
    respond(request, response);
  });
  const rig = await openTestService({
    runner: createEngine({
      threadUrl: new URL('../../dist/engine/thread.js', import.meta.url),
      version: '0.0.0-test',
    }),
  });
  await rig.verifiedApp(target.host);
  arrivals.length = 0;
  const { json } = await rig.call('POST', '/v2/tests', {
    json: smallTestFields(`${target.url}/`, {
      ...{ test_type: 'cycling', initial: 3, total: 3, duration: 3 },
      urls: ['/', '/cart'].map((path) => ({ url: `${target.url}${path}` })),
    }),
  });
  let timeline: readonly Second[] = [];
  const received: Progress[] = [];
  const last = await waitUntil(async () => {
    const progress = await progressOf(rig, json, endOf(timeline));
    timeline = mergeTimeline(timeline, progress);
    received.push(progress);
    return progress.in_progress ? null : progress;
  });
  const record = JSON.parse((await rig.call('GET', pathOf(json))).text) as Record<string, unknown>;
  expect(timeline).toEqual(record['timeline']);
  const { loadStartedAt, timeline: seconds } = readRunRecord(record);
  expect(seconds?.length).toBeGreaterThanOrEqual(3);
  const counts = { started: 0, completed: 0 };
  for (const { second, started, success, error } of seconds ?? []) {
    counts.started += started;
    counts.completed += success + error;
    const arrivedBy = (ms: number) =>
      arrivals.filter((at) => at < (loadStartedAt ?? 0) + (second + 1) * 1000 + ms).length;
    // A request starts before it arrives, and it arrives before its response. The clocks are read one after the other.
    expect(arrivedBy(-CLOCK_SLACK_MS)).toBeLessThanOrEqual(counts.started);
    expect(arrivedBy(CLOCK_SLACK_MS)).toBeGreaterThanOrEqual(counts.completed);
  }
  expect(last.result).toMatchObject({
    status: 'ready',
    success: record['success'],
    ledger: record['ledger'],
  });
  expect(last.result['error_samples']).toEqual(record['error_samples']);
  const metrics = { requests: record['requests'], error: record['error'], p95: p95Of(record) };
  expect(last.report).toMatchObject({ state: 'ended', verdict: 'none', thresholds: [], metrics });
  // During the run, the counts only grow toward the final counts.
  const live = received.filter(({ elapsed_ms: elapsed }) => elapsed !== null);
  expect(live.length).toBeGreaterThan(0);
  expect(live[0]).toMatchObject({ in_progress: true, duration_ms: 3000, connections: 3 });
  for (const { report: runReport, result, timeline: entries } of live) {
    expect(runReport).toMatchObject({ state: 'running', verdict: 'none', reason: null });
    expect(runReport['metrics']).toMatchObject({ success: result['success'], p95: p95Of(result) });
    expect(result).toMatchObject({ status: 'not_ready', abort_reason: null });
    expect(Number(result['success'])).toBeLessThanOrEqual(Number(record['success']));
    for (const entry of entries) expect(record['timeline']).toContainEqual(entry);
    // The timeline of a URL has one value per returned entry.
    const [ended, current] = [record, result].map((run) => readRunRecord(run).urls ?? []);
    expect(current).toHaveLength(2);
    current?.forEach((url, index) => {
      const complete = ended?.[index]?.timeline;
      for (const name of ['success', 'error', 'p50', 'p95', 'p99'] as const)
        expect(url.timeline?.[name]).toEqual(entries.map(({ second }) => complete?.[name][second]));
    });
  }
});

test('a progress request returns a timeline entry again if the entry now covers a longer span', async () => {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
  const run = rig.runner.latest();
  const report = createFakeReport(run.job, 'partial');
  const [entry] = report.timeline;
  if (entry === undefined) throw new Error('a report without a timeline');
  const reportSpans = (spans: readonly (readonly [second: number, span: number])[], seconds: number) => {
    run.count({ ...report, timeline: spans.map(([second, span]) => ({ ...entry, second, span })) });
    run.reportProgress({
      elapsed: milliseconds(seconds * 1000),
      warmingUp: false,
      connections: 2,
      success: 1,
      error: 0,
      timeoutError: 0,
      networkError: 0,
      requestsPerSecond: 1,
      p95: 2,
      targets: [1],
    });
  };
  const spansAfter = async (after: number) => {
    const { timeline } = await progressOf(rig, json, after);
    return timeline.map(({ second, span }) => [second, span]);
  };
  reportSpans([[0, 1], [1, 1], [2, 1], [3, 1]], 3); // oxfmt-ignore
  expect(await spansAfter(0)).toEqual([[0, 1], [1, 1], [2, 1]]); // oxfmt-ignore
  // The current second is returned after its end.
  expect(await spansAfter(3)).toEqual([]);
  reportSpans([[0, 2], [2, 2], [4, 2]], 5); // oxfmt-ignore
  expect(await spansAfter(3)).toEqual([[2, 2]]);
});

test('before the first second, the progress of a run contains no measurements', async () => {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
  expect(await progressOf(rig, json, null)).toEqual({
    in_progress: true,
    elapsed_ms: null,
    connections: null,
    duration_ms: 1000,
    timeline: [],
    report: {
      result_id: ANY_ID,
      started_at: expect.any(String) as unknown,
      state: 'running',
      verdict: 'none',
      reason: null,
      thresholds: [],
      metrics: {},
    },
    result: {
      result_id: ANY_ID,
      started_at: expect.any(String) as unknown,
      status: 'not_ready',
      error_samples: [],
    },
  });
});

test.each(['-1', '1.5', 'x', '', '1&after=2'])(
  'a progress request with the query "after=%s" is refused',
  async (after) => {
    const rig = await openTestService();
    await rig.verifiedApp(HOST);
    const { json } = await rig.call('POST', '/v2/tests', { json: smallTestFields(`http://${HOST}/`) });
    const response = await rig.call('GET', `${pathOf(json)}/progress?after=${after}`);
    expect(response.status).toBe(422);
    expect(response.json.errors).toEqual(['"after" must be a whole number of at most 9 digits']);
  },
);

test('a progress request for an unknown test is refused with 404', async () => {
  const rig = await openTestService();
  const none = 'f'.repeat(32);
  expect((await rig.call('GET', `/v2/tests/${none}/results/${none}/progress`)).status).toBe(404);
});
