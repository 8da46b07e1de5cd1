/** Prints a configuration as YAML text that parses to the same values. */
import { Document, Pair, Scalar, YAMLMap, YAMLSeq, type Node } from 'yaml';
import { isList, type Json } from '../core/canonical.ts';
import type { Delay } from '../core/model/delay.ts';
import type { RowOptions } from '../core/model/payload-file.ts';
import { CI_COMMAND_SIGN, hasCiCommand, printable } from '../core/printable.ts';
import { formatDuration, parseDuration, type Milliseconds } from '../core/units.ts';

/** A literal string, or a string whose references, such as `${secret:NAME}`, must not be escaped. */
export type PrintableText = string | { readonly template: string };

export interface PrintableApp {
  readonly key: string;
  readonly host: string;
  /** Verification settings; null for the defaults. */
  readonly verification: readonly PrintableMember[] | null;
}

export type PrintableValue =
  | PrintableText
  | number
  | boolean
  | null
  | PrintableDuration
  | readonly PrintableMember[]
  | PrintableList
  | PrintableScalars
  | PrintableJson
  | PrintableEntries;

/** A block list of one-line maps, or a one-line list of durations. */
export interface PrintableList {
  readonly items: readonly (readonly PrintableMember[])[] | readonly PrintableDuration[];
}

export interface PrintableScalars {
  readonly scalars: readonly (string | number | boolean | null)[];
}

/** A block list of maps, each with comment lines above it. A map with only `url` is printed in its short form. */
export interface PrintableEntries {
  readonly blocks: readonly PrintableEntry[];
}

export interface PrintableEntry {
  readonly comments: readonly string[];
  readonly fields: readonly PrintableMember[];
}

/** A JSON value whose strings may contain references. */
export interface PrintableJson {
  readonly json: Json;
}

export interface PrintableDuration {
  readonly duration: Milliseconds;
}

export interface PrintableMember {
  readonly name: string;
  readonly comments?: readonly string[];
  readonly value: PrintableValue;
}

/**
 * Returns a member for each field that has a value. The names must not be integers, because integer keys would change
 * the order.
 */
