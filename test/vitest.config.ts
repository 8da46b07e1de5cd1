import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirstSequencer } from './support/longest-first-sequencer.ts';

/** These judge times, figures and verdicts of real load: beside them runs at most another one that mostly waits. */
const TIMING = 'test/timing/**/*.test.ts';
/** These take all of the machine, or compare times with what the target has measured itself: nothing runs beside them. */
const ALONE = ['busy-machine', 'full-speed', 'true-times'].map((name) => `test/timing/${name}.test.ts`);
/** Functions and data. */
const UNIT = 'test/unit/**/*.test.ts';

// Node.js 20 reads these certificates at each start, for every test file; no test goes beyond 127.0.0.1.
delete process.env['NODE_EXTRA_CA_CERTS'];

const root = import.meta.dirname + '/..';
// Most tests wait for processes, servers and load most of the time. A file leaves nothing behind, so what it has loaded
// serves the next one as well.
const beside = { isolate: false, maxWorkers: 2 * availableParallelism(), sequence: { groupOrder: 1 } };
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };
// Processes, sockets and clocks of a busy machine: what fails twice has failed, and a second try is told in the output.
const again = { retry: 1 };

export default defineConfig({
  test: {
    root,
    globalSetup: 'test/support/build.ts',
    sequence: { sequencer: LongestFirstSequencer },
    reporters: ['default'],
    projects: [
      { test: { name: 'unit', root, include: [UNIT], ...beside, ...patience } },
      {
        test: {
          ...{ name: 'rest', root, include: ['test/**/*.test.ts'], exclude: [UNIT, TIMING] },
          ...{ ...beside, ...patience, ...again },
          // Processes, in each of the files that are run at once.
          maxConcurrency: 3,
        },
      },
      {
        test: {
          ...{ name: 'timing', root, include: [TIMING], exclude: ALONE, ...patience, ...again },
          ...{ isolate: false, maxWorkers: 2, sequence: { groupOrder: 2 } },
        },
      },
      {
        test: {
          ...{ name: 'alone', root, include: ALONE, ...patience, ...again },
          ...{ isolate: false, maxWorkers: 1, sequence: { groupOrder: 3 } },
        },
      },
    ],
  },
});
