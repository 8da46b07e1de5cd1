/** Validates the configuration against its schema. */
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

/** Validates the whole file, including environments that are not selected, and removes invalid values. */
export function checkShape({ root, gaps }: PartialTree, locate: LocateSpan): ShapeCheck {
  const value = toPlainValue(root);
  if (validateConfig(value)) return { root, gaps, problems: [] };
  const locations = createTreeLocations(root, locate);
  const errors = (validateConfig.errors ?? []).filter((error) => !isUninterpolated(root, error.instancePath));
  const problems: Problem[] = [];
  const invalid = new Set<ConfigNode>();
  const incomplete = new Set(gaps);
  for (const found of explainErrors(errors, value, configSchema)) {
    const node = locations.node(found.pointer);
    if (found.lacks && node !== null && gaps.has(node)) continue;
    if (node !== null && !isDiscriminator(found)) (found.lacks ? incomplete : invalid).add(node);
    const source = found.at === 'key' ? locations.key(found.pointer) : locations.value(found.pointer);
    const hint = found.hint ?? missingValueHint(node, source);
    const example = found.example === undefined ? {} : { example: found.example };
    problems.push(problem(found.code, found.message, { hint, ...example, source }));
  }
  return { ...omitNodes(root, invalid, incomplete), problems };
}

/**
 * Reports whether an error is about a missing root member, or about `version` or `project`, on which no other value
 * depends.
 */
function isDiscriminator({ pointer, lacks }: ExplainedError): boolean {
  return lacks ? pointer === '' : pointer === '/version' || pointer === '/project';
}

function missingValueHint(node: ConfigNode | null, { lineText, column }: SourceRange): string | null {
  if (node?.kind !== 'scalar' || node.value !== null) return null;
  const rest = lineText.slice(column - 1).trimStart();
  if (rest.startsWith('#')) return '"#" begins a comment; if it is part of the value, quote the value';
  const anchor = /(?<=\s)&\S+(?=\s*$)/.exec(lineText)?.[0];
  return anchor === undefined ? null : `"&" begins an anchor; if it is part of the value, write "${anchor}"`;
}

/**
 * Reports whether a value cannot be checked because its environment is not selected. In the overlay, strings may
 * contain references, and null may remove a field. In a list, null is an error, because lists are replaced completely.
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
