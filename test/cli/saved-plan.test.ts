/** A saved plan is consent: only who has the key can have written it, and it leads nowhere else. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
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
import { createTestDirectory, type CliResult } from '../support/cli.ts';
import { homeFileText } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { startHostedService } from '../support/hosted-service.ts';

const LONG_KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

/** A host that there is: the embedded service looks whether it is. */
const server = createServer((_, response) => response.end());
let shop = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shop = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const file = (service: string | null, project = 'shop') => homeFileText({ service, project, host: shop });

type Saved = PlanDocument & { readonly saved: PlanOrigin; readonly signature: string };

/** A directory with a file, in which a plan that starts nothing was made. */
async function planned(service: string | null = null, env: Readonly<Record<string, string>> = {}) {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), file(service));
  const ran = await runInProcess(['plan', '--no-run', '-o', 'plan.json'], { directory, env });
  expect([ran.exit, ran.stderr]).toEqual([0, '']);
  return {
    directory: directory,
    read: () => JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8')) as Saved,
    write: (plan: object) => {
      writeFileSync(join(directory, 'plan.json'), JSON.stringify(plan));
    },
    apply: (given = env) => runInProcess(['apply', 'plan.json'], { directory, env: given }),
  };
}

/** The same file and plan in another checkout. */
function elsewhere(directory: string): string {
  const other = createTestDirectory();
  for (const name of ['loadtests.yaml', 'plan.json']) copyFileSync(join(directory, name), join(other, name));
  return other;
}

function expectRefused({ exit, stderr }: CliResult, text: string): void {
  expect(stderr).toContain(`error LT_PLAN_BAD_FILE: "plan.json" ${text}`);
  expect(exit).toBe(3);
}

describe('a plan that was altered', () => {
  test.each<[string, (plan: Saved) => object]>([
    ['other flags', ({ saved }) => ({ saved: { ...saved, flags: { run: true, allowLimit: ['hosts'] } } })],
    ['other actions', () => ({ load: { starts: 0, peak_connections: {}, seconds: 0, sequential: false } })],
    ['another time', ({ saved }) => ({ saved: { ...saved, created_at: '2026-01-01T00:00:00.000Z' } })],
    ['no signature that fits', () => ({ signature: 'f'.repeat(64) })],
    ['a digest in place of it', (plan) => createSavedMembers(plan, plan.saved, sha256)],
    [
      'that of an empty key',
      (plan) => createSavedMembers(plan, plan.saved, createPlanSigner(new Secret('', ''), 'shop')),
    ],
  ])('with %s is refused', async (_, change) => {
    const { read, write, apply } = await planned();
    const plan = read();
    write({ ...plan, ...change(plan) });
    expectRefused(await apply(), 'was changed since it was made: its signature does not fit');
  });

  test.each([
    ['maxAge', { maxAge: '24h' }],
    ['var', { var: { users: 7 } }],
    ['replace', { replace: 'home' }],
    ['yes', { yes: true }],
  ])('names the flag %s where its value cannot be', async (name, flags) => {
    const { read, write, apply } = await planned();
    write({ ...read(), saved: { ...read().saved, flags } });
    expectRefused(await apply(), `was altered: "${name}" of its flags has no such value`);
  });

  test.each([{ flags: null }, { flags: ['--run'] }, { file: 7 }, { tool_version: null }])(
    'is no saved plan with %j',
    async (changed) => {
      const { read, write, apply } = await planned();
      write({ ...read(), saved: { ...read().saved, ...changed } });
      expectRefused(await apply(), 'is not a saved plan, or was changed');
    },
  );

  test('and has no signature is none, as one of an earlier version', async () => {
    const { read, write, apply } = await planned();
    write({ ...read(), signature: undefined, checksum: 'c'.repeat(32) });
    expectRefused(await apply(), 'is not a saved plan, or was changed');
  });

  test.each(['/etc/passwd', '../../../elsewhere/loadtests.yaml', '.git/loadtests.yaml'])(
    'to name the file %s is refused, and the file is not read',
    async (name) => {
      const { read, write, apply } = await planned();
      write({ ...read(), saved: { ...read().saved, file: name } });
      expectRefused(await apply(), `names a file outside of this directory, "${name}"`);
    },
  );
});

