/** Texts with `{{name}}` in them, split once into what is constant and what is filled in. */

/** Shape: `constants` has one entry more than `names`; they alternate, beginning and ending with a constant. */
export interface Template {
  readonly constants: readonly string[];
  readonly names: readonly string[];
}

/**
 * Splits a text. A name is anything without spaces and braces: `{{id}}`, `{{ id }}`.
 *
 * Shape: `escaped`: braces may also stand as `%7B%7B…%7D%7D`, as URL parsers write them.
 */
export function compileTemplate(text: string, options: { readonly escaped?: boolean } = {}): Template {
  const slot =
    options.escaped === true
      ? /(?:\{|%7b){2}(?:\s|%20)*([^\s{}%]+)(?:\s|%20)*(?:\}|%7d){2}/gi
      : /\{\{\s*([^\s{}]+)\s*\}\}/g;
  const constants: string[] = [];
  const names: string[] = [];
  let from = 0;
  for (const match of text.matchAll(slot)) {
    constants.push(text.slice(from, match.index));
    names.push(match[1] ?? '');
    from = match.index + match[0].length;
  }
  constants.push(text.slice(from));
  return { constants, names };
}
