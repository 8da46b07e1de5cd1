/**
 * Runs the commands of the guides in the order of each page: in a project with the embedded service, with a
 * third-party service, and with `loadtests serve`.
 */
// @module-tag load
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startProcess, type CliResult } from '../support/cli.ts';
import { blocksOf, installPackage, shellEnvironment } from '../support/document-commands.ts';
import { findFreePort } from '../support/free-port.ts';
import { startInProcess } from '../support/in-process-cli.ts';
import { createHostedProject } from '../support/hosted-project.ts';
import { SKIP_WITHOUT_REDIS, startRedis } from '../support/redis-server.ts';
import { API_KEY } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const GUIDES = join(import.meta.dirname, '../../docs/guides');

/** Commands that change the system, that need containers or a registry, or that set what a scene sets. */
const NOT_RUN =
  /^(?:npm (?:ci|install)|useradd|cp deploy|systemctl (?:daemon-reload|enable)|docker|\(umask|export|set -e|# )/;

/** Commands that run until they are interrupted, and what they print when they work. */
const ENDLESS: readonly (readonly [RegExp, string])[] = [
  [/^loadtests serve/, 'is listening on'],
  [/^loadtests worker/, 'is ready'],
  [/^loadtests status --watch/, 'checkout'],
  [/^loadtests record .*--port/, 'Recording at'],
];

/** Exit codes that commands may have in addition to 0. */
const OTHER_EXITS: readonly (readonly [RegExp, number])[] = [
  // A busy load generator makes runs inconclusive.
  [/^(?:npx --no-install )?loadtests (?:apply|run|results)/, 11],
  [/^loadtests status --watch/, 130],
  // A part of the source has no equivalent.
  [/^loadtests import --from/, 7],
  // No request was sent to the proxy.
  [/^loadtests record .*--port/, 3],
  // The outcome of a listed request is unknown.
  [/^loadtests recover$/, 8],
];

const LOCAL_PAGES = [
  'ci.md',
  'debug-a-test.md',
  'environments-and-secrets.md',
  'thresholds.md',
  'write-tests.md',
];
const OTHER_PAGES = ['hosted-service.md', 'troubleshooting.md'];
const SOURCE_PAGES = ['moving-in.md'];
const SERVED_PAGES = ['distributed-load.md', 'operations.md', 'self-hosting.md'];

/** The part of `results --json` that the test reads. */
interface Results {
  readonly tests: readonly { readonly results: readonly { readonly result_id: string }[] }[];
}

interface Scene {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Replaces hosts, paths, ids and ports of the page. */
  readonly adapt: (command: string) => string;
  /** Stops and starts the service, in place of systemd. */
  readonly systemctl?: (action: string) => Promise<void>;
}

/** Returns the commands of a guide that can be run here. */
function commandsOf(page: string): readonly string[] {
  return blocksOf(readFileSync(join(GUIDES, page), 'utf8'))
    .filter(({ kind }) => kind === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', '').trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => !NOT_RUN.test(line));
}

function start(command: string, { directory, env }: Scene) {
  const variables = { ...shellEnvironment(directory), ...env };
  return startProcess('bash', ['-c', `exec ${command}`], { directory, env: variables });
}

/**
 * Returns the arguments of a command that only starts `loadtests`; null for others, and for `npx loadtests validate`,
 * which tests the start with `npx`.
 */
function argumentsOf(command: string): readonly string[] | null {
  const [program, ...args] = (
    command.replace(/^npx --no-install (?=loadtests (?!validate))/, '').match(/'[^']*'|\S+/g) ?? []
  ).map((word) => word.replaceAll("'", ''));
  return program === 'loadtests' ? args : null;
}

/** Runs a command, and requires that it succeeds. Few start the program, because that is slow. */
async function runCommand(command: string, scene: Scene): Promise<string> {
  const adapted = scene.adapt(command);
  const [, action] = /^systemctl (\w+)/.exec(adapted) ?? [];
  if (action !== undefined && scene.systemctl !== undefined) {
    await scene.systemctl(action);
    return '';
  }
  const [, sign] = ENDLESS.find(([pattern]) => pattern.test(command)) ?? [];
  const args = argumentsOf(adapted);
  const { stdout, stderr, exit } =
    args === null ? await start(adapted, scene).ended : await runProgram(args, sign, scene);
  const accepted = OTHER_EXITS.filter(([pattern]) => pattern.test(command)).map(([, code]) => code);
  if (exit !== 0 && !accepted.includes(exit ?? -1))
    expect(`${adapted}: exit ${exit ?? 'null'}\n${stdout}${stderr}`).toBe('');
  return stdout;
}

/** @param sign - output after which the command is interrupted */
async function runProgram(
  args: readonly string[],
  sign: string | undefined,
  { directory, env }: Scene,
): Promise<CliResult> {
  const started = startInProcess(args, { directory, env: { ...shellEnvironment(directory), ...env } });
  if (sign !== undefined) {
    await started.saw(sign);
    started.interrupt();
  }
  return await started.ended;
}

async function runPage(page: string, scene: Scene): Promise<void> {
  for (const command of commandsOf(page)) await runCommand(command, scene);
}

/** Starts a target that accepts every request. */
async function startTarget(): Promise<number> {
  const server = createServer((_, response) => setTimeout(() => response.end('ok'), 50));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { readonly port: number }).port;
}

function fileText(port: number): string {
  return `version: 1
project: shop
apps:
  shop: { app: '127.0.0.1:${port}', verification: { manual: true } }
  staging: { app: 'localhost:${port}', verification: { manual: true } }
tests:
  checkout:
    test_type: cycling
    total: 2
    duration: 1s
    regression: { p95: 900% }
    urls:
      - { name: pay, url: 'http://127.0.0.1:${port}/' }
      - { url: 'http://127.0.0.1:${port}/orders', request_type: POST }
`;
}

const ARTILLERY_SCRIPT = `config:
  target: https://shop.example.com
  phases: [{ duration: 10, arrivalRate: 1 }]
  environments: { staging: { target: https://staging.shop.example.com } }
scenarios: [{ flow: [{ get: { url: / } }] }]
`;

const API_DESCRIPTION = `openapi: 3.1.0
info: { title: Shop, version: '1' }
servers:
  - { url: https://shop.example.com, description: production }
  - { url: https://staging.shop.example.com, description: staging }
paths:
  /v1/orders:
    get: { tags: [orders], responses: { '200': { description: Orders. } } }
`;

const TAURUS_CONFIGURATION = `execution: [{ concurrency: 2, hold-for: 10s, scenario: browse }]
scenarios:
  browse: { requests: ['https://shop.example.com/'] }
`;

const K6_SCRIPT = `import http from 'k6/http';
export const options = { vus: 2, duration: '10s' };
export default () => http.get('https://shop.example.com/');
`;

const JMETER_PLAN = `<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2">
  <hashTree>
    <TestPlan testname="shop"/>
    <hashTree>
      <ThreadGroup testname="browse">
        <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
          <stringProp name="LoopController.loops">5</stringProp>
        </elementProp>
        <stringProp name="ThreadGroup.num_threads">2</stringProp>
      </ThreadGroup>
      <hashTree>
        <HTTPSamplerProxy testname="home">
          <stringProp name="HTTPSampler.domain">shop.example.com</stringProp>
          <stringProp name="HTTPSampler.protocol">https</stringProp>
          <stringProp name="HTTPSampler.path">/</stringProp>
          <stringProp name="HTTPSampler.method">GET</stringProp>
        </HTTPSamplerProxy>
        <hashTree/>
      </hashTree>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
`;

function harEntry() {
  return {
    startedDateTime: '2026-12-24T03:00:00.000Z',
    time: 5,
    request: {
      method: 'GET',
      url: 'https://shop.example.com/',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      queryString: [],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 200,
      statusText: 'OK',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 2, mimeType: 'text/html', text: 'ok' },
      redirectURL: '',
      headersSize: -1,
      bodySize: 2,
    },
    cache: {},
    timings: { send: 0, wait: 5, receive: 0 },
  };
}

function createProject(): string {
  const directory = createTestDirectory();
  installPackage(directory);
  return directory;
}

/** Approves what a reader confirms at the prompt, and runs two rounds instead of five, to save time. */
function approve(printed: string): string {
  const command = printed.replace('--repeat 5', '--repeat 2');
  return /^(?:npx --no-install )?loadtests (?:apply(?! plan)|run|destroy|stop|recover --a)/.test(command)
    ? `${command} --yes`
    : command;
}

describe('commands of the guides', () => {
  test('every guide page with commands is covered by a test', () => {
    const pages = readdirSync(GUIDES).filter((page) => commandsOf(page).length > 0);
    expect(pages).toEqual([...LOCAL_PAGES, ...OTHER_PAGES, ...SOURCE_PAGES, ...SERVED_PAGES].toSorted());
  });

  test('with the embedded service, the guide commands for tests and runs exit with the expected codes', async () => {
    const directory = createProject();
    const port = await startTarget();
    writeFileSync(join(directory, 'loadtests.yaml'), fileText(port));
    writeFileSync(join(directory, '.gitignore'), 'node_modules\n.loadtests\norigin.git\n');
    for (const name of ['cart', 'search']) {
      mkdirSync(join(directory, 'services', name), { recursive: true });
      const text = fileText(port).replace('project: shop', `project: ${name}`);
      writeFileSync(join(directory, 'services', name, 'loadtests.yaml'), text);
    }
    const scene: Scene = { directory, env: {}, adapt: approve };
    const git = 'git -c user.name=Reader -c user.email=reader@example.com';
    for (const command of [
      'git init -q --initial-branch=main',
      'git init -q --bare origin.git',
      'git remote add origin origin.git',
      'git add .',
      `${git} commit -q -m First`,
      'git push -q origin main',
      'loadtests run checkout --repeat 2',
      'loadtests baseline checkout --runs 2',
    ])
      await runCommand(command, scene);
    const results = JSON.parse(await runCommand('loadtests results checkout --json', scene)) as Results;
    const adapt = (command: string) =>
      approve(command).replace('5318220f', results.tests[0]?.results.at(-1)?.result_id.slice(0, 8) ?? '');
    for (const page of LOCAL_PAGES) await runPage(page, { ...scene, adapt });
  });

  test('the guide commands for imports exit with the expected codes for files from other tools', async () => {
    const directory = createProject();
    const origin = `http://127.0.0.1:${await startTarget()}`;
    const url = `${origin}/`;
    const har = {
      log: { version: '1.2', creator: { name: 'browser', version: '1' }, entries: [harEntry()] },
    };
    const collection = {
      info: { name: 'shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      item: [{ name: 'home', request: { method: 'GET', url: '{{base}}/' } }],
    };
    const sources: Readonly<Record<string, string>> = {
      'requests.sh': `curl ${url}\n`,
      'checkout.har': JSON.stringify(har),
      'second.har': JSON.stringify(har),
      'load/shop.yml': ARTILLERY_SCRIPT,
      'shop.postman_collection.json': JSON.stringify(collection),
      'staging.postman_environment.json': JSON.stringify({
        name: 'staging',
        values: [{ key: 'base', value: 'https://shop.example.com', enabled: true }],
      }),
      'targets.txt': 'GET https://shop.example.com/\n',
      'openapi.yaml': API_DESCRIPTION,
      'script.js': K6_SCRIPT,
      'plan.jmx': JMETER_PLAN,
      'load/checkout.yml': TAURUS_CONFIGURATION,
      'journey.sh': 'curl -sS "$1"\n',
      'visit.sh': 'curl -sS "$LOADTESTS_RECORD_URL"\n',
      'attack.sh': 'vegeta attack -targets=targets.txt -rate=5 -duration=10s\n',
    };
    mkdirSync(join(directory, 'load'));
    for (const [path, text] of Object.entries(sources)) writeFileSync(join(directory, path), text);
    const proxyPort = await findFreePort();
    let outputs = 0;
    const adapt = (command: string) =>
      approve(command)
        .replace('-o loadtests.yaml', (output) => (outputs++ === 0 ? output : `-o ${outputs}.yaml`))
        .replace(/(?<= -- )node visit\.mjs$/, 'bash visit.sh')
        .replace(/(?<= -- )(?:k6|locust|mvn|node) .*/, 'bash journey.sh {url}')
        .replace('--port 8000', `--port ${proxyPort}`)
        .replace(/(?<=record --target )\S+/, origin);
    await runPage('moving-in.md', { directory, env: {}, adapt });
  });

  test('the guide commands for a third-party service succeed with a simulated third-party service', async () => {
    const hosted = await createHostedProject({ verifiedHosts: ['www.example.com'] });
    installPackage(hosted.directory);
    const scene: Scene = {
      ...hosted,
      env: { ...hosted.env, LOADTESTS_BASE_URL: hosted.service.url },
      adapt: (command) => command.replace('-o loadtests.yaml', '-o imported.yaml'),
    };
    await runCommand('loadtests apply --yes', scene);
    await runPage('hosted-service.md', scene);
  });

  test('the guide commands for unknown outcomes resolve the outcome of a request whose response was lost', async () => {
    const [list = '', adopt = '', absent = '', ...others] = commandsOf('troubleshooting.md');
    expect(others).toEqual([]);
    for (const executed of [true, false]) {
      const hosted = await createHostedProject({ verifiedHosts: ['www.example.com'], notes: 'dropped' });
      installPackage(hosted.directory);
      hosted.service.injectFault({ on: 'createTest', executed, response: 'reset' });
      const scene: Scene = { ...hosted, adapt: (command) => command };
      expect((await runProgram(['apply', '--yes'], undefined, scene)).exit).toBe(8);
      await runCommand(list, scene);
      const id = hosted.service.state.tests.at(-1)?.id;
      await runCommand(executed ? adopt.replace('ID', id ?? '') : absent, scene);
      expect(await runCommand(list, scene)).toBe('All outcomes are known.\n');
    }
  });

  test.skipIf(SKIP_WITHOUT_REDIS !== null)(
    'the guide commands for operators succeed with a service that "loadtests serve" started',
    async () => {
      const directory = createProject();
      const redis = await startRedis();
      onTestFinished(() => redis.close());
      for (const path of ['var/lib', 'var/backups/loadtests']) {
        mkdirSync(join(directory, path), { recursive: true });
      }
      const port = await findFreePort();
      const replacements: readonly (readonly [string | RegExp, string])[] = [
        ['sudo -u loadtests ', ''],
        [/ \/var\//g, ` ${directory}/var/`],
        ['redis://10.0.0.5', redis.url],
        ['http://127.0.0.1:5000', `http://127.0.0.1:${port}`],
        ['--data DIR --port 4901', '--data var/backups/loadtests/monday'],
        [/^loadtests serve/, 'loadtests serve --port 0'],
      ];
      const env: Record<string, string> = {
        LOADTESTS_BASE_URL: `http://127.0.0.1:${port}`,
        LOADTESTS_WORKER_SECRET: API_KEY,
      };
      const scene: Scene = {
        directory,
        env,
        adapt: (command) =>
          replacements.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), command),
        systemctl: async (action) => {
          if (action !== 'start') {
            service?.interrupt(143);
            await service?.ended;
          }
          if (action === 'stop') return;
          service = startInProcess(['serve', '--port', String(port), '--data', 'var/lib/loadtests'], {
            directory,
            env: { ...shellEnvironment(directory), ...env },
          });
          await service.saw('is listening on');
        },
      };
      let service: ReturnType<typeof startInProcess> | null = null;
      onTestFinished(() => scene.systemctl?.('stop'));
      await scene.systemctl?.('start');
      env['LOADTESTS_API_KEY'] = readFileSync(join(directory, 'var/lib/loadtests/api-key'), 'utf8').trim();
      for (const page of SERVED_PAGES) await runPage(page, scene);
    },
  );
});