describe('a plan of a hosted service', () => {
  async function account() {
    const service = await startHostedService({ verifiedHosts: [shop] });
    onTestFinished(() => service.close());
    return { service, env: { LOADTESTS_API_KEY: service.options.key } };
  }

  test('is made on one machine and applied on another with the key of the same account', async () => {
    const { service, env } = await account();
    const { directory, apply } = await planned(service.url, env);
    expect((await runInProcess(['apply', 'plan.json'], { directory: elsewhere(directory), env })).exit).toBe(
      0,
    );
    expect((await apply()).exit).toBe(0);
    expect(readFileSync(join(directory, 'plan.json'), 'utf8')).not.toContain(service.options.key);
  });

  test('is refused with the key of another account, and nothing is sent', async () => {
    const { service, env } = await account();
    const { apply } = await planned(service.url, env);
    const sent = service.log.length;
    expectRefused(
      await apply({ LOADTESTS_API_KEY: 'd'.repeat(32) }),
      'was made with the API key of another account, or was changed',
    );
    expect(service.log).toHaveLength(sent);
  });

  test('is refused for another project', async () => {
    const { service, env } = await account();
    const { directory, apply } = await planned(service.url, env);
    writeFileSync(join(directory, 'loadtests.yaml'), file(service.url, 'other'));
    expectRefused(await apply(), 'is a plan of the project "shop", not of "other"');
  });
});

describe('a plan of the embedded service', () => {
  test('is applied where it was made', async () => {
    const { directory, apply } = await planned();
    expect((await apply()).exit).toBe(0);
    expect(statSync(join(directory, '.loadtests/plan-key')).mode & 0o777).toBe(0o600);
  });

  test('is refused elsewhere, with the way out', async () => {
    const { directory } = await planned();
    const ran = await runInProcess(['apply', 'plan.json'], { directory: elsewhere(directory) });
    expectRefused(ran, 'was made on another machine');
    expect(ran.stderr).toContain('set LOADTESTS_API_KEY to the same secret of at least 32 characters');
  });

  test('is applied elsewhere where both have the same long LOADTESTS_API_KEY', async () => {
    const env = { LOADTESTS_API_KEY: LONG_KEY };
    const { directory } = await planned(null, env);
    expect((await runInProcess(['apply', 'plan.json'], { directory: elsewhere(directory), env })).exit).toBe(
      0,
    );
    const short = { LOADTESTS_API_KEY: 'guessable' };
    const other = await planned(null, short);
    const ran = await runInProcess(['apply', 'plan.json'], {
      directory: elsewhere(other.directory),
      env: short,
    });
    expectRefused(ran, 'was made on another machine');
  });

  test('is signed with no key that others can read, such as one that git has checked out', async () => {
    const { directory, apply } = await planned();
    chmodSync(join(directory, '.loadtests/plan-key'), 0o644);
    const ran = await apply();
    expect(ran.stderr).toContain('plan-key", cannot be used: others can read it');
    expect(ran.exit).toBe(3);
  });
});

describe('the file of -o and --json-into', () => {
  test("is this user's only, also where it was there", async () => {
    const directory = createTestDirectory();
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    writeFileSync(join(directory, 'plan.json'), '', { mode: 0o644 });
    await runInProcess(['plan', '-o', 'plan.json', '--json-into', 'all.json'], { directory });
    for (const name of ['plan.json', 'all.json'])
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  test('is never written through a link, nor through a directory that leads out of the checkout', async () => {
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
      ['out/plan.json', 'it leads out of'],
      ['.git/plan.json', "it lies in git's own directory"],
    ] as const) {
      for (const flag of ['-o', '--json-into']) {
        const ran = await runInProcess(['plan', flag, name], { directory });
        expect(ran.stderr).toContain(`cannot be written: ${reason}`);
        expect(ran.exit).toBe(3);
      }
    }
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('mine');
  });

  test('names no file that lies elsewhere', async () => {
    const directory = createTestDirectory();
    const outside = createTestDirectory();
    writeFileSync(join(outside, 'loadtests.yaml'), file(null));
    const ran = await runInProcess(['plan', '-f', join(outside, 'loadtests.yaml'), '-o', 'plan.json'], {
      directory,
    });
    expect(ran.stderr).toContain('LT_CLI_PATH: a saved plan cannot name "');
    expect(ran.exit).toBe(3);
  });

  test('is applied from a directory below the file too', async () => {
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'below'));
    writeFileSync(join(directory, 'loadtests.yaml'), file(null));
    const below = { directory: join(directory, 'below') };
    expect((await runInProcess(['plan', '--no-run', '-o', 'plan.json'], below)).exit).toBe(0);
    expect((await runInProcess(['apply', 'plan.json'], below)).exit).toBe(0);
  });
});

test('a plan whose payload file holds something else by now is refused as changed', async () => {
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
  const refused = await runInProcess(['apply', 'plan.json'], { directory });
  expect(refused.stderr).toContain('LT_PLAN_STALE');
  expect(refused.stderr).toContain('"loadtests.yaml", or a value it refers to, has changed');
});
