/** Values of a YAML or JSON source, with their positions. */
import type { SourcePosition } from '../core/intake/intake.ts';

/** A scalar. An integer that a number cannot represent exactly is a bigint. */
export type Scalar = string | number | bigint | boolean | null;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: SourcePosition;
  readonly value: Scalar;
  /** True for a YAML scalar that is neither quoted nor in block style; absent in JSON sources. */
  readonly isPlain?: boolean;
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: SourcePosition;
  readonly items: readonly SourceNode[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly at: SourcePosition;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  readonly keyAt: SourcePosition;
  readonly node: SourceNode;
}

export type SourceNode = ScalarNode | ListNode | MapNode;

export const MAX_DEPTH = 100;

/** Maximum number of values of a source, including the expansion of aliases. */
export const MAX_VALUES = 2_000_000;

/** Returns the value at a path of keys; null if there is none. */
export function at(node: SourceNode | null, ...path: readonly string[]): SourceNode | null {
  let found = node;
  for (const key of path) found = found?.kind === 'map' ? (found.entries.get(key)?.node ?? null) : null;
  return found;
}

/** Adds the members and items of a value to those of another value, whose members and items they replace. */
export function mergedWith(node: SourceNode, other: SourceNode): SourceNode {
  if (node.kind === 'map' && other.kind === 'map') {
    const entries = new Map(node.entries);
    for (const [key, entry] of other.entries) {
      const replaced = entries.get(key)?.node;
      entries.set(key, replaced ? { ...entry, node: mergedWith(replaced, entry.node) } : entry);
    }
    return { ...other, entries };
  }
  if (node.kind === 'list' && other.kind === 'list') {
    const merged = other.items.map((item, index) => {
      const replaced = node.items[index];
      return replaced ? mergedWith(replaced, item) : item;
    });
    return { ...other, items: [...merged, ...node.items.slice(merged.length)] };
  }
  return other;
}

export function entriesOf(node: SourceNode | null): readonly (readonly [string, MapEntry])[] {
  return node?.kind === 'map' ? [...node.entries] : [];
}

export function itemsOf(node: SourceNode | null): readonly SourceNode[] {
  return node?.kind === 'list' ? node.items : [];
}

/** Returns the items of a list, or the value itself if it is not a list; an empty list if there is no value. */
export function itemsOrValue(node: SourceNode | null): readonly SourceNode[] {
  if (node === null) return [];
  return node.kind === 'list' ? node.items : [node];
}

/** Returns the text of a string, number or boolean; null for any other value. */
export function textOf(node: SourceNode | null): string | null {
  return node?.kind !== 'scalar' || node.value === null ? null : String(node.value);
}

/** Returns a number, including a number in a string; null for any other value. */
export function numberOf(node: SourceNode | null): number | null {
  const text = textOf(node)?.trim() ?? '';
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

export function flagOf(node: SourceNode | null): boolean | null {
  const text = textOf(node);
  return text === 'true' ? true : text === 'false' ? false : null;
}

/** Returns the value of a number as written in a source; null if the number is infinite. */
export function numberWritten(text: string, value: number): number | bigint | null {
  if (!Number.isFinite(value)) return null;
  return Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(text) ? value : BigInt(text);
}

export function infiniteNumber(text: string): string {
  return `the number ${JSON.stringify(text)} is not finite; replace it with a finite number or put it in quotes`;
}

/** Returns a value to compare with values in responses, which are read as numbers. */
export function comparable(value: Scalar): Exclude<Scalar, bigint> {
  return typeof value === 'bigint' ? Number(value) : value;
}

export function jsonOfScalar(value: Scalar): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
