/** Markdown builder. Escapes untrusted strings, and omits rows and sections to limit the length. */
import { printable } from '../core/printable.ts';
import { escapeHtml } from '../web/markup.ts';

const MAX_TEXT_LENGTH = 400;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Truncates a string, and escapes it so that GitHub renders no markup, links or mentions. GitHub searches rendered text
 * for mentions and issue numbers, so a zero-width space follows each "@" and each "#" before a digit.
 */
export function escapeText(value: string): string {
  return plain(value)
    .replaceAll(/[\\`*_{}[\]<>~|&$]/g, '\\$&')
    .replaceAll(/:(?=\/\/)/g, '\\:')
    .replaceAll(/(www)(?=\.)/gi, '$1\\')
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`)
    .replaceAll(/#(?=\d)/g, `#${ZERO_WIDTH_SPACE}`)
    .replace(/^(\s*)(?=(?:[+\-=]|#+)(?:\s|$))/, '$1\\')
    .replace(/^(\s*\d+)(?=[.)](?:\s|$))/, '$1\\');
}

/** Nonempty parts in double quotes become code. */
export function messageText(message: string): string {
  return message
    .split(/("[^"]*")/)
    .map((part, index) =>
      index % 2 === 1 && part.length > 2 ? codeSpan(part.slice(1, -1)) : escapeText(part),
    )
    .join('');
}

/** Formats a string as code, in which GitHub does not search for mentions. */
export function codeSpan(value: string): string {
  const text = plain(value);
  const fence = '`'.repeat(longestRun(text) + 1);
  // A space is needed on each side if the text is empty, begins or ends with a backtick, or has a space at both ends.
  // Markdown removes one space on each side.
  const pad = text === '' || /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Escapes "|" in a cell of a table, because "|" separates columns even in code. */
export function cell(markdown: string): string {
  return markdown.replaceAll(/(?<!\\)\|/g, '\\|');
}

/** Escapes a string for an HTML block, in which Markdown has no effect. */
export function htmlText(value: string): string {
  return escapeHtml(plain(value));
}

/** Returns a fence that is longer than all sequences of backticks in the lines. */
export function fenceOf(lines: readonly string[]): string {
  return '`'.repeat(Math.max(3, ...lines.map((line) => longestRun(line) + 1)));
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

function plain(value: string): string {
  const truncated = value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH - 1)}…` : value;
  return printable(truncated).replaceAll(/ +/g, ' ');
}

/** A part of a report whose last rows can be omitted. */
export interface MarkdownSection {
  /** Plural noun for the rows. */
  readonly rows: string;
  readonly before: readonly string[];
  readonly lines: readonly string[];
  readonly after: readonly string[];
}

/** Creates a section that is shown completely or not at all. */
export function paragraphSection(...lines: readonly string[]): MarkdownSection {
  return { rows: 'lines', before: lines, lines: [], after: [] };
}

export function listSection(rows: string, lines: readonly string[]): MarkdownSection {
  return { rows, before: [], lines: lines.map((line) => `- ${line}`), after: [] };
}

export function tableSection(
  rows: string,
  header: readonly string[],
  cells: readonly (readonly string[])[],
): MarkdownSection {
  const line = (row: readonly string[]) => `| ${row.map(cell).join(' | ')} |`;
  return { rows, before: [line(header), line(header.map(() => '---'))], lines: cells.map(line), after: [] };
}

/** @param summary - Heading of the collapsible element, as HTML. */
export function collapsibleSection(summary: string, section: MarkdownSection, open = false): MarkdownSection {
  const element = open ? '<details open>' : '<details>';
  const before = [`${element}<summary>${summary}</summary>`, '', ...section.before];
  return { ...section, before, after: [...section.after, '', '</details>'] };
}

/** Number of characters reserved for the line that counts omitted rows. */
const COUNT_LINE_RESERVE = 500;

/** Joins sections in order up to a maximum length in characters, and states the number of omitted rows. */
export function joinSections(sections: readonly MarkdownSection[], maxLength: number): string {
  const omitted = new Map<string, number>();
  let remaining = maxLength - COUNT_LINE_RESERVE;
  const parts = sections.flatMap((section) => {
    const { rows, before, lines, after } = section;
    const frame = lengthOf([...before, ...after]) + 1;
    const fitting = remaining < frame ? 0 : countFittingLines(lines, remaining - frame);
    const excess = remaining < frame ? Math.max(1, lines.length) : lines.length - fitting;
    if (excess > 0) omitted.set(rows, (omitted.get(rows) ?? 0) + excess);
    if (remaining < frame || (fitting === 0 && lines.length > 0)) return [];
    const shown = [...before, ...lines.slice(0, fitting), ...after];
    remaining -= lengthOf(shown) + 1;
    return [`${shown.join('\n')}\n`];
  });
  const counts = [...omitted].map(([rows, count]) => `${rows} (${count})`);
  if (counts.length > 0) parts.push(`… omitted to limit the length: ${counts.join(', ')}.\n`);
  return parts.join('\n');
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function countFittingLines(lines: readonly string[], available: number): number {
  let used = 0;
  const at = lines.findIndex((line) => (used += line.length + 1) > available);
  return at === -1 ? lines.length : at;
}
