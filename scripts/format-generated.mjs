/** Formats generated files in the same way as `npm run format`, and the tables, links and lists in their text. */
import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';

const { printWidth, singleQuote } = JSON.parse(readFileSync(new URL('oxfmt.json', import.meta.url), 'utf8'));

/** @param kind - The extension of the file, without the dot. */
export async function formatted(text, kind) {
  const { code, errors } = await format(`text.${kind}`, text, { printWidth, singleQuote });
  if (errors.length > 0) throw new Error(`invalid ${kind}: ${errors[0].message}\n${text}`);
  return code;
}

/** Returns the lines of a Markdown table, and an empty line. */
export function table(headings, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line), ''];
}

/** Returns the link to an exit code in the reference. */
export function exitCodeLink(code) {
  return `[${code}](exit-codes.md#${code >= 129 ? 'exit-codes-129-130-and-143' : `exit-code-${code}`})`;
}

/** Joins alternatives: `a`, `a or b`, `a, b or c`. */
export function alternatives(texts) {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(texts);
}
