// Writes the generated code and bundles the program into dist/. Each output is two directories deep, like its
// source in src/, so that '../../schemas/' is the same path in both. With "--generated", the generated code must
// already be up to date. Nothing is written if neither the sources nor the outputs have changed since the last build.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleForBrowser, PATTERNS } from './bundle-options.mjs';
import { fingerprintOf, TOOLS } from './fingerprint.mjs';
import { writeGeneratedCode } from './generated-code.mjs';
import { together } from './merge-small-chunks.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

if (!process.argv.includes('--generated')) await writeGeneratedCode();

const DIRECTORIES = ['action', 'cli', 'engine', 'package', 'pattern', 'web', 'chunks'].map(
  (name) => `dist/${name}`,
);
const LICENSES = 'dist/THIRD-PARTY-LICENSES.txt';
/** Contains the fingerprint of the last build, in a directory that no package contains. */
const FINGERPRINT_FILE = 'dist/types/.bundles';
const withMaps = process.argv.includes('--maps');
/** The bundler also reads the settings of the compiler. */
const SOURCES = ['src', 'schemas', 'tsconfig.json', 'LICENSE', ...TOOLS];
const fingerprint = () => `${withMaps} ${fingerprintOf([...SOURCES, ...DIRECTORIES, LICENSES])}`;
if (existsSync(FINGERPRINT_FILE) && readFileSync(FINGERPRINT_FILE, 'utf8') === fingerprint()) {
  utimesSync(LICENSES, new Date(), new Date());
  process.exit();
}

// Source maps are for debugging only: they are several times larger than the code.
const common = { outdir: 'dist', sourcemap: withMaps ? 'linked' : false };

// Each command is loaded when it is called; code that several commands share is split into chunks.
const program = {
  ...common,
  entryPoints: { 'cli/main': 'src/cli/main.ts', 'package/index': 'src/index.ts' },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
};
const { metafile: cut } = await bundle(program);

// Existing outputs are replaced only after every bundle has been built.
const built = await Promise.all([
  bundle({ ...program, ...together(cut, 'src/cli/main.ts') }),
  // The entry of an engine thread, in one file.
  bundle({ ...common, entryPoints: { 'engine/thread': 'src/engine/thread.ts' } }),
  // Loaded only by tests that use patterns.
  bundle({ ...common, ...PATTERNS }),
  // The entry of the GitHub action. It is not part of the npm package. It contains the proxy agent of undici.
  bundle({ ...common, alias: {}, entryPoints: { 'action/main': 'src/action/main.ts' } }),
  // The script and the styles that are embedded in HTML reports.
  bundleForBrowser({
    ...common,
    entryPoints: [
      { in: 'src/web/report-script.ts', out: 'web/report' },
      { in: 'src/web/html-report.css', out: 'web/report' },
    ],
  }),
  // The web UI.
  bundleForBrowser({
    ...common,
    entryPoints: [
      { in: 'src/web/ui/main.tsx', out: 'web/ui' },
      { in: 'src/web/ui/ui.css', out: 'web/ui' },
    ],
  }),
]);
const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
const licenses = thirdPartyLicenses({ outputs });
for (const directory of DIRECTORIES) rmSync(directory, { recursive: true, force: true });
for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
writeFileSync(LICENSES, licenses);
chmodSync('dist/cli/main.js', 0o755);
mkdirSync(dirname(FINGERPRINT_FILE), { recursive: true });
writeFileSync(FINGERPRINT_FILE, fingerprint());
