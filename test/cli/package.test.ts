/**
 * The package as npm builds and installs it: it is complete, contains no unneeded files, and works offline.
 */
// @module-tag load
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLinksIn, markdownFilesOf } from '../support/markdown.ts';
import { API_KEY, openTestService } from '../support/test-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const place = createTemporaryDirectory();
const source = join(place.path, 'source');
const tarballs = join(place.path, 'tarballs');
const consumer = join(place.path, 'consumer');
const installed = join(consumer, 'node_modules/loadtests');

/** Environment without the npm settings, cache and registry of this machine. */
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: join(place.path, 'home'),
  npm_config_cache: join(place.path, 'cache'),
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

async function call(command: string, args: readonly string[], cwd: string) {
  return await promisify(execFile)(command, args, { cwd, env, maxBuffer: 16 * 1024 * 1024 });
}

/** Builds and packs the product as npm does for a release, and returns the path of the tarball. */
async function pack(): Promise<string> {
  const start = Date.now();
  const args = ['pack', '--json', '--loglevel=error', '--pack-destination', tarballs];
  const { stdout } = await call('npm', args, source);
  // The build was called, although the copied results were up to date.
  expect(statSync(join(source, 'dist/THIRD-PARTY-LICENSES.txt')).mtimeMs).toBeGreaterThan(start - 1000);
  // Scripts of the package also write to stdout, before the JSON.
  const [, name = ''] = /"filename": "([^"]+)"/.exec(stdout) ?? [];
  return join(tarballs, name);
}

/** Returns a specifier of an installed package for npm: an archive without compression, because binaries are large. */
async function archive(directory: string): Promise<string> {
  const path = join(tarballs, `${relative(ROOT, directory).replaceAll('/', '-')}.tar`);
  await call(
    'tar',
    ['-cf', path, '--exclude=node_modules', '-C', dirname(directory), basename(directory)],
    tarballs,
  );
  return `file:${path}`;
}

/** Returns the runtime dependencies of the package, as archives of the packages that are installed here. */
async function dependencies() {
  const modules = join(ROOT, 'node_modules');
  const libsql = join(modules, 'libsql');
  const platforms = join(modules, '@libsql');
  // npm nests a version that no other package shares.
  const [detect = ''] = [libsql, ROOT]
    .map((directory) => join(directory, 'node_modules/detect-libc'))
    .filter((directory) => existsSync(directory));
  const needed = {
    libsql: await archive(libsql),
    'detect-libc': await archive(detect),
    '@neon-rs/load': await archive(join(modules, '@neon-rs/load')),
  };
  const binaries: Record<string, string> = {};
  for (const name of readdirSync(platforms))
    binaries[`@libsql/${name}`] = await archive(join(platforms, name));
  return { needed, binaries };
}

beforeAll(async () => {
  for (const directory of [source, tarballs, consumer, env.HOME]) mkdirSync(directory);
  // Packing starts a build, and other test files use the build in this directory. The copy includes the bundles and the
  // compiler's cached results, so unchanged sources are neither bundled nor checked again.
  const outside = /^(node_modules|dist\/index\.d\.ts|\.git|\.loadtests|\.tmp|test|loadtests-data)$/;
  cpSync(ROOT, source, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !outside.test(relative(ROOT, path)),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const { needed, binaries } = await dependencies();
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { loadtests: `file:${await pack()}`, ...needed },
    optionalDependencies: binaries,
  };
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest));
  await call('npm', ['install', '--ignore-scripts'], consumer);
});

afterAll(() => {
  place.remove();
});

const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));

/** The globals of Node.js and browsers that the programs and the declarations of the package use. */
const GLOBALS = `interface AbortSignal { readonly aborted: boolean }
declare const console: Record<'log' | 'error', (...values: readonly unknown[]) => void>;
`;

/**
 * Compiles programs in strict mode against the installed package, including its declarations, and returns
 * their directory.
 */
async function compile(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = join(consumer, name);
  // Removes the data of a failed attempt.
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const [path, text] of Object.entries({ ...files, 'globals.d.ts': GLOBALS }))
    writeFileSync(join(directory, path), text);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    // The declarations of the package are checked, but not those of the compiler.
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    resolveJsonModule: true,
    // The declarations of the DOM take longer to read than all others. GLOBALS replaces them.
    lib: ['es2022'],
    types: [],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  // The previous TypeScript compiler. The native one wrote the declarations, and programs may use either.
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc6');
  await expect(call('node', [compiler, '-p', '.'], directory)).resolves.toMatchObject({ stdout: '' });
  return directory;
}

const loadtests = (...args: string[]) => call(join(consumer, 'node_modules/.bin/loadtests'), args, consumer);

