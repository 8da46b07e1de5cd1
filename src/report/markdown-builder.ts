/** Markdown builder: escapes untrusted strings, and omits the last rows of sections to limit the length. */
import { printable } from '../core/printable.ts';

/** Maximum number of characters of a string. */
const MAX_TEXT_LENGTH = 400;

/**
 * Escapes a string so that Markdown shows it verbatim, without markup, links or mentions. GitHub searches the
 * rendered text for mentions and issue numbers, so a zero-width space follows each "@" and "#".
 */
export function escapeText(value: string): string {
  return escapeMarkdown(value).replaceAll('&#64;', '&#64;&#8203;').replaceAll('&#35;', '&#35;&#8203;');
}

/** Formats a string as code, in which GitHub does not search for mentions. */
export function codeSpan(value: string): string {
  return `<code>${escapeMarkdown(value)}</code>`;
}

function escapeMarkdown(value: string): string {
  const truncated = value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH - 1)}…` : value;
  return printable(truncated)
    .replaceAll(/ +/g, ' ')
    .replaceAll(/[\\`*_{}[\]()<>#+!|~@&:-]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`);
}

/** A part of a report whose rows can be truncated from the end. */
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
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  return { rows, before: [line(header), line(header.map(() => '---'))], lines: cells.map(line), after: [] };
}

/**
 * Wraps a section in a collapsed element.
 * @param summary - Heading of the element, as Markdown.
 * @param section - Content of the element.
 */
export function collapsibleSection(summary: string, section: MarkdownSection): MarkdownSection {
  const before = [`<details><summary>${summary}</summary>`, '', ...section.before];
  return { ...section, before, after: [...section.after, '', '</details>'] };
}

/** Number of characters reserved for the line that counts omitted rows. */
const COUNT_LINE_RESERVE = 500;

/** Joins sections in order up to a maximum length. States the number of omitted rows. */
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
  const counts = [...omitted].map(([rows, count]) => `${count} ${rows}`);
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
