/** `plan --against REV`: comparison of two files in a real git repository, without a network and a key. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTemporaryDirectory, type CliResult } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';

let repository = '';
let remove = (): void => undefined;

beforeEach(() => {
  const directory = createTemporaryDirectory();
  repository = directory.path;
  remove = directory.remove;
  git('init', '--quiet', '--initial-branch', 'main');
});

afterEach(() => {
  remove();
});

function git(...args: string[]): void {
  const author = ['-c', 'user.name=Shop', '-c', 'user.email=shop@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...author, ...args], { cwd: repository, stdio: 'ignore' });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'a state');
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
  readonly against: {
    readonly old_file: 'read' | 'absent' | 'invalid';
    readonly load: { readonly before: { seconds: number }; readonly after: { seconds: number } };
    readonly limits: readonly { readonly limit: string; readonly kind: string }[];
    readonly changes: readonly { readonly address: string; readonly field: string; readonly kind: string }[];
    readonly removed: readonly string[];
  };
}

async function readPlanReport(...args: string[]): Promise<PlanReport> {
  const { stdout } = await plan('--json', ...args);
  return JSON.parse(stdout) as PlanReport;
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
  test('an unchanged file has no changes even if a secret is not set', async () => {
    write(HEAD + HOME);
    commit();
    const same = await plan();
    expect(same.exit).toBe(0);
    expect(same.stdout).toMatch(/against HEAD \([0-9a-f]{12}\)/);
    expect(same.stdout).toContain('No changes.');
    expect(same.stderr).toContain('warning LT_CONFIG_SECRET_MISSING');
  });

  test('the comparison shows changed fields, the previous and the new load, and increased limits', async () => {
    write(`${HEAD}limits: { max_connections: 300, max_duration: 10m, hosts: [www.example.com] }\n${HOME}`);
    commit();
    const changed = HOME.replace('250', '500').replace('threshold: 50', 'threshold: 5').replace('1m', '2m');
    write(`${HEAD}limits: { max_connections: 600, hosts: ['*'] }\n${changed}`);
    const { exit, stdout } = await plan('--detailed-exitcode');
    expect(exit).toBe(2);
    expect(stdout).toContain('~ replace    home');
    expect(stdout).toMatch(/total +250 → 500/);
    expect(stdout).toMatch(/error_threshold +50% → 5%/);
    expect(stdout).toContain('Limit max_connections raised: 300 → 600');
    expect(stdout).toContain('Limit max_duration removed: 10m → (none)');
    expect(stdout).toContain('Limit hosts raised: www.example.com → *');
    expect(stdout).toContain(
      'All tests before: 1 test, 1m in total, peak 250 connections on www.example.com.',
    );
    expect(stdout).toContain(
      'All tests after:  1 test, 2m in total, peak 500 connections on www.example.com.',
    );
    const document = await readPlanReport();
    expect(document.against.limits.map(({ limit, kind }) => `${limit} ${kind}`)).toEqual([
      'max_connections raised',
      'max_duration removed',
      'hosts raised',
    ]);
    expect([document.against.load.before.seconds, document.against.load.after.seconds]).toEqual([60, 120]);
    expect(document.actions).toMatchObject([{ verb: 'replace', address: 'test.home', id: null }]);
  });

  test('the comparison shows changed thresholds and removed tests', async () => {
    const sale = HOME.slice(HOME.indexOf('  home:')).replace('home:', 'sale:');
    const withThresholds = (limits: string) => `${HOME}    thresholds: ${limits}\n`;
    write(`${HEAD}${withThresholds("{ p95: '< 300ms', p99: '< 1s', error_rate: '< 1%' }")}${sale}`);
    commit();
    write(HEAD + withThresholds("{ p95: '< 500ms', p99: '< 1000ms', requests: '>= 10' }"));
    const { exit, stdout } = await plan();
    expect(exit).toBe(0);
    expect(stdout).toContain('No changes on the service.\n');
    expect(stdout).toContain(
      [
        'Test sale removed',
        'Test home: thresholds p95 loosened: < 300ms → < 500ms',
        'Test home: thresholds error_rate removed: < 1% → (none)',
        'Test home: thresholds requests added: (none) → >= 10',
        '',
      ].join('\n'),
    );
    const { against, has_changes: hasChanges } = await readPlanReport();
    expect(hasChanges).toBe(false);
    expect(against.removed).toEqual(['test.sale']);
    expect(against.changes[0]).toEqual({
      address: 'test.home',
      field: '/thresholds/p95',
      from: '< 300ms',
      to: '< 500ms',
      kind: 'loosened',
    });
  });

  test('a file that exceeds its own limit exits with 12', async () => {
    write(HEAD + HOME);
    commit();
    write(`${HEAD}limits: { max_connections: 300 }\n${HOME.replace('250', '500')}`);
    expect((await plan()).exit).toBe(12);
  });

  test('all tests are new if the revision does not contain the file', async () => {
    write('unrelated', 'README');
    commit();
    write(HEAD + HOME);
    const { actions, against } = await readPlanReport();
    expect(actions.map(({ verb }) => verb)).toEqual(['register', 'verify', 'create']);
    expect(against.old_file).toBe('absent');
    const { exit, stdout } = await plan('--detailed-exitcode');
    expect(exit).toBe(2);
    expect(stdout).toContain('HEAD has no loadtests.yaml; everything is new.');
  });

  test.each([
    ['is invalid YAML', 'version: [1\n', 'unclosed "["; add "]"', '3 problems'],
    [
      'does not match the schema',
      `${HEAD}${HOME.replace('total:', 'totl:')}`,
      'unknown key "totl"',
      '1 problem',
    ],
    ['lacks a variable of the environment', `${HEAD}${HOME}    notes: '\${env:GONE}'\n`, 'GONE', '1 problem'],
    ['is UTF-16', Buffer.from([0xff, 0xfe, 0x00]), 'HEAD:loadtests.yaml', '1 problem'],
  ])('all tests are new if the old file %s', async (_name, old, warning, problems) => {
    writeFileSync(join(repository, 'loadtests.yaml'), old);
    commit();
    write(HEAD + HOME);
    const { exit, stdout, stderr } = await plan('--detailed-exitcode');
    expect(exit).toBe(2);
    expect(stdout).toContain('+ create     home');
    expect(stdout).toContain('The file in HEAD is not valid; everything is treated as new.');
    expect(stdout).toContain('All tests before: unknown.');
    expect(stderr).toContain(
      `warning LT_PLAN_AGAINST: the file in HEAD is not valid (${problems}), so everything is treated as new\n`,
    );
    expect(stderr).toContain(warning);
    expect(stderr).not.toContain('error');
    expect((await readPlanReport()).against.old_file).toBe('invalid');
  });

  test('an invalid new file is rejected', async () => {
    write(HEAD + HOME);
    commit();
    write(HEAD + HOME.replace('total:', 'totl:'));
    expect((await plan()).exit).toBe(3);
  });

  test('the comparison recognizes a moved key, and lists the stop of a removed scheduled test', async () => {
    const armed = `  sale:\n    test_type: cycling\n    duration: 1m\n    scheduled_at: 2099-12-24 03:00:00\n    urls: [http://www.example.com/]\n`;
    write(HEAD + HOME + armed);
    commit();
    write(`${HEAD}moved: { start: home }\n${HOME.replace('home:', 'start:')}`);
    const { actions } = await readPlanReport();
    expect(actions.map(({ verb, address }) => `${verb} ${address}`)).toEqual([
      'no-op test.start',
      'stop test.sale',
    ]);
  });

  test('included files of the revision are read from git, but links are not followed', async () => {
    const included = HOME.replace("'Bearer ${secret:TOKEN}'", "'${file:token.txt}'");
    write(HEAD + included);
    write('old', 'token.txt');
    commit();
    write('new', 'token.txt');
    const { actions } = await readPlanReport();
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

  test('the comparison supports a subdirectory of the repository and an environment', async () => {
    mkdirSync(join(repository, 'load'));
    const environments = 'environments: { staging: { vars: { total: 20 } } }\nvars: { total: 10 }\n';
    write(HEAD + 'vars: { total: 10 }\n' + HOME.replace('250', '${total}'), 'load/loadtests.yaml');
    commit();
    write(HEAD + environments + HOME.replace('250', '${total}'), 'load/loadtests.yaml');
    const directory = join(repository, 'load');
    expect((await runInProcess(['plan', '--against', 'HEAD'], { directory })).stdout).toContain(
      'No changes.',
    );
    const staging = await runInProcess(['plan', '--against', 'HEAD', '--env', 'staging'], { directory });
    expect(staging.stdout).toContain('+ create     home');
    expect(staging.stdout).toContain(
      'HEAD has no environment "staging" in loadtests.yaml; everything is new.',
    );
  });

  test('an invalid revision is rejected, and a revision that looks like a flag is not passed to git', async () => {
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

  test('a directory outside a repository is rejected', async () => {
    rmSync(join(repository, '.git'), { recursive: true });
    write(HEAD + HOME);
    const { exit, stderr } = await plan();
    expect(exit).toBe(3);
    expect(stderr).toContain('git cannot resolve the revision "HEAD"');
  });
});

test('the content of payload files is compared between both revisions', async () => {
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
  const { stdout } = await plan();
  expect(stdout).toMatch(/urls\/0\/payload_file +sha256:[0-9a-f]{64} → sha256:[0-9a-f]{64}/);
  expect(stdout).toContain('payload_file: rows.csv (2 rows, 2 columns)');
  expect((await readPlanReport()).actions[0]).toMatchObject({
    verb: 'replace',
    changes: [{ field: '/urls/0/payload_file' }],
  });
});
