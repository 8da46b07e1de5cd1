/** Detection of fields that lack one level of indentation, so that they appear next to their parent key. */
import { isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml';
import {
  toSchema,
  branchesOf,
  member,
  keywordNames,
  resolveReference,
  schemaOfKey,
} from '../schema/subschemas.ts';
import { configSchema } from '../schema/generated/config-validator.js';
import type { JsonSchema } from '../schema/validator.ts';
import type { TextEdit, SyntaxFix } from './syntax-fixes.ts';

const INDENT_WIDTH = '  ';
const ENVIRONMENTS_KEY = toForm(member(configSchema['properties'], 'environments'));

/** Finds the first misindented fields of a file; null if there are none. */
export function findMisindented(contents: ParsedNode | null, text: string): SyntaxFix | null {
  return contents === null || !hasEmptyValue(contents)
    ? null
    : findInChildren(contents, toForm(configSchema), { text, inEnvironment: false });
}

/** Reports whether a key has no value, because only the fields of such a key can be misindented. */
function hasEmptyValue(node: ParsedNode): boolean {
  if (isSeq<ParsedNode>(node)) return node.items.some(hasEmptyValue);
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return false;
  return node.items.some(({ value }) => value === null || isEmptyValue(value) || hasEmptyValue(value));
}

interface SearchContext {
  readonly text: string;
  /** True inside `environments`. A key without a value is valid there, because the key removes a field. */
  readonly inEnvironment: boolean;
}

type BlockMap = YAMLMap.Parsed;

function findInChildren(node: ParsedNode, schema: JsonSchema, where: SearchContext): SyntaxFix | null {
  if (isSeq<ParsedNode>(node)) {
    const item = toForm(schema['items']);
    return findFirst(node.items, (one) => findInChildren(one, matchingForm(one, item), where));
  }
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return null;
  const own = node.flow === true ? null : findAmongSiblings(node, schema, where);
  if (own !== null) return own;
  return findFirst(node.items, ({ key, value }) => {
    const name = keyText(key);
    if (name === null || value === null) return null;
    const inEnvironment = where.inEnvironment || schema === ENVIRONMENTS_KEY;
    return findInChildren(value, matchingForm(value, schemaOfKey(schema, name)), { ...where, inEnvironment });
  });
}

function findAmongSiblings(map: BlockMap, schema: JsonSchema, where: SearchContext): SyntaxFix | null {
  return findFirst([...map.items.entries()], ([index, { key, value }]) => {
    const name = keyText(key);
    if (name === null || !isEmptyValue(value)) return null;
    const form = mapForm(schemaOfKey(schema, name));
    if (form === null) return null;
    const from = index + 1;
    const count = countMisindented(map.items, from, (one) =>
      belongs(one, { above: schema, below: form }, where),
    );
    return count === 0 ? null : toSyntaxFix(name, map.items.slice(from, from + count), where.text);
  });
}

type Pair = BlockMap['items'][number];

/**
 * Returns the number of consecutive pairs from an index onward that belong to the level below. Pairs without a decision
 * are counted only if such a pair follows.
 */
function countMisindented(
  pairs: readonly Pair[],
  from: number,
  evaluate: (pair: Pair) => boolean | null,
): number {
  let count = 0;
  for (let index = from; index < pairs.length; index++) {
    const pair = pairs[index];
    const isMisindented = pair === undefined ? false : evaluate(pair);
    if (isMisindented === false) break;
    if (isMisindented === true) count = index + 1 - from;
  }
  return count;
}

/** Reports whether a pair belongs to the level below; null if this cannot be decided. */
function belongs(
  { key, value }: Pair,
  { above, below }: { readonly above: JsonSchema; readonly below: JsonSchema },
  { inEnvironment }: SearchContext,
): boolean | null {
  const name = keyText(key);
  if (name === null) return false;
  const fitAbove = fitOf(above, name, value);
  const fitBelow = fitOf(below, name, value);
  if (inEnvironment && fitAbove !== 'none') return false;
  return fitAbove === fitBelow && fitAbove !== 'own'
    ? null
    : FIT_LEVELS.indexOf(fitBelow) > FIT_LEVELS.indexOf(fitAbove);
}

/**
 * Degrees of fit from worst to best. `extension` means a key that begins with `x-`; `free` means that the map accepts
 * any name.
 */
const FIT_LEVELS = ['none', 'extension', 'free', 'own'] as const;

function fitOf(schema: JsonSchema, name: string, value: ParsedNode | null): (typeof FIT_LEVELS)[number] {
  const isFree = typeof schema['additionalProperties'] === 'object';
  const patterns = toSchema(schema['patternProperties']);
  if (name.startsWith('x-') && '^x-' in patterns) return 'extension';
  if (!acceptsValue(schemaOfKey(schema, name), value)) return 'none';
  if (isFree && member(schema['properties'], name) === undefined) return 'free';
  return 'own';
}

function acceptsValue(form: unknown, value: ParsedNode | null): boolean {
  if (form === undefined) return false;
  if (isEmptyValue(value)) return true;
  const kinds = formsOf(form).map(kindOfForm);
  return kinds.includes(null) || kinds.includes(kindOf(value));
}

function formsOf(form: unknown): readonly JsonSchema[] {
  const schema = toForm(form);
  const branches = branchesOf(schema, configSchema);
  return branches.length === 0 ? [schema] : branches;
}

function mapForm(form: unknown): JsonSchema | null {
  return form === undefined ? null : (formsOf(form).find((one) => kindOfForm(one) === 'map') ?? null);
}

function matchingForm(value: ParsedNode, form: unknown): JsonSchema {
  return formsOf(form).find((one) => kindOfForm(one) === kindOf(value)) ?? {};
}

function toForm(form: unknown): JsonSchema {
  return resolveReference(toSchema(form), configSchema);
}

type Kind = 'map' | 'list' | 'scalar';

/** Returns the kind of value that a schema accepts; null if it does not restrict the kind. */
function kindOfForm(form: JsonSchema): Kind | null {
  const [type] = keywordNames(form['type']);
  if (type === 'object') return 'map';
  if (type === 'array') return 'list';
  return type !== undefined || 'enum' in form || 'const' in form ? 'scalar' : null;
}

function kindOf(value: ParsedNode | null): Kind {
  if (isMap(value)) return 'map';
  return isSeq(value) ? 'list' : 'scalar';
}

/** Reports whether a key has no value. An explicit `null` or `~` counts as a value. */
function isEmptyValue(value: ParsedNode | null): boolean {
  return value === null || (isScalar(value) && value.value === null && value.source === '');
}

function keyText(key: ParsedNode): string | null {
  return isScalar(key) && typeof key.value === 'string' ? key.value : null;
}

function toSyntaxFix(name: string, pairs: readonly Pair[], text: string): SyntaxFix | null {
  const [first] = pairs;
  const last = pairs.at(-1);
  if (first === undefined || last === undefined) return null;
  const [start, end] = first.key.range;
  const others = pairs.length - 1;
  const key = `"${keyText(first.key) ?? ''}"`;
  const subject = others === 0 ? key : `${key} and the ${others === 1 ? 'key' : `${others} keys`} after it`;
  const message = `${key} is on the same level as "${name}" but belongs below it; indent ${subject} by two more spaces`;
  const edits = indentLines(text, start, (last.value ?? last.key).range[1]);
  return { message, span: { start, end }, candidateEdits: [edits] };
}

function indentLines(text: string, from: number, to: number): TextEdit[] {
  const edits: TextEdit[] = [];
  let start = text.lastIndexOf('\n', from - 1) + 1;
  while (start < to) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    if (text.slice(start, end).trim() !== '') edits.push({ start, end: start, text: INDENT_WIDTH });
    start = end + 1;
  }
  return edits;
}

function findFirst<T>(members: readonly T[], find: (member: T) => SyntaxFix | null): SyntaxFix | null {
  for (const one of members) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}