export function membersOf<Value>(
  fields: Readonly<Record<string, Value | undefined>>,
): { readonly name: string; readonly value: Value }[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** Describes a think time: a duration, or the list of its bounds. */
export function describeDelay({ min, max }: Delay): PrintableValue {
  return min === max ? { duration: min } : { items: [{ duration: min }, { duration: max }] };
}

/** Describes a file of rows: its path, or a map if it has options. */
export function describeRows(path: string, { columns, delimiter, order, mask }: RowOptions): PrintableValue {
  const options = membersOf<PrintableValue>({
    columns: columns && { scalars: columns },
    delimiter,
    order,
    mask: mask && { scalars: mask },
  });
  return options.length === 0 ? path : [{ name: 'file', value: path }, ...options];
}

export interface PrintableTest {
  readonly key: string;
  readonly comments: readonly string[];
  readonly fields: readonly PrintableMember[];
}

export interface PrintableConfig {
  readonly comments: readonly string[];
  readonly project: string;
  /** Name of the environment to declare without an overlay; null if there is none. */
  readonly environment: string | null;
  /** Settings of the service; null for the embedded service. */
  readonly service: readonly PrintableMember[] | null;
  readonly apps: readonly PrintableApp[];
  readonly tests: readonly PrintableTest[];
}

export function printConfig(config: PrintableConfig): string {
  const { project, environment, service, apps, tests } = config;
  const root = membersOf<PrintableValue>({
    version: 1,
    project,
    service: service ?? undefined,
    environments: environment === null ? undefined : [{ name: environment, value: [] }],
    apps: apps.length === 0 ? undefined : apps.map((app) => ({ name: app.key, value: describeApp(app) })),
    tests:
      tests.length === 0
        ? undefined
        : tests.map(({ key, comments, fields }) => ({ name: key, comments, value: fields })),
  });
  const document = new Document(null, { version: '1.2', schema: 'core' });
  document.contents = membersNode(root);
  const body = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  const header = config.comments.map((line) => `# ${printable(line)}`.trimEnd() + '\n').join('');
  return escapeInvisible(header + body);
}

function describeApp({ host, verification }: PrintableApp): PrintableValue {
  if (verification === null) return host;
  return [
    { name: 'app', value: host },
    { name: 'verification', value: verification },
  ];
}

function entriesNode({ blocks }: PrintableEntries): YAMLSeq {
  const list = new YAMLSeq();
  for (const { comments, fields } of blocks) {
    const [url, ...others] = fields;
    const node = url?.name === 'url' && others.length === 0 ? valueNode(url.value) : membersNode(fields);
    addComments(node, comments);
    list.items.push(node);
  }
  return list;
}

function addComments(node: Node, comments: readonly string[]): void {
  if (comments.length > 0) node.commentBefore = comments.map((line) => ` ${printable(line)}`).join('\n');
}

function membersNode(members: readonly PrintableMember[]): YAMLMap {
  const map = new YAMLMap();
  for (const { name, comments = [], value } of members) {
    const key = scalarNode(name);
    addComments(key, comments);
    map.items.push(new Pair(key, valueNode(value)));
  }
  return map;
}

function valueNode(value: PrintableValue): Node {
  if (typeof value === 'string') return literalText(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return new Scalar(value);
  if ('template' in value) return scalarNode(value.template);
  if ('items' in value) return listNode(value);
  if ('scalars' in value) return scalarsNode(value);
  if ('blocks' in value) return entriesNode(value);
  if ('json' in value) return jsonNode(value.json);
  return 'duration' in value ? durationNode(value.duration) : membersNode(value);
}

function listNode({ items }: PrintableList): YAMLSeq {
  const list = new YAMLSeq();
  for (const item of items) {
    if ('duration' in item) {
      list.flow = true;
      list.items.push(durationNode(item.duration));
      continue;
    }
    const node = membersNode(item);
    node.flow = true;
    list.items.push(node);
  }
  return list;
}

function jsonNode(value: Json): Node {
  if (typeof value === 'string') return scalarNode(value);
  if (typeof value !== 'object' || value === null) return new Scalar(value);
  if (!isList(value))
    return membersNode(Object.entries(value).map(([name, json]) => ({ name, value: { json } })));
  const list = new YAMLSeq();
  list.items.push(...value.map(jsonNode));
  return list;
}

function scalarsNode({ scalars }: PrintableScalars): YAMLSeq {
  const list = new YAMLSeq();
  list.flow = true;
  list.items.push(
    ...scalars.map((scalar) => (typeof scalar === 'string' ? literalText(scalar) : new Scalar(scalar))),
  );
  return list;
}

/** Returns a duration with the units of `formatDuration` if they represent it exactly, otherwise in milliseconds. */
function durationNode(value: Milliseconds): Scalar {
  const text = formatDuration(value);
  return parseDuration(text) === value ? scalarNode(text) : scalarNode(`${value}ms`);
}

function literalText(text: string): Scalar {
  return scalarNode(escapeReferences(text));
}

export function escapeReferences(text: string): string {
  // The replacement is a function, because "$$" in a replacement string means "$".
  return text.replaceAll('${', () => '$${');
}

/** Matches invisible characters and line separators, which need escape sequences in a double-quoted string. */
const INVISIBLE = /[^\P{C}\n]|[\u2028\u2029]/u;

function scalarNode(text: string): Scalar {
  const node = new Scalar(text);
  // Also quotes text with whitespace at either end of a line, because block style could lose the whitespace.
  const plain = !INVISIBLE.test(text) && !hasCiCommand(text) && !/^\s|\s$|[ \t]\n|\n[ \t]/.test(text);
  if (!plain) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/**
 * Escapes invisible characters, and the first `#` of CI commands such as `##vso[`. Both occur only in double quotes:
 * `scalarNode` quotes such strings, and comments do not contain them.
 */
function escapeInvisible(text: string): string {
  return text
    .replaceAll(new RegExp(INVISIBLE, 'gu'), (character) => {
      const code = character.codePointAt(0) ?? 0;
      const digits = code.toString(16);
      return code > 0xffff ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
    })
    .replaceAll(CI_COMMAND_SIGN, '\\u0023#');
}
