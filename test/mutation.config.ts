/** Settings of the tests that `npm run mutate` runs for each mutant. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname + '/..',
    include: ['test/unit/{apply,config,contract,core,report}/**/*.test.ts'],
    // These files need seconds for each mutant.
    exclude: ['**/hostile-files.test.ts', '**/core/load/verdicts.test.ts'],
    env: { TEST_SCALE: '0.02' },
    isolate: false,
    testTimeout: 60_000,
  },
});
