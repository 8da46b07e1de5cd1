// Bundles what runs into dist/. Every output lies two directories deep, as its source does below src/,
// so that '../../schemas/' means the same from both.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleForBrowser, PATTERNS } from './bundle-options.mjs';
import { together } from './merge-small-chunks.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

// Maps are for a debugger: they weigh several times what the code does, which stays as it is.
const common = { outdir: 'dist', sourcemap: process.argv.includes('--maps') ? 'linked' : false };

// Each command is a file that is loaded when it is called; what several share is cut into chunks.
const program = {
  ...common,
  entryPoints: { 'cli/main': 'src/cli/main.ts', 'package/index': 'src/index.ts' },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
};
const { metafile: cut } = await bundle(program);

// Nothing is replaced before all of it is built.
const built = await Promise.all([
  bundle({ ...program, ...together(cut, 'src/cli/main.ts') }),
  // A thread loads one file.
  bundle({ ...common, entryPoints: { 'engine/thread': 'src/engine/thread.ts' } }),
  // What is loaded where a test has patterns.
  bundle({ ...common, ...PATTERNS }),
  // What the GitHub action runs; it is no part of the package.
  bundle({ ...common, entryPoints: { 'action/main': 'src/action/main.ts' } }),
  // What a report in HTML holds.
  bundleForBrowser({
    ...common,
    entryPoints: [
      { in: 'src/web/report-script.ts', out: 'web/report' },
      { in: 'src/web/report.css', out: 'web/report' },
    ],
  }),
  // What the page of a service is made of.
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
for (const directory of ['action', 'cli', 'engine', 'package', 'pattern', 'web', 'chunks']) {
  rmSync(`dist/${directory}`, { recursive: true, force: true });
}
for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenses);
chmodSync('dist/cli/main.js', 0o755);
