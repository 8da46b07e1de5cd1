/** Values to a ConfigFile: the shape is right, the meaning is not looked at. */
import { problem, type Problem } from '../core/problem.ts';
import { splitPointer } from '../core/pointer.ts';
import type { SourceRange } from '../core/source-location.ts';
import { explainErrors, type ExplainedError } from '../schema/explain-errors.ts';
import { configSchema, validateConfig } from '../schema/generated/config-validator.js';
import { omitNodes, type PartialTree } from './partial-tree.ts';
import {
  childOf,
  createTreeLocations,
  toPlainValue,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
} from './config-tree.ts';

export interface ShapeCheck extends PartialTree {
  readonly problems: readonly Problem[];
}

/** Checks the shape of everything, also of the environments that were not chosen; what is left has the right one. */
export function checkShape({ root, gaps }: PartialTree, locate: LocateSpan): ShapeCheck {
  const value = toPlainValue(root);
  if (validateConfig(value)) return { root, gaps, problems: [] };
  const locations = createTreeLocations(root, locate);
  const errors = (validateConfig.errors ?? []).filter((error) => !isUninterpolated(root, error.instancePath));
  const problems: Problem[] = [];
  const wrong = new Set<ConfigNode>();
  const lacking = new Set(gaps);
  for (const found of explainErrors(errors, value, configSchema)) {
    const node = locations.node(found.pointer);
    if (found.lacks && node !== null && gaps.has(node)) continue;
    if (node !== null && !isDiscriminator(found)) (found.lacks ? lacking : wrong).add(node);
    const source = found.at === 'key' ? locations.key(found.pointer) : locations.value(found.pointer);
    problems.push(
      problem(found.code, found.message, { hint: found.hint ?? missingValueHint(node, source), source }),
    );
  }
  return { ...omitNodes(root, wrong, lacking), problems };
}

/** No other value depends on them. */
function isDiscriminator({ pointer, lacks }: ExplainedError): boolean {
  return lacks ? pointer === '' : pointer === '/version' || pointer === '/project';
}

/** Why a key has no value, though something stands behind it. */
function missingValueHint(node: ConfigNode | null, { lineText, column }: SourceRange): string | null {
  if (node?.kind !== 'scalar' || node.value !== null) return null;
  const behind = lineText.slice(column - 1).trimStart();
  if (behind.startsWith('#')) return 'what follows "#" is a comment; if it is the value, put it in quotes';
  const anchor = /(?<=\s)&\S+(?=\s*$)/.exec(lineText)?.[0];
  return anchor === undefined
    ? null
    : `"&" begins an anchor; if it is the value, put it in quotes: "${anchor}"`;
}

/**
 * In an environment that was not chosen, a text still holds its references, and null takes away what is below it; but lists are replaced as
 * a whole.
 */
function isUninterpolated(root: MapNode, pointer: string): boolean {
  const path = splitPointer(pointer);
  if (path[0] !== 'environments') return false;
  let node: ConfigNode | null = root;
  let inList = false;
  for (const part of path) {
    inList ||= node?.kind === 'list';
    node = node && childOf(node, part);
  }
  if (node?.kind !== 'scalar') return false;
  if (node.value === null) return path.length > 2 && !inList;
  return typeof node.value === 'string' && node.value.includes('${');
}
