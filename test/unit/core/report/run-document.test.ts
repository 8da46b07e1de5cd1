/** Report members for runs and their verdicts. */
import { expect, test } from 'vitest';
import { resultId } from '../../../../src/core/model/ids.ts';
import type { EvaluatedThreshold, RunVerdict } from '../../../../src/core/model/run-verdict.ts';
import { testLoad } from '../../../../src/core/report/plan-document.ts';
import {
  toPastRun,
  toRecordedRun,
  toRunDocument,
  type CompletedRun,
} from '../../../../src/core/report/run-document.ts';
import { declareState } from '../../../support/declared-state.ts';
import { createResult, createUrl } from '../../../support/past-run.ts';
import { at } from '../../../support/plan-of-states.ts';

const STARTED_AT = Date.UTC(2026, 10, 20, 14);
const THRESHOLD: EvaluatedThreshold = {
  metric: 'p95',
  limit: '< 1s',
  value: 20,
  verdict: 'pass',
  minSamples: 9,
};
const REPORTED = { metric: 'p95', limit: '< 1s', value: 20, verdict: 'pass', min_samples: 9 };
const VERDICT: RunVerdict = { verdict: 'pass', reason: 'a note', thresholds: [THRESHOLD] };
const METRICS = { p95: 20, requests: 8 };
const RESULT = {
  ...createResult({
    startedAt: STARTED_AT,
    metrics: METRICS,
    urls: [createUrl({ metrics: { success: 3, requests: 3 } })],
  }),
  json: { result_id: 'r1' },
};
const RUN: CompletedRun = {
  address: 'test.home',
  testId: 't1',
  resultId: 'r1',
  status: 'complete',
  startedByUs: true,
  verdict: VERDICT,
  result: RESULT,
  urlNames: [],
  end: 'ended',
};
const DOCUMENT = {
  address: 'test.home',
  test_id: 't1',
  result_id: 'r1',
  started_at: '2026-11-20T14:00:00.000Z',
  status: 'complete',
  state: 'ended',
  started_by_us: true,
  verdict: 'pass',
  reason: 'a note',
  thresholds: [REPORTED],
  metrics: METRICS,
  result: RESULT.json,
};
const GROUPS = [
  { name: 'read', urls: [0] },
  { name: 'write', urls: [0, 1] },
];
const REPORTED_GROUPS = [
  { name: 'read', urls: [0], metrics: expect.objectContaining({ success: 3 }) as object },
  { name: 'write', urls: [0, 1], metrics: null },
];

test.each<readonly [string, Partial<CompletedRun>, object]>([
  ['a completed run', {}, {}],
  ['a run that the command stopped', { end: 'stopped' }, {}],
  ['a run in progress', { end: 'in_progress' }, { state: 'running' }],
  ['a run without a result', { result: null }, { started_at: null, metrics: null, result: null }],
  ['a run whose result is not ready', { result: { ...RESULT, status: 'not_ready' } }, { metrics: null }],
  ['a run of a round', { round: 2 }, { round: 2 }],
  ['a run of the only round', { round: null }, {}],
  ['a run with names of URLs', { urlNames: ['cart', null] }, { url_names: ['cart', null] }],
])('the report on %s has the expected members', (_, changes, expected) => {
  expect(toRunDocument({ ...RUN, ...changes })).toStrictEqual({ ...DOCUMENT, ...expected });
});

test('the report on a run of a declared test contains the load, the location and the groups of the test', () => {
  const [declared] = declareState().app('shop').test('home').state.tests;
  if (declared === undefined) throw new Error('no test');
  const load = testLoad(declared);
  const located = { ...declared, source: at(3), urlGroups: GROUPS };
  expect(toRunDocument(RUN, { ...declared, source: null })).toStrictEqual({ ...DOCUMENT, load });
  const source = { file: 'loadtests.yaml', line: 3, column: 3 };
  expect(toRunDocument(RUN, located)).toStrictEqual({
    ...DOCUMENT,
    ...{ load, source },
    url_groups: REPORTED_GROUPS,
  });
  expect(toRunDocument({ ...RUN, result: null }, located)).not.toHaveProperty('url_groups');
});

test('the report on a past run contains its evaluation, or states that the run is in progress', () => {
  const common = { result_id: resultId('r1'), started_at: DOCUMENT.started_at, result: RESULT.json };
  expect(toPastRun(RESULT, VERDICT, null)).toStrictEqual({
    ...common,
    ...{ state: 'ended', verdict: 'pass', reason: 'a note', thresholds: [REPORTED], metrics: METRICS },
  });
  const declared = { urlNames: ['home'], urlGroups: GROUPS };
  expect(toPastRun({ ...RESULT, status: 'not_ready' }, null, declared)).toStrictEqual({
    ...common,
    ...{ state: 'running', verdict: 'none', reason: 'still running', thresholds: [], metrics: null },
    url_names: ['home'],
    url_groups: REPORTED_GROUPS,
  });
});

test('a recorded run has its published verdict, and its names and groups of URLs', () => {
  const verdict = { ...VERDICT, urlNames: ['home'], urlGroups: GROUPS };
  const common = { result_id: resultId('r1'), started_at: DOCUMENT.started_at, metrics: METRICS };
  const parts = { url_names: ['home'], url_groups: REPORTED_GROUPS };
  expect(toRecordedRun({ ...RESULT, verdict })).toStrictEqual({
    ...{ ...common, ...parts },
    ...{ state: 'ended', verdict: 'pass', reason: 'a note', thresholds: [REPORTED] },
  });
  expect(toRecordedRun({ ...RESULT, verdict, status: 'not_ready' })).toStrictEqual({
    ...{ ...common, ...parts },
    ...{ state: 'running', verdict: 'none', reason: null },
    thresholds: [{ ...REPORTED, verdict: 'inconclusive' }],
  });
  expect(toRecordedRun({ ...RESULT, status: 'not_ready' })).toStrictEqual({
    ...common,
    ...{ state: 'running', verdict: 'none', reason: null, thresholds: [] },
  });
});
