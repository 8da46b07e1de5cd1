import { stripVTControlCharacters } from 'node:util';

interface WrapTarget {
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** Returns text for a file or pipe unchanged. */
export function wrapForOutput(text: string, screen: WrapTarget): string {
  return wrapText(text, maxLineLengthOf(screen));
}

/** Returns the maximum line length in characters; Infinity for a file or pipe. */
export function maxLineLengthOf({ isTerminal, columns }: WrapTarget): number {
  return isTerminal ? columns : Infinity;
}

/**
 * Wraps lines longer than `columns`, with indented continuation lines. In a wrapped command, each line except the last
 * ends with a backslash, so that the command can be pasted into a shell.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');
}

const COMMAND_PATTERN = /(?<=: )(?:npx --no-install )?loadtests \S.*$/u;
/** Matches a word of a message. A quoted loadtests command, or a number with its unit, counts as one word. */
const WORD_PATTERN = /"(?:npx --no-install )?loadtests [^"]*"\S*|[\d.]+ [A-Za-z]\S*|\S+/gu;
/** Matches a word of a shell command. Quoted parts of a word may contain spaces. */
const SHELL_WORD_PATTERN = /(?:'[^']*'|\\.|[^\s'\\])+/gu;

function wrapLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const margin = ' '.repeat(indent + 2 < columns / 2 ? indent + 2 : 0);
  const at = COMMAND_PATTERN.exec(line)?.index ?? line.length;
  const before = fillLines(line.slice(0, at), WORD_PATTERN, { columns, margin, end: '' });
  if (at === line.length) return before;
  const command = line.slice(at);
  const last = before.slice(before.lastIndexOf('\n') + 1);
  if (widthOf(`${last} ${command}`) <= columns) return `${before} ${command}`;
  return `${before}\n${fillLines(margin + command, SHELL_WORD_PATTERN, { columns, margin: `${margin}  `, end: ' \\' })}`;
}

/** Each line except the last ends with `end`. */
function fillLines(
  line: string,
  words: RegExp,
  { columns, margin, end }: { readonly columns: number; readonly margin: string; readonly end: string },
): string {
  const lines: string[] = [];
  let current = '';
  let after = 0;
  for (const { 0: word, index } of line.matchAll(words)) {
    const longer = `${current}${line.slice(after, index)}${word}`;
    after = index + word.length;
    const ends = line.slice(after).trim() === '';
    const fits = widthOf(longer) + (ends ? 0 : end.length) <= columns;
    if (fits || current.trim() === '') {
      current = longer;
    } else {
      lines.push(current + end);
      current = margin + word;
    }
  }
  return [...lines, current].join('\n');
}

function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}
