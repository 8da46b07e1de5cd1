/** The GitHub action on a simulated runner: the steps of action.yml run in bash, with inputs as variables. */
// @module-tag load
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { REPORTER_NAMES, REPORTERS } from '../../src/report/reporters.ts';
import { commitAll, createRepository } from '../support/git-repository.ts';
import { openForwardProxy } from '../support/forward-proxy.ts';
import { openFakeGitHub, TOKEN, type FakeGitHub } from '../support/fake-github.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly shell: string;
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;

/** The step that prepares the program. Its result depends only on the directory of the action. */
const [PREPARE] = action.runs.steps;
/** True if the first step has succeeded in this directory, which does not change. */
let isPrepared = false;

const FILE = (host: string) => `version: 1
project: shop
apps: { shop: '${host}' }
tests:
  home:
    test_type: non-cycling
    total: 10
    duration: 1s
    urls: ['http://${host}/']
    thresholds: { error_rate: '< 1%' }
`;

/** Creates a repository that uses the action, and the files of the runner. */
async function openWorkflow() {
  const target = await openTestTarget(servePages({ '/': 'hello' }));
  const directory = createTestDirectory();
  const workspace = join(directory, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'loadtests.yaml'), FILE(target.host));
  const summaryFile = join(directory, 'summary');
  const outputFile = join(directory, 'output');

  const use = async (inputValues: Readonly<Record<string, string>>, from: RunnerParts = {}) => {
    for (const file of [summaryFile, outputFile]) writeFileSync(file, '');
    const defaults = Object.fromEntries(
      Object.entries(action.inputs).map(([name, one]) => [name, one.default]),
    );
    const token = from.github === undefined ? '' : TOKEN;
    const inputs: Record<string, string> = { ...defaults, token, ...inputValues };
    const event = join(directory, 'event.json');
    writeFileSync(
      event,
      JSON.stringify(
        from.github === undefined ? {} : { pull_request: { number: 17, base: { sha: from.base ?? '' } } },
      ),
    );
    const evaluate = (text: string) =>
      text
        .replaceAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, name: string) => inputs[name] ?? '')
        .replaceAll(
          /\$\{\{ steps\.loadtests\.outputs\.([a-z-]+) \}\}/g,
          (_, name: string) => outputsOf()[name] ?? '',
        );
    const outputsOf = (): Readonly<Record<string, string>> =>
      Object.fromEntries(
        readFileSync(outputFile, 'utf8')
          .trim()
          .split('\n')
          .map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
      );
    const runs = (condition: string | undefined) =>
      condition === undefined
        ? exit === 0
        : (CONDITIONS[condition]?.({ ...inputs, failed: exit !== 0 }) ??
          expect.fail(`unknown condition ${condition}`));
    let log = '';
    let exit: number | null = 0;
    for (const step of action.runs.steps) {
      if (!runs(step.if)) continue;
      const isPreparation = step === PREPARE && from.actionPath === undefined;
      if (isPreparation && isPrepared) continue;
      const script = join(directory, 'step.sh');
      writeFileSync(script, step.run);
      const env = Object.entries(step.env ?? {}).map(([name, text]) => [name, evaluate(text)] as const);
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
        cwd: join(workspace, evaluate(step['working-directory'] ?? '.')),
        env: {
          PATH: `${from.programs ?? ''}${process.env['PATH'] ?? ''}`,
          HOME: directory,
          RUNNER_TEMP: directory,
          GITHUB_ACTION_PATH: from.actionPath ?? ROOT,
          GITHUB_STEP_SUMMARY: summaryFile,
          GITHUB_OUTPUT: outputFile,
          GITHUB_WORKSPACE: workspace,
          GITHUB_EVENT_PATH: event,
          GITHUB_REPOSITORY: 'shop/site',
          GITHUB_API_URL: from.github?.url ?? 'http://127.0.0.1:1',
          GITHUB_GRAPHQL_URL: `${from.github?.url ?? 'http://127.0.0.1:1'}/graphql`,
          GITHUB_ENV: join(directory, 'github-env'),
          GITHUB_PATH: join(directory, 'github-path'),
          CI: 'true',
          ...from.env,
          ...Object.fromEntries(env),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let cancelled = false;
      const appendLog = (chunk: Buffer) => {
        log += chunk.toString();
        if (cancelled || from.cancelAt === undefined || !log.includes(from.cancelAt)) return;
        // Sent once: a second signal ends the command immediately.
        cancelled = child.kill('SIGINT');
      };
      child.stdout.on('data', appendLog);
      child.stderr.on('data', appendLog);
      const ended = await new Promise<number | null>((resolve) => child.once('close', resolve));
      if (exit === 0) exit = ended;
      if (isPreparation) isPrepared = ended === 0;
    }
    return { exit, log, outputs: outputsOf(), summary: readFileSync(summaryFile, 'utf8') };
  };
  return { workspace, target, use };
}

