// Fails if a package that is shipped has a known advisory of at least moderate severity. Shipped packages are
// those that are bundled into dist/, which npm knows only as dev dependencies, and those that are installed
// with the package.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

const shipped = new Set([...bundled(), ...installed()]);
const report = audit();
if (report?.vulnerabilities === undefined) {
  console.log('not checked: the registry does not answer audits');
} else {
  const found = Object.values(report.vulnerabilities).flatMap(hits);
  for (const line of found) console.error(line);
  console.log(`${shipped.size} shipped packages checked, ${found.length} known advisories`);
  if (found.length > 0) process.exitCode = 1;
}

/** Returns `name version` of each bundled package, read from the license list in dist/. */
function bundled() {
  const list = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
  const heads = list.split(`\n${'-'.repeat(80)}\n\n`).slice(1);
  return heads.map((part) => part.split(' (', 1)[0]);
}

function installed() {
  return Object.entries(readJson('package-lock.json').packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`);
}

function audit() {
  const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

/** Returns one line for each advisory that applies to a shipped version. */
function hits({ name, via, nodes }) {
  const versions = nodes.map((node) => readJson(`${node}/package.json`).version);
  const ours = versions.filter((version) => shipped.has(`${name} ${version}`));
  return via
    .filter(({ severity }) => ['moderate', 'high', 'critical'].includes(severity))
    .flatMap(({ severity, title, url }) =>
      ours.map((version) => `${severity}: ${name} ${version}: ${title} (${url})`),
    );
}
