// Bundles what runs into dist/. Every output lies two folders deep, as its source does below src/,
// so that '../../schemas/' means the same from both.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { thirdPartyLicenses } from './third-party.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

let esbuild;
try {
  esbuild = await import('esbuild');
} catch (error) {
  if (!process.argv.includes('--if-possible')) throw error;
  console.error(
    'loadtests: not built, since the development tools are not installed; run "npm ci" and "npm run build".',
  );
  process.exit(0);
}

// Packages with CommonJS insides call `require`. They ask for what Node itself has, so that is looked for first:
// a require of its own for each chunk would cost every command 5 ms.
const banner = [
  'const require = (name) =>',
  '  process.getBuiltinModule(name) ??',
  "  process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);",
].join('\n');

const entries = {
  'cli/main': 'src/cli/main.ts',
  'engine/worker': 'src/engine/worker.ts',
  'package/index': 'src/index.ts',
};

// Nothing is replaced before all of it is built.
const built = await esbuild.build({
  entryPoints: Object.fromEntries(Object.entries(entries).filter(([, source]) => existsSync(source))),
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  // The output names the packages it came from; where their folder is a link, not by where that leads.
  preserveSymlinks: true,
  banner: { js: banner },
  // Licenses stand whole in one file of their own.
  legalComments: 'none',
  logLevel: 'warning',
  // The output is not minified, so a stack trace names functions and lines that can be read as they are;
  // maps would weigh twice what the code does. For a debugger: node .ci/build.mjs --maps
  sourcemap: process.argv.includes('--maps') ? 'linked' : false,
  metafile: true,
  write: false,
});
const licenses = thirdPartyLicenses(built.metafile);
for (const folder of ['cli', 'engine', 'package', 'chunks']) {
  rmSync(`dist/${folder}`, { recursive: true, force: true });
}
for (const { path, contents } of built.outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenses);
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);
