import { expect, test } from 'vitest';
import { createProgress } from '../../../src/cli/terminal/progress.ts';
import { testAddress, testId, testKey } from '../../../src/core/model/ids.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { milliseconds } from '../../../src/core/units.ts';

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

test('progress contains a request rate below 1 per second, and thousands of failed requests with a comma', () => {
  let printed = '';
  const output = {
    command: () => undefined,
    isTerminal: false,
    columns: 200,
    write: (text: string) => (printed += text),
  };
  const { emit } = createProgress(output, { paint: NO_PAINT, live: null, verbose: false });
  const progress = {
    ...{ elapsed: milliseconds(10_000), connections: 1, success: 0, requestsPerSecond: 0.25, p95: 1204.4 },
    ...{ error: 1204, timeoutError: 0, networkError: 0, warmingUp: false },
  };
  const run = { address: testAddress(testKey('home')), testId: testId('t1') };
  emit({ kind: 'running', ...run, elapsed: 10_000, duration: 60_000, progress });
  expect(printed).toContain('1 connection, 0.25/s, 1,204 failed, p95 1,204 ms');
});
