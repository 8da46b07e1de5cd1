/** Counters of a second, and the sums and outcomes that are computed from them. */
import { describe, expect, test } from 'vitest';
import {
  addAddressUses,
  addIterationTally,
  addResponses,
  addTally,
  countBelow400,
  countFinished,
  countNotStarted,
  createConnectionSetup,
  createIterationTally,
  createTally,
  httpErrorsOf,
  incrementCount,
  ledgerOf,
  outcomesOf,
  statusCodesOf,
  TALLY_COUNTS,
  type Tally,
} from '../../../../src/core/load/snapshot.ts';

/**
 * A tally in which no sum of some counts equals another such sum: each count is a different power of two. Expectations
 * apply to 8 of the 32 responses with status 400, and to all 512 responses with status 503.
 */
function sampleTally(): Tally {
  const tally = createTally('record', true);
  TALLY_COUNTS.forEach((name, index) => {
    tally[name] = 2 ** (20 + index);
  });
  for (const [status, count] of [
    [304, 1024],
    [399, 256],
    [400, 32],
    [503, 512],
  ] as const)
    addResponses(tally, status, count);
  Object.assign(tally.checkedErrors, { 400: 8, 503: 512 });
  Object.assign(tally.unexpected, { 'status 503': 128, 'status 400': 4, body: 64 });
  Object.assign(tally.network, { ECONNRESET: 2048, ETIMEDOUT: 4096 });
  Object.assign(tally.protocol, { truncated: 8192 });
  tally.response.record(7);
  tally.lowerBounds.record(5);
  tally.service?.record(6);
  return tally;
}

describe('outcomes of requests', () => {
  test('a response is a success if its status is below 400 or it met its expectations', () => {
    const tally = sampleTally();
    const outcomes = outcomesOf(tally);
    expect(outcomes).toEqual({
      success: 1024 + 256 + (8 + 512) - (128 + 4 + 64),
      error: 32 + 512 - (8 + 512) + (128 + 4 + 64),
      timeoutError: tally.timeoutConnect + tally.timeoutTls + tally.timeoutResponse,
      networkError: 2048 + 4096 + 8192,
    });
    expect(countFinished(outcomes)).toBe(
      1024 + 256 + 32 + 512 + outcomes.timeoutError + outcomes.networkError,
    );
  });

  test('the number of responses with a status below 400 does not depend on expectations', () => {
    expect(countBelow400(sampleTally())).toBe(1024 + 256);
  });

  test('the ledger contains each count and each table of a tally', () => {
    const tally = sampleTally();
    expect(ledgerOf(tally)).toEqual({
      planned: 2 ** 20,
      started: 2 ** 21,
      notStarted: {
        stopped: 2 ** 22,
        aborted: 2 ** 23,
        saturated: 2 ** 24,
        noSocket: 2 ** 25,
        undefinedVariable: 2 ** 26,
        condition: 2 ** 27,
      },
      success: 1604,
      httpError: { 400: 24 },
      timeout: { connect: 2 ** 28, tls: 2 ** 29, response: 2 ** 30 },
      unexpected: { status: 132, body: 64 },
      network: { ECONNRESET: 2048, ETIMEDOUT: 4096 },
      protocol: { truncated: 8192 },
      abandoned: 2 ** 31,
      resent: 2 ** 32,
      retryAfter: 2 ** 33,
    });
    expect(countNotStarted(tally)).toBe(2 ** 28 - 2 ** 22);
  });

  test('the tables of a ledger do not change with later counts', () => {
    const tally = sampleTally();
    const before = ledgerOf(tally);
    incrementCount(tally.network, 'ECONNRESET');
    incrementCount(tally.protocol, 'truncated');
    expect([before.network['ECONNRESET'], before.protocol['truncated']]).toEqual([2048, 8192]);
  });

  test('only responses with status 400 or above that were not checked against expectations are HTTP errors', () => {
    expect(httpErrorsOf(sampleTally())).toEqual({ 400: 24 });
    expect(statusCodesOf(sampleTally())).toEqual({ 304: 1024, 399: 256, 400: 32, 503: 512 });
  });
});

