/** Commands with several configuration files: one report, and one project at a time. */
// @module-tag load
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { planFindings } from '../../src/action/job-context.ts';
import { commitAll, createRepository } from '../support/git-repository.ts';
import { homeFileText } from '../support/hosted-project.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess, type InProcessOptions } from '../support/in-process-cli.ts';
import { waitUntil } from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

interface Declared {
  readonly total?: number;
  readonly project?: string;
  readonly threshold?: string;
}

/** Writes one file per service; each declares one test on the same host. */
function openServices(names: readonly string[], host = 'www.example.com') {
  const directory = createTestDirectory();
  const write = (name: string, { total = 10, project = name, threshold = '< 60s' }: Declared = {}) => {
    mkdirSync(join(directory, 'services', name), { recursive: true });
    writeFileSync(
      join(directory, 'services', name, 'loadtests.yaml'),
      `version: 1
project: ${project}
apps: { ${name}: '${host}' }
tests:
  home:
    test_type: non-cycling
    total: ${total}
    duration: 1s
    urls: ['http://${host}/${name}']
    thresholds: { p95: '${threshold}' }
`,
    );
  };
  for (const name of names) write(name);
  const run = async (command: string, ...args: string[]) =>
    await runInProcess([command, '-f', 'services/*/loadtests.yaml', ...args], { directory });
  return { directory, write, run };
}

/** Commits all files, so that `--against HEAD` compares with them. */
function commit(directory: string): void {
  createRepository(directory);
  commitAll(directory);
}

interface Combined {
  readonly exit_code: number;
  readonly has_changes: boolean;
  readonly load: { readonly starts: number; readonly seconds: number; readonly requests: number };
  readonly danger: readonly { readonly kind: string }[];
  readonly projects: readonly {
    readonly file: string;
    readonly report: { readonly exit_code: number; readonly runs?: readonly unknown[] };
  }[];
}

