/** Warnings about response times that grow during a run. */
import { describe, expect, test } from 'vitest';
import type { LoadDelivery } from '../../../../src/core/load/run-report.ts';
import { Random } from '../../../../src/core/random.ts';
import type { ServiceRecord } from '../../../../src/core/report/generated/documents.ts';
import { driftText } from '../../../../src/core/report/drift.ts';
import { detailLines } from '../../../../src/core/report/result-text.ts';
import type { SecondRecord } from '../../../../src/core/run-record/run-record.ts';
import { encodeDetail, encodeRecord } from '../../../../src/contract/result-codec.ts';
import { toHtml } from '../../../../src/report/html-report.ts';
import { toMarkdown } from '../../../../src/report/markdown-report.ts';
import { createResult } from '../../../support/past-run.ts';
import { sampleApplyReport, sampleRun } from '../../../support/sample-report.ts';
import { scaleCount } from '../../../support/test-scale.ts';

const CLOSED: LoadDelivery = { model: 'closed', heldShare: 1 };
const OPEN: LoadDelivery = {
  model: 'open',
  due: 1000,
  late: 0,
  neverStarted: 0,
  lagP99: 0,
  lagMax: 0,
  worstWindow: null,
};

/** A timeline with these p95 in ms, one per second. */
function timelineOf(
  times: readonly (number | null)[],
  changes: (second: number) => Partial<SecondRecord> = () => ({}),
): readonly SecondRecord[] {
  return times.map((p95, second) => ({
    ...{
      second,
      span: 1,
      warmup: false,
      started: 50,
      success: 50,
      error: 0,
      timeoutError: 0,
      networkError: 0,
    },
    ...{ connections: 8, bytesSent: 0, bytesReceived: 0, p50: p95, p95, p99: p95 },
    ...changes(second),
  }));
}

/** Times that grow linearly from 100 to 400 ms. */
const GROWING = Array.from({ length: 60 }, (_, second) => 100 + 5 * second);
const WARNING =
  'p95 grew from 148 ms to 348 ms during the run; the target may not have reached a steady state';

