/** Every example, used as described in its README: it is valid, generates its load, and passes. */
// @module-tag load
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  copyAllExamples,
  EXAMPLES,
  editFile,
  openRootExample,
  type ExampleDocument,
} from '../support/examples.ts';
import { findFreePort } from '../support/free-port.ts';
import { listeningUrlOf } from '../support/cli.ts';
import { runInProcess, startInProcess } from '../support/in-process-cli.ts';
import { waitUntil } from '../support/test-service.ts';

/** The service address in the examples. */
const SERVICE_OF_EXAMPLES = 'http://127.0.0.1:4900';
const KEY = 'c0ffee00c0ffee00c0ffee00c0ffee00';

/** Resources that are closed after the last test, because the tests run concurrently. */
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Registers a resource to be removed after all tests. */
function removeLater<T extends { readonly remove: () => void }>(opened: T): T {
  closing.push(opened.remove);
  return opened;
}

const ownExamples = (): string => removeLater(copyAllExamples()).path;

interface Setting {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Returns the commands of one example, with the same flags and environment, called from the parent of its
 * directory.
 */
function openExample(name: string, { flags = [], env = {} }: Setting, examples = ownExamples()) {
  const file = join(name, 'loadtests.yaml');
  const path = join(examples, file);
  // Commands run in this process, because starting the program is slow.
  const call = async (...args: readonly string[]) => {
    const ran = await runInProcess([...args, '--json', '-f', file, ...flags], { directory: examples, env });
    return { ...ran, document: JSON.parse(ran.stdout) as ExampleDocument };
  };
  return {
    examples,
    validate: () => call('validate'),
    plan: () => call('plan'),
    apply: (...more: string[]) => call('apply', '--yes', ...more),
    call,
    edit: (change: (text: string) => string) => {
      editFile(path, change);
    },
  };
}

/** Opens the example like the CI workflow: in its directory, with CI set. */
function openPreview(port: number) {
  const env = { PREVIEW_HOST: `127.0.0.1:${port}`, CI: 'true' };
  const { examples, edit } = openExample('ci-preview', { env });
  const directory = join(examples, 'ci-preview');
  return { edit, inDirectory: (...args: string[]) => runInProcess(args, { directory, env }) };
}

/** Applies the example twice and expects one passed run of each test in `keys`. */
async function expectAppliedOnce(example: ReturnType<typeof openExample>, keys: readonly string[]) {
  const validated = await example.validate();
  expect([validated.exit, validated.document.problems]).toEqual([0, []]);

  const planned = await example.plan();
  expect([planned.exit, planned.document.problems]).toEqual([0, []]);
  expect(planned.document.summary).toMatchObject({ create: keys.length, blocked: 0, deferred: 0 });

  const first = await example.apply();
  expectPassed({ exit: first.exit, ...first.document }, keys);
  const again = await example.apply();
  expectUnchanged({ exit: again.exit, ...again.document }, keys);
  return first.document;
}

type Applied = Pick<ExampleDocument, 'problems' | 'has_changes' | 'runs'> & { readonly exit: number | null };

/** Expects one passed run of each test in `keys`. */
function expectPassed({ exit, problems, runs }: Applied, keys: readonly string[]): void {
  expect(problems).toEqual([]);
  expect(runs.map(({ address, verdict }) => [address, verdict])).toEqual(
    keys.map((key) => [`test.${key}`, 'pass']),
  );
  expect(exit).toBe(0);
  for (const { result } of runs) expect(result.success).toBe(result.requests);
}

/** Expects that a second apply changes nothing, and starts no run of the tests in `keys`. */
function expectUnchanged(
  { exit, has_changes: hasChanges, ...again }: Applied,
  keys: readonly string[],
): void {
  // The warning for a moved key remains until the entry is removed from the file.
  const problems = again.problems.filter(({ code }) => code !== 'LT_PLAN_MOVED');
  expect([exit, hasChanges, problems]).toEqual([0, false, []]);
  expect(again.runs.map((one) => one.started_by_us)).toEqual(keys.map(() => false));
}

async function openService(directory: string) {
  const service = startInProcess(['serve', '--port', '0', '--json', '--data', 'service-data'], {
    directory,
    env: { LOADTESTS_API_KEY: KEY },
  });
  closing.push(() => {
    service.interrupt();
    return service.ended;
  });
  await service.saw('"listening"');
  return listeningUrlOf(service.output());
}

/** Starts the shop as a separate process that runs during several commands. */
async function openShop(examples: string, env: Readonly<Record<string, string>>) {
  const shop = spawn(process.execPath, [join(examples, 'shop/server.mjs')], { env, stdio: 'ignore' });
  closing.push(() => {
    shop.kill();
  });
  const url = `http://127.0.0.1:${env['SHOP_PORT'] ?? ''}/`;
  const responses = () =>
    fetch(url).then(
      (response) => response.status,
      () => null,
    );
  await waitUntil(responses);
}

// A busy machine may make a run inconclusive. The test then starts again with a new copy.
describe.concurrent('the examples', () => {
  test('every example has a README with its command, a configuration file that names its schema, and an entry in the list of examples', () => {
    const directories = readdirSync(EXAMPLES, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'shop')
      .map((entry) => entry.name);
    const list = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
    for (const name of directories) {
      const readme = readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8');
      const files = [...readme.matchAll(/-f '?(examples\/\S+\/loadtests\.yaml)/g)].map(
        ([, file = '']) => file,
      );
      expect(files, name).not.toEqual([]);
      for (const file of new Set(files.filter((one) => !one.includes('*')))) {
        const text = readFileSync(join(EXAMPLES, '..', file), 'utf8');
        const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
        expect(existsSync(join(EXAMPLES, '..', file, '..', schema)), file).toBe(true);
      }
      expect(list, 'the list of examples').toContain(`](${name})`);
    }
  });

  test('the tests of the root example pass, and a second apply starts no runs and evaluates the runs of the first apply', async () => {
    const { applyInProcess } = removeLater(await openRootExample());
    const first = await applyInProcess();
    expect([first.exit, first.document.problems]).toEqual([0, []]);
    expect(first.document.summary).toMatchObject({ register: 1, verify: 1, create: 3 });
    expect(first.document.runs.map(({ address, verdict }) => [address, verdict])).toEqual([
      ['test.home', 'pass'],
      ['test.checkout', 'pass'],
      ['test.search', 'pass'],
    ]);
    expect(first.document.runs[0]?.result).toMatchObject({ success: 50, requests: 50 });
    expect(first.document.runs[2]?.result).toMatchObject({ success: 100, requests: 100 });

    const again = await applyInProcess();
    expect(again.exit).toBe(0);
    expect(again.document.has_changes).toBe(false);
    expect(again.document.runs.map(({ verdict, started_by_us }) => [verdict, started_by_us])).toEqual([
      ['pass', false],
      ['pass', false],
      ['pass', false],
    ]);
    const ids = (document: ExampleDocument) => document.runs.map((one) => one.result_id);
    expect(ids(again.document)).toEqual(ids(first.document));
  });

  test('if a test of the root example fails, a second apply fails again and starts no run', async () => {
    const { applyInProcess } = removeLater(
      await openRootExample((text) => text.replace("'>= 50'", "'>= 51'")),
    );
    const first = await applyInProcess('--only', 'home');
    expect(first.exit).toBe(10);
    const again = await applyInProcess('--only', 'home');
    expect(again.exit).toBe(10);
    expect(again.document.has_changes).toBe(false);
    expect(again.document.runs[0]).toMatchObject({ verdict: 'fail', started_by_us: false });
  });

  test('the ci-preview example starts a preview server and tests the host in PREVIEW_HOST, and apply accepts its saved plan without further approval, but only once', async () => {
    const { inDirectory } = openPreview(await findFreePort());
    expect((await inDirectory('validate')).exit).toBe(0);
    const planned = await inDirectory('plan', '-o', 'plan.json', '--detailed-exitcode');
    expect([planned.exit, planned.stderr]).toEqual([2, '']);
    const documentOf = async (...args: string[]) => {
      const { exit, stdout } = await inDirectory('apply', '--json', ...args);
      return { exit, ...(JSON.parse(stdout) as ExampleDocument) };
    };
    expectPassed(await documentOf('plan.json'), ['start-page', 'search']);
    expect((await inDirectory('apply', 'plan.json')).exit).toBe(5);
    expectUnchanged(await documentOf('--yes'), ['start-page', 'search']);
  });

  test('in the ci-preview example, apply rejects a saved plan if the declared load has increased after the plan was saved', async () => {
    const { inDirectory, edit } = openPreview(await findFreePort());
    await inDirectory('plan', '-o', 'plan.json');
    edit((text) => text.replace('total: 20', 'total: 40'));
    expect((await inDirectory('apply', 'plan.json')).exit).toBe(5);
  });

  test('the login-and-token example sends values of earlier responses in a header, a body and a path', async () => {
    const example = openExample('login-and-token', { flags: ['--var', `port=${await findFreePort()}`] });
    const { runs } = await expectAppliedOnce(example, ['order']);
    expect(runs[0]?.result.success).toBeGreaterThanOrEqual(30);
  });

  test('the login-and-token example fails if the target receives a wrong value', async () => {
    const example = openExample('login-and-token', { flags: ['--var', `port=${await findFreePort()}`] });
    example.edit((text) => text.replace('"session":"{{session}}"', '"session":"another"'));
    expect((await example.apply()).exit).toBe(10);
  });

  test('the api-journey example reads a token from JSON and a cart from a cookie, and completes every purchase', async () => {
    const example = openExample('api-journey', { flags: ['--var', `port=${await findFreePort()}`] });
    const { runs } = await expectAppliedOnce(example, ['purchase']);
    expect(runs[0]?.result).toMatchObject({
      success: 150,
      requests: 150,
      warmup: { seconds: 1, complete: true, requests: 30, ledger: { planned: 30, success: 30 } },
    });
  });

  test('the api-journey example fails if carts are empty, even if every response has the expected status', async () => {
    const example = openExample('api-journey', { flags: ['--var', `port=${await findFreePort()}`] });
    example.edit((text) =>
      text
        .replace('items: [{ sku: 42, count: 2 }]', 'items: []')
        // Each purchase fails, so less load than in the example is sufficient.
        .replaceAll('to: 20 }', 'to: 5 }')
        .replace('    warmup: 1s\n', '')
        .replace("requests: '>= 150'", "requests: '>= 10'"),
    );
    expect((await example.apply()).exit).toBe(10);
  });

  test('the environments example keeps laptop, staging and production separate, and the output for staging does not contain the password', async () => {
    const password = 'correct-horse-battery';
    const port = await findFreePort();
    const examples = ownExamples();
    const env = {
      SHOP_PASSWORD: password,
      STAGING_HOST: `127.0.0.1:${port}`,
      STAGING_SCHEME: 'http',
    };
    const laptop = openExample('environments', { env, flags: ['--var', `port=${port}`] }, examples);
    await expectAppliedOnce(laptop, ['account']);

    const staging = openExample(
      'environments',
      { env, flags: ['--var', `port=${port}`, '--env', 'staging'] },
      examples,
    );
    const planned = await staging.plan();
    expect(planned.document).toMatchObject({
      environment: 'staging',
      summary: { create: 1, register: 0 },
      load: { peak_connections: { [`127.0.0.1:${port}`]: 20 } },
    });
    const applied = await staging.apply();
    expect([applied.exit, applied.document.runs[0]?.verdict]).toEqual([0, 'pass']);
    expect(applied.stdout + applied.stderr + planned.stdout).not.toContain(password);
    expect((await laptop.apply()).document.has_changes).toBe(false);

    const production = openExample('environments', { env, flags: ['--env', 'production'] }, examples);
    expect((await production.plan()).document.load.peak_connections).toEqual({ 'www.shop.example.com': 2 });
  });

  test('without the password, plan accepts the environments example with a warning, but apply exits with 3', async () => {
    const example = openExample('environments', { flags: ['--var', `port=${await findFreePort()}`] });
    const planned = await example.plan();
    expect(planned.exit).toBe(0);
    expect(planned.document.problems).toMatchObject([
      { code: 'LT_CONFIG_SECRET_MISSING', severity: 'warning' },
    ]);
    expect((await example.apply()).exit).toBe(3);
  });

  test('the hosted-service example verifies the host, and the service generates the load', async () => {
    const examples = ownExamples();
    const service = await openService(examples);
    const flags = ['--var', `port=${await findFreePort()}`];
    const example = openExample('hosted-service', { env: { LOADTESTS_API_KEY: KEY }, flags }, examples);
    example.edit((text) => text.replace(SERVICE_OF_EXAMPLES, service));
    await expectAppliedOnce(example, ['home']);
    const [token = ''] = readdirSync(join(examples, 'hosted-service/public'));
    expect(token).toMatch(/^service-[0-9a-f]+\.txt$/);
  });

  test('plan exits with 4 in the hosted-service example if the API key is missing or rejected', async () => {
    const examples = ownExamples();
    const service = await openService(examples);
    const flags = ['--var', `port=${await findFreePort()}`];
    const without = openExample('hosted-service', { flags }, examples);
    without.edit((text) => text.replace(SERVICE_OF_EXAMPLES, service));
    expect((await without.plan()).exit).toBe(4);
    const env = { LOADTESTS_API_KEY: KEY.replaceAll('0', '1') };
    expect((await openExample('hosted-service', { env, flags }, examples).plan()).exit).toBe(4);
  });

  test('the payload-rows example passes with the values of its payload rows, and fails with a value that is in no row', async () => {
    const example = openExample('payload-rows', { flags: ['--var', `port=${await findFreePort()}`] });
    await expectAppliedOnce(example, ['browse']);
    // The target rejects values that are not in a row, so the rows above were received.
    example.edit((text) => text.replace("pin: '{{pin}}'", "pin: 'x{{pin}}'"));
    expect((await example.apply()).exit).toBe(10);
  });

  test('the logged-in-shop example logs in 50 users before its load, and fails if values of different users are mixed', async () => {
    const example = openExample('logged-in-shop', { flags: ['--var', `port=${await findFreePort()}`] });
    const { exit, document } = await example.apply();
    // On a machine with much other work, clients start late, and the run is inconclusive.
    expect([0, 11]).toContain(exit);
    expect(document.runs[0]?.result).toMatchObject({
      ...{ error: 0, timeout_error: 0, network_error: 0 },
      setup: { requests: 50, failed: 0 },
      teardown: { requests: 1, failed: 0 },
    });
    example.edit((text) =>
      text
        .replace("user: '{{user}}', article", "user: 'user01', article")
        // Each order of another user fails, so less load than in the example is sufficient.
        .replace('total: 50', 'total: 10')
        .replace('duration: 2s', 'duration: 1s'),
    );
    expect((await example.apply()).exit).toBe(10);
  });

  test('in the schedules example, apply creates a scheduled test once, and stop cancels its schedule', async () => {
    const examples = ownExamples();
    const published = join(examples, 'published');
    const port = await findFreePort();
    await openShop(examples, { SHOP_PORT: String(port), SHOP_PUBLIC: published });
    const env = {
      LOADTESTS_API_KEY: KEY,
      SHOP_HOST: `127.0.0.1:${port}`,
      SHOP_PUBLIC: published,
    };
    const service = await openService(examples);
    const later = openExample('schedules', { env }, examples);
    later.edit((text) => text.replace(SERVICE_OF_EXAMPLES, service));
    const applied = await later.apply();
    expect([applied.exit, applied.document.summary]).toMatchObject([0, { create: 1, blocked: 0 }]);
    expect(applied.document.runs).toEqual([]);
    expect((await later.apply()).document.has_changes).toBe(false);
    expect((await later.call('status')).stdout).toContain('"state": "scheduled"');
    expect((await later.call('stop', '--yes', 'night')).exit).toBe(0);
    expect((await later.call('status')).stdout).not.toContain('"state": "scheduled"');
  });

  test('in the monorepo example, one saved plan and one apply run the tests of all packages on one service, and no package changes the tests of other packages', async () => {
    const examples = ownExamples();
    const env = {
      LOADTESTS_BASE_URL: await openService(examples),
      LOADTESTS_SHOP_KEY: KEY,
      LOADTESTS_ACCOUNTS_KEY: KEY,
      SHOP_PORT: String(await findFreePort()),
      ACCOUNTS_PORT: String(await findFreePort()),
    };
    const call = async (...args: string[]) => {
      const { exit, stdout } = await runInProcess([...args, '--json'], { directory: examples, env });
      const { projects } = JSON.parse(stdout) as {
        readonly projects: readonly { report: ExampleDocument }[];
      };
      return { exit, reports: projects.map(({ report }) => ({ exit, ...report })) };
    };
    const files = ['-f', 'monorepo/packages/*/loadtests.yaml'];
    const keys = [['login'], ['home', 'search']];
    expect((await call('validate', ...files)).exit).toBe(0);

    const planned = await call('plan', ...files, '-o', 'plan.json');
    expect([planned.exit, planned.reports]).toMatchObject([
      0,
      keys.map(({ length }) => ({ problems: [], summary: { create: length, blocked: 0, deferred: 0 } })),
    ]);

    const applied = await call('apply', 'plan.json');
    const again = await call('apply', '--yes', ...files);
    for (const [index, ofProject] of keys.entries()) {
      expectPassed(applied.reports[index] as Applied, ofProject);
      expectUnchanged(again.reports[index] as Applied, ofProject);
    }
    const after = await call('plan', ...files);
    expect(after.reports).toMatchObject([
      { has_changes: false, summary: { unmanaged: 2 } },
      { has_changes: false, summary: { unmanaged: 1 } },
    ]);

    const ran = await runInProcess(
      ['run', '--yes', '--json', '-f', 'monorepo/packages/shop/loadtests.yaml', 'home', 'search'],
      { directory: examples, env },
    );
    expect(ran.exit).toBe(0);
    expect((JSON.parse(ran.stdout) as ExampleDocument).runs).toMatchObject([
      { address: 'test.home', started_by_us: true },
      { address: 'test.search', started_by_us: true },
    ]);
  });

  test('a renamed test in the monorepo example keeps its results', async () => {
    const env = { SHOP_PORT: String(await findFreePort()) };
    const example = openExample('monorepo/packages/shop', { env });
    let shipped = '';
    example.edit((text) => {
      shipped = text;
      return text.replace('moved: { search: find }', '').replace('  search:', '  find:');
    });
    const before = await example.apply('--only', 'find');
    expect([before.exit, before.document.runs[0]?.address]).toEqual([0, 'test.find']);
    example.edit(() => shipped);
    const after = await example.apply('--only', 'search');
    expect([after.exit, after.document.has_changes]).toEqual([0, false]);
    expect(after.document.runs).toMatchObject([
      { address: 'test.search', verdict: 'pass', started_by_us: false },
    ]);
  });
});
