// Bundles what runs into dist/. Every output lies two folders deep, as its source does below src/,
// so that '../../schemas/' means the same from both.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withBuiltinsByCall } from './builtins.mjs';
import { groupedFiles } from './files.mjs';
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

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** commander starts other programs with it where a command is one, and none of ours is. */
const unusedByCommander = {
  name: 'unused-by-commander',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/commander/') ? { path, namespace: 'unused' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '' }));
  },
};

/**
 * undici as the client uses it. All of it is three times as much, and runs when it is loaded: a browser's fetch,
 * caches, mocks, proxies.
 */
const undiciInPart = {
  name: 'undici-in-part',
  setup(build) {
    const part = `
      export { default as Client } from 'undici/lib/dispatcher/client.js';
      export { default as Pool } from 'undici/lib/dispatcher/pool.js';
      export { default as buildConnector } from 'undici/lib/core/connect.js';`;
    build.onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'undici-in-part' }));
    build.onLoad({ filter: /.*/, namespace: 'undici-in-part' }, () => ({ contents: part, resolveDir: root }));
  },
};

// For a debugger: node .ci/build.mjs --maps. They would weigh several times what the code does.
const WITH_MAPS = process.argv.includes('--maps');

const common = {
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  // Without what Node does not need of it, and in a form of which unused parts can be left out.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  plugins: [unusedByCommander, undiciInPart],
  // The output names the packages it came from; where their folder is a link, not by where that leads.
  preserveSymlinks: true,
  banner: { js: banner },
  // Licenses stand whole in one file of their own.
  legalComments: 'none',
  logLevel: 'warning',
  sourcemap: WITH_MAPS ? 'linked' : false,
  metafile: true,
  write: false,
};

// Nothing is replaced before all of it is built.
const built = await Promise.all([
  esbuild.build({
    ...common,
    entryPoints: { 'cli/main': 'src/cli/main.ts', 'package/index': 'src/index.ts' },
    plugins: [...common.plugins, groupedFiles(root)],
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }),
  // A thread loads one file, and the command line is not cut in pieces for its sake.
  esbuild.build({ ...common, entryPoints: { 'engine/worker': 'src/engine/worker.ts' } }),
]);
const outputFiles = built.flatMap((one) => one.outputFiles);
const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
const licenses = thirdPartyLicenses({ outputs });
for (const folder of ['cli', 'engine', 'package', 'chunks']) {
  rmSync(`dist/${folder}`, { recursive: true, force: true });
}
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  const { imports } = outputs[relative(root, path)];
  writeFileSync(path, path.endsWith('.js') ? await shortened(withBuiltinsByCall(text, imports)) : text);
}
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenses);
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);

/**
 * Less for Node to read at each start, a twentieth of the time of `validate`. Names stay, and lines are short, so that
 * a stack trace still tells where to look.
 */
async function shortened(text) {
  if (WITH_MAPS) return text;
  const { code } = await esbuild.transform(text, {
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    format: 'esm',
    target: common.target,
    legalComments: 'none',
  });
  return code;
}
