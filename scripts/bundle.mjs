// How TypeScript becomes what Node runs: the same for dist/ and for the engine that the bench measures.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { withBuiltinsByCall } from './builtins.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

// Packages with CommonJS insides call `require`. They ask for what Node itself has, so that is looked for first:
// a require of its own for each chunk would cost every command 5 ms.
const banner = [
  'const require = (name) =>',
  '  process.getBuiltinModule(name) ??',
  "  process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);",
].join('\n');

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

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

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  // Without what Node does not need of it, and in a form of which unused parts can be left out.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  // The output names the packages it came from; where their folder is a link, not by where that leads.
  preserveSymlinks: true,
  banner: { js: banner },
  // Licenses stand whole in one file of their own.
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  write: false,
};

/**
 * Builds without writing.
 *
 * @param options for esbuild: entries, where they go, further plugins. `maps`: for a debugger; they would weigh several
 *        times what the code does, which then stays as it is.
 * @returns `files`: paths and texts. `outputs`: what esbuild says of them, by their paths from here.
 */
export async function bundle({ plugins = [], maps = false, ...options }) {
  const { outputFiles, metafile } = await esbuild.build({
    ...common,
    ...options,
    plugins: [unusedByCommander, undiciInPart, ...plugins],
    sourcemap: maps ? 'linked' : false,
  });
  const { outputs } = metafile;
  const finished = async ({ path, text }) => {
    if (!/\.m?js$/.test(path)) return { path, text };
    const called = withBuiltinsByCall(text, outputs[relative(root, path)].imports);
    return { path, text: maps ? called : await shortened(called) };
  };
  return { files: await Promise.all(outputFiles.map(finished)), outputs };
}

/**
 * Less for Node to read at each start, a twentieth of the time of `validate`. Names stay, and lines are short, so that
 * a stack trace still tells where to look.
 */
async function shortened(text) {
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
