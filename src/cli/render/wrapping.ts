/** Lines as long as a terminal is wide, broken between words. */
import { stripVTControlCharacters } from 'node:util';

interface Screen {
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** As this output may show it: what is no terminal gets lines as they are. */
export function fitted(text: string, screen: Screen): string {
  return wrapped(text, roomOf(screen));
}

/** How long a line may be. */
export function roomOf({ isTerminal, columns }: Screen): number {
  return isTerminal ? columns : Infinity;
}

/**
 * A line goes on below itself, a little further in. A command to be pasted that does not fit goes on after a
 * backslash, as shells read it.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => wrappedLine(line, columns))
    .join('\n');
}

const COMMAND = /(?<=: )(?:npx )?loadtests \S.*$/u;
/** Quoted commands are short, and hard to read in two parts; so are figures without their unit. */
const WORDS = /"(?:npx )?loadtests [^"]*"\S*|[\d.]+ [A-Za-z]\S*|\S+/gu;
/** What a shell takes for one word may hold spaces. */
const SHELL_WORDS = /(?:'[^']*'|\\.|[^\s'\\])+/gu;

function wrappedLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const margin = ' '.repeat(indent + 2 < columns / 2 ? indent + 2 : 0);
  const at = COMMAND.exec(line)?.index ?? line.length;
  const before = filled(line.slice(0, at), WORDS, { columns, margin, end: '' });
  if (at === line.length) return before;
  const command = line.slice(at);
  const last = before.slice(before.lastIndexOf('\n') + 1);
  if (widthOf(`${last} ${command}`) <= columns) return `${before} ${command}`;
  return `${before}\n${filled(margin + command, SHELL_WORDS, { columns, margin: `${margin}  `, end: ' \\' })}`;
}

/** @param room.end what a line ends with that is gone on with; the last one has none */
function filled(
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
