/** A busy machine: runs still receive verdicts. */
import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { openRootExample } from '../support/examples.ts';

test('the test "search" of the example file passes while two CPU-bound processes run on the machine', async () => {
  // The test runs for two seconds, during which the programs use all cores.
  const { apply, remove } = await openRootExample((text) =>
    text.replace(/(total: 20\n {4}duration: )5s/, '$12s'),
  );
  onTestFinished(remove);
  const burnArgs = ['-e', 'for (const end = Date.now() + 60_000; Date.now() < end;);'];
  const burners = [0, 1].map(() => spawn(process.execPath, burnArgs, { stdio: 'ignore' }));
  try {
    const { exit, document } = await apply('--only', 'search');
    expect([exit, document.problems]).toEqual([0, []]);
    expect(document.runs.map(({ address, verdict }) => [address, verdict])).toEqual([
      ['test.search', 'pass'],
    ]);
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
  }
});