describe('several configuration files', () => {
  test('plan of several files prints a section for each file in order, and the total load', async () => {
    const { directory, write, run } = openServices(['cart', 'search', 'shop']);
    commit(directory);
    write('cart', { total: 20 });
    write('shop', { total: 80, threshold: '< 90s' });
    const { exit, stdout } = await run('plan', '--against', 'HEAD', '--detailed-exitcode');
    expect(exit).toBe(2);
    expect(stdout.match(/^\[\d\/3\] .*$/gm)).toEqual([
      '[1/3] services/cart/loadtests.yaml',
      '[2/3] services/search/loadtests.yaml',
      '[3/3] services/shop/loadtests.yaml',
    ]);
    expect(stdout).toMatch(
      /\nAll projects: 2 tests one after another, 2s in total, 100 requests plus any redirects, peak 80 connections on www\.example\.com\.\n$/,
    );
    const json = JSON.parse((await run('plan', '--against', 'HEAD', '--json')).stdout) as Combined;
    expect(json).toMatchObject({ exit_code: 0, has_changes: true });
    expect(json.load).toMatchObject({ starts: 2, seconds: 2, requests: 100 });
    expect(json.danger.map(({ kind }) => kind)).toEqual(['higher-peak', 'higher-peak', 'loosened']);
    expect(json.projects.map(({ file }) => file)).toEqual(
      ['cart', 'search', 'shop'].map((name) => `services/${name}/loadtests.yaml`),
    );
    expect(planFindings(json)).toEqual({
      startsLoad: true,
      danger: ['higher-peak', 'loosened'],
      quiet: false,
    });
  });

  test('plan --against with a pattern lists the tests and apps of a removed file, which --fail-on can reject, but not of a moved file', async () => {
    const { directory, run } = openServices(['cart', 'search', 'shop']);
    commit(directory);
    rmSync(join(directory, 'services/cart'), { recursive: true });
    execFileSync('git', ['mv', 'services/search', 'services/find'], { cwd: directory });
    const { exit, stdout } = await run('plan', '--against', 'HEAD', '--fail-on', 'unmanaged');
    expect(exit).toBe(13);
    expect(stdout.match(/^\[\d\/3\] .*$/gm)).toEqual([
      '[1/3] services/find/loadtests.yaml',
      '[2/3] services/shop/loadtests.yaml',
      '[3/3] services/cart/loadtests.yaml',
    ]);
    expect(stdout).toContain(
      'The file is in HEAD, but was removed. Its tests stay on the service, and scheduled tests still start.',
    );
    expect(stdout).toContain('  - remove     cart          app\n  - remove     home\n');
    expect(stdout.match(/^ {2}! .*$/gm)).toEqual([
      '  ! App "cart" is removed from the file.',
      '  ! Test "home" is removed from the file and is no longer managed.',
    ]);
    const base = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: directory, encoding: 'utf8' }).trim();
    const env = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main', CI_MERGE_REQUEST_DIFF_BASE_SHA: base };
    const args = ['plan', '-f', 'services/*/loadtests.yaml', '--json'];
    const inCi = await runInProcess(args, { directory, env });
    const { projects, danger } = JSON.parse(inCi.stdout) as Combined;
    expect(projects[2]?.file).toBe('services/cart/loadtests.yaml');
    expect(danger.map(({ kind }) => kind)).toEqual(['deleted-apps', 'unmanaged']);
    const saved = JSON.parse(
      (await runInProcess([...args, '-o', 'plan.json'], { directory, env })).stdout,
    ) as Combined;
    expect(saved.projects.map(({ file }) => file)).toEqual([
      'services/find/loadtests.yaml',
      'services/shop/loadtests.yaml',
    ]);
  });

  test('plan --against accepts a pattern that matches only removed files, but not a pattern that never matched a file', async () => {
    const { directory, run } = openServices(['shop']);
    commit(directory);
    rmSync(join(directory, 'services/shop'), { recursive: true });
    const { exit, stdout } = await run('plan', '--against', 'HEAD');
    expect(exit).toBe(0);
    expect(stdout).toContain('  ! Test "home" is removed from the file and is no longer managed.\n');
    const misspelled = ['plan', '-f', 'service/*/loadtests.yaml', '--against', 'HEAD'];
    const { exit: failed, stderr } = await runInProcess(misspelled, { directory });
    expect([failed, stderr]).toEqual([
      3,
      'error LT_CONFIG_NOT_FOUND: no file matches "service/*/loadtests.yaml"\n  hint: correct the pattern of -f\n',
    ]);
  });

  test('the Markdown report of several files has one summary, and a numbered section for each changed file', async () => {
    const { directory, write, run } = openServices(['cart', 'search', 'shop']);
    commit(directory);
    const unchanged = await run('plan', '--against', 'HEAD', '--markdown');
    expect(unchanged.stdout).toMatch(/^### loadtests: no changes in 3 projects\n/);
    write('shop', { total: 1 });
    expect((await run('plan', '--against', 'HEAD', '--markdown')).stdout).toContain(
      '; 1 request plus any redirects; ',
    );
    write('shop', { total: 80 });
    const { stdout } = await run('plan', '--against', 'HEAD', '--markdown', '--html', 'plan.html');
    expect(stdout).toMatch(/^### loadtests: changes in 1 of 3 projects\n\n> \[!CAUTION\]\n> - 3\\\. Peak on/);
    expect(stdout.match(/^#### .*$/gm)).toEqual([
      '#### 3. `services/shop/loadtests.yaml`: 1 test changes and starts load · project shop',
    ]);
    expect(stdout.match(/CAUTION/g)).toHaveLength(1);
    expect(stdout).toContain(
      '\nWithout changes: `services/cart/loadtests.yaml`, `services/search/loadtests.yaml`\n',
    );
    const html = readFileSync(join(directory, 'plan.html'), 'utf8');
    for (const text of ['1. services/cart/loadtests.yaml', '+ total: 80']) expect(html).toContain(text);
  });

  test('the Markdown report of 35 changed files with long hosts fits into a comment, and shows each file', async () => {
    const names = Array.from({ length: 35 }, (_, index) => `service-${index}`);
    const { directory, write, run } = openServices(names, `${'long-name.'.repeat(20)}example.com`);
    commit(directory);
    for (const name of names) write(name, { total: 80 });
    const { stdout } = await run('plan', '--against', 'HEAD', '--markdown');
    expect(stdout.length).toBeLessThan(65_000);
    expect(stdout.match(/^#### /gm)).toHaveLength(35);
    expect(stdout.match(/<details/g)?.length).toBe(stdout.match(/<\/details>/g)?.length);
  });

  test('validate of two files reports the problem of the invalid file and that the other file is valid, and exits with 3', async () => {
    const { write, run } = openServices(['cart', 'shop']);
    expect((await run('validate')).exit).toBe(0);
    write('cart', { threshold: 'soon' });
    const { exit, stdout, stderr } = await run('validate');
    expect(exit).toBe(3);
    expect(stderr).toContain('services/cart/loadtests.yaml:10');
    expect(stdout).toContain('services/shop/loadtests.yaml is valid');
  });

  test.each([
    ['-f services/*/none.yaml', 'no file matches "services/*/none.yaml"'],
    ['-f services/*/loadtests.yaml -f -', 'standard input cannot be combined with other files'],
  ])('plan with the flags "%s" is refused', async (args, message) => {
    const { directory } = openServices(['cart', 'shop']);
    const { exit, stderr } = await runInProcess(['plan', ...args.split(' ')], { directory });
    expect([exit, stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  test('plan rejects two files that declare the same project', async () => {
    const { write, run } = openServices(['cart', 'shop']);
    write('shop', { project: 'cart' });
    const { exit, stderr } = await run('plan');
    expect([exit, stderr]).toEqual([3, expect.stringContaining('both declare the project "cart"')]);
  });

  test('a file that is passed twice is validated once', async () => {
    const { run } = openServices(['cart']);
    const { exit, stdout } = await run('validate', '-f', 'services/cart/loadtests.yaml');
    expect([exit, stdout]).toEqual([0, 'services/cart/loadtests.yaml is valid: 1 app, 1 test.\n']);
  });

  test('apply runs projects with a shared host one after another, and each report contains all projects', async () => {
    const seen: string[] = [];
    const target = await openTestTarget((request, response) => {
      seen.push(request.url ?? '');
      response.end('hello');
    });
    const { directory } = openServices(['cart', 'shop'], target.host);
    const reports = ['--junit=junit.xml', '--html=report.html', '--csv=series.csv', '--markdown=report.md'];
    const args = ['apply', '--yes', '--json', '-f', 'services/*/loadtests.yaml', ...reports];
    const { projects } = JSON.parse((await runInProcess(args, { directory })).stdout) as Combined;
    expect(projects.map(({ report }) => report.runs?.length)).toEqual([1, 1]);
    expect(new Set(seen)).toEqual(new Set(['/cart', '/shop']));
    expect(seen).toEqual(seen.toSorted());
    const read = (name: string) => readFileSync(join(directory, name), 'utf8');
    expect(read('junit.xml').match(/<testsuite name="[^"]*"/g)).toEqual([
      '<testsuite name="cart/home"',
      '<testsuite name="shop/home"',
    ]);
    const series = read('series.csv').trim().split('\r\n').slice(1);
    expect(new Set(series.map((line) => line.split(',')[0]))).toEqual(new Set(['cart/home', 'shop/home']));
    const html = read('report.html');
    for (const text of ['of 2 tests', 'id="project-1-run-1"', 'id="project-2-run-1"'])
      expect(html).toContain(text);
    expect(read('report.md').match(/^#### .*$/gm)).toEqual([
      expect.stringMatching(/^#### 1\. `services\/cart\/loadtests\.yaml`: 1 test .* · project cart$/),
      expect.stringMatching(/^#### 2\. `services\/shop\/loadtests\.yaml`: 1 test .* · project shop$/),
    ]);
  });

  test('apply starts nothing if one of several files is invalid, and reports that the load lacks this file', async () => {
    const { directory, write, run } = openServices(['cart', 'shop']);
    write('shop', { threshold: 'soon' });
    const { exit, stdout } = await run('apply', '--yes', '--markdown', 'apply.md');
    expect(exit).toBe(3);
    expect(stdout).toMatch(/\n1 of 2 projects: 1 test, 1s in total, 10 requests plus any redirects, .*\n$/);
    expect(readFileSync(join(directory, 'apply.md'), 'utf8')).toContain(
      '**Load of 1 of 2 projects:** 1 test,',
    );
    expect(stdout).toContain('There is no result; see the errors below.');
    expect(stdout).not.toContain('Actions:');
  });
});

describe('a saved plan of several files', () => {
  async function savePlan() {
    const target = await openTestTarget((_request, response) => response.end('hello'));
    const services = openServices(['cart', 'shop'], target.host);
    const { directory } = services;
    const inDirectory = async (...args: string[]) => await runInProcess(args, { directory });
    const saved = await inDirectory('plan', '-f', 'services/*/loadtests.yaml', '-o', 'plan.json');
    expect([saved.exit, saved.stdout]).toEqual([
      0,
      expect.stringMatching(/\nTo apply exactly this plan: loadtests apply plan\.json\n$/),
    ]);
    return { ...services, target, inDirectory };
  }

  test('show prints a saved plan of several files, and apply executes the plan only once, without a prompt', async () => {
    const { inDirectory, target } = await savePlan();
    expect((await inDirectory('show', 'plan.json')).stdout).toMatch(
      /^\[1\/2\] services\/cart\/loadtests\.yaml\n[^]*\nAll projects: 2 tests one after another, 2s in total, 20 requests plus any redirects, [^]*\nTo apply exactly this plan: loadtests apply plan\.json\n/,
    );
    await inDirectory('apply', 'plan.json');
    expect(new Set(target.requests)).toEqual(new Set(['GET /cart', 'GET /shop']));
    const { length } = target.requests;
    const again = await inDirectory('apply', 'plan.json');
    expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining('was already applied at')]);
    expect(target.requests).toHaveLength(length);
  });

  test('apply with a saved plan of several files starts nothing if a file has changed or a project was removed from the plan', async () => {
    const { directory, write, inDirectory, target } = await savePlan();
    write('shop', { total: 80 });
    const stale = await inDirectory('apply', 'plan.json');
    expect([stale.exit, stale.stderr]).toEqual([
      5,
      expect.stringContaining('"services/shop/loadtests.yaml", or a value it refers to, has changed'),
    ]);
    const path = join(directory, 'plan.json');
    const document = JSON.parse(readFileSync(path, 'utf8')) as Combined;
    writeFileSync(path, JSON.stringify({ ...document, projects: document.projects.slice(0, 1) }));
    const altered = await inDirectory('apply', 'plan.json');
    expect([altered.exit, altered.stderr]).toEqual([3, expect.stringContaining('was changed')]);
    expect(target.requests).toHaveLength(0);
  });

  test('plan -o writes no saved plan if one of several files is invalid', async () => {
    const { directory, write, run } = openServices(['cart', 'shop']);
    write('shop', { threshold: 'soon' });
    expect((await run('plan', '-o', 'plan.json')).exit).toBe(3);
    expect(existsSync(join(directory, 'plan.json'))).toBe(false);
  });
});

describe('apply --parallel-projects', () => {
  /** A hosted service whose runs end on request, and a file per service; `cart` and `search` have the same host. */
  async function openHosted(runFor: number | null = null) {
    const hosts = { cart: 'www.example.com', search: 'www.example.com:8080', shop: 'shop.example.com' };
    const service = await startHostedService({
      runFor,
      verifiedHosts: Object.values(hosts),
      clock: () => Date.now(),
    });
    onTestFinished(() => service.close());
    const directory = createTestDirectory();
    for (const [project, host] of Object.entries(hosts)) {
      mkdirSync(join(directory, project));
      const text = homeFileText({ service: service.url, project, host });
      writeFileSync(join(directory, project, 'loadtests.yaml'), text);
    }
    const run = async (options: Partial<InProcessOptions>, ...args: string[]) =>
      await runInProcess(['apply', '-f', '*/loadtests.yaml', '--parallel-projects', '3', ...args], {
        directory,
        env: { LOADTESTS_API_KEY: service.options.key },
        ...options,
      });
    const created = () => service.calls('createTest').map(({ body }) => hostOf(body));
    const waitForTests = async (count: number) =>
      await waitUntil(() => (created().length === count ? true : null));
    return { service, run, created, waitForTests };
  }

  const hostOf = (body: string) => /http:\/\/([^/]+)\//.exec(body)?.[1];

  test('apply --parallel-projects runs projects concurrently unless they send load to the same machine', async () => {
    const { service, run, created, waitForTests } = await openHosted();
    const ended = run({}, '--yes', '--json');
    await waitForTests(2);
    expect(created().toSorted()).toEqual(['shop.example.com', 'www.example.com']);
    service.state.finishRuns();
    await waitForTests(3);
    expect(created().at(-1)).toBe('www.example.com:8080');
    service.state.finishRuns();
    const { exit, stdout, stderr } = await ended;
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      0,
      { parallel_projects: 3, load: { concurrent_tests: 2, seconds: 2, starts: 3 } },
    ]);
    expect(stderr).toMatch(/^cart {3}\| {3}• ended/m);
    expect(stderr).toMatch(/^search \| {3}• ended/m);
  });

  test('apply --parallel-projects asks once for approval after all plans were shown', async () => {
    const { service, run } = await openHosted();
    const questions: string[] = [];
    const refuse = (question: string) => {
      questions.push(question);
      return false;
    };
    const { exit, stdout } = await run({ confirm: refuse });
    expect([exit, questions]).toEqual([6, ['Execute these plans?']]);
    expect(stdout).toMatch(
      /All projects: 3 tests, up to 2 in parallel, .*; up to 3 projects at the same time/,
    );
    expect(service.executed.createTest).toBe(0);
  });

  test('after an interruption, apply --parallel-projects stops all runs and starts no other project, and prints the command that starts it', async () => {
    const { service, run, waitForTests } = await openHosted();
    const interrupt = new AbortController();
    const ended = run({ interrupt: interrupt.signal }, '--yes');
    await waitForTests(2);
    interrupt.abort();
    const { exit, stdout, stderr } = await ended;
    expect([exit, service.executed.createTest, service.executed.stopTest]).toEqual([130, 2, 2]);
    expect(stdout).toMatch(/search\/loadtests\.yaml\n\nNot started because of the interruption\./);
    expect(stderr).toContain(`error LT_CLI_INTERRUPTED: interrupted; "search/loadtests.yaml" was not started
  hint: to start it: loadtests apply -f search/loadtests.yaml --yes --only home
`);
  });

  test('apply --parallel-projects starts nothing if it is interrupted before the approval', async () => {
    const { service, run } = await openHosted();
    const { exit, stderr } = await run({ interrupt: AbortSignal.abort() }, '--yes');
    expect([exit, stderr, service.executed.createTest]).toEqual([
      130,
      expect.stringContaining('interrupted; nothing was started'),
      0,
    ]);
  });

  test('if the account changes before the approval, apply --parallel-projects rejects a plan that differs from the approved plan', async () => {
    const { service, run } = await openHosted(0);
    const confirm = () => {
      const [first] = service.state.apps;
      if (first !== undefined) service.state.apps.splice(0, 1);
      return true;
    };
    const { exit, stderr } = await run({ confirm });
    expect([exit, stderr]).toEqual([7, expect.stringContaining('but the current plan contains "register"')]);
  });
});
