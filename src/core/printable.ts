/**
 * Escapes untrusted text (from files, services and targets) for output.
 *
 * The functions replace invisible characters with U+FFFD, a space or a JSON escape. Invisible characters are control
 * characters, formatting characters such as directional marks, and lone surrogates. Except for `printable` and
 * `printableStrings`, the functions also replace the first character of CI commands such as `::add-mask::` and
 * `##[group]`.
 */

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu');
const ALL_INVISIBLE_IN_LINES = new RegExp(`(?![\\n\\t])${INVISIBLE.source}`, 'gu');
const SPACE = /[\s\u2028\u2029]/g;

// Commands of GitHub Actions (`::` at the start of a line, or `##[` anywhere), Azure DevOps and TeamCity.
// oxlint-disable-next-line no-control-regex -- color codes begin with a control character
const CI_COMMAND_LINE = /^((?:\u001b\[\d+m|[^\S\n])*):(?=:)/gm;
/** Matches the start of a CI command that may appear anywhere in a line. */
export const CI_COMMAND_SIGN = /##(?=\[|vso\[|teamcity\[)/gi;

/** Reports whether a CI runner may execute a line of the text as a command. */
export function hasCiCommand(text: string): boolean {
  return defuseCiCommands(text) !== text;
}

/**
 * If the text contains invisible characters, replaces each whitespace character with a space, and other invisible
 * characters with U+FFFD. The result is one line of the same length.
 */
export function printable(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  return text.replaceAll(SPACE, ' ').replaceAll(ALL_INVISIBLE, escapeInvisible);
}

/** Applies `printable` to all strings of a document, including member names. */
export function printableStrings<Value>(value: Value): Value {
  // The mapping preserves the structure and the types.
  return mapStrings(value) as Value;
}

function mapStrings(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(mapStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [printable(name), mapStrings(one)]));
}

/** Replaces invisible characters, except line feeds and tabs, and the first character of CI commands with U+FFFD. */
export function printableLines(text: string): string {
  return defuseCiCommands(text.replaceAll(ALL_INVISIBLE_IN_LINES, escapeInvisible));
}

/**
 * Like `printableLines`, but retains color codes.
 * @param codes - matches a color code, in one capture group
 */
export function printableColored(text: string, codes: RegExp): string {
  const parts = text.split(codes);
  return defuseCiCommands(
    parts
      .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(ALL_INVISIBLE_IN_LINES, escapeInvisible)))
      .join(''),
  );
}

function defuseCiCommands(text: string): string {
  return text.replaceAll(CI_COMMAND_LINE, '$1\ufffd').replaceAll(CI_COMMAND_SIGN, '\ufffd#');
}

function escapeInvisible(characters: string): string {
  return '\ufffd'.repeat(characters.length);
}

/** Escapes JSON so that `printableLines` does not change the text. The value of the JSON does not change. */
export function printableJson(json: string): string {
  return json
    .replaceAll(ALL_INVISIBLE_IN_LINES, (characters) =>
      Array.from({ length: characters.length }, (_, at) => escape(characters, at)).join(''),
    )
    .replaceAll(CI_COMMAND_SIGN, '\\u0023#');
}

function escape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
