/** Markdown that says what it is given, and no longer than asked: texts as themselves, sections that are cut at a row. */
import { printable } from '../core/printable.ts';

/** One line of text has at most so many characters. */
const LONGEST_TEXT = 400;

/**
 * Texts of the file and of the service, as themselves: no markup, no link, no mention of anybody. GitHub looks for
 * mentions and issues in what was rendered, where an escaped sign is a sign again, so a space without width follows it.
 */
export function text(value: string): string {
  return escaped(value).replaceAll('&#64;', '&#64;&#8203;').replaceAll('&#35;', '&#35;&#8203;');
}

/** In there, nothing is looked for. */
export function code(value: string): string {
  return `<code>${escaped(value)}</code>`;
}

function escaped(value: string): string {
  const cut = value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT - 1)}…` : value;
  return printable(cut)
    .replaceAll(/ +/g, ' ')
    .replaceAll(/[\\`*_{}[\]()<>#+!|~@&:-]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`);
}

/** A part of a page whose rows may be left out from the end. */
export interface Section {
  /** What its rows are, of more than one. */
  readonly rows: string;
  readonly before: readonly string[];
  readonly lines: readonly string[];
  readonly after: readonly string[];
}

/** Lines of which all or none are there. */
export function paragraph(...lines: readonly string[]): Section {
  return { rows: 'lines', before: lines, lines: [], after: [] };
}

export function list(rows: string, lines: readonly string[]): Section {
  return { rows, before: [], lines: lines.map((line) => `- ${line}`), after: [] };
}

export function table(rows: string, head: readonly string[], cells: readonly (readonly string[])[]): Section {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  return { rows, before: [line(head), line(head.map(() => '---'))], lines: cells.map(line), after: [] };
}

/** A section that a reader opens. `summary`: as Markdown. */
export function folded(summary: string, section: Section): Section {
  const before = [`<details><summary>${summary}</summary>`, '', ...section.before];
  return { ...section, before, after: [...section.after, '', '</details>'] };
}

/** What is kept for the last line. */
const ROOM_FOR_COUNTS = 500;

/** The sections in their order, as far as they fit into so many characters, and a count of the rows that do not. */
export function page(sections: readonly Section[], most: number): string {
  const missing = new Map<string, number>();
  let room = most - ROOM_FOR_COUNTS;
  const parts = sections.flatMap((section) => {
    const { rows, before, lines, after } = section;
    const frame = lengthOf([...before, ...after]) + 1;
    const fitting = room < frame ? 0 : howMany(lines, room - frame);
    const left = room < frame ? Math.max(1, lines.length) : lines.length - fitting;
    if (left > 0) missing.set(rows, (missing.get(rows) ?? 0) + left);
    if (room < frame || (fitting === 0 && lines.length > 0)) return [];
    const kept = [...before, ...lines.slice(0, fitting), ...after];
    room -= lengthOf(kept) + 1;
    return [`${kept.join('\n')}\n`];
  });
  const counts = [...missing].map(([rows, count]) => `${count} ${rows}`);
  if (counts.length > 0) parts.push(`… and what did not fit: ${counts.join(', ')}.\n`);
  return parts.join('\n');
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function howMany(lines: readonly string[], room: number): number {
  let used = 0;
  const at = lines.findIndex((line) => (used += line.length + 1) > room);
  return at === -1 ? lines.length : at;
}
