/** What is left of a tree when what is known to be wrong is taken out, so that the rest can be judged as well. */
import { pointerOf } from '../core/pointer.ts';
import type { ConfigNode, MapEntry, MapNode } from './config-tree.ts';

export interface PartialTree {
  readonly root: MapNode;
  /** The maps and lists that lack something now: nothing may be concluded from what they do not say. */
  readonly gaps: ReadonlySet<ConfigNode>;
}

/**
 * Takes nodes out of a tree.
 *
 * @param gaps maps and lists of the tree that lack something already
 */
export function omitNodes(
  root: MapNode,
  wrong: ReadonlySet<ConfigNode>,
  gaps: ReadonlySet<ConfigNode> = new Set(),
): PartialTree {
  if (wrong.size === 0) return { root, gaps };
  const left = new Set<ConfigNode>();
  const rest = (node: ConfigNode): ConfigNode => {
    if (node.kind === 'scalar') return node;
    const kept = node.kind === 'map' ? restOfMap(node) : restOfList(node);
    if (kept.lost || gaps.has(node)) left.add(kept.node);
    return kept.node;
  };
  const restOfMap = (map: MapNode) => {
    const kept = [...map.entries].filter(([, entry]) => !wrong.has(entry.node));
    const entries = kept.map(([key, entry]): [string, MapEntry] => [
      key,
      { ...entry, node: rest(entry.node) },
    ]);
    const node: MapNode = { ...map, entries: new Map(entries) };
    return { node, lost: kept.length < map.entries.size };
  };
  const restOfList = (list: ConfigNode & { readonly kind: 'list' }) => {
    const items = list.items.filter((item) => !wrong.has(item));
    return { node: { ...list, items: items.map(rest) }, lost: items.length < list.items.length };
  };
  const { node } = restOfMap(root);
  if (node.entries.size < root.entries.size || gaps.has(root)) left.add(node);
  return { root: node, gaps: left };
}

/** Says of a place whether all is there that the file says of it. */
export type IsComplete = (pointer: string) => boolean;

/** The defaults are part of every test, so what they lack every test lacks. */
export function completeness({ root, gaps }: PartialTree): IsComplete {
  if (gaps.size === 0) return () => true;
  const partial = new Set<string>();
  const visit = (node: ConfigNode, path: readonly string[]) => {
    // What it is a part of lacks a part as well; but other tests are no worse for it.
    if (gaps.has(node)) {
      for (let length = 1; length <= path.length; length++) partial.add(pointerOf(path.slice(0, length)));
    }
    if (node.kind === 'list')
      for (const [index, item] of node.items.entries()) visit(item, [...path, String(index)]);
    if (node.kind === 'map') for (const [key, entry] of node.entries) visit(entry.node, [...path, key]);
  };
  visit(root, []);
  const nowhere = gaps.has(root) || partial.has('/defaults');
  return (pointer) => !nowhere && !partial.has(pointer);
}
