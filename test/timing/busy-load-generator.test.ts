/** A machine on which others take all that there is: verdicts are still given. */
import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { openRootExample } from '../support/examples.ts';

test('the shipped file gets its verdict beside two programs that burn a core each', async () => {
  // Two seconds of it: the programs take what there is for all that time.
  const { apply, remove } = await openRootExample((text) =>
    text.replace(/(total: 20\n {4}duration: )5s/, '$12s'),
  );
  onTestFinished(remove);
  const burns = ['-e', 'for (const end = Date.now() + 60_000; Date.now() < end;);'];
  const burners = [0, 1].map(() => spawn(process.execPath, burns, { stdio: 'ignore' }));
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
