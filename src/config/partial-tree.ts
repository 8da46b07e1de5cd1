/** The valid part of a tree, without invalid nodes, so that later stages can check the rest. */
import { pointerOf } from '../core/pointer.ts';
import { mapValues, type ConfigNode, type MapNode } from './config-tree.ts';

export interface PartialTree {
  readonly root: MapNode;
  /** Maps and lists from which something was removed. Their absent keys may be present in the file. */
  readonly gaps: ReadonlySet<ConfigNode>;
}

/**
 * Returns the tree without the invalid nodes.
 * @param gaps - Maps and lists of the tree that are already incomplete.
 */
export function omitNodes(
  root: MapNode,
  invalid: ReadonlySet<ConfigNode>,
  gaps: ReadonlySet<ConfigNode> = new Set(),
): PartialTree {
  if (invalid.size === 0) return { root, gaps };
  const incomplete = new Set<ConfigNode>();
  const rest = (node: ConfigNode): ConfigNode => {
    if (node.kind === 'scalar') return node;
    const result = node.kind === 'map' ? restOfMap(node) : restOfList(node);
    if (result.isIncomplete || gaps.has(node)) incomplete.add(result.node);
    return result.node;
  };
  const restOfMap = (map: MapNode) => {
    const valid = [...map.entries].filter(([, entry]) => !invalid.has(entry.node));
    const node = mapValues({ ...map, entries: new Map(valid) }, rest);
    return { node, isIncomplete: valid.length < map.entries.size };
  };
  const restOfList = (list: ConfigNode & { readonly kind: 'list' }) => {
    const items = list.items.filter((item) => !invalid.has(item));
    return { node: { ...list, items: items.map(rest) }, isIncomplete: items.length < list.items.length };
  };
  const { node } = restOfMap(root);
  if (node.entries.size < root.entries.size || gaps.has(root)) incomplete.add(node);
  return { root: node, gaps: incomplete };
}

export type IsComplete = (pointer: string) => boolean;

/**
 * Creates a function that reports whether the node at a pointer is complete. A gap in the root map or in the defaults
 * makes all nodes incomplete.
 */
export function completeness({ root, gaps }: PartialTree): IsComplete {
  if (gaps.size === 0) return () => true;
  const partial = new Set<string>();
  const visit = (node: ConfigNode, path: readonly string[]) => {
    // A gap makes the node and all its ancestors incomplete, but not the other children of the ancestors.
    if (gaps.has(node)) {
      for (let length = 1; length <= path.length; length++) partial.add(pointerOf(path.slice(0, length)));
    }
    if (node.kind === 'list')
      for (const [index, item] of node.items.entries()) visit(item, [...path, String(index)]);
    if (node.kind === 'map') for (const [key, entry] of node.entries) visit(entry.node, [...path, key]);
  };
  visit(root, []);
  const isEverythingPartial = gaps.has(root) || partial.has('/defaults');
  return (pointer) => !isEverythingPartial && !partial.has(pointer);
}
