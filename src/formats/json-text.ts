/** JSON texts that can contain variables and generated values. */
import { joinTexts, type IntakeText } from '../core/intake/intake-text.ts';
import { entriesOf, type ScalarNode, type SourceNode } from './source-tree.ts';

/** Returns a value of a source as JSON. `scalarText` converts the scalars. */
export function jsonOfNode(node: SourceNode, scalarText: (scalar: ScalarNode) => IntakeText): IntakeText {
  const inner = (one: SourceNode) => jsonOfNode(one, scalarText);
  if (node.kind === 'list') return jsonList(node.items.map(inner));
  if (node.kind === 'map') return jsonMap(entriesOf(node).map(([name, entry]) => [name, inner(entry.node)]));
  return scalarText(node);
}

/** @param items - The items as JSON. */
export function jsonList(items: readonly IntakeText[]): IntakeText {
  return ['[', ...joinTexts(items, ','), ']'];
}

/** @param members - The names, and the values as JSON. */
export function jsonMap(members: readonly (readonly [string, IntakeText])[]): IntakeText {
  const texts = members.map(([name, value]): IntakeText => [`${JSON.stringify(name)}:`, ...value]);
  return ['{', ...joinTexts(texts, ','), '}'];
}
