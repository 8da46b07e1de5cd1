/**
 * Text from elsewhere (files, services, targets), made fit to be printed.
 *
 * A terminal and the log of a CI system act on some characters instead of showing them: control characters (C0, DEL,
 * C1), marks of direction and others without a shape, halves of surrogate pairs, and what makes a line a command, as
 * `::add-mask::` and `##[group]` do. Each of them shows as U+FFFD.
 */

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu');
const ALL_INVISIBLE_IN_LINES = new RegExp(`(?![\\n\\t])${INVISIBLE.source}`, 'gu');
const SPACE = /[\s\u2028\u2029]/g;

// Source: the commands of the runners of FakeGitHub (a line; `##[` anywhere), Azure DevOps and TeamCity.
// oxlint-disable-next-line no-control-regex -- codes of colour begin with one
const CI_COMMAND_LINE = /^((?:\u001b\[\d+m|[^\S\n])*):(?=:)/gm;
/** What is a command anywhere in a line. JSON and YAML may escape its first character. */
export const CI_COMMAND_SIGN = /##(?=\[|vso\[|teamcity\[)/gi;

/** Whether a line of it would be a command to the runner of a CI job. */
export function hasCiCommand(text: string): boolean {
  return defuseCiCommands(text) !== text;
}

/** One line, as long as the text was: white space becomes spaces. */
export function printable(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  return text.replaceAll(SPACE, ' ').replaceAll(ALL_INVISIBLE, escapeInvisible);
}

/** Every text of a document as one line, names of members too. */
export function printableStrings<Value>(value: Value): Value {
  // What is a text stays one, and everything else keeps its shape.
  return mapStrings(value) as Value;
}

function mapStrings(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(mapStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [printable(name), mapStrings(one)]));
}

/** Lines, with their tabs: the one rule for all that reaches a terminal or a log of CI. */
export function printableLines(text: string): string {
  return defuseCiCommands(text.replaceAll(ALL_INVISIBLE_IN_LINES, escapeInvisible));
}

/** The same for text that holds codes of colour of our own, which pass: `codes` matches them, in one group. */
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

function escapeInvisible(unseen: string): string {
  return '\ufffd'.repeat(unseen.length);
}

/** JSON that says the same, and that `printableLines` leaves as it is: data is exact, and safe to look at. */
export function printableJson(json: string): string {
  return json
    .replaceAll(ALL_INVISIBLE_IN_LINES, (unseen) =>
      Array.from({ length: unseen.length }, (_, at) => escape(unseen, at)).join(''),
    )
    .replaceAll(CI_COMMAND_SIGN, '\\u0023#');
}

/** The half or whole character at a place, as JSON escapes it. */
function escape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
