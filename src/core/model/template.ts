/** Templates: strings that contain `{{name}}`, split into constant parts and variables. */

/** The parts of a template. Constants and names alternate; the first and the last part are constants. */
export interface Template {
  readonly constants: readonly string[];
  readonly names: readonly string[];
}

/**
 * Splits a string into constants and names. A name contains neither spaces nor braces: `{{id}}`, `{{ id }}`.
 * @param options.escaped - whether to also accept `%7B%7B…%7D%7D`, which URL parsers write
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
