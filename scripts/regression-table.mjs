// Writes the table of error rates of regression thresholds in docs/guides/thresholds.md: `node scripts/regression-table.mjs`.
// A test simulates the same comparisons and fails if the page differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { formatted } from './format-generated.mjs';

const PAGE = 'docs/guides/thresholds.md';

const { outputFiles } = await build({
  entryPoints: ['test/support/regression-trials.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const { formatTrialTable } = await import(
  `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`
);
const page = readFileSync(PAGE, 'utf8').replace(
  /(<!-- trials -->\n)[^]*?(\n<!-- \/trials -->)/,
  (_, before, after) => `${before}\n${formatTrialTable()}${after}`,
);
writeFileSync(PAGE, await formatted(page, 'md'));
