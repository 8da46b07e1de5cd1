/** Outages and their omitted requests, in tables of observations with one letter per tenth of a second. */
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import { withOmittedRequests } from '../../../../src/core/load/omitted-requests.ts';
import {
  RESPONDED,
  createTenths,
  findOutages,
  TENTHS_PER_SECOND,
  IDLE,
  UNOBSERVED,
  UNKNOWN,
  WAITING,
  TargetObservations,
  type Tenths,
  type NormalResponses,
} from '../../../../src/core/load/outage.ts';
import { addResponses, createTally, type Tally } from '../../../../src/core/load/snapshot.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { createTotals, snapshotOf } from '../../../support/snapshots.ts';
import { jobOf, targetOf } from '../../../support/test-engine.ts';

/** a: response, w: waiting, -: idle, ?: not observed */
const STATES: Readonly<Record<string, number>> = { a: RESPONDED, w: WAITING, '-': IDLE, '?': UNOBSERVED };

/** Observations of a constant number of clients, with `failed` requests in each tenth without a response. */
function observed(letters: string, clients = 10, failed = 0): Tenths {
  const tenths = createTenths(letters.length, UNKNOWN);
  Array.from(letters).forEach((letter, at) => {
    tenths.states[at] = STATES[letter] ?? UNKNOWN;
    if (letter === 'a' || letter === 'w') tenths.waiting[at] = clients;
    if (letter === 'w') tenths.failed[at] = failed;
  });
  return tenths;
}

const FAST: NormalResponses = { responses: 20_000, slowResponseMs: 5 };
const row = (state: string, tenths: number): string => state.repeat(tenths);

describe('periods without a response', () => {
  test('the period between the start and the end of an outage includes stalls, but the duration of the outage does not', () => {
    const outages = findOutages(observed(row('a', 10) + row('wwwwwwwww?', 6) + row('a', 9)), FAST);
    expect(outages).toEqual([expect.objectContaining({ from: 1, to: 6.9, seconds: 5.4 })]);
    const [first, second] = findOutages(observed('aaa' + row('w', 20) + row('a', 9) + row('w', 30)), FAST);
    expect([first?.from, first?.to, second?.from, second?.to]).toEqual([0.3, 2.3, 3.2, 6.2]);
  });

  test.each<readonly [name: string, letters: string, normal: NormalResponses, seconds: readonly number[]]>([
    [
      'a period of six seconds without responses is an outage',
      row('a', 10) + row('w', 60) + row('a', 10),
      FAST,
      [6],
    ],
    [
      'a period of one second without responses is an outage',
      row('a', 10) + row('w', 10) + row('a', 10),
      FAST,
      [1],
    ],
    [
      'a period of 0.9 seconds without responses is not an outage',
      row('a', 10) + row('w', 9) + row('a', 10),
      FAST,
      [],
    ],
    [
      'a period without responses until the end of the run is an outage',
      row('a', 20) + row('w', 60),
      FAST,
      [6],
    ],
    [
      'a period without responses from the beginning of the run is an outage',
      row('w', 30) + row('a', 50),
      FAST,
      [3],
    ],
    [
      'two periods without responses are two outages',
      row('a', 9) + row('w', 20) + row('a', 9) + row('w', 30),
      FAST,
      [2, 3],
    ],
    [
      'two periods of 0.9 seconds with a response between them are not an outage',
      row('w', 9) + 'a' + row('w', 9),
      FAST,
      [],
    ],
    ['an idle period is not an outage', row('a', 10) + row('-', 60) + row('a', 10), FAST, []],
    ['idle tenths of a second do not end an outage', 'a' + row('wwwww-----', 4) + 'a', FAST, [2]],
    ['a stall of the load generator is not an outage', row('a', 10) + row('?', 60) + row('a', 10), FAST, []],
    [
      'a period without responses that is mostly a stall is not an outage',
      row('a', 10) + row('w?????????', 6) + row('a', 9),
      FAST,
      [],
    ],
    [
      'the duration of an outage excludes stalled tenths of a second',
      row('a', 10) + row('wwwwwwwww?', 6) + row('a', 9),
      FAST,
      [5.4],
    ],
    ['a run without observations has no outage', '', FAST, []],
    // With ten clients, twice as long as a slow response.
    [
      'a period of 2.9 seconds without responses is not an outage if slow responses take 1.5 seconds',
      'a' + row('w', 29) + 'a',
      { responses: 20, slowResponseMs: 1500 },
      [],
    ],
    [
      'a period of 3 seconds without responses is an outage if slow responses take 1.5 seconds',
      'a' + row('w', 30) + 'a',
      { responses: 20, slowResponseMs: 1500 },
      [3],
    ],
  ])('%s', (_name, letters, normal, seconds) => {
    expect(findOutages(observed(letters), normal).map((outage) => outage.seconds)).toEqual(seconds);
  });

  test.each([
    [1, 11],
    [2, 6],
    [10, 2],
    [1000, 1.01],
  ])(
    'with a client count of %i, a period without responses is an outage if it lasts at least %s times as long as a slow response',
    (clients, times) => {
      const [under, from] = [Math.ceil(20 * times) - 1, Math.ceil(20 * times)];
      const normal = { responses: 20, slowResponseMs: 2000 };
      expect(findOutages(observed('a' + row('w', under), clients), normal)).toEqual([]);
      expect(findOutages(observed('a' + row('w', from), clients), normal)).toHaveLength(1);
    },
  );
});

