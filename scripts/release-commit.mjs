// Creates the commit that a release tag points to. It contains only the files that the GitHub action runs, so
// `uses: …/loadtests@v1` downloads nothing else. The database is the only package that is not bundled: it is
// a native binary. The commit contains the binary for `ubuntu-latest`, and the action installs the others by
// their digests in the lock file.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const git = (args, env = {}) =>
  execFileSync('git', args, { encoding: 'utf8', env: { ...process.env, ...env } }).trim();
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const toJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The platform of `ubuntu-latest`. */
const PLATFORM = '@libsql/linux-x64-gnu';

/** Excludes dev dependencies. */
function productOf({ name, version, license, type, engines, bin, dependencies }) {
  return { name, version, license, type, engines, bin, dependencies };
}

function lockOf(lock, product) {
  const needed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  return { ...lock, packages: { '': product, ...Object.fromEntries(needed) } };
}

/** Copies packages as `npm ci` has installed and verified them. */
function copyPackages(lock, directory) {
  for (const [path, { optional }] of Object.entries(lock.packages)) {
    if (path === '' || (optional === true && path !== `node_modules/${PLATFORM}`)) continue;
    if (!existsSync(path))
      fail(`"${path}" is not installed: a release is made on Linux, x64 with glibc, after npm ci.`);
    cpSync(path, join(directory, path), { recursive: true });
  }
}

function writeProduct(directory) {
  const product = productOf(readJson('package.json'));
  const left = /^dist\/(types|package)(\/|$)|\.map$|\.d\.ts$/;
  for (const path of ['dist', 'schemas', 'action.yml', 'LICENSE', 'CHANGELOG.md'])
    cpSync(path, join(directory, path), { recursive: true, filter: (from) => !left.test(from) });
  writeFileSync(join(directory, 'package.json'), toJson(product));
  const lock = lockOf(readJson('package-lock.json'), product);
  writeFileSync(join(directory, 'package-lock.json'), toJson(lock));
  copyPackages(lock, directory);
}

/** Returns the id of the commit. The index and the working tree of the caller do not change. */
function commitOf(directory, message) {
  const index = { GIT_INDEX_FILE: join(directory, '.index') };
  git(['--work-tree', directory, 'add', '--all', '--force', ':!.index*'], index);
  return git(['commit-tree', git(['write-tree'], index), '-p', 'HEAD', '-m', message]);
}

const { version } = readJson('package.json');
const tag = `v${version}`;
const major = tag.split('.', 1)[0];
if (git(['status', '--porcelain']) !== '') fail('There are changes that are not committed.');
if (git(['tag', '--list', tag]) !== '')
  fail(`The tag ${tag} already exists. Increase "version" in package.json.`);

execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
if (!existsSync('dist/action/main.js')) fail('The build did not write dist/action/main.js.');
const directory = mkdtempSync(join(tmpdir(), 'loadtests-release-'));
try {
  writeProduct(directory);
  const commit = commitOf(directory, `Release ${version}`);
  git(['tag', tag, commit]);
  git(['tag', '--force', major, commit]);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(
  `Made ${tag} and ${major}. To publish them: git push origin ${tag} && git push --force origin ${major}`,
);
