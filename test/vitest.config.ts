import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirstSequencer } from './support/longest-first-sequencer.ts';

/**
 * Tests that evaluate times, metrics and verdicts of real load. At most one other test runs at the same time.
 */
const TIMING = 'test/timing/**/*.test.ts';
/** Tests that use the whole machine, or compare times with those that the target measured. They run alone. */
const ALONE = ['busy-load-generator', 'full-speed', 'latency-accuracy'].map(
  (name) => `test/timing/${name}.test.ts`,
);
/** Tests of pure functions and data. */
const UNIT = 'test/unit/**/*.test.ts';

// Node.js 20 reads these certificates at each start. No test connects to a host beyond 127.0.0.1.
delete process.env['NODE_EXTRA_CA_CERTS'];

const root = import.meta.dirname + '/..';
// Most tests wait for processes, servers and load. Test files share a process, because they leave no state.
const shared = { isolate: false, maxWorkers: 3 * availableParallelism(), sequence: { groupOrder: 1 } };
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000 };
// Times of real load vary on a busy machine, so these tests fail only if they fail twice. All other tests fail
// the first time.
const retries = { retry: 1 };

export default defineConfig({
  test: {
    root,
    globalSetup: 'test/support/build.ts',
    sequence: { sequencer: LongestFirstSequencer },
    reporters: ['default'],
    projects: [
      { test: { name: 'unit', root, include: [UNIT], ...shared, ...timeouts } },
      {
        test: {
          name: 'rest',
          root,
          include: ['test/**/*.test.ts'],
          exclude: [UNIT, TIMING],
          ...shared,
          ...timeouts,
          // Limits the concurrent processes of each test file.
          maxConcurrency: 3,
        },
      },
      {
        test: {
          name: 'timing',
          root,
          include: [TIMING],
          exclude: ALONE,
          ...timeouts,
          ...retries,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'alone',
          root,
          include: ALONE,
          ...timeouts,
          ...retries,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