describe('omitted requests', () => {
  test.each<readonly [name: string, tenths: Tenths, normal: NormalResponses, omitted: readonly number[]]>([
    [
      'the number of omitted requests is computed from the request rate in the rest of the run',
      observed(row('a', 20) + row('w', 60)),
      FAST,
      [60_000],
    ],
    [
      'refused and timed-out requests are subtracted from the number of omitted requests',
      observed(row('a', 20) + row('w', 60), 10, 100),
      FAST,
      [60_000 - 60 * 100],
    ],
    [
      'the number of omitted requests is never negative',
      observed(row('a', 20) + row('w', 60), 10, 10_000),
      FAST,
      [0],
    ],
    [
      'a target that never responds has no omitted requests',
      observed(row('w', 80)),
      { responses: 0, slowResponseMs: 0 },
      [0],
    ],
    [
      'each outage has its own number of omitted requests',
      observed(row('a', 20) + row('w', 20) + row('a', 20) + row('w', 40)),
      FAST,
      [10_000, 20_000],
    ],
    [
      'the request rate for omitted requests includes tenths of a second that were not observed',
      observed(row('a', 10) + row('?a', 5) + row('w', 60)),
      FAST,
      [60_000],
    ],
  ])('%s', (_name, tenths, normal, omitted) => {
    expect(findOutages(tenths, normal).map((outage) => outage.omitted)).toEqual(omitted);
  });

  test('clients in a think time count for the number of omitted requests, but not for the minimum length of an outage', () => {
    const tenths = observed(row('a', 20) + row('w', 60), 1);
    tenths.resting.fill(9, 0, 20).fill(4, 20);
    // Ten clients sent 1,000 requests per second, so five clients would have sent 500 per second.
    expect(findOutages(tenths, { responses: 2000, slowResponseMs: 500 })).toMatchObject([{ omitted: 3000 }]);
    // One waiting client explains eleven slow responses without a response.
    expect(findOutages(tenths, { responses: 2000, slowResponseMs: 546 })).toEqual([]);
  });
});