describe('response times during a run', () => {
  test.each([
    ['grow from 100 to 395 ms', GROWING, WARNING],
    ['decrease', GROWING.toReversed(), null],
    ['are constant', GROWING.map(() => 100), null],
    ['grow by less than 20%', GROWING.map((_, second) => 100 + second / 4), null],
    ['grow by less than 1 ms', GROWING.map((_, second) => 0.1 + second / 100), null],
    ['grow for less than 30 s', GROWING.slice(0, 29), null],
    ['grow within 30 s', GROWING.slice(0, 30), WARNING.replace('148', '123').replace('348', '223')],
    [
      'grow by exactly 20%',
      GROWING.map((_, second) => (second < 30 ? 100 : 120)),
      WARNING.replace('148', '100').replace('348', '120'),
    ],
    [
      'grow by exactly 1 ms',
      GROWING.map((_, second) => (second < 30 ? 5 : 6)),
      WARNING.replace('148', '5').replace('348', '6'),
    ],
    [
      'are unknown in one second',
      GROWING.map((ms, second) => (second === 10 ? null : ms)),
      WARNING.replace('148', '145'),
    ],
    ['are unknown in the last five seconds', GROWING.map((ms, second) => (second > 54 ? null : ms)), null],
    ['are unknown in the first five seconds', GROWING.map((ms, second) => (second < 5 ? null : ms)), null],
  ] as const)('driftText returns $2 for response times that %s', (_name, times, text) => {
    expect(driftText({ timeline: timelineOf(times), delivery: OPEN })).toBe(text);
  });

  test.each([
    ['a constant closed load', 'cause a warning', CLOSED, () => ({})],
    [
      'an increasing number of connections',
      'cause no warning',
      CLOSED,
      (second: number) => ({ connections: 8 + second }),
    ],
    ['an increasing request rate', 'cause no warning', OPEN, (second: number) => ({ started: 50 + second })],
    [
      'an increasing number of connections at a constant rate',
      'cause a warning',
      OPEN,
      (second: number) => ({ connections: 8 + second }),
    ],
    [
      'a request rate that increases by 10%',
      'cause a warning',
      OPEN,
      (second: number) => ({ started: second < 30 ? 50 : 55 }),
    ],
    ['an unknown number of connections', 'cause no warning', CLOSED, () => ({ connections: null })],
    ['too few responses', 'cause no warning', OPEN, () => ({ success: 2, error: 2 })],
    ['enough responses, including errors', 'cause a warning', OPEN, () => ({ success: 3, error: 2 })],
    ['an unknown load', 'cause no warning', null, () => ({})],
  ] as const)('with %s, growing response times %s', (_name, effect, delivery, changes) => {
    const found = driftText({ timeline: timelineOf(GROWING, changes), delivery });
    expect(found !== null).toBe(effect === 'cause a warning');
  });

  test('response times during the warm-up and after the last request was started do not count as growth', () => {
    const constant = GROWING.map(() => 100);
    const timeline = [
      ...timelineOf(Array<number>(30).fill(20), () => ({ warmup: true })),
      ...timelineOf(constant),
      ...timelineOf(Array<number>(30).fill(900), () => ({ started: 0 })),
    ];
    for (const delivery of [OPEN, CLOSED]) expect(driftText({ timeline, delivery })).toBeNull();
  });

  test('a run without a timeline causes no warning', () => {
    expect(driftText({ timeline: null, delivery: OPEN })).toBeNull();
  });

  test('the details of a result, the Markdown report and the HTML report contain the warning about growing response times', () => {
    const { record } = createResult({ timeline: timelineOf(GROWING), delivery: CLOSED });
    expect(detailLines(record)).toEqual([expect.stringMatching(/^p95 grew from/)]);
    const result = { ...encodeRecord('r1', record), ...encodeDetail(record) } as ServiceRecord; // a record of the own service
    const report = sampleApplyReport({ runs: [sampleRun('home', { result })] });
    expect(toMarkdown(report)).toMatch(/^- p95 grew from/m);
    expect(toHtml(report)).toContain('<li>p95 grew from');
  });
});

/** The p95 of each second of a queue with random arrivals and service times, which begins in its steady state. */
function queueTimes(
  random: Random,
  { seconds, rate, load }: { seconds: number; rate: number; load: number },
) {
  const draw = (mean: number) => -Math.log(1 - random.fraction()) * mean;
  let [wait, time] = [0, -60];
  const times: number[][] = Array.from({ length: seconds }, () => []);
  while (time < seconds) {
    const gap = draw(1 / rate);
    time += gap;
    const service = draw(load / rate);
    wait = Math.max(0, wait - gap) + service;
    times[Math.floor(time)]?.push(1000 * wait);
  }
  return times.map((each) => each.sort((a, b) => a - b)[Math.ceil(0.95 * each.length) - 1] ?? null);
}

describe('simulated runs of a queue', () => {
  const RUNS = scaleCount(400);
  const warnings = (seconds: number, rate: number, load: number, growth = 1) => {
    let count = 0;
    for (let run = 0; run < RUNS; run++) {
      const times = queueTimes(new Random(run, seconds, rate), { seconds, rate, load });
      const grown = times.map((ms, second) => ms && ms * (1 + ((growth - 1) * second) / seconds));
      const found = driftText({ timeline: timelineOf(grown, () => ({ started: rate })), delivery: OPEN });
      if (found !== null) count++;
    }
    return count / RUNS;
  };

  test.each([
    [30, 50, 0.5],
    [30, 50, 0.8],
    [60, 20, 0.8],
    [120, 50, 0.8],
  ])(
    'at most 1 percent of steady runs of %i s with %i requests per second and a utilization of %s cause a warning',
    (...run) => {
      expect(warnings(...run)).toBeLessThanOrEqual(0.01);
    },
  );

  test('more than 70% of the runs in which response times quadruple cause a warning', () => {
    expect(warnings(120, 50, 0.5, 4)).toBeGreaterThan(0.7);
  });
});
