/** From runs to a verdict, as a user has them: a baseline that is written, and a target that gets slower. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDirectory, runCli } from '../support/cli.ts';
import { openTestTarget } from '../support/test-target.ts';

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

async function project() {
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
    slow: (ms: number) => {
      delay = ms;
    },
  };
}

test('a target that gets slower by half is found, and one that stays as it is passes', async () => {
  const { directory: directory, slow } = await project();
  const first = await runCli(['apply', '--yes', '--repeat', '3', '--json'], { directory });
  const made = JSON.parse(first.stdout) as Document;
  expect(made.load).toMatchObject({ starts: 3, rounds: 3, seconds: 3 });
  expect(made.runs.map(({ round }) => round)).toEqual([1, 2, 3]);
  expect(first.exit).toBe(11);
  expect(first.stderr).toContain('round 3 of 3');
  expect(first.stderr).toContain('loadtests baseline home');

  const baseline = await runCli(['baseline', 'home', '--runs', '3'], { directory });
  expect([baseline.exit, baseline.stdout]).toEqual([
    0,
    'Wrote baselines/home.json: 3 runs. Review and commit it.\n',
  ]);
  const text = readFileSync(join(directory, 'baselines/home.json'), 'utf8');
  await runCli(['baseline', 'home', '--runs', '3'], { directory });
  expect(readFileSync(join(directory, 'baselines/home.json'), 'utf8')).toBe(text);

  const same = await runCli(['run', 'home', '--yes', '--json'], { directory });
  const passed = JSON.parse(same.stdout) as Document;
  expect(passed.runs.at(-1)).toMatchObject({ verdict: 'pass', thresholds: [{ regression: { runs: 1 } }] });
  expect(same.exit).toBe(0);

  slow(320);
  const slower = await runCli(['run', 'home', '--yes'], { directory });
  expect(slower.stderr).toMatch(
    /"home": p50 is 3[\d.]+ ms, \d\d% worse than the baseline's 2[\d.]+ ms; 30% is allowed/,
  );
  expect(slower.exit).toBe(10);

  const beside = await runCli(['results', 'home', '--compare', 'previous', '--json'], { directory });
  expect(beside.exit).toBe(0);
  const { comparison } = JSON.parse(beside.stdout) as {
    readonly comparison: {
      readonly metrics: readonly { readonly metric: string; readonly change: number }[];
    };
  };
  expect(comparison.metrics.find(({ metric }) => metric === 'p50')?.change).toBeGreaterThan(20);
});
