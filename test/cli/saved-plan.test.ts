/**
 * Saved plans: only the owner of the key can create one, and it cannot refer to files outside its directory.
 */
// @module-tag load
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSavedMembers } from '../../src/apply/saved-plan.ts';
import { createPlanSigner } from '../../src/cli/session/signatures.ts';
import { sha256 } from '../../src/cli/files/sha256.ts';
import { Secret } from '../../src/core/model/secret.ts';
import type { PlanDocument, PlanOrigin } from '../../src/core/report/generated/documents.ts';
import { HAS_TERMINAL, runOnTerminal } from '../support/terminal-run.ts';
import { runCli, type CliResult } from '../support/cli.ts';
import { homeFileText } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { createTemporaryDirectory, createTestDirectory } from '../support/temporary-directory.ts';

const LONG_KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

/** A reachable host, because the embedded service checks whether it is reachable. It limits the load by its delay. */
const server = createServer((_, response) => setTimeout(() => response.end(), 50));
let shop = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shop = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const file = (service: string | null, project = 'shop') => homeFileText({ service, project, host: shop });

type Saved = PlanDocument & { readonly saved: PlanOrigin; readonly signature: string };

/** Creates a directory with a file and a saved plan that starts no load. */
async function planned(
  service: string | null = null,
  env: Readonly<Record<string, string>> = {},
  directory = createTestDirectory(),
) {
  writeFileSync(join(directory, 'loadtests.yaml'), file(service));
  const ran = await runInProcess(['plan', '--no-run', '-o', 'plan.json'], { directory, env });
  expect([ran.exit, ran.stderr]).toEqual([0, '']);
  return {
    directory,
    read: () => JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8')) as Saved,
    write: (plan: object) => {
      writeFileSync(join(directory, 'plan.json'), JSON.stringify(plan));
    },
    apply: (environment = env) => runInProcess(['apply', 'plan.json'], { directory, env: environment }),
  };
}

/** Copies the file and the plan to a different directory. */
function copyElsewhere(directory: string): string {
  const other = createTestDirectory();
  for (const name of ['loadtests.yaml', 'plan.json']) copyFileSync(join(directory, name), join(other, name));
  return other;
}

function expectRefused({ exit, stderr }: CliResult, text: string): void {
  expect(stderr).toContain(`error LT_PLAN_BAD_FILE: "plan.json" ${text}`);
  expect(exit).toBe(3);
}

describe('a changed plan', () => {
  const temporary = createTemporaryDirectory();
  let original: Awaited<ReturnType<typeof planned>>;
  let plan: Saved;
  // No command accepts a changed plan, so all tests change the same one.
  beforeAll(async () => {
    original = await planned(null, {}, temporary.path);
    plan = original.read();
    return temporary.remove;
  });

  test.each<[string, (plan: Saved) => object]>([
    ['changed flags', ({ saved }) => ({ saved: { ...saved, flags: { run: true, allowLimit: ['hosts'] } } })],
    [
      'a changed load',
      () => ({ load: { starts: 0, peak_connections: {}, seconds: 0, concurrent_tests: 2 } }),
    ],
    [
      'a changed creation time',
      ({ saved }) => ({ saved: { ...saved, created_at: '2026-01-01T00:00:00.000Z' } }),
    ],
    ['an invalid signature', () => ({ signature: 'f'.repeat(64) })],
    ['a digest in place of the signature', (plan) => createSavedMembers(plan, plan.saved, sha256)],
    [
      'a signature with an empty key',
      (plan) => createSavedMembers(plan, plan.saved, createPlanSigner(new Secret('', ''), 'shop')),
    ],
  ])('a saved plan with %s is rejected', async (_, change) => {
    original.write({ ...plan, ...change(plan) });
    expectRefused(await original.apply(), 'was changed after it was created: its signature is invalid');
  });

  test.each([
    ['maxAge', { maxAge: '24h' }],
    ['var', { var: { users: 7 } }],
    ['replace', { replace: 'home' }],
    ['yes', { yes: true }],
  ])('the error about an invalid flag value in a saved plan names the flag %s', async (name, flags) => {
    original.write({ ...plan, saved: { ...plan.saved, flags } });
    expectRefused(
      await original.apply(),
      `contains the flag "${name}", which is unknown or has an invalid value`,
    );
  });

  test.each([{ flags: null }, { flags: ['--run'] }, { file: 7 }, { tool_version: null }])(
    'a saved plan with the invalid members %j is rejected',
    async (changed) => {
      original.write({ ...plan, saved: { ...plan.saved, ...changed } });
      expectRefused(await original.apply(), 'is not a saved plan, or was changed');
    },
  );

  test('a plan that an earlier version saved without a signature is rejected', async () => {
    original.write({ ...plan, signature: undefined, checksum: 'c'.repeat(32) });
    expectRefused(await original.apply(), 'is not a saved plan, or was changed');
  });

  test.each(['/etc/passwd', '../../../elsewhere/loadtests.yaml', '.git/loadtests.yaml'])(
    'a plan that refers to the file %s is rejected',
    async (name) => {
      original.write({ ...plan, saved: { ...plan.saved, file: name } });
      expectRefused(
        await original.apply(),
        `refers to "${name}"; a saved plan can use only a file in this directory`,
      );
    },
  );
});