describe('the package', () => {
  test('the package contains the program, its types and schemas, and the documentation', () => {
    const files = filesOf(installed);
    const top = new Set(files.map((file) => file.split('/', 1)[0]));
    expect([...top].sort()).toEqual([
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bench',
      'deploy',
      'dist',
      'docs',
      'examples',
      'loadtests.yaml',
      'package.json',
      'schemas',
    ]);
    expect(files.filter((file) => file.startsWith('bench/'))).toEqual(['bench/NOTES.md']);
    const kinds = new Set(
      files.filter((file) => file.startsWith('dist/')).map((file) => /(\.d)?\.\w+$/.exec(file)?.[0]),
    );
    expect([...kinds].sort()).toEqual(['.cjs', '.css', '.d.ts', '.js', '.txt']);
    expect(files.filter((file) => file.endsWith('.d.ts'))).toEqual(['dist/index.d.ts']);
    expect(files).toContain('dist/engine/thread.js');
  });

  test('no relative link in a shipped Markdown file leads to a missing file or heading', () => {
    const files = markdownFilesOf(installed);
    expect(files.length).toBeGreaterThan(30);
    expect(deadLinksIn(installed, files)).toEqual([]);
  });

  test('the package contains neither paths of the machine that built it nor references to source map files', () => {
    for (const file of filesOf(installed)) {
      const text = readFileSync(join(installed, file), 'utf8');
      for (const path of [ROOT, place.path]) expect(text.includes(path), `${file} has ${path}`).toBe(false);
      expect(/sourceMappingURL=(?!data:)\S+\.map$/m.test(text), `${file} names a map`).toBe(false);
    }
  });

  test('the package contains the license of every bundled package, and a second build writes an identical license file', async () => {
    const licenses = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const parts = licenses.split(`\n${'-'.repeat(80)}\n\n`).slice(1);
    const named = new Map(
      parts.map((part) => {
        const [head = '', ...text] = part.split('\n');
        return [/^(\S+) \d+\.\d+\.\d+\S* \(\S+\)$/.exec(head)?.[1] ?? head, text.join('\n').trim()];
      }),
    );
    // Source maps list every bundled file.
    await call('node', ['scripts/build.mjs', '--generated', '--maps'], source);
    const maps = filesOf(join(source, 'dist')).filter((file) => /\.c?js\.map$/.test(file));
    const bundled = maps.flatMap((file) => {
      const { sources } = JSON.parse(readFileSync(join(source, 'dist', file), 'utf8')) as {
        sources: readonly string[];
      };
      return sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
    });
    expect(bundled).toContain('commander');
    expect([...named.keys()].sort()).toEqual([...new Set(bundled)].sort());
    for (const [name, text] of named) expect(text.length, name).toBeGreaterThan(200);

    // The licenses of a second build are identical.
    expect(readFileSync(join(source, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')).toBe(licenses);
  });

  test('the package depends only on libsql, and its program runs after the installation', async () => {
    const { dependencies: needed = {} } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    ) as {
      dependencies?: Record<string, string>;
    };
    expect(Object.keys(needed)).toEqual(['libsql']);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect((await loadtests('--version')).stdout).toBe(`${version}\n`);
    expect(JSON.parse((await loadtests('schema')).stdout)).toMatchObject({ title: 'loadtests.yaml' });
  });

  test('the package, installed in an empty project, generates load and evaluates the run', async () => {
    const target = await openTestTarget(servePages({ '/': 'hello' }));
    const file = join(consumer, 'loadtests.yaml');
    for (const path of [file, join(consumer, '.loadtests')]) rmSync(path, { recursive: true, force: true });
    await loadtests('init');
    // The response times of a busy machine are long.
    const written = readFileSync(file, 'utf8');
    writeFileSync(file, written.replace('duration: 10s', 'duration: 1s').replace('< 500ms', '< 20s'));
    const [, schema = ''] = /\$schema=(\S+)/.exec(written) ?? [];
    expect(readFileSync(join(consumer, schema), 'utf8')).toContain('loadtests.yaml');
    const variable = ['--var', `host=${target.host}`];
    const { stdout } = await loadtests('apply', '--yes', '--json', ...variable);
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 0, runs: [{ verdict: 'pass' }] });
    expect(target.requests.length).toBeGreaterThan(10);
  });

  test('the manifest of the package has no installation scripts', () => {
    const { scripts = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      scripts?: Record<string, string>;
    };
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(name);
  });

  test('the type declarations of the library compile, and the programs in its documentation print the expected output', async () => {
    const typed = `import { load, type LoadedConfig, type Problem } from 'loadtests';
import schema from 'loadtests/schema.json' with { type: 'json' };
const loaded = await load();
export const problems: readonly Problem[] = loaded.ok ? [] : loaded.problems;
export const config: LoadedConfig | null = loaded.ok ? loaded.value : null;
// @ts-expect-error: types that were not found would be any, and let this pass.
export const wrong: number = loaded.ok;
export { schema };
`;
    const page = readFileSync(join(ROOT, 'docs/reference/library.md'), 'utf8');
    const programs = Object.fromEntries(
      [...page.matchAll(/^```(?:ts|yaml) title="([\w.-]+)"\n(.*?)^```$/gms)].map(
        ([, name = '', text = '']) => [name, text],
      ),
    );
    const target = await openTestTarget(servePages({ '/': 'hello' }));
    const file = programs['loadtests.yaml'] ?? '';
    expect(file).toContain('127.0.0.1:8080');
    const directory = await compile('library', {
      ...programs,
      'typed.ts': typed,
      'loadtests.yaml': file.replaceAll('127.0.0.1:8080', target.host),
    });
    const { stdout } = await call('node', ['deploy-check.js'], directory);
    expect(stdout).toContain('create test.home');
    expect(stdout).toMatch(/test\.home: pass, p95 \d+(\.\d+)? ms/);
    expect(target.requests.length).toBeGreaterThan(10);

    // One process runs the other programs, because each start is slow.
    const others = ['deploy-check.js', 'evaluate-again.js', 'hosted-plan.js'];
    const run = `for (const name of ${JSON.stringify(others)}) {
  console.log('---');
  await import('./' + name);
}
`;
    writeFileSync(join(directory, 'run.js'), run);
    const service = await openTestService();
    const ran = await call('node', ['run.js', service.service.url, API_KEY], directory);
    const [, again, verdict, hosted] = ran.stdout.split('---\n');
    // Everything exists now, so no further changes are planned.
    expect(again).toBe('Nothing to do.\n');
    expect(verdict).toMatch(/^inconclusive: \w/);
    expect(hosted).toContain('register app.site\n');
    expect(hosted).toContain('deferred test.home\n');
  });
});
