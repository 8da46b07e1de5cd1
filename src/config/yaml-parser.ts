/** Text to values, each with its place. YAML 1.2 core: no merges, no own tags, unique keys, bounded aliases. */
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

/** What aliases may expand the file to. */
const MAX_VALUES = 100_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** As long as YAML lets keys be that are written without a mark of their own. */
export const MAX_KEY_LENGTH = 1024;
export const REFUSED_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Reads the one map that a file is. */
export function parseText(text: string, locate: LocateSpan): Result<MapNode> {
  const { root, problems } = parseWithFixes(text, locate);
  return root === null || problems.length > 0 ? fail(problems) : ok(root);
}

/** A file as it was meant, as far as that can be told, and what is wrong with it. */
export interface ParsedText {
  /** Null where no more can be said of the file. */
  readonly root: MapNode | null;
  /** Values of it that are not what was meant. */
  readonly wrong: ReadonlySet<ConfigNode>;
  readonly problems: readonly Problem[];
  /** The text that the tree was read from; what is located in it is found in the file. */
  readonly text: string;
  readonly locate: LocateSpan;
}

/** Further ones are told when these are mended; and each costs one more look at the whole file. */
const MAX_FIXES = 20;
/** A slip in a longer file is told alone. */
const MAX_FIXABLE_LENGTH = 64 * 1024;

/** Reads a file in which people slipped: each slip is one problem, and is mended for the sake of what follows. */
export function parseWithFixes(text: string, locate: LocateSpan): ParsedText {
  let now: Pick<ParsedText, 'text' | 'locate'> = { text, locate };
  const problems: Problem[] = [];
  for (let count = 0; count <= MAX_FIXES; count++) {
    const read = composeText(now.text, now.locate);
    if (!read.ok) return unreadableText(problems.length > 0 ? problems : read.problems, now);
    const { contents, findings, tokens } = read.value;
    const [first] = findings;
    const slip =
      first === undefined ? findMisindented(contents, now.text) : findSyntaxFix(now.text, first, tokens);
    if (slip === null) {
      if (first !== undefined)
        return unreadableText([...problems, syntaxProblem(first, now.text, now.locate)], now);
      const tree = treeOf(contents, now.text, now.locate);
      return { ...tree, problems: [...problems, ...tree.problems], ...now };
    }
    const code = first === undefined ? 'LT_CONFIG_SHAPE' : 'LT_CONFIG_SYNTAX';
    problems.push(problem(code, slip.message, { source: now.locate(slip.span) }));
    const mended = now.text.length > MAX_FIXABLE_LENGTH ? null : firstEffectiveFix(slip, first, now.text);
    if (mended === null) break;
    const { locate: before } = now;
    const { originalOffset } = mended;
    now = {
      text: mended.text,
      locate: ({ start, end }) => before({ start: originalOffset(start), end: originalOffset(end) }),
    };
  }
  return unreadableText(problems, now);
}

function unreadableText(problems: readonly Problem[], now: Pick<ParsedText, 'text' | 'locate'>): ParsedText {
  return { root: null, wrong: new Set(), problems, ...now };
}

/** The first way to mend a slip after which the parser gets further. */
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
    const mended = applyFix(text, edits);
    const read = composeText(mended.text, nowhere);
    if (!read.ok) continue;
    const [first] = read.value.findings;
    if (
      first === undefined ||
      mended.originalOffset(first.pos[0]) > Math.max(finding?.pos[0] ?? text.length, edits.at(-1)?.end ?? 0)
    )
      return mended;
  }
  return null;
}

interface Composed {
  readonly contents: ParsedNode | null;
  /** In the order of the text. */
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
    // Tags of YAML 1.1: `!!omap`, `!!set` and their kin become what no file can hold.
    resolveKnownTags: false,
    // Own check: this one compares every key with every other one.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [document] = composer.compose(scanned.value, true, text.length);
  if (document === undefined) throw new Error('Bug: a composer that was told to give a document gave none');
  const findings = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  return ok({ contents: document.contents, findings, tokens: scanned.value });
}

function treeOf(
  contents: ParsedNode | null,
  text: string,
  locate: LocateSpan,
): Pick<ParsedText, 'root' | 'wrong' | 'problems'> {
  const conversion: ConversionState = {
    ...{ text, locate, problems: [], wrong: new Set(), incomplete: false },
    ...{ anchors: new Map(), values: 0, characters: 0 },
  };
  const node = convert(contents, conversion, 0).node;
  const { problems, wrong, incomplete } = conversion;
  if (node.kind === 'map') return { root: incomplete ? null : node, wrong, problems };
  const found =
    node.kind === 'scalar' && node.value === null
      ? 'is empty'
      : `is a ${node.kind === 'list' ? 'list' : 'single value'}`;
  const message = `the file ${found}; it must be a map with "version" and "project"`;
  const all = [...problems, problem('LT_CONFIG_SHAPE', message, { source: locate({ start: 0, end: 1 }) })];
  return { root: null, wrong, problems: problems.length > 0 ? problems : all };
}

