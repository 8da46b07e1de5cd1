// Bundles what runs into dist/. Every output lies two folders deep, as its source does below src/,
// so that '../../schemas/' means the same from both.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groupedFiles } from './files.mjs';
import { thirdPartyLicenses } from './third-party.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

let bundle;
try {
  ({ bundle } = await import('./bundle.mjs'));
} catch (error) {
  const missing = error.code === 'ERR_MODULE_NOT_FOUND';
  if (!missing || !process.argv.includes('--if-possible')) throw error;
  console.error(
    'loadtests: not built, since the development tools are not installed; run "npm ci" and "npm run build".',
  );
  process.exit(0);
}

const common = { outdir: 'dist', maps: process.argv.includes('--maps') };

// Nothing is replaced before all of it is built.
const built = await Promise.all([
  bundle({
    ...common,
    entryPoints: { 'cli/main': 'src/cli/main.ts', 'package/index': 'src/index.ts' },
    plugins: [groupedFiles(root)],
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }),
  // A thread loads one file, and the command line is not cut in pieces for its sake.
  bundle({ ...common, entryPoints: { 'engine/worker': 'src/engine/worker.ts' } }),
]);
const outputs = Object.assign({}, ...built.map((one) => one.outputs));
const licenses = thirdPartyLicenses({ outputs });
for (const folder of ['cli', 'engine', 'package', 'chunks']) {
  rmSync(`dist/${folder}`, { recursive: true, force: true });
}
for (const { path, text } of built.flatMap(({ files }) => files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenses);
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);
