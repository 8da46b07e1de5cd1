/** The configuration file as a tree of values with source locations. */
import { splitPointer } from '../core/pointer.ts';
import type { Problem } from '../core/problem.ts';
import type { SecretText } from '../core/model/secret.ts';
import { createLineFinder, type SourceRange } from '../core/source-location.ts';

/** A range of UTF-16 offsets in the text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Scalar = string | number | boolean | null;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: Scalar;
  /** Text of the value as written, such as `1.10` for the number 1.1. */
  readonly written: string;
  /** The string with its secrets; null if it contains none. For a string with secrets, `value` is the masked string. */
  readonly secret: SecretText | null;
  readonly span: Span;
}

export interface MapEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly node: ConfigNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly span: Span;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
  readonly span: Span;
}

export type ConfigNode = ScalarNode | MapNode | ListNode;

/**
 * Converts a tree to plain values for validators. Maps have no prototype, so that the key `__proto__` has no special
 * meaning.
 */
export function toPlainValue(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toPlainValue);
    case 'map': {
      const plain = Object.create(null) as Record<string, unknown>;
      for (const [key, entry] of node.entries) plain[key] = toPlainValue(entry.node);
      return plain;
    }
  }
}

export function childOf(node: ConfigNode, key: string): ConfigNode | null {
  if (node.kind === 'map') return node.entries.get(key)?.node ?? null;
  if (node.kind === 'list') return node.items[Number(key)] ?? null;
  return null;
}

/** Returns the keys of a map; empty for any other value. */
export function keysOf(node: ConfigNode | null): readonly string[] {
  return node?.kind === 'map' ? [...node.entries.keys()] : [];
}

/** Returns a copy of a map with converted values. */
export function mapValues(map: MapNode, convert: (node: ConfigNode, key: string) => ConfigNode): MapNode {
  const entries = Array.from(
    map.entries,
    ([key, entry]) => [key, { ...entry, node: convert(entry.node, key) }] as const,
  );
  return { ...map, entries: new Map(entries) };
}

/** Returns a copy of a map in which entries are replaced, or removed if their change is null. */
export function withEntries(map: MapNode, changes: ReadonlyMap<string, ConfigNode | null>): MapNode {
  const entries = [...map.entries].flatMap(([key, entry]): [string, MapEntry][] => {
    const change = changes.get(key);
    if (change === null) return [];
    return [[key, change === undefined ? entry : { ...entry, node: change }]];
  });
  return { ...map, entries: new Map(entries) };
}

export type LocateSpan = (span: Span) => SourceRange;

/** Creates a function that converts spans to locations. */
export function createLocator(file: string, text: string): LocateSpan {
  const lineOf = createLineFinder(text);
  return ({ start, end }) => {
    const from = Math.max(0, Math.min(start, text.length));
    const { index, start: lineStart, end: lineEnd } = lineOf(from);
    // Avoids a regular expression, which would scan the whole line again for every problem.
    const lineText = text.slice(lineStart, text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd);
    const length = Math.max(1, Math.min(end, lineStart + lineText.length) - from);
    return { file, line: index + 1, column: from - lineStart + 1, length, lineText };
  };
}

export interface TreeLocations {
  /** Returns the range of the value at a pointer or, if the value does not exist, of its nearest existing ancestor. */
  value(pointer: string): SourceRange;
  /** Returns the range of the key at a pointer; for a member of a list, the range of the value. */
  key(pointer: string): SourceRange;
  node(pointer: string): ConfigNode | null;
}

export function createTreeLocations(root: MapNode, locate: LocateSpan): TreeLocations {
  function walk(pointer: string) {
    let node: ConfigNode | null = root;
    let value: Span = { start: 0, end: 0 };
    let key: Span = value;
    for (const part of splitPointer(pointer)) {
      const entry: MapEntry | undefined = node.kind === 'map' ? node.entries.get(part) : undefined;
      const next = childOf(node, part);
      if (next === null) return { node: null, value: key, key };
      node = next;
      value = representativeNode(next, entry);
      key = entry?.keySpan ?? value;
    }
    return { node, value, key };
  }
  return {
    value: (pointer) => locate(walk(pointer).value),
    key: (pointer) => locate(walk(pointer).key),
    node: (pointer) => walk(pointer).node,
  };
}

/** Creates a function that returns the path of the innermost value at a location. */
export function createPathLookup(
  root: MapNode,
  locate: LocateSpan,
): (at: Pick<SourceRange, 'line' | 'column'>) => readonly string[] {
  const isBefore = (offset: number, { line, column }: Pick<SourceRange, 'line' | 'column'>) => {
    const start = locate({ start: offset, end: offset });
    return start.line < line || (start.line === line && start.column <= column);
  };
  return (at) => {
    const path: string[] = [];
    for (let node: ConfigNode | null = root; node !== null;) {
      // Children are in file order, so the location is in the last child that begins before it.
      const children: readonly (readonly [string, number, ConfigNode])[] =
        node.kind === 'map'
          ? Array.from(node.entries, ([key, entry]) => [key, entry.keySpan.start, entry.node] as const)
          : node.kind === 'list'
            ? node.items.map((item, index) => [`${index}`, item.span.start, item] as const)
            : [];
      const found = children.findLast(([, start]) => isBefore(start, at));
      if (found !== undefined) path.push(found[0]);
      node = found?.[2] ?? null;
    }
    return path;
  };
}

/** Returns the span that represents a value in messages. For a map or list with a key, this is the span of the key. */
function representativeNode(node: ConfigNode, entry: MapEntry | undefined): Span {
  return node.kind === 'scalar' || entry === undefined ? node.span : entry.keySpan;
}

/** Sorts problems by location, removes duplicates, and limits their number. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  const unique = problems.filter((found) => {
    const key = problemKeyOf(found);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const ordered = unique.sort((a, b) => {
    const byLine = (a.source?.line ?? 0) - (b.source?.line ?? 0);
    return byLine === 0 ? (a.source?.column ?? 0) - (b.source?.column ?? 0) : byLine;
  });
  // Errors take precedence over warnings, so that truncation cannot remove all errors.
  if (ordered.length <= MAX_PROBLEMS) return ordered;
  const errors = ordered.filter((found) => found.severity === 'error');
  return (errors.length > 0 ? errors : ordered).slice(0, MAX_PROBLEMS);
}

const MAX_PROBLEMS = 500;

/** Returns a key that equal problems at the same location share. */
export function problemKeyOf({ code, message, source }: Problem): string {
  return `${code} ${source?.line ?? 0}:${source?.column ?? 0} ${message}`;
}
