/** Formats what programs write as people's files are: `npm run format`. */
import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';

const { printWidth, singleQuote } = JSON.parse(readFileSync(new URL('oxfmt.json', import.meta.url), 'utf8'));

/** `kind` is what a name of such a file ends with. */
export async function formatted(text, kind) {
  const { code, errors } = await format(`text.${kind}`, text, { printWidth, singleQuote });
  if (errors.length > 0) throw new Error(`this is no ${kind}: ${errors[0].message}\n${text}`);
  return code;
}
