import { expect, test } from 'vitest';
import { createProgress } from '../../../src/cli/terminal/progress.ts';
import { testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';

test('without a terminal, progress prints one line per ten seconds for each run of the same test', () => {
  let printed = '';
  const output = {
    command: () => undefined,
    isTerminal: false,
    columns: 80,
    write: (text: string) => (printed += text),
  };
  const { emit } = createProgress(output, { paint: NO_PAINT, live: null, verbose: false });
  const run = { address: testAddress(testKey('home')), testId: testId('t1') };
  const linesOfRun = () => {
    printed = '';
    for (const elapsed of [5000, 11_000, 15_000, 21_000])
      emit({ kind: 'running', ...run, elapsed, duration: 60_000, progress: null });
    emit({ kind: 'left', ...run, text: 'is still running' });
    return printed.match(/\d+s of 1m/g);
  };
  expect(linesOfRun()).toEqual(['11s of 1m', '21s of 1m']);
  expect(linesOfRun()).toEqual(['11s of 1m', '21s of 1m']);
});
