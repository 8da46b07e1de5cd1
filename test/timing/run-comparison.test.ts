/**
 * From runs to a verdict, as a user performs it: a baseline is written, and then the target becomes slower.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

interface Document {
  readonly exit_code: number;
  readonly load: { readonly starts: number; readonly rounds: number; readonly seconds: number };
  readonly runs: readonly {
    readonly round: number;
    readonly verdict: string;
    readonly thresholds: readonly {
      readonly regression?: { readonly worse_by: number; readonly runs: number };
    }[];
  }[];
}

async function createProject() {
  let delay = 200;
  const target = await openTestTarget((_, response) => {
    setTimeout(() => {
      response.end('hello');
    }, delay);
  });
  const directory = createTestDirectory();
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: "${target.host}" }
tests:
  home:
    test_type: cycling
    initial: 5
    total: 5
    duration: 1
    urls: [${target.url}/]
    regression: { p50: 30% }
`,
  );
  return {
    directory,
    setDelay: (ms: number) => {
      delay = ms;
    },
  };
}

test('a regression threshold fails for a target that has become 60% slower, and passes for an unchanged target', async () => {
  const { directory, setDelay } = await createProject();
  const first = await runInProcess(['apply', '--yes', '--repeat', '3', '--json'], { directory });
  const applied = JSON.parse(first.stdout) as Document;
  expect(applied.load).toMatchObject({ starts: 3, rounds: 3, seconds: 3 });
  expect(applied.runs.map(({ round }) => round)).toEqual([1, 2, 3]);
  expect(first.exit).toBe(11);
  expect(first.stderr).toContain('round 3 of 3');
  expect(first.stderr).toContain('loadtests baseline home');

  const baseline = await runInProcess(['baseline', 'home', '--runs', '3'], { directory });
  expect([baseline.exit, baseline.stdout]).toEqual([
    0,
    'Wrote baselines/home.json: 3 runs. Review and commit it.\n',
  ]);
  const text = readFileSync(join(directory, 'baselines/home.json'), 'utf8');
  await runInProcess(['baseline', 'home', '--runs', '3'], { directory });
  expect(readFileSync(join(directory, 'baselines/home.json'), 'utf8')).toBe(text);

  const sameSpeed = await runInProcess(['run', 'home', '--yes', '--json'], { directory });
  const sameSpeedDocument = JSON.parse(sameSpeed.stdout) as Document;
  expect(sameSpeedDocument.runs.at(-1)).toMatchObject({
    verdict: 'pass',
    thresholds: [{ regression: { runs: 1 } }],
  });
  expect(sameSpeed.exit).toBe(0);

  setDelay(320);
  const slower = await runInProcess(['run', 'home', '--yes'], { directory });
  expect(slower.stderr).toMatch(
    /"home": p50 is 3[\d.]+ ms, \d\d% worse than the baseline's 2[\d.]+ ms; 30% is allowed/,
  );
  expect(slower.exit).toBe(10);

  const compared = await runInProcess(['results', 'home', '--compare', 'previous', '--json'], { directory });
  expect(compared.exit).toBe(0);
  const { comparison } = JSON.parse(compared.stdout) as {
    readonly comparison: {
      readonly metrics: readonly { readonly metric: string; readonly change: number }[];
    };
  };
  expect(comparison.metrics.find(({ metric }) => metric === 'p50')?.change).toBeGreaterThan(20);
});
