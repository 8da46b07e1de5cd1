/** The examples in docs/guides/ci.md, as far as they run without their CI systems. */
// @module-tag load
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openNpxStandIn } from '../support/npx-stand-in.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/guides/ci.md'), 'utf8');

/** Returns the code block that begins with a comment of this name. */
function exampleOf(name: string): string {
  const blocks = [...PAGE.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return blocks.find((text) => /^(?:#|\/\/) (.*)\n/.exec(text)?.[1] === name) ?? '';
}

interface RepositoryOptions {
  /** Threshold for the error rate. */
  readonly limit?: string;
  /** True to run the built program. By default, commands run in this process, which takes less time. */
  readonly built?: boolean;
}

/** Creates a repository with a configuration file, installed packages and a target. */
async function openRepository({ limit = '< 1%', built = false }: RepositoryOptions = {}) {
  const target = await openTestTarget(servePages({ '/': 'hello' }));
  const [directory, home] = [createTestDirectory(), createTestDirectory()];
  const file = {
    version: 1,
    project: 'shop',
    apps: { shop: target.host },
    tests: {
      home: {
        test_type: 'non-cycling',
        total: 5,
        duration: '1s',
        urls: [`http://${target.host}/`],
        thresholds: { error_rate: limit },
      },
    },
  };
  writeFileSync(join(directory, 'loadtests.yaml'), JSON.stringify(file));
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    CI: 'true',
    npm_config_offline: 'true',
  };
  // Stubs, because the packages are already installed and npx takes a second to check that.
  const standIns = {
    npm: '[ "$*" = ci ]',
    npx: built
      ? `[ "$1 $2" = "--no-install loadtests" ] && shift 2 && exec node ${join(ROOT, 'dist/cli/main.js')} "$@"`
      : await openNpxStandIn(),
  };
  for (const [name, line] of Object.entries(standIns))
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });

  /** Returns the exit code. */
  const sh = async (script: string) => {
    return await new Promise<number>((resolve) => {
      const child = execFile('sh', ['-c', script], { cwd: directory, env }, () => {
        resolve(child.exitCode ?? 1);
      });
    });
  };
  /** Runs the lines one by one and stops at the first failure, like a CI job. */
  const job = async (lines: readonly string[]) => {
    for (const line of lines) {
      const exit = await sh(line);
      if (exit !== 0) return exit;
    }
    return 0;
  };
  const read = (name: string) =>
    existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : null;
  return { sh, job, read, target };
}

type Repository = Awaited<ReturnType<typeof openRepository>>;

function expectReports({ read, target }: Repository): void {
  expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(5);
  expect(read('junit.xml')).toMatch(/^<\?xml [^]*<testsuite /);
  expect(read('report.html')).toMatch(/^<!doctype html>/i);
}

interface GitLabJob {
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly artifacts: { readonly paths: readonly string[]; readonly reports?: { readonly junit: string } };
}

interface Action {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

describe('the CI examples', () => {
  test('the GitHub example of the CI guide uses only existing inputs and outputs of the action, and the guide lists every input and output', () => {
    const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;
    const text = exampleOf('.github/workflows/load.yml');
    const { jobs } = parse(text) as {
      readonly jobs: Readonly<
        Record<string, { steps: readonly { id?: string; uses: string; with?: Record<string, unknown> }[] }>
      >;
    };
    const actionSteps = Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses.includes('/loadtests@'));
    expect(actionSteps.map((step) => step.with?.['command'])).toEqual(['plan', 'plan', 'apply']);
    for (const step of actionSteps)
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
    const used = [...text.matchAll(/steps\.(\w+)\.outputs\.([\w-]+)/g)];
    expect(used.length).toBeGreaterThan(0);
    for (const [, id, output = ''] of used) {
      expect(actionSteps.map((step) => step.id)).toContain(id);
      expect(Object.keys(action.outputs)).toContain(output);
    }
    for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
      expect(PAGE).toContain(`\n| \`${name}\` `);
  });

  test('the GitLab example of the CI guide creates a plan, applies the saved plan, and stores the reports of the run', async () => {
    const jobs = parse(exampleOf('.gitlab-ci.yml')) as Readonly<Record<string, GitLabJob>>;
    const repository = await openRepository();
    const run = async (job: GitLabJob | undefined) => {
      expect(await repository.job([...(job?.before_script ?? []), ...(job?.script ?? [])])).toBe(0);
      const artifacts = [...(job?.artifacts.paths ?? []), job?.artifacts.reports?.junit ?? []].flat();
      for (const path of artifacts) expect(repository.read(path)).not.toBe(null);
    };
    await run(jobs['load-plan']);
    expect(repository.target.requests).toEqual([]);
    await run(jobs['load']);
    expectReports(repository);
  });

  test('the Jenkins example of the CI guide stores the reports of a run with a failed threshold', async () => {
    const text = exampleOf('Jenkinsfile');
    expect(text.split('{')).toHaveLength(text.split('}').length);
    const stages = text.split('stage(').slice(1);
    const [install = [], plan = [], load = []] = stages.map((stage) =>
      [...stage.matchAll(/\bsh '([^']*)'/g)].map(([, line = '']) => line),
    );
    const repository = await openRepository({ limit: '>= 50%' });
    expect(await repository.job([...install, ...plan])).toBe(0);
    expect(repository.read('plan.md')).toContain('### loadtests: ');
    expect(repository.target.requests).toEqual([]);
    expect(await repository.job(load)).toBe(10);
    expectReports(repository);
  });

  test('the unmodified shell example of the CI guide succeeds and writes its reports', async () => {
    const repository = await openRepository({ built: true });
    expect(await repository.sh(exampleOf('load.sh'))).toBe(0);
    expectReports(repository);
    expect(repository.read('series.csv')).toContain('\nhome,');
  });
});
