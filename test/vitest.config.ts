import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirstSequencer } from './support/longest-first-sequencer.ts';
import { TEST_TIMEOUT_MS, WAIT_MS } from './support/wait.ts';

/** Tests that compute and do not wait. */
const UNIT = 'test/unit/**/*.test.ts';
/**
 * Tests that evaluate times, metrics and verdicts of real load. At most one other test runs at the same time.
 */
const TIMING = 'test/timing/**/*.test.ts';
/** Tests that use the whole machine, or compare times with those that the target measured. They run alone. */
const ALONE = ['busy-load-generator', 'full-speed', 'latency-accuracy'].map(
  (name) => `test/timing/${name}.test.ts`,
);
// Node.js 20 reads these certificates at each start. No test connects to a host beyond 127.0.0.1.
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Memory that the temporary files of all tests need at most, in bytes. */
const TEMPORARY_BYTES = 2 * 2 ** 30;
// In memory, so that no test waits for a disk. In some containers, this directory is too small.
if (existsSync('/dev/shm') && freeBytes('/dev/shm') > TEMPORARY_BYTES) process.env['TMPDIR'] ??= '/dev/shm';

const root = import.meta.dirname + '/..';
const timeouts = {
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  expect: { poll: { timeout: WAIT_MS } },
};
// A load generator skips requests that are more than a second late. If the machine is that busy, the counts and
// times of real load differ, so these tests fail only if they fail each time. All other tests fail the first time.
const retries = { retry: 2 };
// For files that compare counts of real load, of the engine itself or of processes that generate load. A tag, because
// each project starts its own processes, which load all modules again.
const tags = [{ name: 'load', ...retries }];
// Test files share a process, because they leave no state. Each process compiles all modules again, which takes more
// CPU time than the tests of many files, so only as many processes start as keep the cores busy.
const shared = {
  root,
  tags,
  setupFiles: ['test/support/property-seed.ts'],
  ...timeouts,
  isolate: false,
  maxConcurrency: 3,
};

export default defineConfig({
  test: {
    root,
    globalSetup: 'test/support/build.ts',
    sequence: { sequencer: LongestFirstSequencer },
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: [UNIT],
          ...shared,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'general',
          include: ['test/**/*.test.ts'],
          exclude: [UNIT, TIMING],
          ...shared,
          // These tests also wait for processes, servers and load.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
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

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
