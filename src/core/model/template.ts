/**
 * Templates: strings that contain `{{name}}`, split into constant parts and variables. A backslash before `{{` or `%{`
 * makes the braces literal.
 */

/** Constants and names alternate; the first and the last part are constants. */
export interface Template {
  readonly constants: readonly string[];
  readonly names: readonly string[];
}

/** Source of a regular expression that asserts that the number of preceding backslashes is even. */
export const UNESCAPED = String.raw`(?<!(?<!\\)(?:\\\\)*\\)`;

const SLOT = new RegExp(String.raw`${UNESCAPED}\{\{\s*([^\s{}]+)\s*\}\}`, 'g');

/**
 * Splits a string into constants and names. A name contains neither spaces nor braces: `{{id}}`, `{{ id }}`. In the
 * constants, `\{{` is unescaped, but `\%{` is not: see `unescapeExpressions`.
 * @param options.escaped - whether to also accept `%7B%7B…%7D%7D`, which URL parsers write; URLs contain no backslashes
 */
export function compileTemplate(text: string, options: { readonly escaped?: boolean } = {}): Template {
  const slot =
    options.escaped === true ? /(?:\{|%7b){2}(?:\s|%20)*([^\s{}%]+)(?:\s|%20)*(?:\}|%7d){2}/gi : SLOT;
  const constants: string[] = [];
  const names: string[] = [];
  let from = 0;
  for (const match of text.matchAll(slot)) {
    constants.push(unescape(text.slice(from, match.index), '{{'));
    names.push(match[1] ?? '');
    from = match.index + match[0].length;
  }
  constants.push(unescape(text.slice(from), '{{'));
  return { constants, names };
}

/** Replaces `\%{` with `%{` in a constant of a template. */
export function unescapeExpressions(constant: string): string {
  return unescape(constant, '%{');
}

function unescape(text: string, opening: '{{' | '%{'): string {
  if (!text.includes(`\\${opening}`)) return text;
  return text.replaceAll(ESCAPES[opening], '$1');
}

const ESCAPES = {
  '{{': /(?<!\\)((?:\\\\)*)\\(?=\{\{)/g,
  '%{': /(?<!\\)((?:\\\\)*)\\(?=%\{)/g,
} as const;

/** Reports whether a string contains `\{{` or `\%{`, whose braces are literal. */
export function hasEscape(text: string): boolean {
  return text.includes('\\') && Object.values(ESCAPES).some((pattern) => text.search(pattern) >= 0);
}
