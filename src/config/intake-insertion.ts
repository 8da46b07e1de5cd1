/** Insertion of apps and tests into the text of a configuration file. */
import { problem, ProblemError } from '../core/problem.ts';
import {
  childOf,
  createLocator,
  keysOf,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
} from './config-tree.ts';
import type { ConfigText } from './read-files.ts';
import { parseText } from './yaml-parser.ts';
import { printConfig, type PrintableApp, type PrintableTest } from './yaml-printer.ts';

export interface Insertion {
  readonly apps: readonly PrintableApp[];
  readonly tests: readonly PrintableTest[];
}

/**
 * Adds entries at the end of `apps` and of `tests`.
 * @throws ProblemError if the file is not valid YAML, or if a section uses flow style (braces).
 */
export function insertIntoConfig({ path, text }: ConfigText, insertion: Insertion): string {
  const locate = createLocator(path, text);
  const parsed = parseText(text, locate);
  const [first] = parsed.ok ? [] : parsed.problems;
  if (first !== undefined) throw new ProblemError(first);
  const root = parsed.ok ? parsed.value : null;
  if (root === null) throw new Error('Bug: the parser returned neither a tree nor a problem');
  const entries = printedEntries(insertion);
  const sections = ['apps', 'tests'] as const;
  const edits = sections
    .filter((section) => insertion[section].length > 0)
    .map((section) => ({ section, ...placeOf({ text, root, locate }, section) }))
    .sort((a, b) => b.offset - a.offset);
  // Applies the last edit first, so that the offsets of earlier edits stay valid.
  return edits.reduce((edited, { section, offset, indent, needsKey }) => {
    const lines = entries[section].map((line) => (line === '' ? line : ' '.repeat(indent) + line));
    const before = edited.slice(0, offset);
    const start = before === '' || before.endsWith('\n') ? '' : '\n';
    const key = needsKey ? `\n${section}:\n` : '';
    return `${before}${start}${key}${lines.join('\n')}\n${edited.slice(offset)}`;
  }, text);
}

const PRINTED_INDENT = 2;

function printedEntries({ apps, tests }: Insertion): {
  readonly apps: readonly string[];
  readonly tests: readonly string[];
} {
  const print = (only: Insertion, section: string) => {
    const options = { comments: [], project: 'x', environment: null, service: null };
    const lines = printConfig({ ...options, ...only })
      .trimEnd()
      .split('\n');
    return lines.slice(lines.indexOf(`${section}:`) + 1).map((line) => line.slice(PRINTED_INDENT));
  };
  return { apps: print({ apps, tests: [] }, 'apps'), tests: print({ apps: [], tests }, 'tests') };
}

interface Place {
  /** Offset of a line start, or of the end of the text. */
  readonly offset: number;
  readonly indent: number;
  readonly needsKey: boolean;
}

function placeOf(
  file: { readonly text: string; readonly root: MapNode; readonly locate: LocateSpan },
  section: string,
): Place {
  const { text, root, locate } = file;
  const entry = root.entries.get(section);
  if (entry === undefined) return { offset: text.length, indent: PRINTED_INDENT, needsKey: true };
  const { node, keySpan } = entry;
  if (node.kind === 'scalar' && node.value === null)
    return { offset: lineAfter(text, keySpan.end), indent: PRINTED_INDENT, needsKey: false };
  const firstKey = node.kind === 'map' ? [...node.entries.values()][0]?.keySpan : undefined;
  if (firstKey === undefined || text.charAt(node.span.start) === '{') {
    const message = `"${section}" is not a map with one entry per line, so no entry can be inserted; rewrite it without braces or brackets`;
    throw new ProblemError(problem('LT_CONFIG_SHAPE', message, { source: locate(keySpan) }));
  }
  const end = text.slice(0, endOf(node, text)).trimEnd().length;
  return { offset: lineAfter(text, end), indent: locate(firstKey).column - 1, needsKey: false };
}

/**
 * Returns the end of the last value in a node. The span of a block may also include comments that belong to the next
 * block.
 */
function endOf(node: ConfigNode, text: string): number {
  if (node.kind === 'scalar' || /[[{]/.test(text.charAt(node.span.start))) return node.span.end;
  const last = node.kind === 'map' ? [...node.entries.values()].at(-1)?.node : node.items.at(-1);
  return last === undefined ? node.span.end : endOf(last, text);
}

function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Returns the keys of the tests in a file; empty if the file is not valid YAML. */
export function testKeysIn({ path, text }: ConfigText): readonly string[] {
  const parsed = parseText(text, createLocator(path, text));
  return parsed.ok ? keysOf(childOf(parsed.value, 'tests')) : [];
}