describe('sums of tallies', () => {
  test('adding a tally twice doubles each count and each histogram', () => {
    const sum = createTally('total', true);
    for (const part of [sampleTally(), sampleTally()]) addTally(sum, part);
    for (const name of TALLY_COUNTS) expect([name, sum[name]]).toEqual([name, 2 * sampleTally()[name]]);
    expect(statusCodesOf(sum)).toEqual({ 304: 2048, 399: 512, 400: 64, 503: 1024 });
    expect(sum).toMatchObject({
      checkedErrors: { 400: 16, 503: 1024 },
      unexpected: { 'status 503': 256, 'status 400': 8, body: 128 },
      network: { ECONNRESET: 4096, ETIMEDOUT: 8192 },
      protocol: { truncated: 16_384 },
      response: { count: 2, sum: 14 },
      lowerBounds: { count: 2, sum: 10 },
      service: { count: 2, sum: 12 },
    });
  });

  test('service times are added only if both tallies contain service times', () => {
    const [apart, equal] = [createTally('total', true), createTally('total', false)];
    addTally(apart, createTally('record', false));
    addTally(equal, sampleTally());
    expect([apart.service?.count, equal.service, equal.response.count]).toEqual([0, null, 1]);
  });

  test('adding iterations twice doubles each count and each histogram', () => {
    const part = createIterationTally('record');
    const counts = { started: 1, completed: 2, failed: 3, withErrors: 4, endedInWarmup: 5 };
    Object.assign(part, counts);
    part.durations.record(6);
    part.lowerBounds.record(7);
    const sum = createIterationTally('total');
    for (const added of [part, part]) addIterationTally(sum, added);
    expect(sum).toMatchObject({
      ...{ started: 2, completed: 4, failed: 6, withErrors: 8, endedInWarmup: 10 },
      ...{ durations: { count: 2, sum: 12 }, lowerBounds: { count: 2, sum: 14 } },
    });
  });

  test.each(['constructor', 'hasOwnProperty', 'toString'])('a count can have the name "%s"', (name) => {
    const counts: Record<string, number> = {};
    incrementCount(counts, name);
    incrementCount(counts, name, 2);
    expect(counts).toEqual({ [name]: 3 });
  });

  test('the uses of an address are summed, without changes of the parts', () => {
    const first = { a: { connections: 1, requests: 2, failed: 3, tls: { 'TLSv1.3': 4 } } };
    const second = {
      a: { connections: 10, requests: 20, failed: 30, tls: { 'TLSv1.3': 40, 'TLSv1.2': 50 } },
      b: { connections: 5, requests: 6, failed: 7, tls: {} },
    };
    const parts = structuredClone([first, second]);
    const sum = {
      a: { connections: 11, requests: 22, failed: 33, tls: { 'TLSv1.3': 44, 'TLSv1.2': 50 } },
      b: second.b,
    };
    expect(addAddressUses(first, second)).toEqual(sum);
    expect(addAddressUses({}, second)).toEqual(second);
    expect(addAddressUses(first, {})).toEqual(first);
    expect([first, second]).toEqual(parts);
  });
});

test('the sums of a run can exceed 32 bits, and the counters of a second use 32 bits to save memory', () => {
  const histogramsOf = (use: 'record' | 'total') => {
    const tally = createTally(use, true);
    const iterations = createIterationTally(use);
    const setup = createConnectionSetup(use);
    return [
      ...[tally.response, tally.lowerBounds, tally.service, iterations.durations, iterations.lowerBounds],
      ...[setup.connect, setup.tls],
    ];
  };
  const bytesPerCount = (use: 'record' | 'total') =>
    histogramsOf(use).map((histogram) => {
      histogram?.recordMany(2 ** 32, 1);
      return [histogram?.counts[0]?.BYTES_PER_ELEMENT, histogram?.counts[0]?.[1]];
    });
  expect(bytesPerCount('total')).toEqual(new Array(7).fill([8, 2 ** 32]));
  expect(bytesPerCount('record')).toEqual(new Array(7).fill([4, 0]));
});
