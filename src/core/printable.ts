/**
 * Text from elsewhere (files, services, targets), made fit to be printed.
 *
 * A terminal and the log of a CI system act on some characters instead of showing them: control characters (C0, DEL,
 * C1), marks of direction and others without a shape, halves of surrogate pairs, and what makes a line a command, as
 * `::add-mask::` and `##[group]` do. Each of them shows as U+FFFD.
 */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const EACH_UNSEEN = new RegExp(UNSEEN, 'gu');
const EACH_UNSEEN_IN_LINES = new RegExp(`(?![\\n\\t])${UNSEEN.source}`, 'gu');
const SPACE = /[\s\u2028\u2029]/g;

// Source: the commands of the runners of GitHub (a line; `##[` anywhere), Azure DevOps and TeamCity.
// oxlint-disable-next-line no-control-regex -- codes of colour begin with one
const COMMAND_LINE = /^((?:\u001b\[\d+m|[^\S\n])*):(?=:)/gm;
/** What is a command anywhere in a line. JSON and YAML may escape its first character. */
export const COMMAND_SIGN = /##(?=\[|vso\[|teamcity\[)/gi;

/** Whether a line of it would be a command to the runner of a CI job. */
export function hasCommand(text: string): boolean {
  return withoutCommands(text) !== text;
}

/** One line, as long as the text was: white space becomes spaces. */
export function printable(text: string): string {
  if (!UNSEEN.test(text)) return text;
  return text.replaceAll(SPACE, ' ').replaceAll(EACH_UNSEEN, shown);
}

/** Every text of a document as one line, names of members too. */
export function printableTexts<Value>(value: Value): Value {
  // What is a text stays one, and everything else keeps its shape.
  return eachText(value) as Value;
}

function eachText(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(eachText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [printable(name), eachText(one)]));
}

/** Lines, with their tabs: the one rule for all that reaches a terminal or a log of CI. */
export function printableLines(text: string): string {
  return withoutCommands(text.replaceAll(EACH_UNSEEN_IN_LINES, shown));
}

/** The same for text that holds codes of colour of our own, which pass: `codes` matches them, in one group. */
export function printablePainted(text: string, codes: RegExp): string {
  const parts = text.split(codes);
  return withoutCommands(
    parts.map((part, at) => (at % 2 === 1 ? part : part.replaceAll(EACH_UNSEEN_IN_LINES, shown))).join(''),
  );
}

function withoutCommands(text: string): string {
  return text.replaceAll(COMMAND_LINE, '$1\ufffd').replaceAll(COMMAND_SIGN, '\ufffd#');
}

function shown(unseen: string): string {
  return '\ufffd'.repeat(unseen.length);
}

/** JSON that says the same, and that `printableLines` leaves as it is: data is exact, and safe to look at. */
export function printableJson(json: string): string {
  return json
    .replaceAll(EACH_UNSEEN_IN_LINES, (unseen) =>
      Array.from({ length: unseen.length }, (_, at) => escape(unseen, at)).join(''),
    )
    .replaceAll(COMMAND_SIGN, '\\u0023#');
}

/** The half or whole character at a place, as JSON escapes it. */
function escape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
