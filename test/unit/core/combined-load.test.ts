import { describe, expect, test } from 'vitest';
import { combineLoads } from '../../../src/core/report/several-projects.ts';

const load = (starts: number, peaks: Readonly<Record<string, number>>, requests?: number) => ({
  starts,
  peak_connections: peaks,
  ...(requests === undefined ? {} : { requests }),
  seconds: starts * 10,
  sequential: true,
});

describe('the load of several projects', () => {
  test('tests, times and requests add up, and the peak of a host is the highest one', () => {
    expect(combineLoads([load(1, { a: 5, b: 7 }, 100), load(2, { a: 9 }, 20)])).toEqual({
      starts: 3,
      peak_connections: { a: 9, b: 7 },
      requests: 120,
      seconds: 30,
      sequential: true,
    });
  });

  test('the number of requests is unknown if that of a project with load is unknown', () => {
    expect(combineLoads([load(1, { a: 5 }, 100), load(1, { a: 5 })])).not.toHaveProperty('requests');
    expect(combineLoads([load(1, { a: 5 }, 100), load(0, {})])).toHaveProperty('requests', 100);
  });

  test('the tests are not sequential if those of a project are not', () => {
    const parallel = { ...load(2, { a: 1 }), sequential: false };
    expect(combineLoads([load(1, {}), parallel]).sequential).toBe(false);
  });
});
