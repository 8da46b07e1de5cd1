/** The recipes in examples/review, as far as they run without their CI systems and programs. */
// @module-tag load
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runInProcess } from '../support/in-process-cli.ts';
import { openNpxStandIn } from '../support/npx-stand-in.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECIPES = join(ROOT, 'examples/review');

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<
    Record<string, { readonly if?: string; readonly environment?: string; readonly steps: readonly Step[] }>
  >;
}

interface Step {
  readonly id?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

const workflowOf = (name: string) => parse(readFileSync(join(RECIPES, name), 'utf8')) as Workflow;

/** Creates a project with the scripts of the recipes, and a shell with a stand-in for `npx --no-install loadtests`. */
async function openProject(total = 5) {
  const target = await openTestTarget(servePages({ '/': 'hello' }));
  const directory = createTestDirectory();
  const write = (clients: number, at = directory) => {
    const home = {
      test_type: 'non-cycling',
      total: clients,
      duration: '1s',
      urls: [`http://${target.host}/`],
      thresholds: { error_rate: '< 1%' },
    };
    const file = { version: 1, project: 'shop', apps: { shop: target.host }, tests: { home } };
    writeFileSync(join(at, 'loadtests.yaml'), JSON.stringify(file));
  };
  write(total);
  for (const name of readdirSync(RECIPES).filter((one) => one.startsWith('gitlab-') && one.endsWith('.mjs')))
    cpSync(join(RECIPES, name), join(directory, name));
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const standIns = {
    npm: '[ "$*" = ci ]',
    npx: await openNpxStandIn(),
    gh: 'echo "$*" >> gh.log',
  };
  for (const [name, line] of Object.entries(standIns))
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const sh = async (script: string, env: Readonly<Record<string, string>> = {}, cwd = directory) => {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
      cwd,
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: directory, CI: 'true', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { exit, output };
  };
  /** Runs a command outside of the recipes, in this process. */
  const loadtests = (args: readonly string[], at = directory) =>
    runInProcess(args, { directory: at, env: { HOME: directory, CI: 'true' } });
  return { directory, sh, loadtests, write };
}

/** A server with GitLab's routes for notes of a merge request. */
async function openFakeGitLab() {
  const notes: { id: number; body: string; author: { id: number } }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const send = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
      if (request.headers['private-token'] !== 'glpat-1') return send(401, { message: '401 Unauthorized' });
      const path = (request.url ?? '').split('?')[0];
      if (path === '/api/v4/user') return send(200, { id: 7 });
      const body = text === '' ? '' : (JSON.parse(text) as { readonly body: string }).body;
      if (path === '/api/v4/projects/3/merge_requests/17/notes') {
        if (request.method === 'GET') return send(200, notes);
        notes.push({ id: notes.length + 1, body, author: { id: 7 } });
        return send(201, notes.at(-1));
      }
      const note = notes.find(({ id }) => path === `/api/v4/projects/3/merge_requests/17/notes/${id}`);
      if (note === undefined || request.method !== 'PUT') return send(404, { message: '404 Not found' });
      note.body = body;
      return send(200, note);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on a port
  const env = {
    CI_API_V4_URL: `http://127.0.0.1:${port}/api/v4`,
    CI_PROJECT_ID: '3',
    CI_MERGE_REQUEST_IID: '17',
    GITLAB_TOKEN: 'glpat-1',
  };
  return { notes, env };
}

const GIT = 'git -c user.name=a -c user.email=a@example.com';
const SIGNING = { LOADTESTS_API_KEY: 'a-random-secret-of-more-than-32-characters' };

describe('the recipes for reviews', () => {
  test('the review workflows use neither pull_request_target nor expressions in scripts, and the comment workflow checks the author of a comment', () => {
    for (const name of readdirSync(RECIPES).filter((one) => one.startsWith('github-'))) {
      const { on, jobs } = workflowOf(name);
      expect(Object.keys(on), name).not.toContain('pull_request_target');
      const scripts = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run ?? ''));
      for (const script of scripts) expect(script, name).not.toContain('${{');
    }
    const { load } = workflowOf('github-apply-comment.yml').jobs;
    expect(load?.if).toContain('author_association');
  });

