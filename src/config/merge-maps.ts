/** Merges two trees: defaults with a test, or the file with the overlay of an environment. */
import type { ConfigNode, MapEntry, MapNode } from './config-tree.ts';

export interface MergeRules {
  /** Map that determines the location of a key whose value is a map in both trees. */
  readonly keys: 'lower' | 'upper';
  /**
   * True if null in the upper map removes the value in the lower map. If there is no such value, the null remains for
   * the shape check to report.
   */
  readonly nullRemoves: boolean;
}

/** Groups of mutually exclusive fields. A field in the upper map replaces the other fields of its group. */
const EXCLUSIVE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  verification: ['directory', 'command', 'manual'],
};

const CASE_INSENSITIVE_MAPS: readonly string[] = ['headers'];

/**
 * Merges maps recursively. Other values of the upper map replace those of the lower map.
 * @param name - Key under which both trees contain the map; empty for the root.
 */
export function mergeMaps(lower: MapNode, upper: MapNode, rules: MergeRules, name = ''): MapNode {
  const entries = new Map(withoutReplaced(lower.entries, upper.entries, name));
  for (const [key, above] of upper.entries) {
    const at = matchingKey(key, entries, name);
    const below = entries.get(at);
    if (below !== undefined && rules.nullRemoves && isNull(above.node)) {
      entries.delete(at);
      continue;
    }
    const bothMaps = below?.node.kind === 'map' && above.node.kind === 'map';
    if (at !== key) entries.delete(at);
    entries.set(key, {
      key,
      keySpan: bothMaps && rules.keys === 'lower' ? below.keySpan : above.keySpan,
      node:
        below?.node.kind === 'map' && above.node.kind === 'map'
          ? mergeMaps(below.node, above.node, rules, key)
          : above.node,
    });
  }
  return { kind: 'map', entries, span: rules.keys === 'lower' ? lower.span : upper.span };
}

export function isNull(node: ConfigNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

type Entries = ReadonlyMap<string, MapEntry>;

function withoutReplaced(lower: Entries, upper: Entries, name: string): Iterable<[string, MapEntry]> {
  const alternatives = EXCLUSIVE_FIELDS[name] ?? [];
  if (!alternatives.some((key) => upper.has(key))) return lower;
  return [...lower].filter(([key]) => upper.has(key) || !alternatives.includes(key));
}

function matchingKey(key: string, below: Entries, name: string): string {
  if (below.has(key) || !CASE_INSENSITIVE_MAPS.includes(name)) return key;
  return [...below.keys()].find((other) => other.toLowerCase() === key.toLowerCase()) ?? key;
}
