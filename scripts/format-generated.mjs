/** Formats generated files in the same way as `npm run format`. */
import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';

const { printWidth, singleQuote } = JSON.parse(readFileSync(new URL('oxfmt.json', import.meta.url), 'utf8'));

/** @param kind - The extension of the file, without the dot. */
export async function formatted(text, kind) {
  const { code, errors } = await format(`text.${kind}`, text, { printWidth, singleQuote });
  if (errors.length > 0) throw new Error(`invalid ${kind}: ${errors[0].message}\n${text}`);
  return code;
}
