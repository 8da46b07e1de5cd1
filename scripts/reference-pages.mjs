// The pages of docs/reference/ that follow from the table of commands, the schema of the file and the table of codes.
import { cliPage } from './cli-reference.mjs';
import { codePage } from './code-reference.mjs';
import { configurationPage } from './configuration-reference.mjs';

const NOTE = '<!-- Written by "npm run generate"; never edited. -->';

/**
 * Returns the text of every generated page by its path.
 *
 * @param schema the published schema of the file
 */
export async function referencePages(schema) {
  return new Map([
    ['docs/reference/cli.md', await cliPage(NOTE)],
    ['docs/reference/configuration.md', configurationPage(NOTE, schema)],
    ['docs/reference/problem-codes.md', await codePage(NOTE)],
  ]);
}
