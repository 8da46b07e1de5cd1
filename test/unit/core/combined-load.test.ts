import { describe, expect, test } from 'vitest';
import { combineLoads } from '../../../src/core/report/several-projects.ts';

const load = (starts: number, peaks: Readonly<Record<string, number>>, requests?: number) => ({
  starts,
  peak_connections: peaks,
  ...(requests === undefined ? {} : { requests }),
  seconds: starts * 10,
  concurrent_tests: Math.min(starts, 1),
});

describe('the load of several projects', () => {
  test('the combined load has the sum of tests, times and requests, and the highest peak of each host', () => {
    const setup = { ...load(2, { a: 9 }, 20), setup_requests: 3, teardown_requests: 1 };
    expect(combineLoads([load(1, { a: 5, b: 7 }, 100), setup, setup])).toEqual({
      starts: 5,
      peak_connections: { a: 9, b: 7 },
      requests: 140,
      setup_requests: 6,
      teardown_requests: 2,
      seconds: 50,
      concurrent_tests: 1,
    });
  });

  test('the combined number of requests is unknown if it is unknown for a project that starts load', () => {
    expect(combineLoads([load(1, { a: 5 }, 100), load(1, { a: 5 })])).not.toHaveProperty('requests');
    expect(combineLoads([load(1, { a: 5 }, 100), load(0, {})])).toHaveProperty('requests', 100);
  });

  test('the combined number of requests is a maximum if that of a project is one', () => {
    const varying = { ...load(1, { a: 5 }, 10), requests_vary: true as const };
    expect(combineLoads([load(1, { a: 5 }, 100), varying])).toMatchObject({
      requests: 110,
      requests_vary: true,
    });
    expect(combineLoads([load(1, { a: 5 }), varying])).not.toHaveProperty('requests_vary');
  });

  test('the combined number of concurrent tests is the highest number of any project', () => {
    const parallel = { ...load(2, { a: 1 }), concurrent_tests: 2, seconds_vary: true as const };
    expect(combineLoads([load(1, {}), parallel])).toMatchObject({ concurrent_tests: 2, seconds_vary: true });
  });
});