interface ConversionState {
  readonly text: string;
  readonly locate: LocateSpan;
  readonly problems: Problem[];
  /** Values that stand for others, which are not known. */
  readonly wrong: Set<ConfigNode>;
  /** Something was left out. */
  incomplete: boolean;
  /** Null while the anchored value is still being read. */
  readonly anchors: Map<string, Converted | null>;
  values: number;
  characters: number;
}

interface Converted {
  readonly node: ConfigNode;
  /** Levels below it, itself included. */
  readonly height: number;
  /** Values in it, itself included, with every alias expanded. */
  readonly size: number;
  /** Characters of its values, the same way. */
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
    else if (key === null) addProblem(to, 'a key must be a string', keySpan);
    else if (REFUSED_KEYS.includes(key))
      addProblem(to, `the key "${key}" is not allowed; rename it`, keySpan);
    else if (key.length > MAX_KEY_LENGTH)
      addProblem(
        to,
        `the key ${JSON.stringify(`${key.slice(0, 40)}…`)} is longer than ${MAX_KEY_LENGTH} characters`,
        keySpan,
      );
    else {
      const first = entries.get(key);
      if (first === undefined) entries.set(key, { key, keySpan, node: child.node });
      else {
        const { line } = to.locate(first.keySpan);
        const message = `the key ${JSON.stringify(key)} is duplicated in this map, already on line ${line}; remove one`;
        addWrong(to, message, keySpan, child.node);
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
  const usable =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  const isNumber = typeof value === 'number';
  const reason = isNumber ? `"${scalar.source}" is not a valid number; write a finite number` : TAG_RULE;
  const node: ScalarNode = {
    kind: 'scalar',
    value: usable ? value : null,
    written: typeof value === 'string' ? value : scalar.source,
    secret: null,
    span,
  };
  if (!usable) addWrong(to, reason, span, node);
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) addWrong(to, LONE_SURROGATE_RULE, span, node);
  return { node, height: 0, size: 1, length };
}

/** Gives the anchored value itself: problems in it point at where it is written. */
function convertAlias(alias: Alias.Parsed, to: ConversionState, depth: number): Converted {
  const span = spanOf(alias);
  const target = to.anchors.get(alias.source);
  if (target === undefined || target === null) {
    const reason =
      target === null
        ? 'is inside the value that it refers to'
        : 'refers to an anchor that is not defined before it';
    // A pattern of hosts, most likely, where there is no such anchor.
    const quoted = quoteValue(`*${alias.source}`);
    const advice = target === undefined ? `; if it is text, put it in quotes: ${quoted}` : '';
    const nothing = emptyNode(span);
    addWrong(to, `the alias "*${alias.source}" ${reason}${advice}`, span, nothing.node);
    return nothing;
  }
  if (depth + target.height > MAX_DEPTH) {
    addProblem(
      to,
      `with the alias "*${alias.source}", the file is nested deeper than ${MAX_DEPTH} levels`,
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
  const amount = to.values > MAX_VALUES ? `${MAX_VALUES} values` : '16 MiB of text';
  const message = `the file contains more than ${amount}, including what aliases repeat`;
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

/** A problem of a value alone: the rest of the file is not changed by it. */
function addWrong(to: ConversionState, message: string, span: Span, node: ConfigNode): void {
  to.problems.push(problem('LT_CONFIG_SYNTAX', message, { source: to.locate(span) }));
  to.wrong.add(node);
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
    return problem('LT_CONFIG_SYNTAX', 'unclosed quote', { source });
  const words = finding.message.split('\n', 1)[0] ?? '';
  const said = words.charAt(0).toLowerCase() + words.slice(1);
  const near =
    text
      .slice(start, start + 20)
      .split('\n', 1)[0]
      ?.trim() ?? '';
  const quoted = near === '' ? 'the file' : JSON.stringify(near);
  return problem('LT_CONFIG_SYNTAX', `${quoted} is not valid YAML here: ${said}`, { source });
}

/** Escapes can write it, UTF-8 cannot. */
const LONE_SURROGATE = /\p{Cs}/u;
const LONE_SURROGATE_RULE =
  'the text contains half a character; write both parts, such as "\\ud83d\\ude00", or "\\U0001F600"';

/** Sentences for the slips that people make most; everything else has the parser's own words. */
const SYNTAX_RULES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'tabs are not allowed for indentation; use spaces',
  TAG_RESOLVE_FAILED: TAG_RULE,
  NON_STRING_KEY: 'keys must be strings',
  BAD_ALIAS: 'an alias has no name, or a name with invalid characters',
};