describe('observations of several threads', () => {
  const second = (letter: string, clients = 5): Tenths => observed(row(letter, TENTHS_PER_SECOND), clients);
  const observedBy = (...threads: readonly string[]): Tenths => {
    const observations = new TargetObservations(threads.length);
    threads.forEach((letters, thread) => {
      Array.from(letters).forEach((letter, at) => {
        if (letter !== ' ') observations.add(thread, at, second(letter));
      });
    });
    return observations.between(0, 60_000);
  };

  test.each<readonly [name: string, threads: readonly string[], seconds: readonly number[]]>([
    ['no thread receives a response', ['awwwa', 'awwwa'], [3]],
    ['one thread receives responses all the time', ['awwwa', 'aaaaa'], []],
    ['one thread receives responses for part of the time', ['awwww', 'aawww'], [3]],
    ['one thread is idle', ['awwwa', '-----'], [3]],
    ['one thread is stalled', ['awwwa', 'a???a'], []],
    ['one thread is stalled and reports no seconds', ['awwwa', 'a   a'], []],
    ['one thread has not reported the end yet', ['awwww', 'aww'], [2]],
  ])(
    'if %s, findOutages returns outages of two threads with these durations in seconds: $2',
    (_name, threads, seconds) => {
      expect(findOutages(observedBy(...threads), FAST).map((outage) => outage.seconds)).toEqual(seconds);
    },
  );

  test('TargetObservations adds up the clients and failures of all threads', () => {
    const observations = new TargetObservations(2);
    const tenths = (change: number): Tenths => ({
      states: new Uint8Array(10).fill(WAITING),
      waiting: Uint32Array.from({ length: 10 }, (_, at) => at + change),
      resting: Uint32Array.from({ length: 10 }, (_, at) => 2 * at + change),
      failed: Uint32Array.from({ length: 10 }, (_, at) => 3 * at + change),
    });
    observations.add(0, 0, tenths(1));
    observations.add(1, 0, tenths(2));
    const { waiting, resting, failed } = observations.between(0, 1000);
    expect([...waiting]).toEqual([3, 5, 7, 9, 11, 13, 15, 17, 19, 21]);
    expect([...resting]).toEqual([3, 7, 11, 15, 19, 23, 27, 31, 35, 39]);
    expect([...failed]).toEqual([3, 9, 15, 21, 27, 33, 39, 45, 51, 57]);
  });

  test('a thread counts only once in a second, even if it reports the second twice', () => {
    const observations = new TargetObservations(1);
    for (const at of [0, 1, 1]) observations.add(0, at, second('w'));
    expect([...observations.between(0, 2000).waiting]).toEqual(new Array(20).fill(5));
  });

  test('a response of one thread counts, even if another thread did not report the second', () => {
    expect([...observedBy('www', 'w w').states]).toEqual(
      [WAITING, UNOBSERVED, WAITING].flatMap((state) => new Array<number>(10).fill(state)),
    );
    expect([...observedBy('waw', 'w w').states]).toEqual(
      [WAITING, RESPONDED, WAITING].flatMap((state) => new Array<number>(10).fill(state)),
    );
  });

  test('observations end at the last second that all active threads have reported, or that any thread has reported after all have ended', () => {
    const observations = new TargetObservations(3);
    const secondsOf = () => observations.between(0, 60_000).states.length / TENTHS_PER_SECOND;
    expect(secondsOf()).toBe(0);
    for (const [thread, seconds] of [4, 2, 3].entries())
      for (let at = 0; at < seconds; at++) observations.add(thread, at, second('w'));
    expect(secondsOf()).toBe(2);
    observations.end(1);
    expect(secondsOf()).toBe(3);
    observations.end(2);
    expect(secondsOf()).toBe(4);
    observations.end(0);
    expect(secondsOf()).toBe(4);
  });

  test('after all threads have ended, the observations of the longest thread count', () => {
    const observations = new TargetObservations(2);
    for (let at = 0; at < 3; at++) observations.add(0, at, second('w'));
    observations.add(1, 0, second('w'));
    for (const thread of [0, 1]) observations.end(thread);
    expect(observations.between(0, 60_000).states).toHaveLength(30);
  });

  test('TargetObservations ignores observations after the end of the run', () => {
    const observations = new TargetObservations(1);
    for (let at = 0; at < 8; at++) observations.add(0, at, second('w'));
    expect(observations.between(0, 3500).states).toHaveLength(35);
  });
});

