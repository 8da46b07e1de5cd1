/** Settings of the tests that `npm run mutate` runs for each mutant. */
import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const GOLDEN = '/test/cli/golden.test.ts';

/** Starts small test files first and the golden tests last, because the first failed test ends a run. */
class SmallestFirstSequencer extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification) =>
      moduleId.endsWith(GOLDEN) ? Infinity : statSync(moduleId).size;
    return Promise.resolve([...files].sort((one, other) => cost(one) - cost(other)));
  }
}

export default defineConfig({
  test: {
    root: import.meta.dirname + '/..',
    include: [
      'test/unit/{apply,cluster,config,contract,core,engine,formats,report}/**/*.test.ts',
      'test/unit/rules/{connection,patterns}.test.ts',
      'test' + GOLDEN.slice('/test'.length),
    ],
    // These files need seconds for each mutant.
    exclude: [
      '**/hostile-files.test.ts',
      '**/core/load/verdicts.test.ts',
      '**/engine/{closed-connections,delays,iteration-durations,list-variables,long-runs,parser-fuzz,re*,timeouts,value-extractor,virtual-time,warmup}*.test.ts',
      '**/formats/{hostile-sources,k6-loops}.property.test.ts',
    ],
    env: { TEST_SCALE: '0.02', GOLDEN: 'source' },
    sequence: { sequencer: SmallestFirstSequencer },
    setupFiles: ['test/support/property-seed.ts'],
    isolate: false,
    testTimeout: 60_000,
  },
});
