// Generates the committed files that follow from schemas/ and the source: the published schema and pages of the
// reference. With "--check" it writes none of them and fails if a file differs. The generated code, which the
// pages are made with, is always written.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatted } from './format-generated.mjs';
import { writeGeneratedCode } from './generated-code.mjs';
import { referencePages } from './reference-pages.mjs';
import { CONFIG_SCHEMA, publishedSchema } from './schemas.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

await writeGeneratedCode();

/** Path to content of every generated file. */
const files = new Map();
files.set(CONFIG_SCHEMA, await formatted(JSON.stringify(publishedSchema, null, 2), 'json'));
for (const [path, page] of await referencePages(publishedSchema))
  files.set(path, await formatted(page, 'md'));

const differing = [...files].filter(
  ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
);
if (!process.argv.includes('--check')) {
  for (const [path, text] of differing) writeFileSync(path, text);
} else if (differing.length > 0) {
  const paths = differing.map(([path]) => path);
  console.error(
    `These files do not follow from their source; run "npm run generate":\n  ${paths.join('\n  ')}`,
  );
  process.exitCode = 1;
}