  test('the approval workflow applies exactly the plan of its first job, in a different directory', async () => {
    const { directory, sh, write } = await openProject();
    const { jobs } = workflowOf('github-approval.yml');
    expect(jobs['apply']?.environment).toBe('load');
    const scriptOf = (job: string) =>
      (jobs[job]?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run])).join('\n');
    const env = { ...SIGNING, GITHUB_STEP_SUMMARY: join(directory, 'summary') };
    expect(await sh(scriptOf('plan'), env)).toMatchObject({ exit: 0 });
    expect(readFileSync(join(directory, 'summary'), 'utf8')).toContain('1 test changes and starts load');
    const other = createTestDirectory();
    write(5, other);
    cpSync(join(directory, 'plan.json'), join(other, 'plan.json'));
    expect(await sh(scriptOf('apply'), env, other)).toMatchObject({ exit: 0 });
    const changed = createTestDirectory();
    write(50, changed);
    cpSync(join(directory, 'plan.json'), join(changed, 'plan.json'));
    expect((await sh(scriptOf('apply'), env, changed)).exit).toBe(5);
  });

  test('in the comment workflow, a comment applies exactly the saved plan of the commit that the comment names', async () => {
    const { directory, sh, loadtests, write } = await openProject();
    const steps = workflowOf('github-apply-comment.yml').jobs['load']?.steps ?? [];
    const stepOf = (id: string) => steps.find((step) => step.id === id) ?? expect.fail(`no step ${id}`);
    const commandOf = ({ with: inputs }: Step) =>
      `npx --no-install loadtests ${inputs?.['command'] ?? ''} ${inputs?.['args'] ?? ''}`;
    const head = 'a'.repeat(40);
    // The stand-in for GitHub: a head, and the artifacts of a directory.
    const gh = `#!/bin/sh
case "$*" in
  "api pulls/17 --jq .head.sha") echo ${head} ;;
  "api repos/shop/site/actions/artifacts?name=plan-${head} "*) [ ! -f ${directory}/plan-${head} ] || echo 9 ;;
  "run download 9 --name plan-${head}") cp ${directory}/plan-${head} plan.json ;;
  *) exit 1 ;;
esac
`;
    writeFileSync(join(directory, 'bin/gh'), gh, { mode: 0o755 });
    const output = join(directory, 'output');
    const comment = async (body: string) => {
      writeFileSync(output, '');
      const ran = await sh(stepOf('comment').run ?? '', {
        BODY: body,
        URL: 'pulls/17',
        GITHUB_OUTPUT: output,
      });
      return [ran.exit, readFileSync(output, 'utf8')];
    };
    expect(await comment(`/load plan ${head}`)).toEqual([0, `command=plan\nsha=${head}\n`]);
    expect(await comment(`/load apply ${head}`)).toEqual([0, `command=apply\nsha=${head}\n`]);
    for (const body of [
      `/load apply ${'b'.repeat(40)}`,
      '/load apply',
      `/load apply ${head}\nsha=${'b'.repeat(40)}`,
      '/load apply $(touch taken)',
    ])
      expect(await comment(body), body).toEqual([1, '']);
    expect(existsSync(join(directory, 'taken'))).toBe(false);

    const download = async (at: string) =>
      await sh(stepOf('download').run ?? '', { GH_REPO: 'shop/site', BRANCH: 'main', SHA: head }, at);
    const early = await download(directory);
    expect([early.exit, early.output]).toEqual([1, expect.stringContaining('No saved plan exists')]);
    const event = {
      ...SIGNING,
      GITHUB_EVENT_NAME: 'issue_comment',
      GITHUB_WORKSPACE: directory,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'shop/site',
    };
    mkdirSync(join(directory, '.git'));
    writeFileSync(join(directory, '.git/HEAD'), `${head}\n`);
    expect(await sh(commandOf(stepOf('plan')), event)).toMatchObject({ exit: 0 });
    cpSync(join(directory, 'plan.json'), join(directory, `plan-${head}`));
    const shown = await loadtests(['show', 'plan.json', '--markdown']);
    expect(shown.stdout).toContain('Plan of commit aaaaaaa, created ');

    const runner = createTestDirectory();
    write(5, runner);
    expect((await download(runner)).exit).toBe(0);
    const applied = await sh(commandOf(stepOf('apply')), event, runner);
    expect([applied.exit, applied.output]).toEqual([0, expect.stringContaining('home')]);
    // A job of the pull request uploaded a plan, without the key.
    const forger = createTestDirectory();
    write(50, forger);
    expect((await loadtests(['plan', '--run', '-o', 'plan.json'], forger)).exit).toBe(0);
    cpSync(join(forger, 'plan.json'), join(directory, `plan-${head}`));
    const other = createTestDirectory();
    write(50, other);
    expect((await download(other)).exit).toBe(0);
    const forged = await sh(commandOf(stepOf('apply')), event, other);
    expect([forged.exit, forged.output]).toEqual([3, expect.stringContaining('different LOADTESTS_API_KEY')]);
  });

  test('the drift workflow creates an issue if the file differs from the service, and fails on other errors', async () => {
    const { directory, sh, write } = await openProject();
    const steps = workflowOf('github-drift.yml').jobs['drift']?.steps ?? [];
    const [compare, report] = steps.slice(-2).map(({ run = '' }) => run);
    const env = { GITHUB_OUTPUT: join(directory, 'output') };
    expect((await sh(compare ?? '', env)).exit).toBe(0);
    expect(readFileSync(join(directory, 'output'), 'utf8')).toBe('code=2\n');
    expect((await sh(report ?? '')).exit).toBe(0);
    expect(readFileSync(join(directory, 'gh.log'), 'utf8')).toContain('issue create');
    write(0);
    expect((await sh(compare ?? '', env)).exit).toBe(1);
  });

  test('the GitLab review job writes one note per merge request and the counts of changes, and the manual job writes metrics', async () => {
    const { directory, sh, write } = await openProject();
    const gitlab = await openFakeGitLab();
    const pipeline = parse(readFileSync(join(RECIPES, 'gitlab-ci.yml'), 'utf8')) as Readonly<
      Record<string, { readonly script: readonly string[]; readonly after_script?: readonly string[] }>
    >;
    const script = (job: string) =>
      [...(pipeline[job]?.script ?? []), ...(pipeline[job]?.after_script ?? [])].join('\n');
    expect(
      (await sh(`git init --quiet && ${GIT} add loadtests.yaml && ${GIT} commit --quiet -m base`)).exit,
    ).toBe(0);
    expect((await sh('git update-ref refs/remotes/origin/main HEAD')).exit).toBe(0);
    const env = { ...gitlab.env, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
    expect(await sh(script('review'), env)).toMatchObject({ exit: 0 });
    expect(gitlab.notes).toEqual([]);
    write(8);
    expect((await sh(script('review'), env)).exit).toBe(0);
    write(9);
    expect((await sh(script('review'), env)).exit).toBe(0);
    expect(gitlab.notes).toHaveLength(1);
    expect(gitlab.notes[0]?.body).toContain('- total: 5\n+ total: 9\n');
    expect(JSON.parse(readFileSync(join(directory, 'terraform.json'), 'utf8'))).toEqual({
      create: 0,
      update: 1,
      delete: 0,
    });
    expect((await sh(`${script('plan')}\n${script('load')}`, SIGNING)).exit).toBe(0);
    const metrics = readFileSync(join(directory, 'metrics.txt'), 'utf8');
    expect(metrics).toMatch(/^loadtests_requests\{test="home"\} 9$/m);
    expect(metrics).toMatch(/# EOF\n$/);
  });

  test('the example policies read only members that exist in the JSON documents of single and combined plans', async () => {
    const { directory, loadtests } = await openProject();
    expect((await loadtests(['plan', '--json-into', 'plan-report.json'])).exit).toBe(0);
    const readPlan = (): unknown => JSON.parse(readFileSync(join(directory, 'plan-report.json'), 'utf8'));
    const plan = readPlan();
    mkdirSync(join(directory, 'cart'));
    const file = readFileSync(join(directory, 'loadtests.yaml'), 'utf8').replace('"shop"', '"cart"');
    writeFileSync(join(directory, 'cart/loadtests.yaml'), file);
    const several = ['-f', 'loadtests.yaml', '-f', 'cart/loadtests.yaml'];
    expect((await loadtests(['plan', ...several, '--json-into', 'plan-report.json'])).exit).toBe(0);
    const plans = readPlan();
    expect(plans).toHaveProperty('projects.length', 2);
    const policies = readdirSync(join(RECIPES, 'policies'));
    expect(policies).toHaveLength(3);
    for (const name of policies) {
      const text = readFileSync(join(RECIPES, 'policies', name), 'utf8');
      const paths = [...text.matchAll(/\binput((?:\.\w+)+)/g)].map(([, path = '']) =>
        path.slice(1).split('.'),
      );
      expect(paths, name).not.toEqual([]);
      for (const document of [plan, plans])
        for (const path of paths) expect(document, `${name}: ${path.join('.')}`).toHaveProperty(path);
    }
  });

  test('the pre-commit hook accepts a valid file, and exits with 3 if the file is invalid', async () => {
    const [hook] = parse(readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8')) as readonly {
      readonly entry: string;
      readonly files: string;
    }[];
    const { sh, loadtests, directory } = await openProject();
    expect(new RegExp(hook?.files ?? '').test('services/shop/loadtests.yaml')).toBe(true);
    expect((await sh(`npx --no-install ${hook?.entry ?? ''}`)).exit).toBe(0);
    writeFileSync(join(directory, 'loadtests.yaml'), 'version: 2\n');
    const [, ...args] = (hook?.entry ?? '').split(' ');
    expect((await loadtests(args)).exit).toBe(3);
    expect(existsSync(join(directory, '.loadtests'))).toBe(false);
  });
});
