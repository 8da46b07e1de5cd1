/** The file as values that know where they stand. Every stage up to the shape check works on it. */
import { splitPointer } from '../core/pointer.ts';
import type { Problem } from '../core/problem.ts';
import type { SecretText } from '../core/model/secret.ts';
import type { SourceRange } from '../core/source-location.ts';

/** Offsets in the text, in UTF-16 units; `end` is not part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Scalar = string | number | boolean | null;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: Scalar;
  /** As it stands in the file: `1.10` is the number 1.1 and the text `1.10`. */
  readonly written: string;
  /** Filled in with secrets; `value` is then the masked text. */
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

/** Plain values, as validators want them. Maps have no prototype, so that no key can reach one. */
export function toPlainValue(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toPlainValue);
    case 'map': {
      // A record without a prototype; TypeScript types Object.create as any.
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

/** The same map with some entries replaced, or left out where null is given. */
export function withEntries(map: MapNode, changes: ReadonlyMap<string, ConfigNode | null>): MapNode {
  const entries = [...map.entries].flatMap(([key, entry]): [string, MapEntry][] => {
    const change = changes.get(key);
    if (change === null) return [];
    return [[key, change === undefined ? entry : { ...entry, node: change }]];
  });
  return { ...map, entries: new Map(entries) };
}

/** Turns offsets of one file into ranges. */
export type LocateSpan = (span: Span) => SourceRange;

/** Reads the line starts once, for all problems of the file. */
export function createLocator(file: string, text: string): LocateSpan {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return ({ start, end }) => {
    const from = Math.max(0, Math.min(start, text.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= from) low = middle;
      else high = middle - 1;
    }
    const lineStart = starts[low] ?? 0;
    const lineEnd = (starts[low + 1] ?? text.length + 1) - 1;
    // A pattern would read the whole line for every problem on it.
    const lineText = text.slice(lineStart, text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd);
    const length = Math.max(1, Math.min(end, lineStart + lineText.length) - from);
    return { file, line: low + 1, column: from - lineStart + 1, length, lineText };
  };
}

/** Where things of a tree stand, by JSON pointer. */
export interface TreeLocations {
  /** The value's range; its nearest ancestor's where it is not there. */
  value(pointer: string): SourceRange;
  /** The key's range; the value's where it is a member of a list. */
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

/** A mark under a whole map would say little, so its key stands for it. */
function representativeNode(node: ConfigNode, entry: MapEntry | undefined): Span {
  return node.kind === 'scalar' || entry === undefined ? node.span : entry.keySpan;
}

/** Problems in the order of the file, each once, and not more than anybody reads. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  const unique = problems.filter((found) => {
    const place = `${found.code} ${found.source?.line ?? 0}:${found.source?.column ?? 0} ${found.message}`;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
  const ordered = unique.sort((a, b) => {
    const byLine = (a.source?.line ?? 0) - (b.source?.line ?? 0);
    return byLine === 0 ? (a.source?.column ?? 0) - (b.source?.column ?? 0) : byLine;
  });
  // Errors first when there are too many: a cut must never turn a failure into a success.
  if (ordered.length <= MAX_PROBLEMS) return ordered;
  const errors = ordered.filter((found) => found.severity === 'error');
  return (errors.length > 0 ? errors : ordered).slice(0, MAX_PROBLEMS);
}

const MAX_PROBLEMS = 500;