describe('a plan of a hosted service', () => {
  async function account() {
    const service = await startHostedService({ verifiedHosts: [shop] });
    onTestFinished(() => service.close());
    return { service, env: { LOADTESTS_API_KEY: service.options.key } };
  }

  test('if the file of a saved plan does not exist in the working directory, the hint names the directory of the plan', async () => {
    const { directory, apply } = await planned();
    rmSync(join(directory, 'loadtests.yaml'));
    const { exit, stderr } = await apply();
    expect(exit).toBe(3);
    expect(stderr).toContain('the file "loadtests.yaml" does not exist\n');
    expect(stderr).toContain('hint: run "apply" in the directory in which the plan was created');
    expect(stderr).not.toContain('loadtests init');
  });

  test('a plan of a hosted service can be applied in a different directory with the key of the same account', async () => {
    const { service, env } = await account();
    const { directory, apply } = await planned(service.url, env);
    expect(
      (await runInProcess(['apply', 'plan.json'], { directory: copyElsewhere(directory), env })).exit,
    ).toBe(0);
    expect((await apply()).exit).toBe(0);
    expect(readFileSync(join(directory, 'plan.json'), 'utf8')).not.toContain(service.options.key);
  });

  test('with the key of a different account, a plan is rejected before a request is sent', async () => {
    const { service, env } = await account();
    const { apply } = await planned(service.url, env);
    const sent = service.log.length;
    expectRefused(
      await apply({ LOADTESTS_API_KEY: 'd'.repeat(32) }),
      'was created with a different API key, or was changed',
    );
    expect(service.log).toHaveLength(sent);
  });

  test('a plan of a different project is rejected', async () => {
    const { service, env } = await account();
    const { directory, apply } = await planned(service.url, env);
    writeFileSync(join(directory, 'loadtests.yaml'), file(service.url, 'other'));
    expectRefused(
      await apply(),
      'is a plan for the project "shop", but "loadtests.yaml" declares the project "other"',
    );
  });
});

