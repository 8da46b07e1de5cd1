/** Locations of baseline files, and protection against links in a checkout. */
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { writeBaseline } from '../../../src/cli/files/baselines.ts';
import { sha256 } from '../../../src/cli/files/sha256.ts';
import { checkProject, loadWithoutBaselines } from '../../../src/cli/files/project.ts';
import { createBaseline } from '../../../src/contract/baseline-codec.ts';
import { loadDigest } from '../../../src/core/reconcile/load-digest.ts';
import { ProblemError } from '../../../src/core/problem.ts';
import { createLibraryContext } from '../../../src/library/context.ts';
import { load } from '../../../src/library/load.ts';
import { createPastRun } from '../../support/past-run.ts';
import { createTestDirectory } from '../../support/temporary-directory.ts';

vi.stubGlobal('PACKAGE_VERSION', '1.2.3');

const RUNS = [40, 42, 41].map((p95) => createPastRun(p95));

function textOf(fields = 'total: 5'): string {
  return `version: 1
project: shop
apps: { shop: www.example.com }
environments: { ci: {} }
tests:
  home:
    test_type: cycling
    ${fields}
    duration: 5s
    urls: [http://www.example.com/]
    regression: { p95: 10%, requests_per_second: 5% }
`;
}

function project(text = textOf()): string {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), text);
  return directory;
}

async function writeRuns(directory: string, env?: string): Promise<string> {
  const read = await loadWithoutBaselines(
    createLibraryContext({ directory }),
    env === undefined ? {} : { env },
  );
  if (!read.ok) throw new Error(read.problems[0]?.message);
  const [test] = read.value.desired.tests;
  if (test === undefined) throw new Error('no test');
  return writeBaseline(read.value, test.key, createBaseline(loadDigest(test.spec, sha256), RUNS));
}

async function stateIn(directory: string, environment?: string) {
  const read = await load({ directory, ...(environment === undefined ? {} : { environment }) });
  const problems = (read.ok ? read.warnings : read.problems).map(
    ({ code, severity, message, source }) =>
      `${severity} ${code} ${source?.file ?? ''}:${source?.line ?? 0} ${message}`,
  );
  return { state: read.ok ? read.value.desired.tests[0]?.regression.baseline : null, problems };
}

