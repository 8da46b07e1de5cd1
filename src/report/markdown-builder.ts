/** Markdown that says what it is given, and no longer than asked: texts as themselves, sections that are cut at a row. */
import { printable } from '../core/printable.ts';

/** One line of text has at most so many characters. */
const MAX_TEXT_LENGTH = 400;

/**
 * Texts of the file and of the service, as themselves: no markup, no link, no mention of anybody. FakeGitHub looks for
 * mentions and issues in what was rendered, where an escaped sign is a sign again, so a space without width follows it.
 */
export function escapeText(value: string): string {
  return escapeMarkdown(value).replaceAll('&#64;', '&#64;&#8203;').replaceAll('&#35;', '&#35;&#8203;');
}

/** In there, nothing is looked for. */
export function codeSpan(value: string): string {
  return `<code>${escapeMarkdown(value)}</code>`;
}

function escapeMarkdown(value: string): string {
  const cut = value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH - 1)}…` : value;
  return printable(cut)
    .replaceAll(/ +/g, ' ')
    .replaceAll(/[\\`*_{}[\]()<>#+!|~@&:-]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`);
}

/** A part of a page whose rows may be left out from the end. */
export interface MarkdownSection {
  /** What its rows are, of more than one. */
  readonly rows: string;
  readonly before: readonly string[];
  readonly lines: readonly string[];
  readonly after: readonly string[];
}

/** Lines of which all or none are there. */
export function paragraphSection(...lines: readonly string[]): MarkdownSection {
  return { rows: 'lines', before: lines, lines: [], after: [] };
}

export function listSection(rows: string, lines: readonly string[]): MarkdownSection {
  return { rows, before: [], lines: lines.map((line) => `- ${line}`), after: [] };
}

export function tableSection(
  rows: string,
  head: readonly string[],
  cells: readonly (readonly string[])[],
): MarkdownSection {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  return { rows, before: [line(head), line(head.map(() => '---'))], lines: cells.map(line), after: [] };
}

/** A section that a reader opens. `summary`: as Markdown. */
export function collapsibleSection(summary: string, section: MarkdownSection): MarkdownSection {
  const before = [`<details><summary>${summary}</summary>`, '', ...section.before];
  return { ...section, before, after: [...section.after, '', '</details>'] };
}

/** What is kept for the last line. */
const COUNT_LINE_RESERVE = 500;

/** The sections in their order, as far as they fit into so many characters, and a count of the rows that do not. */
export function joinSections(sections: readonly MarkdownSection[], most: number): string {
  const missing = new Map<string, number>();
  let room = most - COUNT_LINE_RESERVE;
  const parts = sections.flatMap((section) => {
    const { rows, before, lines, after } = section;
    const frame = lengthOf([...before, ...after]) + 1;
    const fitting = room < frame ? 0 : countFittingLines(lines, room - frame);
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

function countFittingLines(lines: readonly string[], room: number): number {
  let used = 0;
  const at = lines.findIndex((line) => (used += line.length + 1) > room);
  return at === -1 ? lines.length : at;
}