/** The conditions of the steps. */
const CONDITIONS: Readonly<Record<string, (values: Readonly<Record<string, unknown>>) => boolean>> = {
  "${{ inputs.command != 'comment' }}": ({ command, failed }) => command !== 'comment' && failed === false,
  "${{ always() && (inputs.comment == 'true' || inputs.labels == 'true' || inputs.command == 'comment') }}":
    ({ command, comment, labels }) => comment === 'true' || labels === 'true' || command === 'comment',
};

interface RunnerParts {
  readonly env?: Readonly<Record<string, string>>;
  readonly actionPath?: string;
  /** GitHub API for the pull request of the job. */
  readonly github?: FakeGitHub;
  /** Commit of the base of the pull request. */
  readonly base?: string;
  /** Directory that precedes the others in PATH. */
  readonly programs?: string;
  /** Log text at which the job is canceled. */
  readonly cancelAt?: string;
}

describe('the GitHub action', () => {
  test('no script of the GitHub action contains an expression, and each input is passed to a step as an environment variable or as the working directory', () => {
    expect(action.runs.using).toBe('composite');
    const handed = action.runs.steps.flatMap((step) => [
      ...Object.values(step.env ?? {}),
      step['working-directory'] ?? '',
    ]);
    for (const step of action.runs.steps) expect(step.run).not.toContain('${{');
    for (const name of Object.keys(action.inputs)) expect(handed).toContain(`\${{ inputs.${name} }}`);
    expect(Object.keys(action.inputs).filter((name) => /key|token|secret/.test(name))).toEqual(['token']);
  });

  test('the GitHub action has an output for the exit code, for each report file, and for each property of the plan, such as has-changes', () => {
    const files = REPORTER_NAMES.filter((name) => REPORTERS[name].destination !== 'runner');
    const outputs = ['exit-code', 'has-changes', 'starts-load', 'danger', 'report', 'document', ...files];
    expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(outputs));
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.loadtests.outputs.${name} }}`);
  });

  test('the workflow of the ci-preview example uses only existing inputs and outputs of the GitHub action', () => {
    const workflow = readFileSync(join(ROOT, 'examples/ci-preview/pull-request.yml'), 'utf8');
    const { jobs } = parse(workflow) as {
      jobs: Record<string, { steps: { uses: string; with?: Record<string, unknown> }[] }>;
    };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const uses = steps.filter((step) => step.uses.includes('/loadtests@'));
    expect(uses).toHaveLength(2);
    for (const name of uses.flatMap((step) => Object.keys(step.with ?? {})))
      expect(Object.keys(action.inputs)).toContain(name);
    for (const [, name = ''] of workflow.matchAll(/steps\.plan\.outputs\.([a-z-]+)/g))
      expect(Object.keys(action.outputs)).toContain(name);
  });

  test('the GitHub action creates a plan and applies the saved plan', async () => {
    const { use, workspace, target } = await openWorkflow();
    const planned = await use({ command: 'plan', args: '-o plan.json' });
    expect([planned.exit, planned.outputs['exit-code'], planned.outputs['has-changes']]).toEqual([
      0,
      '0',
      'true',
    ]);
    expect(planned.summary).toContain('### loadtests: 1 test changes and starts load · project shop');
    expect(planned.summary).toContain('<b>+ create</b> <code>home</code> · <b>starts load</b>');
    expect(target.requests).toEqual([]);
    expect(existsSync(join(workspace, 'plan.json'))).toBe(true);

    const applied = await use({ command: 'apply', args: 'plan.json' });
    expect([applied.exit, applied.outputs['exit-code']]).toEqual([0, '0']);
    expect(applied.summary).toMatch(/\| `home` \| ✓ pass \| 10 \| 0 \|/);
    const document: unknown = JSON.parse(readFileSync(applied.outputs['document'] ?? '', 'utf8'));
    expect(document).toMatchObject({ command: 'apply', exit_code: 0, runs: [{ verdict: 'pass' }] });

    for (const name of REPORTER_NAMES.filter((one) => REPORTERS[one].destination !== 'runner'))
      expect(readFileSync(applied.outputs[name] ?? '', 'utf8')).not.toBe('');
    expect(readFileSync(applied.outputs['markdown'] ?? '', 'utf8')).toBe(applied.summary);
  });

  test('the GitHub action does not apply a plan without approval, and exits with 6', async () => {
    const { use, target } = await openWorkflow();
    expect((await use({ command: 'apply' })).exit).toBe(6);
    expect(target.requests).toEqual([]);
  });

  test.each([
    {
      args: '$(touch pwned) ; touch pwned && `touch pwned` | touch pwned',
      file: '"; touch pwned; "',
      environment: '$(touch pwned)',
    },
    { args: '\' " $IFS * ~' },
    { command: 'plan; touch pwned\n::set-output name=a::b\n::error::hello' },
    { comment: 'true; touch pwned\n::set-output name=a::b' },
  ])('the GitHub action treats inputs as text and does not execute them: %j', async (inputs) => {
    const { use, workspace } = await openWorkflow();
    const ran = await use(inputs);
    expect([ran.exit, ran.outputs['exit-code']]).toEqual([3, '3']);
    expect(existsSync(join(workspace, 'pwned'))).toBe(false);
    expect(ran.log).not.toContain('set-output');
  });

  test('the GitHub action runs the command in the selected working directory, with the selected file and environment, and if the command fails, exits with its exit code and still writes the summary', async () => {
    const { use, workspace, target } = await openWorkflow();
    mkdirSync(join(workspace, 'a directory'));
    const staging = "{ total: 7, thresholds: { error_rate: '>= 50%' } }";
    const file = `${FILE(target.host)}environments: { staging: { tests: { home: ${staging} } } }\n`;
    writeFileSync(join(workspace, 'a directory', 'load tests.yaml'), file);
    const ran = await use({
      'working-directory': 'a directory',
      file: 'load tests.yaml',
      environment: 'staging',
      command: 'run',
      args: 'home\n--yes',
    });
    expect([ran.exit, ran.outputs['exit-code']]).toEqual([10, '10']);
    expect(ran.summary).toContain('### loadtests run: 1 test failed · project shop · staging\n');
    expect(ran.summary).toContain('**fail**');
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(7);
  });

  test('the GitHub action stops its runs when the job is canceled', async () => {
    const { use, workspace, target } = await openWorkflow();
    const file = FILE(target.host)
      .replace('duration: 1s', 'duration: 60s')
      .replace('total: 10', 'total: 600');
    writeFileSync(join(workspace, 'loadtests.yaml'), file);
    const ran = await use({ command: 'apply', args: '--yes' }, { cancelAt: '✓ create' });
    expect([ran.exit, ran.outputs['exit-code']]).toEqual([130, '130']);
    expect(target.requests.length).toBeLessThan(600);
  });

  test('the GitHub action writes one comment on a pull request, a later job updates this comment, and the summary and the comment escape markup from the configuration file', async () => {
    const github = await openFakeGitHub();
    const { use, workspace } = await openWorkflow();
    const validateInputs = { command: 'validate', comment: 'true' };
    expect((await use(validateInputs, { github })).exit).toBe(0);
    const [first] = github.comments;
    expect(first?.body).toMatch(/^<!-- loadtests [0-9a-f]{32} -->\n### loadtests validate/);
    writeFileSync(join(workspace, 'loadtests.yaml'), 'version: 1\n"<img src=x> | [a](b) @all": 1\n');
    const { exit, summary } = await use(validateInputs, { github });
    expect(exit).toBe(3);
    expect(summary).toContain('LT_CONFIG');
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toBe(first?.body);
    expect(github.comments[0]?.body).toContain('the command line or the file is invalid');
    for (const text of [summary, github.comments[0]?.body])
      expect(text).toContain('unknown key `<img src=x> | [a](b) @all` (');
  });

  test('the GitHub action plans several files together and writes one comment', async () => {
    const github = await openFakeGitHub();
    const { use, workspace, target } = await openWorkflow();
    for (const name of ['cart', 'search']) {
      mkdirSync(join(workspace, 'services', name), { recursive: true });
      const text = FILE(target.host).replace('project: shop', `project: ${name}`);
      writeFileSync(join(workspace, 'services', name, 'loadtests.yaml'), text);
    }
    const file = 'services/cart/*.yaml\nservices/search/loadtests.yaml\n';
    const { exit, outputs } = await use({ command: 'plan', file, comment: 'true' }, { github });
    expect([exit, outputs['starts-load'], outputs['has-changes']]).toEqual([0, 'true', 'true']);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('### loadtests: changes in 2 of 2 projects');
  });

  test('in a pull request, the GitHub action compares the plan with the base branch, sets and removes labels, and creates a comment only if there are changes', async () => {
    const github = await openFakeGitHub();
    const { use, workspace } = await openWorkflow();
    const origin = join(workspace, '../origin');
    const git = (directory: string, ...args: string[]) =>
      execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
    cpSync(workspace, origin, { recursive: true });
    createRepository(origin);
    commitAll(origin);
    git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const base = git(origin, 'rev-parse', 'HEAD');
    const file = readFileSync(join(workspace, 'loadtests.yaml'), 'utf8');
    // The clone of a fresh runner contains only the commit of the pull request.
    createRepository(workspace);
    git(workspace, 'remote', 'add', 'origin', `file://${origin}`);
    const inputs = { command: 'plan', args: '--run', comment: 'true', labels: 'true' };
    const from = { github, env: { GITHUB_BASE_REF: 'main' }, base };

    const same = await use({ ...inputs, args: '' }, from);
    expect([same.exit, same.outputs['has-changes']]).toEqual([0, 'false']);
    expect(same.summary).toBe('### loadtests: no changes · project shop\n');
    expect(github.comments).toEqual([]);

    writeFileSync(join(workspace, 'loadtests.yaml'), file.replace('total: 10', 'total: 80'));
    const changed = await use(inputs, from);
    expect(changed.exit).toBe(0);
    expect([changed.outputs['starts-load'], changed.outputs['danger']]).toEqual(['true', 'higher-peak']);
    expect(changed.summary).toContain('- total: 10\n+ total: 80\n');
    expect(changed.summary).toContain(`compared with \`${base.slice(0, 12)}\``);
    expect(github.comments).toHaveLength(1);
    expect([...github.labels]).toEqual(['loadtests: starts load', 'loadtests: danger']);

    writeFileSync(join(workspace, 'loadtests.yaml'), file);
    await use({ ...inputs, args: '' }, from);
    expect([...github.labels]).toEqual([]);
    expect(github.comments[0]?.body).toContain('no changes');
  });

  test('if the pull-request comment cannot be written, the GitHub action prints a notice with the reason, and the exit code of the command is unchanged', async () => {
    const github = await openFakeGitHub({ readOnly: true });
    const { use } = await openWorkflow();
    const validateInputs = { command: 'validate', comment: 'true' };
    const readOnly = await use(validateInputs, { github });
    expect([readOnly.exit, github.comments]).toEqual([0, []]);
    expect(readOnly.log).toContain(
      '::notice::No comment was written to the pull request: the token lacks permission to write',
    );
    expect(readOnly.summary).toContain('### loadtests validate');
    const push = await use({ command: 'comment', report: readOnly.outputs['report'] ?? '' });
    expect(push.log).toContain(
      '::notice::No comment was written to the pull request: the event that started the job does not',
    );
  });

  const SECRETS = {
    LOADTESTS_API_KEY: 'key-of-the-service-0123456789abcdef',
    SHOP_PASSWORD: 'hunter2-secret',
  };
  // Writes the environment of the command, those of all its ancestors, and all that the processes of the action show to
  // programs of the same user: their environments, command lines and open files, the settings of git, and the files of the
  // runner.
  const READ_EVERYTHING = `env > seen; git config --list > settings 2>&1
cat "$RUNNER_TEMP"/* "$RUNNER_TEMP"/loadtests-*/* > runner 2>&1
p=$PPID; own=1; while [ "$p" -gt 1 ]; do tr '\\0' '\\n' < /proc/$p/environ >> ancestors
grep -q /dist/ /proc/$p/cmdline || own=0
if [ "$own" = 1 ]; then
echo process >> processes; cat /proc/$p/environ /proc/$p/cmdline >> processes
for fd in /proc/$p/fd/*; do [ ! -f "$fd" ] || head -c 1000000 "$fd" >> processes; done
fi
p=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$p/status); done; exit 1`;

  test('commands that the configuration file starts find no token or key in their own environments, those of ancestor processes, open files, files of the runner or git settings', async () => {
    const { use, workspace, target } = await openWorkflow();
    // The first command writes the descriptors that the command inherits.
    const file = FILE(target.host).replace(
      'apps:',
      `web_server: { command: 'ls /proc/self/fd > inherited; exec sh read.sh', url: 'http://127.0.0.1:1/' }\napps:`,
    );
    writeFileSync(join(workspace, 'loadtests.yaml'), file);
    writeFileSync(join(workspace, 'read.sh'), READ_EVERYTHING);
    const names = [
      'ACTIONS_RUNTIME_TOKEN',
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'CI_JOB_TOKEN',
      'LOADTESTS_OTHER_KEY',
    ];
    const env = { ...SECRETS, ...Object.fromEntries(names.map((name) => [name, `canary-${name}`])) };
    const inputs = { command: 'apply', args: '--yes', comment: 'true' };
    const ran = await use(inputs, { github: await openFakeGitHub(), env });
    expect([ran.exit, ran.log]).toEqual([9, expect.stringContaining('exited before')]);
    const read = (name: string) => readFileSync(join(workspace, name), 'utf8');
    const ancestors = read('ancestors');
    expect(ancestors).toContain('LOADTESTS_ENV_FD=3');
    expect(ancestors).not.toContain(SECRETS.SHOP_PASSWORD);
    expect(read('seen')).not.toMatch(
      /^(INPUT|ACTIONS|LOADTESTS)_|^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)=/m,
    );
    // Only those that every program of the test inherits.
    expect(read('inherited')).toBe(execFileSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }));
    expect(read('runner')).toContain('$GITHUB_ACTION_PATH');
    // The action, and the command that it runs.
    expect(read('processes').match(/^process$/gm)).toHaveLength(2);
    const all = ['seen', 'ancestors', 'settings', 'runner', 'processes'].map(read).join('\n');
    for (const secret of [TOKEN, SECRETS.LOADTESTS_API_KEY, 'canary-']) expect(all).not.toContain(secret);
  });

  test('a pull-request job with a key or token runs the commands of the configuration file only with --allow-commands, even if the file was moved to another path', async () => {
    const { use, workspace, target } = await openWorkflow();
    const file = FILE(target.host).replace(
      'apps:',
      "environments: { ci: { web_server: { command: 'touch ran; exit 1', url: 'http://127.0.0.1:1/' } } }\napps:",
    );
    const directory = join(workspace, 'moved/deep');
    mkdirSync(directory, { recursive: true });
    rmSync(join(workspace, 'loadtests.yaml'));
    writeFileSync(join(directory, 'other.yaml'), file);
    const apply = async (args: string, env: Readonly<Record<string, string>>) => {
      const inputs = { command: 'apply', args, file: 'moved/deep/other.yaml', environment: 'ci' };
      return await use(inputs, { env: { ...env, GITHUB_EVENT_NAME: 'pull_request' } });
    };
    const secrets = { ...SECRETS, gh_token: 'x' };
    const refused = await apply('--yes', secrets);
    expect([refused.exit, refused.log]).toEqual([6, expect.stringContaining('LT_CLI_COMMANDS')]);
    expect(refused.log).toContain('which could read LOADTESTS_API_KEY and gh_token of this');
    expect(existsSync(join(directory, 'ran'))).toBe(false);
    expect((await apply('--yes --allow-commands', secrets)).exit).toBe(9);
    expect(existsSync(join(directory, 'ran'))).toBe(true);
    expect((await apply('--yes', {})).exit).toBe(9);
  });

  test('a second job of the GitHub action writes the pull-request comment from the report of the first job, through the proxy that environment variables set, and reports an invalid report', async () => {
    const github = await openFakeGitHub();
    const { use } = await openWorkflow();
    const first = await use({ command: 'validate' });
    expect([first.exit, github.comments]).toEqual([0, []]);
    const report = first.outputs['report'] ?? '';
    const proxy = await openForwardProxy();
    const env = { http_proxy: proxy.url, https_proxy: proxy.url, no_proxy: '' };
    const second = await use({ command: 'comment', report }, { github, env });
    expect([second.exit, github.comments.length]).toEqual([0, 1]);
    expect(proxy.hosts).toContain(new URL(github.url).host);
    expect(github.comments[0]?.body).toContain('### loadtests validate');
    writeFileSync(join(report, 'comment.json'), '{"file": 1}');
    expect((await use({ command: 'comment', report }, { github })).log).toContain(
      'the report is missing or invalid',
    );
    expect(github.comments).toHaveLength(1);
  });

  test('a release of the GitHub action contains the program, runs npm only if the database module is missing, and reports a missing program', async () => {
    const { use } = await openWorkflow();
    const source = join(createTestDirectory(), 'source');
    mkdirSync(source);
    const files = [
      'dist',
      'scripts',
      'src',
      'schemas',
      'package.json',
      'package-lock.json',
      'LICENSE',
      'action.yml',
    ];
    for (const name of [...files, 'CHANGELOG.md', 'tsconfig.json', '.gitignore'])
      cpSync(join(ROOT, name), join(source, name), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: source,
        encoding: 'utf8',
      });
    git('init', '--quiet');
    git('config', 'user.name', 'a');
    git('config', 'user.email', 'a@example.com');
    // The database module is large.
    git('config', 'core.compression', '0');
    // The release contains files of the working tree, so the commit of the source needs only one.
    writeFileSync(join(source, '.git/info/exclude'), '*\n');
    git('add', '--force', 'package.json');
    git('commit', '--quiet', '-m', 'The source');
    const start = Date.now();
    const output = execFileSync(process.execPath, ['scripts/release-commit.mjs'], {
      cwd: source,
      encoding: 'utf8',
    });
    expect(output).toMatch(/^Made v(\d+)\.\d+\.\d+ and v\1\./);
    expect(git('status', '--porcelain')).toBe('');
    // The build was called, although the copied results were up to date.
    expect(statSync(join(source, 'dist/THIRD-PARTY-LICENSES.txt')).mtimeMs).toBeGreaterThan(start - 1000);

    const release = join(createTestDirectory(), 'release');
    git(
      '-c',
      'advice.detachedHead=false',
      'clone',
      '--quiet',
      '--branch',
      output.split(' ')[1] ?? '',
      source,
      release,
    );
    // The registry is not used: a stub for npm prints its arguments.
    const bin = join(release, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
    const runner = { actionPath: release, programs: `${bin}:` };
    const ran = await use({}, runner);
    expect([ran.exit, ran.outputs['has-changes']]).toEqual([0, 'true']);
    expect(ran.log).not.toContain('npm ');

    // npm finds all packages in the lock file.
    const check = [
      'ci',
      '--omit=dev',
      '--ignore-scripts',
      '--dry-run',
      '--offline',
      '--no-audit',
      '--no-fund',
    ];
    execFileSync('npm', check, { cwd: release, stdio: 'pipe' });
    rmSync(join(release, 'node_modules/@libsql'), { recursive: true });
    expect((await use({ command: 'comment' }, runner)).log).toContain('npm ci --omit=dev --ignore-scripts');
    rmSync(join(release, 'dist'), { recursive: true });
    const without = await use({}, runner);
    expect([without.exit, without.log]).toEqual([
      1,
      expect.stringContaining('Use a release tag, such as v1'),
    ]);
  });
});