describe('baselines of a test with "regression"', () => {
  it('a missing baseline causes a warning at the location of the threshold', async () => {
    expect(await stateIn(project())).toEqual({
      state: { kind: 'missing', path: 'baselines/home.json' },
      problems: [
        'warning LT_CONFIG_BASELINE loadtests.yaml:11 "home" uses "regression", but its baseline does not exist: baselines/home.json',
      ],
    });
  });

  it('each environment has a separate baseline', async () => {
    const directory = project();
    expect(await writeRuns(directory)).toBe('baselines/home.json');
    expect(await stateIn(directory)).toMatchObject({ state: { kind: 'read' }, problems: [] });
    expect(await stateIn(directory, 'ci')).toMatchObject({
      state: { kind: 'missing', path: 'baselines/ci/home.json' },
    });
    expect(await writeRuns(directory, 'ci')).toBe('baselines/ci/home.json');
    expect(await stateIn(directory, 'ci')).toMatchObject({ state: { kind: 'read' }, problems: [] });
  });

  it('a baseline stays valid if the name and the notes of its test change, and becomes stale if the load changes', async () => {
    const directory = project();
    await writeRuns(directory);
    writeFileSync(join(directory, 'loadtests.yaml'), textOf('total: 5\n    name: Home\n    notes: new'));
    expect(await stateIn(directory)).toMatchObject({ state: { kind: 'read' }, problems: [] });
    writeFileSync(join(directory, 'loadtests.yaml'), textOf('total: 6'));
    expect(await stateIn(directory)).toMatchObject({
      state: { kind: 'stale' },
      problems: [
        'warning LT_CONFIG_BASELINE loadtests.yaml:11 the baseline of "home" was recorded with a different load: baselines/home.json',
      ],
    });
  });

  it.each([
    [
      'invalid JSON',
      (path: string) => {
        writeFileSync(path, '{');
      },
      'it is not valid JSON',
    ],
    [
      'invalid UTF-8',
      (path: string) => {
        writeFileSync(path, new Uint8Array([0xff]));
      },
      'it is not valid UTF-8',
    ],
    [
      'a directory',
      (path: string) => {
        mkdirSync(path);
      },
      'it is a directory',
    ],
    [
      'a link',
      (path: string) => {
        symlinkSync('/etc/hostname', path);
      },
      'it is a symbolic link',
    ],
  ])(
    '%s in place of a baseline is reported with the name of the file and the reason',
    async (_name, replace, reason) => {
      const directory = project();
      mkdirSync(join(directory, 'baselines'));
      replace(join(directory, 'baselines', 'home.json'));
      expect((await stateIn(directory)).problems).toEqual([
        `error LT_CONFIG_BASELINE baselines/home.json:1 the baseline baselines/home.json cannot be used: ${reason}`,
      ]);
    },
  );

  it('without --env, the check of a project includes the baselines of every environment', async () => {
    const text = textOf().replace(
      'ci: {}',
      'ci: {}, fast: { tests: { quick: { total: 1, duration: 5s, test_type: cycling, urls: [http://www.example.com/], regression: { p95: 5% } } } }',
    );
    const directory = project(text);
    await writeRuns(directory);
    await writeRuns(directory, 'ci');
    const check = async () => {
      const checked = await checkProject(createLibraryContext({ directory }), {});
      return (checked.ok ? checked.warnings : checked.problems).map(
        ({ severity, source, message }) =>
          `${severity} ${source?.file ?? ''}:${source?.line ?? 0} ${message}`,
      );
    };
    expect(await check()).toEqual([]);
    const bad = ['ci/home', 'fast/quick'].map((name) => `baselines/${name}.json`);
    mkdirSync(join(directory, 'baselines', 'fast'));
    for (const path of bad) writeFileSync(join(directory, path), '{');
    expect(await check()).toEqual(
      bad.map((path) => `error ${path}:1 the baseline ${path} cannot be used: it is not valid JSON`),
    );
  });

  it('a baseline is not read or written through a link to a directory', async () => {
    const directory = project();
    const elsewhere = createTestDirectory();
    writeFileSync(join(elsewhere, 'home.json'), 'other');
    symlinkSync(elsewhere, join(directory, 'baselines'));
    expect((await stateIn(directory)).problems.join()).toContain('it is a symbolic link');
    await expect(writeRuns(directory)).rejects.toThrow(ProblemError);
    expect(readFileSync(join(elsewhere, 'home.json'), 'utf8')).toBe('other');
  });

  it('the replacement of a baseline does not affect a reader of the previous file, keeps the mode of the file, and leaves no temporary file', async () => {
    const directory = project();
    await writeRuns(directory);
    const path = join(directory, 'baselines', 'home.json');
    // Committed files have the default mode.
    expect(statSync(path).mode).toBe(statSync(join(directory, 'loadtests.yaml')).mode);
    chmodSync(path, 0o640);
    const before = readFileSync(path, 'utf8');
    // A reader of the old file can still read it to the end.
    const reader = openSync(path, 'r');
    writeFileSync(join(directory, 'loadtests.yaml'), textOf('total: 6'));
    await writeRuns(directory);
    expect(readFileSync(reader, 'utf8')).toBe(before);
    closeSync(reader);
    expect(readFileSync(path, 'utf8')).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(directory, 'baselines'))).toEqual(['home.json']);
  });

  it('a link in place of a baseline is not overwritten', async () => {
    const directory = project();
    const linked = join(createTestDirectory(), 'linked');
    writeFileSync(linked, 'other');
    mkdirSync(join(directory, 'baselines'));
    symlinkSync(linked, join(directory, 'baselines', 'home.json'));
    await expect(writeRuns(directory)).rejects.toThrow(/cannot be written: it is a symbolic link/);
    expect(readFileSync(linked, 'utf8')).toBe('other');
  });
});

it('six regression thresholds cause a warning with their false-positive rate', async () => {
  const six = textOf().replace('p95: 10%,', 'p50: 9%, p75: 9%, p90: 9%, p95: 10%, p99: 9%,');
  const directory = project(six);
  await writeRuns(directory);
  expect((await stateIn(directory)).problems).toEqual([
    expect.stringMatching(
      /^warning LT_CONFIG_FALSE_POSITIVES loadtests\.yaml:11 the file has 6 regression thresholds; .* up to 14%$/,
    ) as string,
  ]);
});