describe('a plan of the embedded service', () => {
  test('a plan of the embedded service can be applied in the directory that it was created in', async () => {
    const { directory, apply } = await planned();
    expect((await apply()).exit).toBe(0);
    expect(existsSync(join(directory, '.loadtests/plan-key'))).toBe(false);
  });

  test('a plan of the embedded service is rejected in a different directory, and a hint suggests LOADTESTS_API_KEY', async () => {
    const { directory } = await planned();
    const ran = await runInProcess(['apply', 'plan.json'], { directory: copyElsewhere(directory) });
    expectRefused(ran, 'was created on a different machine');
    expect(ran.stderr).toContain('set LOADTESTS_API_KEY to the same secret of at least 32 characters');
  });

  test('a plan of the embedded service can be applied in a different directory with the same LOADTESTS_API_KEY, but only if the key is long', async () => {
    const env = { LOADTESTS_API_KEY: LONG_KEY };
    const { directory } = await planned(null, env);
    expect(
      (await runInProcess(['apply', 'plan.json'], { directory: copyElsewhere(directory), env })).exit,
    ).toBe(0);
    const short = { LOADTESTS_API_KEY: 'guessable' };
    const other = await planned(null, short);
    const ran = await runInProcess(['apply', 'plan.json'], {
      directory: copyElsewhere(other.directory),
      env: short,
    });
    expectRefused(ran, 'was created on a different machine');
  });

  test('a signing key that other users can read is rejected', async () => {
    const env = { XDG_STATE_HOME: createTestDirectory() };
    const { apply } = await planned(null, env);
    const key = join(env.XDG_STATE_HOME, 'loadtests/plan-key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    chmodSync(key, 0o644);
    const ran = await apply();
    expect(ran.stderr).toContain('plan-key" cannot be used: other users can read it');
    expect(ran.exit).toBe(3);
  });
});

describe('a plan that was signed elsewhere', () => {
  /** Creates a directory as an archive could contain it: with a plan, and with all keys that signed the plan. */
  async function planted() {
    const { directory } = await planned(null, { XDG_STATE_HOME: createTestDirectory() });
    const target = createTestDirectory();
    cpSync(directory, target, { recursive: true });
    return target;
  }

  test('without a terminal, apply rejects a plan that was created elsewhere together with the data directory, even with --yes', async () => {
    const directory = await planted();
    mkdirSync(join(directory, '.loadtests'), { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, '.loadtests/plan-key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    const plan = JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8')) as Saved;
    const sign = createPlanSigner(new Secret('', 'ab'.repeat(32)), 'shop');
    writeFileSync(
      join(directory, 'plan.json'),
      JSON.stringify({
        ...plan,
        ...createSavedMembers(plan, { ...plan.saved, account: 'a'.repeat(16) }, sign),
      }),
    );
    for (const flags of [[], ['--yes']]) {
      const ran = await runInProcess(['apply', 'plan.json', ...flags], { directory });
      expectRefused(ran, 'was created on a different machine, by a different user');
      expect(ran.stderr).toContain('apply it in a terminal to review it');
    }
  });

  test('a saved plan is rejected in a copy of its directory, and in its directory if a copy has replaced the directory', async () => {
    const { directory, apply } = await planned();
    const elsewhere = join(createTestDirectory(), 'copy');
    cpSync(directory, elsewhere, { recursive: true });
    expectRefused(await runInProcess(['apply', 'plan.json'], { directory: elsewhere }), 'was created on a');
    renameSync(directory, `${directory}-old`);
    onTestFinished(() => {
      rmSync(`${directory}-old`, { recursive: true });
    });
    cpSync(`${directory}-old`, directory, { recursive: true });
    expectRefused(await apply(), 'was created on a different machine');
  });

  test.each(['XDG_STATE_HOME', 'HOME'])(
    'plan rejects the signing key if %s is a directory inside the project',
    async (name) => {
      const directory = createTestDirectory();
      writeFileSync(join(directory, 'loadtests.yaml'), file(null));
      // A link leads to the directory, as a planted file with environment variables could name it.
      symlinkSync(join(directory, 'home'), join(directory, 'link'));
      const state = join(directory, 'home', name === 'HOME' ? '.local/state/loadtests' : 'loadtests');
      mkdirSync(state, { recursive: true, mode: 0o700 });
      writeFileSync(join(state, 'plan-key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
      const env = { XDG_STATE_HOME: '', [name]: join(directory, 'link') };
      const ran = await runInProcess(['plan', '--no-run', '-o', 'plan.json'], { directory, env });
      expect([ran.exit, ran.stderr]).toEqual([
        3,
        expect.stringContaining('the plan signing key cannot be in'),
      ]);
      expect(ran.stderr).toContain('hint: set XDG_STATE_HOME to a directory outside the project');
      expect(existsSync(join(directory, 'plan.json'))).toBe(false);
    },
  );

  test('a configuration file cannot select the reserved variable LOADTESTS_SMTP as the key that signs plans', async () => {
    const env = { LOADTESTS_SMTP: 'smtp://ci@mail.shop.example.com:587' };
    const { directory, read, write } = await planned(null, env);
    const plan = read();
    const sign = createPlanSigner(new Secret('', env.LOADTESTS_SMTP), 'shop');
    write({ ...plan, ...createSavedMembers(plan, { ...plan.saved, account: 'a'.repeat(16) }, sign) });
    writeFileSync(
      join(directory, 'loadtests.yaml'),
      `${file(null)}service: { api_key_env: LOADTESTS_SMTP }\n`,
    );
    const ran = await runInProcess(['apply', 'plan.json'], { directory, env });
    expect([ran.exit, ran.stderr]).toEqual([
      3,
      expect.stringContaining(
        'LOADTESTS_SMTP is reserved for a different purpose and cannot contain the API key',
      ),
    ]);
  });

  test('a plan signed for a directory is rejected in a nested work tree and in a copy, but accepted through a link to the directory', async () => {
    const { directory, apply } = await planned();
    const nested = join(directory, 'nested');
    mkdirSync(join(nested, '.git'), { recursive: true });
    copyFileSync(join(directory, 'loadtests.yaml'), join(nested, 'loadtests.yaml'));
    linkSync(join(directory, 'plan.json'), join(nested, 'plan.json'));
    const link = join(createTestDirectory(), 'link');
    symlinkSync(directory, link);
    for (const at of [nested, join(link, 'nested')])
      expectRefused(await runInProcess(['apply', 'plan.json'], { directory: at }), 'was created on a');
    // An archive restores times, but not the inode.
    const { atime, mtime } = statSync(directory);
    cpSync(directory, `${directory}-copy`, { recursive: true, preserveTimestamps: true });
    onTestFinished(() => {
      rmSync(`${directory}-copy`, { recursive: true });
    });
    utimesSync(`${directory}-copy`, atime, mtime);
    const copied = await runInProcess(['apply', 'plan.json'], { directory: `${directory}-copy` });
    expectRefused(copied, 'was created on a different machine');
    // The link leads to the directory for which the plan was signed.
    expect((await runInProcess(['apply', 'plan.json'], { directory: link })).exit).toBe(0);
    expect((await apply()).exit).toBe(5);
  });

  test.skipIf(!HAS_TERMINAL)(
    'on a terminal, apply shows an untrusted plan and its flags before the prompt',
    async () => {
      const directory = createTestDirectory();
      writeFileSync(join(directory, 'loadtests.yaml'), file(null));
      const env = { XDG_STATE_HOME: createTestDirectory() };
      await runInProcess(['plan', '--no-run', '-o', 'plan.json'], { directory, env });
      const { written, exit } = await runOnTerminal(['apply', 'plan.json', '--yes'], {
        directory,
        columns: 200,
        types: { after: 'Execute this plan?', keys: 'n' },
      });
      expect(written).toContain('register');
      expect(written).toContain('was not signed by this user on this machine for this directory');
      expect(written).toContain('{"run":false}');
      expect(exit, written).toBe(6);
    },
  );
});

describe('a plan that was applied or is old', () => {
  const env = { LOADTESTS_API_KEY: LONG_KEY };

  const applyPlan = (directory: string, ...flags: readonly string[]) =>
    runInProcess(['apply', 'plan.json', ...flags], { directory, env });

  const countRuns = async (directory: string) => {
    const { stdout } = await runInProcess(['results', 'home', '--json'], { directory, env });
    const { tests } = JSON.parse(stdout) as { tests: readonly { results: readonly unknown[] }[] };
    return tests[0]?.results.length;
  };

  test('a saved plan starts its runs only once, unless --again is set', async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    expect((await runInProcess(['apply', '--yes'], { directory, env })).exit).toBe(0);
    expect((await runInProcess(['plan', '--run', '-o', 'plan.json'], { directory, env })).exit).toBe(0);
    expect((await applyPlan(directory)).exit).toBe(0);
    const second = await applyPlan(directory);
    expect(second.exit).toBe(5);
    expect(second.stderr).toMatch(/error LT_PLAN_STALE: "plan\.json" was already applied at .* UTC/);
    expect(second.stderr).toContain('--again');
    copyFileSync(join(directory, 'plan.json'), join(directory, 'copy.json'));
    expect((await runInProcess(['apply', 'copy.json'], { directory, env })).exit).toBe(5);
    expect(await countRuns(directory)).toBe(2);
    expect((await applyPlan(directory, '--again')).exit).toBe(0);
    expect(await countRuns(directory)).toBe(3);
  });

  test('a saved plan can be applied after an apply command that ended before it changed anything', async () => {
    const directory = createTestDirectory();
    const webServer = `web_server: { command: exit 1, url: http://${shop}/, reuse_existing: true }\n`;
    writeFileSync(join(directory, 'loadtests.yaml'), file(null) + webServer);
    expect((await runInProcess(['plan', '--no-run', '-o', 'plan.json'], { directory, env })).exit).toBe(0);
    const mergeRequest = { ...env, CI_MERGE_REQUEST_IID: '1' };
    const refused = await runInProcess(['apply', 'plan.json'], { directory, env: mergeRequest });
    expect([refused.exit, refused.stderr]).toEqual([6, expect.stringContaining('LT_CLI_COMMANDS')]);
    expect(await applyPlan(directory)).toMatchObject({ exit: 0 });
  });

  test('a saved plan starts its runs only once, even if several processes apply copies of the plan concurrently', async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    expect((await runInProcess(['apply', '--yes', '--no-run'], { directory, env })).exit).toBe(0);
    expect((await runInProcess(['plan', '--run', '-o', 'plan.json'], { directory, env })).exit).toBe(0);
    const plan: unknown = JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8'));
    writeFileSync(join(directory, 'spaced.json'), JSON.stringify(plan, null, 7));
    linkSync(join(directory, 'plan.json'), join(directory, 'linked.json'));
    const applied = await Promise.all(
      // Two processes and this process.
      [
        { name: 'plan.json', run: runCli },
        { name: 'spaced.json', run: runCli },
        { name: 'linked.json', run: runInProcess },
      ].map(async ({ name, run }) => await run(['apply', name, '--lock-timeout', '60s'], { directory, env })),
    );
    expect(applied.map(({ exit }) => exit).sort(), JSON.stringify(applied)).toEqual([0, 5, 5]);
    expect(await countRuns(directory)).toBe(1);
  });

  test('apply accepts a saved plan that is 23 hours old, and rejects a plan that is older than --max-plan-age, which defaults to 24 hours', async () => {
    const { directory, read, write } = await planned(null, env);
    const sign = createPlanSigner(new Secret('', LONG_KEY), 'shop');
    const plan = read();
    const setAge = (hours: number) => {
      const created = new Date(Date.now() - hours * 3_600_000).toISOString();
      write({ ...plan, ...createSavedMembers(plan, { ...plan.saved, created_at: created }, sign) });
    };
    setAge(23);
    const timely = await applyPlan(directory);
    expect(timely.exit, timely.stderr).toBe(0);
    setAge(25);
    const late = await applyPlan(directory);
    expect(late.exit).toBe(5);
    expect(late.stderr).toMatch(/error LT_PLAN_STALE: "plan\.json" was created at .* UTC, more than 24h ago/);
    expect(late.stderr).toContain('--max-plan-age');
    expect((await applyPlan(directory, '--max-plan-age', '1h')).exit).toBe(5);
    expect((await applyPlan(directory, '--max-plan-age', '26h')).exit).toBe(0);
  });

  test.each([['--again'], ['--max-plan-age', '2h']])(
    'the flag %s is refused without a saved plan',
    async (...flags) => {
      const directory = createTestDirectory();
      writeFileSync(join(directory, 'loadtests.yaml'), file(null));
      const ran = await runInProcess(['apply', ...flags], { directory });
      expect(ran.stderr).toContain('LT_CLI_USAGE: ');
      expect(ran.exit).toBe(3);
    },
  );
});

describe('the files of -o and --json-into', () => {
  test('only the current user can read the output files of -o and --json-into, whether new or existing', async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    writeFileSync(join(directory, 'plan.json'), '', { mode: 0o644 });
    await runInProcess(['plan', '-o', 'plan.json', '--json-into', 'all.json'], { directory });
    for (const name of ['plan.json', 'all.json'])
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  test('an output file is not written through a link, outside the checkout, or in the .git directory', async () => {
    const directory = createTestDirectory();
    const outside = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    writeFileSync(join(outside, 'target'), 'mine');
    symlinkSync(join(outside, 'target'), join(directory, 'link'));
    symlinkSync(join(outside, 'absent'), join(directory, 'dangling'));
    symlinkSync(outside, join(directory, 'out'));
    mkdirSync(join(directory, '.git'));
    for (const [name, reason] of [
      ['link', 'it is a symbolic link'],
      ['dangling', 'it is a symbolic link'],
      ['out/plan.json', 'it is outside of'],
      ['.git/plan.json', "it is inside git's own directory"],
    ] as const) {
      for (const flag of ['-o', '--json-into']) {
        const ran = await runInProcess(['plan', flag, name], { directory });
        expect(ran.stderr).toContain(`cannot be written: ${reason}`);
        expect(ran.exit).toBe(3);
      }
    }
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('mine');
  });

  test('a saved plan cannot refer to a file outside its directory', async () => {
    const directory = createTestDirectory();
    const outside = createTestDirectory();
    writeFileSync(join(outside, 'loadtests.yaml'), file(null));
    const ran = await runInProcess(['plan', '-f', join(outside, 'loadtests.yaml'), '-o', 'plan.json'], {
      directory,
    });
    expect(ran.stderr).toContain('LT_CLI_PATH: a saved plan cannot refer to "');
    expect(ran.exit).toBe(3);
  });

  test('a saved plan can be created and applied in a subdirectory of the directory that contains the configuration file', async () => {
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'below'));
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    const below = { directory: join(directory, 'below') };
    expect((await runInProcess(['plan', '--no-run', '-o', 'plan.json'], below)).exit).toBe(0);
    expect((await runInProcess(['apply', 'plan.json'], below)).exit).toBe(0);
  });
});

test('a plan is rejected as stale if the content of its payload file has changed', async () => {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'rows.csv'), 'user\nanna\n');
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    `version: 1
project: shop
apps: { shop: '${shop}' }
tests:
  home: { test_type: cycling, duration: 1s, total: 1, urls: [{ url: 'http://${shop}/{{user}}', payload_file: rows.csv }] }
`,
  );
  expect((await runInProcess(['plan', '-o', 'plan.json'], { directory })).exit).toBe(0);
  writeFileSync(join(directory, 'rows.csv'), 'user\nbert\n');
  const rejected = await runInProcess(['apply', 'plan.json'], { directory });
  expect(rejected.stderr).toContain('LT_PLAN_STALE');
  expect(rejected.stderr).toContain('"loadtests.yaml", or a value it refers to, has changed');
});
