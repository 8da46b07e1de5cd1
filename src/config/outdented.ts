/**
 * Fields that stand beside the key that they belong below, for want of one indentation. YAML takes them for what they
 * are not, so only the schema can tell.
 */
import { isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml';
import { asSchema, branchesOf, member, namesOf, resolved, schemaOfKey } from '../schema/descend.ts';
import { configSchema } from '../schema/generated/config-validator.js';
import type { JsonSchema } from '../schema/validator.ts';
import type { Edit, Slip } from './slips.ts';

const INDENT = '  ';
const ENVIRONMENTS = asForm(member(configSchema['properties'], 'environments'));

/** The first such fields of a file; null for none. The depth is bounded before. */
export function findOutdented(contents: ParsedNode | null, text: string): Slip | null {
  return contents === null ? null : findBelow(contents, asForm(configSchema), { text, inEnvironment: false });
}

interface Where {
  readonly text: string;
  /** Where a key without a value is right: it takes away. */
  readonly inEnvironment: boolean;
}

type BlockMap = YAMLMap.Parsed;

function findBelow(node: ParsedNode, schema: JsonSchema, where: Where): Slip | null {
  if (isSeq<ParsedNode>(node)) {
    const item = asForm(schema['items']);
    return firstOf(node.items, (one) => findBelow(one, formFor(one, item), where));
  }
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return null;
  const own = node.flow === true ? null : findBeside(node, schema, where);
  if (own !== null) return own;
  return firstOf(node.items, ({ key, value }) => {
    const name = nameOf(key);
    if (name === null || value === null) return null;
    const inEnvironment = where.inEnvironment || schema === ENVIRONMENTS;
    return findBelow(value, formFor(value, schemaOfKey(schema, name)), { ...where, inEnvironment });
  });
}

function findBeside(map: BlockMap, schema: JsonSchema, where: Where): Slip | null {
  return firstOf([...map.items.entries()], ([index, { key, value }]) => {
    const name = nameOf(key);
    if (name === null || !isNothing(value)) return null;
    const form = mapForm(schemaOfKey(schema, name));
    if (form === null) return null;
    const from = index + 1;
    const count = countOf(map.items, from, (one) => belongs(one, { above: schema, below: form }, where));
    return count === 0 ? null : slipOf(name, map.items.slice(from, from + count), where.text);
  });
}

type Pair = BlockMap['items'][number];

/** How many belong, from one of them on, with what nobody knows between them. */
function countOf(pairs: readonly Pair[], from: number, judge: (pair: Pair) => boolean | null): number {
  let count = 0;
  for (let index = from; index < pairs.length; index++) {
    const pair = pairs[index];
    const verdict = pair === undefined ? false : judge(pair);
    if (verdict === false) break;
    if (verdict === true) count = index + 1 - from;
  }
  return count;
}

/** Null: it fits as well, or as little, where it stands. */
function belongs(
  { key, value }: Pair,
  { above, below }: { readonly above: JsonSchema; readonly below: JsonSchema },
  { inEnvironment }: Where,
): boolean | null {
  const name = nameOf(key);
  if (name === null) return false;
  const here = fitOf(above, name, value);
  const there = fitOf(below, name, value);
  if (inEnvironment && here !== 'none') return false;
  return here === there && here !== 'own' ? null : FITS.indexOf(there) > FITS.indexOf(here);
}

/** From worst to best; free: any name will do. */
const FITS = ['none', 'extension', 'free', 'own'] as const;

function fitOf(schema: JsonSchema, name: string, value: ParsedNode | null): (typeof FITS)[number] {
  const isFree = typeof schema['additionalProperties'] === 'object';
  const patterns = asSchema(schema['patternProperties']);
  if (name.startsWith('x-') && '^x-' in patterns) return 'extension';
  if (!takes(schemaOfKey(schema, name), value)) return 'none';
  if (isFree && member(schema['properties'], name) === undefined) return 'free';
  return 'own';
}

function takes(form: unknown, value: ParsedNode | null): boolean {
  if (form === undefined) return false;
  if (isNothing(value)) return true;
  const kinds = formsOf(form).map(kindOfForm);
  return kinds.includes(null) || kinds.includes(kindOf(value));
}

/** A schema, or its branches. */
function formsOf(form: unknown): readonly JsonSchema[] {
  const schema = asForm(form);
  const branches = branchesOf(schema, configSchema);
  return branches.length === 0 ? [schema] : branches;
}

function mapForm(form: unknown): JsonSchema | null {
  return form === undefined ? null : (formsOf(form).find((one) => kindOfForm(one) === 'map') ?? null);
}

function formFor(value: ParsedNode, form: unknown): JsonSchema {
  return formsOf(form).find((one) => kindOfForm(one) === kindOf(value)) ?? {};
}

function asForm(form: unknown): JsonSchema {
  return resolved(asSchema(form), configSchema);
}

type Kind = 'map' | 'list' | 'scalar';

/** Null: of any kind. */
function kindOfForm(form: JsonSchema): Kind | null {
  const [type] = namesOf(form['type']);
  if (type === 'object') return 'map';
  if (type === 'array') return 'list';
  return type !== undefined || 'enum' in form || 'const' in form ? 'scalar' : null;
}

function kindOf(value: ParsedNode | null): Kind {
  if (isMap(value)) return 'map';
  return isSeq(value) ? 'list' : 'scalar';
}

/** Nothing is written, which is not what `null` or `~` says. */
function isNothing(value: ParsedNode | null): boolean {
  return value === null || (isScalar(value) && value.value === null && value.source === '');
}

function nameOf(key: ParsedNode): string | null {
  return isScalar(key) && typeof key.value === 'string' ? key.value : null;
}

function slipOf(name: string, pairs: readonly Pair[], text: string): Slip | null {
  const [first] = pairs;
  const last = pairs.at(-1);
  if (first === undefined || last === undefined) return null;
  const [start, end] = first.key.range;
  const others = pairs.length - 1;
  const more = others === 0 ? 'it' : `it and the ${others === 1 ? 'key' : `${others} keys`} after it`;
  const message = `"${nameOf(first.key) ?? ''}" stands beside "${name}", not below it; indent ${more} by two more spaces`;
  const edits = indent(text, start, (last.value ?? last.key).range[1]);
  return { message, span: { start, end }, ways: [edits] };
}

/** Each line with text in it, from that of the first place to that of the last. */
function indent(text: string, from: number, to: number): Edit[] {
  const edits: Edit[] = [];
  let start = text.lastIndexOf('\n', from - 1) + 1;
  while (start < to) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    if (text.slice(start, end).trim() !== '') edits.push({ start, end: start, text: INDENT });
    start = end + 1;
  }
  return edits;
}

function firstOf<T>(members: readonly T[], find: (member: T) => Slip | null): Slip | null {
  for (const one of members) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}
