// How TypeScript becomes what Node runs: the same for dist/ and for the engine that the bench measures.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// Packages with CommonJS insides call `require`. They ask for what Node itself has, so that is looked for first:
// a `createRequire` in each file would cost `validate` 6 ms.
const banner = [
  'const require = (name) =>',
  '  process.getBuiltinModule(name) ??',
  "  process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);",
].join('\n');

/**
 * What a package asks for and never uses here, and who asks: commander starts other programs where a command is one, and
 * none of ours is; Fastify compiles schemas of routes, and none of ours has one of its own; BullMQ reads schedules, and our
 * queues have none.
 */
const UNUSED = {
  'node:child_process': 'commander',
  '@fastify/ajv-compiler': 'fastify',
  '@fastify/fast-json-stringify-compiler': 'fastify',
  'cron-parser': 'bullmq',
};

export const withoutUnused = {
  name: 'without-unused',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${Object.keys(UNUSED).join('|')})$`) }, ({ path, importer }) =>
      importer.includes(`/node_modules/${UNUSED[path]}/`) ? { path, namespace: 'empty' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: '' }));
  },
};

/** Options for what is loaded where a test has patterns: lies beside the directories of what loads it. */
export const PATTERNS = {
  entryPoints: { 'pattern/re2': 'src/pattern/re2.cjs' },
  format: 'cjs',
  banner: {},
  outExtension: { '.js': '.cjs' },
};

/**
 * Builds without writing.
 *
 * @param options for esbuild: entries, and where they go.
 * @returns `outputFiles`: paths and texts. `metafile`: what went into them.
 */
export async function bundle(options) {
  return await esbuild.build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql'],
    plugins: [withoutUnused],
    alias: { undici: './scripts/undici-subset.mjs', bullmq: './scripts/bullmq-subset.mjs' },
    define: { PACKAGE_VERSION: JSON.stringify(version) },
    banner: { js: banner },
    // Less to read at each start. Names stay, and lines are short, so that a stack trace still tells where to look.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    // The output names the packages it came from; where their directory is a link, not by where that leads.
    preserveSymlinks: true,
    // Licenses stand whole in one file of their own.
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    ...options,
  });
}

/**
 * The same for a browser: one script that needs nothing else, with the licenses of what is in it, since it is passed on
 * inside of other files.
 */
export async function bundleForBrowser(options) {
  const built = await bundle({
    platform: 'browser',
    format: 'iife',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    external: [],
    plugins: [],
    alias: {},
    banner: {},
    minify: true,
    ...options,
  });
  const licenses = `/*!\n${thirdPartyLicenses(built.metafile)}*/\n`;
  const outputFiles = built.outputFiles.map(({ path, text }) => ({
    path,
    contents: path.endsWith('.js') ? licenses + text : text,
  }));
  return { ...built, outputFiles };
}
