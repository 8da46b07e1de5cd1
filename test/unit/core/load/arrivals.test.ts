/** Random arrivals: exact counts, the distribution of the start times, and queues as in theory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clientCount,
  clientsDue,
  clientsDueBefore,
  dueAt,
  type PaceSpec,
} from '../../../../src/core/model/pace.ts';
import { peakConnections } from '../../../../src/core/model/peak-load.ts';
import { rampsOf } from '../../../../src/core/model/ramps.ts';
import { milliseconds, seconds } from '../../../../src/core/units.ts';
import { openRawTarget } from '../../../support/raw-target.ts';
import { jobOf, targetOf } from '../../../support/test-engine.ts';
import { runInVirtualTime, virtualTimeOf } from '../../../support/virtual-run.ts';

function randomPace(changes: Partial<PaceSpec>): PaceSpec {
  const spec = {
    testType: 'per-second',
    initial: 0,
    total: 100,
    duration: seconds(100),
    ramps: null,
  } as const;
  return { ...spec, arrivals: 'random', seed: 1, ...changes };
}

function startsOf(spec: PaceSpec): readonly number[] {
  return Array.from({ length: clientCount(spec) }, (_, client) => dueAt(spec, client));
}

/** Returns the Kolmogorov–Smirnov statistic of sorted values for a distribution, times √n. */
function kolmogorovSmirnov(sorted: readonly number[], distribution: (value: number) => number): number {
  const n = sorted.length;
  const distances = sorted.map((value, index) => {
    const expected = distribution(value);
    return Math.max(expected - index / n, (index + 1) / n - expected);
  });
  return Math.max(...distances) * Math.sqrt(n);
}

/** Critical value of the statistic for a probability of 0.1%. The seeds are fixed, so the tests are reproducible. */
const CRITICAL = 1.95;

/** Returns the mean wait in a queue with one server and a constant service time. */
function meanWait(starts: readonly number[], service: number): number {
  let wait = 0;
  let sum = 0;
  starts.forEach((at, client) => {
    wait = client === 0 ? 0 : Math.max(0, wait + service - (at - (starts[client - 1] ?? 0)));
    sum += wait;
  });
  return sum / starts.length;
}

describe('random arrivals', () => {
  test.each([1, 2, 3])('10,000 random start times with the seed %i are uniformly distributed', (seed) => {
    const starts = startsOf(randomPace({ seed }));
    expect(starts).toHaveLength(10_000);
    expect(kolmogorovSmirnov(starts, (at) => at / 100_000)).toBeLessThan(CRITICAL);
  });

  test.each([1, 2, 3])(
    'the intervals between 10,000 random start times with the seed %i are exponentially distributed',
    (seed) => {
      const starts = startsOf(randomPace({ seed }));
      const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
      const sorted = gaps.toSorted((one, other) => one - other);
      expect(kolmogorovSmirnov(sorted, (gap) => 1 - Math.exp(-gap / 10))).toBeLessThan(CRITICAL);
    },
  );

  test('the distribution of random start times in stages follows the declared rate', () => {
    const stages = [
      { duration: seconds(100), to: 200 },
      { duration: seconds(50), to: 0 },
    ];
    const spec = randomPace({ total: 200, duration: seconds(150), ramps: rampsOf('rate', 0, stages) });
    const starts = startsOf(spec);
    expect(starts).toHaveLength(15_000);
    const areaUntil = (at: number) => (at <= 100 ? at * at : 10_000 + 5000 - 2 * (150 - at) ** 2);
    expect(kolmogorovSmirnov(starts, (at) => areaUntil(at / 1000) / 15_000)).toBeLessThan(CRITICAL);
  });

  test.each([0.3, 0.5, 0.8])(
    'for random arrivals, the mean waiting time at a server with a utilization of %s is within 5% of the value from queueing theory',
    (utilization) => {
      const starts = startsOf(randomPace({ total: 200, duration: seconds(2000) }));
      const service = utilization * 5;
      const expected = (utilization * service) / (2 * (1 - utilization));
      expect(Math.abs(meanWait(starts, service) / expected - 1)).toBeLessThan(0.05);
      // Even arrivals never wait.
      expect(meanWait(startsOf(randomPace({ total: 200, arrivals: null })), service)).toBeCloseTo(0, 6);
    },
  );

  test('random arrivals have sorted start times within the run, and as many clients as even arrivals', () => {
    const anyPace = fc.record({
      testType: fc.constantFrom('per-second' as const, 'non-cycling' as const),
      total: fc.integer({ min: 1, max: 9000 }),
      duration: fc.integer({ min: 1, max: 4 }).map(seconds),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(anyPace, fc.double({ min: 0, max: 1, noNaN: true }), (pace, part) => {
        // A rate that is not a whole number rounds the number of clients up.
        const total = pace.testType === 'per-second' ? pace.total / 8 : pace.total;
        const spec = randomPace({ ...pace, total });
        const starts = startsOf(spec);
        expect(starts).toHaveLength(clientCount({ ...spec, arrivals: null }));
        expect(starts).toEqual(starts.toSorted((one, other) => one - other));
        expect(Math.max(...starts)).toBeLessThan(spec.duration);
        const at = part * spec.duration;
        expect(clientsDue(spec, at)).toBe(starts.filter((start) => start <= at).length);
        expect(clientsDueBefore(spec, starts[0] ?? 0)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  test('random arrivals have equal start times for equal seeds, and different start times for different seeds', () => {
    const [one, same, other] = [1, 1, 2].map((seed) => startsOf(randomPace({ seed, duration: seconds(1) })));
    expect(one).toEqual(same);
    expect(one).not.toEqual(other);
  });

  test('the bursts of 50 simulated runs with random arrivals do not exceed the planned peak of connections', () => {
    const spec = {
      ...randomPace({ total: 50, duration: seconds(60) }),
      ...{ timeout: milliseconds(1000), targets: [{ delay: null }], flows: null, groups: null },
    };
    const planned = peakConnections(spec);
    expect(peakConnections({ ...spec, arrivals: null })).toBe(50);
    expect(planned).toBeGreaterThan(90);
    expect(planned).toBeLessThan(130);
    for (let seed = 0; seed < 50; seed++) {
      const starts = startsOf({ ...spec, seed });
      // Clients within the second before each start, including it.
      let first = 0;
      const counts = starts.map((at, client) => {
        while ((starts[first] ?? 0) <= at - 1000) first++;
        return client - first + 1;
      });
      expect(Math.max(...counts)).toBeLessThanOrEqual(planned);
      expect(Math.max(...counts)).toBeGreaterThan(50);
    }
  });

  test.each([1, 3])(
    'with random arrivals and a thread count of %i, each client starts at its scheduled time',
    async (threads) => {
      const shop = await openRawTarget();
      const pace = {
        testType: 'per-second',
        total: 100,
        duration: 2000,
        arrivals: 'random',
        seed: 7,
      } as const;
      const job = jobOf([targetOf(shop.port)], { ...pace, threads });
      const report = await runInVirtualTime(job, shop);
      expect(report.total.ledger).toMatchObject({ planned: 200, started: 200, success: 200 });
      // The loop starts clients once per millisecond.
      expect(shop.requests.map(({ at }) => virtualTimeOf(at))).toEqual(
        startsOf(job).map((at) => Math.ceil(at)),
      );
      expect(report.delivery).toMatchObject({ due: 200, late: 0, neverStarted: 0 });
    },
  );
});
