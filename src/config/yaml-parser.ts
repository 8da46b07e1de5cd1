/**
 * Parses YAML text into a tree with source locations. Supports the core schema of YAML 1.2, without merge keys or
 * custom tags.
 */
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Alias,
  type CST,
  type Pair,
  type ParsedNode,
  type Scalar,
} from 'yaml';
import { problem, type Problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { MAX_DEPTH, scanText } from './text-scan.ts';
import { findMisindented } from './misindented.ts';
import {
  TAG_RULE,
  findSyntaxFix,
  quoteValue,
  applyFix,
  type ParserError,
  type FixedText,
  type SyntaxFix,
} from './syntax-fixes.ts';
import type { ConfigNode, ListNode, LocateSpan, MapEntry, MapNode, ScalarNode, Span } from './config-tree.ts';

/** Maximum numbers of values and of characters in the file after alias expansion. */
const MAX_VALUES = 100_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Maximum length of a key without an explicit "?", as defined by YAML. */
export const MAX_KEY_LENGTH = 1024;
export const REFUSED_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Parses a file, which must contain a single map. */
export function parseText(text: string, locate: LocateSpan): Result<MapNode> {
  const { root, problems } = parseWithFixes(text, locate);
  return root === null || problems.length > 0 ? fail(problems) : ok(root);
}

export interface ParsedText {
  readonly root: MapNode | null;
  /** Values whose content is invalid. */
  readonly invalid: ReadonlySet<ConfigNode>;
  readonly problems: readonly Problem[];
  /** The fixed text from which the tree was parsed; `locate` maps its offsets to the original file. */
  readonly text: string;
  readonly locate: LocateSpan;
}

/** Maximum number of mistakes that are fixed. */
const MAX_FIXES = 20;
/**
 * Maximum length of a file in which mistakes are fixed, in UTF-16 code units. In longer files, only one mistake is
 * reported.
 */
const MAX_FIXABLE_LENGTH = 64 * 1024;

/** Parses a file and fixes recognized mistakes, so that the rest of the file is checked too. */
export function parseWithFixes(text: string, locate: LocateSpan): ParsedText {
  let now: Pick<ParsedText, 'text' | 'locate'> = { text, locate };
  const problems: Problem[] = [];
  for (let count = 0; count <= MAX_FIXES; count++) {
    const read = composeText(now.text, now.locate);
    if (!read.ok) return unreadableText(problems.length > 0 ? problems : read.problems, now);
    const { contents, findings, tokens } = read.value;
    const [first] = findings;
    const fix =
      first === undefined ? findMisindented(contents, now.text) : findSyntaxFix(now.text, first, tokens);
    if (fix === null) {
      if (first !== undefined)
        return unreadableText([...problems, syntaxProblem(first, now.text, now.locate)], now);
      const tree = treeOf(contents, now.text, now.locate);
      return { ...tree, problems: [...problems, ...tree.problems], ...now };
    }
    const code = first === undefined ? 'LT_CONFIG_SHAPE' : 'LT_CONFIG_SYNTAX';
    problems.push(problem(code, fix.message, { source: now.locate(fix.span) }));
    const fixed = now.text.length > MAX_FIXABLE_LENGTH ? null : firstEffectiveFix(fix, first, now.text);
    if (fixed === null) break;
    const { locate: before } = now;
    const { originalOffset } = fixed;
    now = {
      text: fixed.text,
      locate: ({ start, end }) => before({ start: originalOffset(start), end: originalOffset(end) }),
    };
  }
  return unreadableText(problems, now);
}

function unreadableText(problems: readonly Problem[], now: Pick<ParsedText, 'text' | 'locate'>): ParsedText {
  return { root: null, invalid: new Set(), problems, ...now };
}

/** Applies the first candidate after which the parser reads beyond the mistake; returns null if there is none. */
function firstEffectiveFix(
  { candidateEdits }: SyntaxFix,
  finding: ParserError | undefined,
  text: string,
): FixedText | null {
  const nowhere: LocateSpan = (span) => ({
    file: '',
    line: 1,
    column: 1,
    length: span.end - span.start,
    lineText: '',
  });
  for (const edits of candidateEdits) {
    const fixed = applyFix(text, edits);
    const read = composeText(fixed.text, nowhere);
    if (!read.ok) continue;
    const [first] = read.value.findings;
    if (
      first === undefined ||
      fixed.originalOffset(first.pos[0]) > Math.max(finding?.pos[0] ?? text.length, edits.at(-1)?.end ?? 0)
    )
      return fixed;
  }
  return null;
}

interface Composed {
  readonly contents: ParsedNode | null;
  readonly findings: readonly ParserError[];
  readonly tokens: readonly CST.Token[];
}

function composeText(text: string, locate: LocateSpan): Result<Composed> {
  const scanned = scanText(text, locate);
  if (!scanned.ok) return scanned;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    // Disables tags of YAML 1.1, such as `!!omap` and `!!set`, because they produce values that the tree cannot
    // contain.
    resolveKnownTags: false,
    // Disables the check for duplicate keys, which takes quadratic time. `convertMap` performs this check.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [document] = composer.compose(scanned.value, true, text.length);
  if (document === undefined) throw new Error('Bug: the YAML parser returned no document');
  const findings = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  return ok({ contents: document.contents, findings, tokens: scanned.value });
}

function treeOf(
  contents: ParsedNode | null,
  text: string,
  locate: LocateSpan,
): Pick<ParsedText, 'root' | 'invalid' | 'problems'> {
  const conversion: ConversionState = {
    text,
    locate,
    problems: [],
    invalid: new Set(),
    incomplete: false,
    anchors: new Map(),
    values: 0,
    characters: 0,
  };
  const node = convert(contents, conversion, 0).node;
  const { problems, invalid, incomplete } = conversion;
  if (node.kind === 'map') return { root: incomplete ? null : node, invalid, problems };
  const found =
    node.kind === 'scalar' && node.value === null
      ? 'is empty'
      : `is a ${node.kind === 'list' ? 'list' : 'single value'}`;
  const message = `the file ${found}; it must be a map with "version" and "project"`;
  const all = [...problems, problem('LT_CONFIG_SHAPE', message, { source: locate({ start: 0, end: 1 }) })];
  return { root: null, invalid, problems: problems.length > 0 ? problems : all };
}

interface ConversionState {
  readonly text: string;
  readonly locate: LocateSpan;
  readonly problems: Problem[];
  readonly invalid: Set<ConfigNode>;
  /** True if a part of the file is missing from the tree. */
  incomplete: boolean;
  /** Anchored values by name; null while the value is being read. */
  readonly anchors: Map<string, Converted | null>;
  values: number;
  characters: number;
}

interface Converted {
  readonly node: ConfigNode;
  /** Number of levels, including the node itself. */
  readonly height: number;
  /** Number of values, including the node itself and all expanded aliases. */
  readonly size: number;
  /** Characters of the values, including all expanded aliases. */
  readonly length: number;
}

function convert(node: ParsedNode | null, to: ConversionState, depth: number): Converted {
  if (node === null) return emptyNode({ start: 0, end: 1 });
  const span = spanOf(node);
  if (isFull(to)) return emptyNode(span);
  if (isAlias(node)) return convertAlias(node, to, depth);
  const anchor = node.anchor;
  if (anchor !== undefined) to.anchors.set(anchor, null);
  const converted = isMap<ParsedNode, ParsedNode | null>(node)
    ? convertMap(node.items, span, to, depth)
    : isSeq<ParsedNode>(node)
      ? convertList(node.items, span, to, depth)
      : convertScalar(node, span, to);
  if (anchor !== undefined) to.anchors.set(anchor, converted);
  return converted;
}

function convertMap(
  pairs: readonly Pair<ParsedNode, ParsedNode | null>[],
  span: Span,
  to: ConversionState,
  depth: number,
): Converted {
  const entries = new Map<string, MapEntry>();
  const parts: Converted[] = [];
  countValue(to, SINGLE_VALUE, span);
  for (const pair of pairs) {
    const keySpan = spanOf(pair.key);
    const key = isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : null;
    const child = pair.value === null ? emptyNode(keySpan) : convert(pair.value, to, depth + 1);
    parts.push(child);
    if (key !== null && LONE_SURROGATE.test(key)) addProblem(to, LONE_SURROGATE_RULE, keySpan);
    else if (key === null) addProblem(to, KEY_RULE, keySpan);
    else if (REFUSED_KEYS.includes(key))
      addProblem(to, `the key "${key}" is not allowed; rename it`, keySpan);
    else if (key.length > MAX_KEY_LENGTH)
      addProblem(
        to,
        `the key ${JSON.stringify(`${key.slice(0, 40)}…`)} is longer than ${MAX_KEY_LENGTH} characters; shorten it`,
        keySpan,
      );
    else {
      const first = entries.get(key);
      if (first === undefined) entries.set(key, { key, keySpan, node: child.node });
      else {
        const { line } = to.locate(first.keySpan);
        const message = `the key ${JSON.stringify(key)} is already defined in this map on line ${line}; remove one of the two entries`;
        addInvalid(to, message, keySpan, child.node);
      }
    }
  }
  const node: MapNode = { kind: 'map', entries, span };
  return withSizes(node, parts);
}

function convertList(
  items: readonly ParsedNode[],
  span: Span,
  to: ConversionState,
  depth: number,
): Converted {
  countValue(to, SINGLE_VALUE, span);
  const parts = items.map((item) => convert(item, to, depth + 1));
  const node: ListNode = { kind: 'list', items: parts.map((part) => part.node), span };
  return withSizes(node, parts);
}

function withSizes(node: ConfigNode, parts: readonly Converted[]): Converted {
  let height = 0;
  let size = 1;
  let length = 0;
  for (const part of parts) {
    height = Math.max(height, part.height);
    size += part.size;
    length += part.length;
  }
  return { node, height: height + 1, size, length };
}

function convertScalar(scalar: Scalar.Parsed, span: Span, to: ConversionState): Converted {
  const { value } = scalar;
  const length = typeof value === 'string' ? value.length : scalar.source.length;
  countValue(to, { size: 1, length }, span);
  const isSupported =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  const isNumber = typeof value === 'number';
  const reason = isNumber ? `"${scalar.source}" is not a valid number; write a finite number` : TAG_RULE;
  const node: ScalarNode = {
    kind: 'scalar',
    value: isSupported ? value : null,
    written: typeof value === 'string' ? value : scalar.source,
    secret: null,
    span,
  };
  if (!isSupported) addInvalid(to, reason, span, node);
  if (typeof value === 'string' && LONE_SURROGATE.test(value))
    addInvalid(to, LONE_SURROGATE_RULE, span, node);
  return { node, height: 0, size: 1, length };
}

/** Returns the anchored value itself, so that problems in the value are located at the anchor. */
function convertAlias(alias: Alias.Parsed, to: ConversionState, depth: number): Converted {
  const span = spanOf(alias);
  const target = to.anchors.get(alias.source);
  if (target === undefined || target === null) {
    const reason =
      target === null
        ? 'is inside the value that it refers to'
        : 'refers to an anchor that is not defined before the alias';
    // An undefined alias is often an unquoted string, such as a host name pattern.
    const quoted = quoteValue(`*${alias.source}`);
    const advice = target === undefined ? `if the value is a string, write ${quoted}` : 'remove the alias';
    const placeholder = emptyNode(span);
    addInvalid(to, `the alias "*${alias.source}" ${reason}; ${advice}`, span, placeholder.node);
    return placeholder;
  }
  if (depth + target.height > MAX_DEPTH) {
    addProblem(
      to,
      `the alias "*${alias.source}" expands the file to more than ${MAX_DEPTH} nested levels; reduce the nesting`,
      span,
      'LT_CONFIG_UNREADABLE',
    );
    return emptyNode(span);
  }
  countValue(to, target, span);
  return target;
}

const SINGLE_VALUE = { size: 1, length: 0 };

function countValue(to: ConversionState, what: Pick<Converted, 'size' | 'length'>, span: Span): void {
  if (isFull(to)) return;
  to.values += what.size;
  to.characters += what.length;
  if (!isFull(to)) return;
  const amount = to.values > MAX_VALUES ? '100,000 values' : '16 MiB of text';
  const message = `the file contains more than ${amount} after alias expansion; split it into several projects`;
  addProblem(to, message, span, 'LT_CONFIG_UNREADABLE');
}

function isFull(to: ConversionState): boolean {
  return to.values > MAX_VALUES || to.characters > MAX_CHARACTERS;
}

function emptyNode(span: Span): Converted {
  return {
    node: { kind: 'scalar', value: null, written: '', secret: null, span },
    height: 0,
    size: 1,
    length: 0,
  };
}

function spanOf(node: { readonly range: readonly [number, number, number] }): Span {
  return { start: node.range[0], end: node.range[1] };
}

function addInvalid(to: ConversionState, message: string, span: Span, node: ConfigNode): void {
  to.problems.push(problem('LT_CONFIG_SYNTAX', message, { source: to.locate(span) }));
  to.invalid.add(node);
}

function addProblem(
  to: ConversionState,
  message: string,
  span: Span,
  code: Problem['code'] = 'LT_CONFIG_SYNTAX',
): void {
  to.problems.push(problem(code, message, { source: to.locate(span) }));
  to.incomplete = true;
}

function syntaxProblem(finding: ParserError, text: string, locate: LocateSpan): Problem {
  const [start, end] = finding.pos;
  const source = locate({ start, end });
  const rule = SYNTAX_RULES[finding.code];
  if (rule !== undefined) return problem('LT_CONFIG_SYNTAX', rule, { source });
  if (finding.message.startsWith('Missing closing'))
    return problem('LT_CONFIG_SYNTAX', 'unclosed quote; add the closing quote', { source });
  const words = finding.message.split('\n', 1)[0] ?? '';
  const parserMessage = words.charAt(0).toLowerCase() + words.slice(1);
  const near =
    text
      .slice(start, start + 20)
      .split('\n', 1)[0]
      ?.trim() ?? '';
  const quoted = near === '' ? 'the file' : JSON.stringify(near);
  return problem('LT_CONFIG_SYNTAX', `${quoted} is not valid YAML: ${parserMessage}`, { source });
}

/** Matches half of a surrogate pair, which an escape sequence can produce but UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Cs}/u;
const LONE_SURROGATE_RULE =
  'the string contains half of a surrogate pair; write both halves, such as "\\ud83d\\ude00", or "\\U0001F600"';

const KEY_RULE = 'a key must be a string; write a quoted string as the key';

/** Messages for common parser errors; other errors have the message of the parser. */
const SYNTAX_RULES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'tabs are not allowed for indentation; use spaces',
  TAG_RESOLVE_FAILED: TAG_RULE,
  NON_STRING_KEY: KEY_RULE,
  BAD_ALIAS: 'an alias has no name or a name with invalid characters; if the value is a string, quote it',
};
