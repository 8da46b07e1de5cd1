/** One tree over another: defaults below a test, the file below an environment. */
import type { ConfigNode, MapEntry, MapNode } from './config-tree.ts';

export interface MergeRules {
  /** Whose key a merged map is found at. */
  readonly keys: 'lower' | 'upper';
  /** Whether null takes away what is below it. Where nothing is, it stays, for the shape check to name. */
  readonly nullRemoves: boolean;
}

/** Each of them is a whole answer, so that one replaces the others. */
const EXCLUSIVE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  verification: ['directory', 'command', 'manual'],
};

/** Maps whose keys mean the same in any case. */
const CASE_INSENSITIVE_MAPS: readonly string[] = ['headers'];

/**
 * Maps merge, lists and scalars replace.
 *
 * @param name the key that both maps are found at
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

function isNull(node: ConfigNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

type Entries = ReadonlyMap<string, MapEntry>;

function withoutReplaced(lower: Entries, upper: Entries, name: string): Iterable<[string, MapEntry]> {
  const alternatives = EXCLUSIVE_FIELDS[name] ?? [];
  if (!alternatives.some((key) => upper.has(key))) return lower;
  return [...lower].filter(([key]) => upper.has(key) || !alternatives.includes(key));
}

/** The key below that is meant. */
function matchingKey(key: string, below: Entries, name: string): string {
  if (below.has(key) || !CASE_INSENSITIVE_MAPS.includes(name)) return key;
  return [...below.keys()].find((other) => other.toLowerCase() === key.toLowerCase()) ?? key;
}
