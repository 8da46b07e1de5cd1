// Settings of the mutation tests: `npm run mutate -- --mutate 'src/core/load/*.ts'`.
export default {
  mutate: ['src/{apply,config,contract,core}/**/*.ts', '!src/**/generated/**'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation.config.ts' },
  // Stryker mutates a copy of the repository. The tests read no other files, and only style sheets of the build.
  ignorePatterns: ['/.ci', '/.tmp', '/bench', '/out', '/public', '*.tsbuildinfo'],
  tempDirName: '.tmp/mutation',
  incrementalFile: '.tmp/mutation-results.json',
  concurrency: 2,
  // Mutants of code that runs when its module is loaded would need all tests.
  ignoreStatic: true,
  disableTypeChecks: false,
  // The first run of all tests may take longer than the default of 5 minutes on a busy machine.
  dryRunTimeoutMinutes: 60,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { logTests: false, reportTests: false },
};
