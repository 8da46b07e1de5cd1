/** Reads YAML and JSON with positions. Limits sizes, nesting and the expansion of aliases. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type Node,
  type Scalar as YamlScalar,
} from 'yaml';
import {
  createPositions,
  InvalidSource,
  type IntakeSource,
  type PositionAt,
} from '../core/intake/source-text.ts';
import {
  infiniteNumber,
  MAX_DEPTH,
  MAX_VALUES,
  numberWritten,
  type MapEntry,
  type Scalar,
  type SourceNode,
} from './source-tree.ts';

/**
 * Maximum number of brackets that are open at the same time, including brackets in strings and comments.
 */
const MAX_OPEN_BRACKETS = 500;

/** @throws InvalidSource if the source is not a single valid YAML document or exceeds a limit. */
export function parseYamlSource(source: IntakeSource): SourceNode {
  const positionAt = createPositions(source.text);
  const refuse = (offset: number, message: string) => new InvalidSource(source, positionAt(offset), message);
  const deep = deepestOf(source.text);
  if (deep !== null) throw refuse(deep, `the source is nested deeper than ${MAX_DEPTH} levels`);
  let document: Document.Parsed;
  try {
    document = parseDocument(source.text, {
      uniqueKeys: false,
      merge: true,
      // Only with this log level, the parser reports an error if the source contains several documents.
      logLevel: 'error',
      prettyErrors: false,
    });
  } catch (error) {
    // The parser is recursive, so deep nesting can overflow the call stack.
    if (error instanceof RangeError) throw refuse(0, 'the source is nested too deeply');
    throw error;
  }
  const [fault] = document.errors;
  if (fault?.code === 'MULTIPLE_DOCS')
    throw refuse(fault.pos[0], 'the source contains several YAML documents; keep only one of them');
  if (fault !== undefined)
    throw refuse(fault.pos[0], `the source is not valid YAML: ${fault.message.split('\n', 1)[0] ?? ''}`);
  return new TreeBuilder(document, positionAt, refuse).build();
}

/** Returns the offset at which the nesting is too deep for the parser; null if there is none. */
function deepestOf(text: string): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x5b || character === 0x7b) depth += 1;
    else if ((character === 0x5d || character === 0x7d) && depth > 0) depth -= 1;
    if (depth > MAX_OPEN_BRACKETS) return at;
  }
  const blocks = new RegExp(`^(?: {${MAX_DEPTH * 8},}\\S|(?:[-?] ){${MAX_DEPTH},})`, 'm').exec(text);
  return blocks?.index ?? null;
}

/** Each value of an expanded alias counts as this number of values, because nested aliases multiply. */
const ALIASED_WEIGHT = 20;

class TreeBuilder {
  readonly #document: Document.Parsed;
  readonly #positionAt: PositionAt;
  readonly #refuse: (offset: number, message: string) => InvalidSource;
  #values = 0;
  /** Last visited node for each anchor, by the name of the anchor. */
  readonly #anchors = new Map<string, Node>();
  #aliases = 0;

  constructor(
    document: Document.Parsed,
    positionAt: PositionAt,
    refuse: (offset: number, message: string) => InvalidSource,
  ) {
    this.#document = document;
    this.#positionAt = positionAt;
    this.#refuse = refuse;
  }

  build(): SourceNode {
    return this.#node(this.#document.contents, 0, 0);
  }

  #node(node: unknown, offset: number, depth: number): SourceNode {
    // The cast is valid, because the parser returns nodes, and null for an empty value.
    const from = (node as Node | null)?.range?.[0] ?? offset;
    if (depth > MAX_DEPTH) throw this.#refuse(from, `the source is nested deeper than ${MAX_DEPTH} levels`);
    this.#values += this.#aliases > 0 ? ALIASED_WEIGHT : 1;
    if (this.#values > MAX_VALUES) throw this.#refuse(from, 'the source contains too many values');
    const at = this.#positionAt(from);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) throw this.#refuse(from, `the alias "*${node.source}" has no anchor`);
      this.#aliases += 1;
      const expanded = this.#node(target, from, depth + 1);
      this.#aliases -= 1;
      return expanded;
    }
    // While an alias is expanded, the anchored nodes are visited again. The anchors of these nodes must not replace
    // later definitions.
    if (this.#aliases === 0 && isAnchored(node)) this.#anchors.set(node.anchor, node);
    if (isSeq(node))
      return { kind: 'list', at, items: node.items.map((item) => this.#node(item, from, depth + 1)) };
    if (isMap(node)) return { kind: 'map', at, entries: this.#entries(node.items, from, depth) };
    if (!isScalar(node)) return { kind: 'scalar', at, value: null };
    return { kind: 'scalar', at, value: this.#scalar(node, from), isPlain: node.type === 'PLAIN' };
  }

  #scalar({ value, source = '' }: YamlScalar, from: number): Scalar {
    if (typeof value === 'number') {
      const number = numberWritten(source, value);
      if (number === null) throw this.#refuse(from, infiniteNumber(source));
      return number;
    }
    // With the directive "%YAML 1.1", the parser also returns dates and bytes.
    const isScalarValue = value === null || ['string', 'boolean'].includes(typeof value);
    return isScalarValue ? (value as Scalar) : source;
  }

  #entries(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    offset: number,
    depth: number,
  ): ReadonlyMap<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    const keys = new Set<string>();
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : '';
      const from = (key as Node | null)?.range?.[0] ?? offset;
      const node = this.#node(value, from, depth + 1);
      if (keys.has(name) && name !== '<<')
        throw this.#refuse(
          from,
          `the key ${JSON.stringify(name)} occurs twice in the same map; remove one occurrence`,
        );
      keys.add(name);
      if (name === '<<')
        for (const [merged, entry] of mergedEntries(node)) entries.set(merged, entries.get(merged) ?? entry);
      else entries.set(name, { keyAt: this.#positionAt(from), node });
    }
    return entries;
  }
}

function isAnchored(node: unknown): node is Node & { readonly anchor: string } {
  return !isAlias(node) && (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined;
}

/** Returns the entries of a merge key, whose value is a map or a list of maps. */
function mergedEntries(node: SourceNode): readonly (readonly [string, MapEntry])[] {
  if (node.kind === 'list') return node.items.flatMap(mergedEntries);
  return node.kind === 'map' ? [...node.entries] : [];
}