describe('omitted requests of the URLs', () => {
  const duration = milliseconds(6000);
  /** The observations of each second. In a second with responses, each URL has 500: of 6 ms, and of 4 ms. */
  const SECONDS = ['aaaaaaaaaa', 'aaaaaaaaaa', ...Array<string>(3).fill('wwwwwwwwww'), 'aaaaaaaaaa'];

  function tallyOf(count: number, microseconds: number, apart: boolean): Tally {
    const tally = createTally('record', apart);
    tally.started = tally.planned = count;
    addResponses(tally, 200, count);
    for (const times of [tally.response, tally.service]) times?.recordMany(count, microseconds);
    return tally;
  }

  function totalsOf(apart: boolean) {
    const totals = createTotals({ targets: 2, workers: 1, apart });
    totals.ledger.plan(0, [3000, 3000]);
    for (const [second, letters] of SECONDS.entries()) {
      const count = letters.startsWith('a') ? 500 : 0;
      const tallies = [tallyOf(count, 6000, apart), tallyOf(count, 4000, apart)];
      totals.add(snapshotOf(0, second, tallies, { tenths: observed(letters) }));
    }
    return totals;
  }

  test('in the closed model, the omitted requests of an outage are divided among the URLs, with response times up to the duration of the outage', () => {
    const totals = totalsOf(false);
    const job = jobOf([targetOf(80), targetOf(80)], { duration, testType: 'cycling' });
    const { outages, targets } = withOmittedRequests(job, totals, true);
    expect(outages).toMatchObject([{ from: 2, to: 5, seconds: 3 }]);
    const omitted = outages[0]?.omitted ?? 0;
    expect(omitted).toBeGreaterThan(1000);
    expect(targets.map((one) => one.omitted)).toEqual([Math.floor(omitted / 2), Math.ceil(omitted / 2)]);
    for (const [index, { tally, omitted: own }] of targets.entries()) {
      const { response } = tally;
      expect(response.count).toBe(1500 + own);
      expect(response.max).toBe(3_000_000);
      expect(response.min).toBe(index === 0 ? 6000 : 4000);
      // The times of the omitted requests decrease evenly from 3 s to a typical response time.
      expect(Math.abs(response.countAbove(1_500_000) - own / 2)).toBeLessThan(own / 50);
      expect(totals.ledger.targets[index]?.response.count).toBe(1500);
    }
  });

  test('slow responses explain periods without responses', () => {
    const job = jobOf([targetOf(80), targetOf(80)], { duration, testType: 'cycling' });
    const totals = totalsOf(false);
    const slow = tallyOf(5000, 2_000_000, false);
    totals.ledger.add(0, [tallyOf(0, 0, false), slow]);
    expect(withOmittedRequests(job, totals, true).outages).toEqual([]);
  });

  test('the times of omitted requests are at least the median of the response times, with which requests without a response count as the slowest', () => {
    const job = jobOf([targetOf(80)], { duration, testType: 'cycling' });
    const totals = createTotals({ targets: 1, workers: 1, apart: false });
    const tally = createTally('record', false);
    addResponses(tally, 200, 600);
    addResponses(tally, 503, 400);
    tally.timeoutResponse = 1000;
    // The median of the 1,000 responses is 20 ms, and the median of all times is 40 ms.
    for (const [count, ms] of [
      [499, 10],
      [2, 20],
      [499, 30],
      [1000, 50],
    ] as const)
      tally.response.recordMany(count, 1000 * ms);
    totals.add(snapshotOf(0, 0, [tally], { tenths: observed('aaaaaaaaaa') }));
    for (const at of [1, 2]) {
      totals.add(snapshotOf(0, at, [createTally('record', false)], { tenths: observed('wwwwwwwwww') }));
    }
    const [target] = withOmittedRequests(job, totals, true).targets;
    // 1,000 responses per second, for two seconds.
    expect(target?.omitted).toBe(2000);
    // 1,000 distinct values, evenly spaced from 2 s to 20 ms.
    expect(target?.omittedTimes).toMatchObject({
      count: 2000,
      min: expect.closeTo(22_000, -2) as number,
      max: 2_000_000,
    });
    expect(target?.tally.response.count).toBe(4000);
  });

  test('withOmittedRequests does not change the tallies of a run without an outage in the measured time', () => {
    const totals = totalsOf(false);
    const job = jobOf([targetOf(80), targetOf(80)], { duration: milliseconds(2000), testType: 'cycling' });
    expect(withOmittedRequests(job, totals, true)).toEqual({
      outages: [],
      targets: totals.ledger.targets.map((tally) => ({
        ...{ tally, omitted: 0, omittedTimes: Histogram.createTotal() },
      })),
    });
  });

  test('in the open models, requests that were not sent because the end of the run cut off their iterations count as omitted, unless the run ended early', () => {
    const totals = totalsOf(true);
    for (const [index, tally] of totals.ledger.targets.entries()) tally.stopped = 5 + index;
    const job = jobOf([targetOf(80), targetOf(80)], { duration, testType: 'non-cycling' });
    const omittedIn = (isComplete: boolean) =>
      withOmittedRequests(job, totals, isComplete).targets.map(({ omitted }) => omitted);
    expect(omittedIn(true)).toEqual([5, 6]);
    expect(omittedIn(false)).toEqual([0, 0]);
  });
});
