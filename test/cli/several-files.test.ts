/** Commands with several configuration files: one report, and one project at a time. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planFindings } from '../../src/action/job-context.ts';
import { createTestDirectory, runCli } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';

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
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'base'],
  ])
    execFileSync('git', [...author, ...args], { cwd: directory, stdio: 'ignore' });
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
  test('plan prints each file in order, and adds up the load', async () => {
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
      /\nAll projects: 2 tests one after another, 2s in total, 100 requests, peak 80 connections on www\.example\.com\.\n$/,
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

  test('the Markdown report has one summary, and a numbered section for each file with changes', async () => {
    const { directory, write, run } = openServices(['cart', 'search', 'shop']);
    commit(directory);
    const unchanged = await run('plan', '--against', 'HEAD', '--markdown');
    expect(unchanged.stdout).toMatch(/^### loadtests: no changes in 3 projects\n/);
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

  test('the Markdown report of 60 changed files fits into a comment, and shows each file', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `service-${index}`);
    const { directory, write, run } = openServices(names);
    commit(directory);
    for (const name of names) write(name, { total: 80 });
    const { stdout } = await run('plan', '--against', 'HEAD', '--markdown');
    expect(stdout.length).toBeLessThan(65_000);
    expect(stdout.match(/^#### /gm)).toHaveLength(60);
    expect(stdout.match(/<details/g)?.length).toBe(stdout.match(/<\/details>/g)?.length);
  });

  test('validate reports the problems of each file, and exits with the code of highest precedence', async () => {
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
    ['-f services/*/loadtests.yaml -o plan.json', '--out applies to one configuration file'],
  ])('plan %s is refused', async (args, message) => {
    const { directory } = openServices(['cart', 'shop']);
    const { exit, stderr } = await runInProcess(['plan', ...args.split(' ')], { directory });
    expect([exit, stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  test('two files of the same project are refused, because they would stop the tests of each other', async () => {
    const { write, run } = openServices(['cart', 'shop']);
    write('shop', { project: 'cart' });
    const { exit, stderr } = await run('plan');
    expect([exit, stderr]).toEqual([3, expect.stringContaining('both declare the project "cart"')]);
  });

  test('a file that is named twice is planned once', async () => {
    const { run } = openServices(['cart']);
    const { stdout } = await run('validate', '-f', 'services/cart/loadtests.yaml');
    expect(stdout).not.toContain('[1/');
  });

  test('apply runs the tests of one project after those of another on a shared host', async () => {
    const seen: string[] = [];
    const target = await openTestTarget((request, response) => {
      seen.push(request.url ?? '');
      response.end('hello');
    });
    const { directory } = openServices(['cart', 'shop'], target.host);
    const args = ['apply', '--yes', '--json', '-f', 'services/*/loadtests.yaml'];
    const { projects } = JSON.parse((await runCli(args, { directory })).stdout) as Combined;
    expect(projects.map(({ report }) => report.runs?.length)).toEqual([1, 1]);
    expect(seen).toEqual([...Array<string>(10).fill('/cart'), ...Array<string>(10).fill('/shop')]);
  });

  test('apply starts nothing if one of the files is not valid', async () => {
    const { write, run, directory } = openServices(['cart', 'shop']);
    write('shop', { threshold: 'soon' });
    const { exit, stdout } = await run('apply', '--yes');
    expect([exit, stdout]).toEqual([3, '']);
    const junit = await run('apply', '--yes', '--junit', join(directory, 'junit.xml'));
    expect(junit.stderr).toContain('--junit applies to one configuration file');
  });
});
