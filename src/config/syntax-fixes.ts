/**
 * Recognition of common YAML mistakes. Each fix has one message, and edits that let the parser read the rest of the
 * file. Unrecognized errors have the message of the parser.
 */
import type { CST } from 'yaml';
import type { Span } from './config-tree.ts';

/** `pos` contains the start and end offsets. */
export interface ParserError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

export interface TextEdit extends Span {
  readonly text: string;
}

export interface SyntaxFix {
  /** One sentence that states the mistake and the correct form. */
  readonly message: string;
  readonly span: Span;
  /** Alternative corrections, most probable first; the edits of each are in text order. */
  readonly candidateEdits: readonly (readonly TextEdit[])[];
}

export function findSyntaxFix(
  text: string,
  finding: ParserError,
  tokens: readonly CST.Token[],
): SyntaxFix | null {
  const lines = linesOf(text);
  const at = lines.findLastIndex((line) => line.start <= finding.pos[0]);
  const line = lines[at];
  if (line === undefined) return null;
  const context: FixContext = { text, lines, at, line, finding, tokens };
  if (finding.code === 'TAG_RESOLVE_FAILED') return fixTextTag(context);
  for (const find of [
    fixTabs,
    fixOpenQuote,
    fixOpenBracket,
    fixStrayBracket,
    fixFieldsOfUrl,
    fixBareValue,
    fixMissingColon,
    fixWrongColumn,
  ]) {
    const fix = find(context);
    if (fix !== null) return fix;
  }
  return null;
}

interface TextLine extends Span {
  readonly text: string;
  readonly indent: number;
  readonly blank: boolean;
}

interface FixContext {
  readonly text: string;
  readonly lines: readonly TextLine[];
  readonly at: number;
  readonly line: TextLine;
  readonly finding: ParserError;
  readonly tokens: readonly CST.Token[];
}

function linesOf(text: string): TextLine[] {
  let start = 0;
  return text.split('\n').map((rawLine) => {
    const line = rawLine.replace(/\r$/, '');
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    const read = { start, end: start + line.length, text: line, indent, blank: /^\s*(?:#|$)/.test(line) };
    start += rawLine.length + 1;
    return read;
  });
}

const TAB_WIDTHS = [2, 4, 8];

/**
 * Fixes tabs in the indentation. Reports all lines with tabs as one mistake, because a setting of the editor usually
 * causes all of them.
 */
function fixTabs({ lines, finding, line }: FixContext): SyntaxFix | null {
  const tabbed = lines.filter((one) => /^ *\t/.test(one.text) && !one.blank);
  const first = tabbed[0];
  if (first === undefined || (finding.code !== 'TAB_AS_INDENT' && first.start > line.end)) return null;
  const start = first.start + first.text.indexOf('\t');
  const others = tabbed.length - 1;
  const more = others === 0 ? '' : `, here and in ${others} more ${others === 1 ? 'line' : 'lines'}`;
  const above = lines.findLast(({ start, blank }) => start < first.start && !blank);
  const expectedIndent = (above?.indent ?? 0) + (above?.text.trimEnd().endsWith(':') === true ? 2 : 0);
  const indentOf = (width: number) =>
    first.text.slice(0, first.indent).replaceAll('\t', ' '.repeat(width)).length;
  const distance = (width: number) => Math.abs(indentOf(width) - expectedIndent);
  const widths = TAB_WIDTHS.toSorted((a, b) => distance(a) - distance(b));
  const candidateEdits = widths.map((width) =>
    tabbed.map((one) => {
      const indent = one.text.slice(0, one.indent);
      return {
        start: one.start,
        end: one.start + one.indent,
        text: indent.replaceAll('\t', ' '.repeat(width)),
      };
    }),
  );
  const span = { start, end: first.start + first.indent };
  return { message: `tabs are not allowed for indentation; use spaces${more}`, span, candidateEdits };
}

function fixOpenQuote({ text, lines, finding, tokens }: FixContext): SyntaxFix | null {
  const [at] = finding.pos;
  const closed = !finding.message.startsWith('Missing closing');
  if (closed && finding.code !== 'UNEXPECTED_TOKEN') return null;
  const quoted = tokensIn(tokens).find(
    (token) =>
      /^(?:double|single)-quoted-scalar$/.test(token.type) &&
      'source' in token &&
      (closed
        ? token.source.includes('\n') &&
          token.offset + token.source.length <= at &&
          !text.slice(token.offset + token.source.length, at).includes('\n')
        : token.source.length < 2 || !token.source.endsWith(token.source.charAt(0))),
  );
  if (quoted === undefined) return null;
  const quote = text.charAt(quoted.offset);
  const line = lines.findLast(({ start }) => start <= quoted.offset);
  if (line === undefined) return null;
  const end = line.start + line.text.trimEnd().length;
  const brackets = /\s*[\]},]+$/.exec(text.slice(quoted.offset, end))?.[0].length ?? 0;
  const insert = (offset: number) => [{ start: offset, end: offset, text: quote }];
  return {
    message: `unclosed quote; add ${quote} at the end of the value`,
    span: { start: quoted.offset, end },
    candidateEdits: [insert(end - brackets), insert(end)],
  };
}

function fixOpenBracket({ lines, finding, tokens }: FixContext): SyntaxFix | null {
  if (!/flow (?:map|sequence|collection)/i.test(finding.message)) return null;
  const open = tokensIn(tokens).findLast(
    (token) =>
      token.type === 'flow-collection' && !token.end.some(({ type }) => /^flow-(?:map|seq)-end$/.test(type)),
  );
  if (open?.type !== 'flow-collection') return null;
  const { offset, source } = open.start;
  const closing = source === '{' ? '}' : ']';
  const first = lines.findLastIndex(({ start }) => start <= offset);
  const ends = lines.slice(first, first + 10).filter(({ blank }) => !blank);
  const candidateEdits = ends.map((line) => {
    const end = line.start + line.text.replace(/\s+(?:#.*)?$/, '').length;
    return [{ start: end, end, text: ` ${closing}` }];
  });
  return {
    message: `unclosed "${source}"; add "${closing}"`,
    span: { start: offset, end: offset + 1 },
    candidateEdits,
  };
}

function fixStrayBracket({ text, finding }: FixContext): SyntaxFix | null {
  const [start] = finding.pos;
  const bracket = text.charAt(start);
  if (finding.code !== 'UNEXPECTED_TOKEN' || !/[\]}]/.test(bracket)) return null;
  const span = { start, end: start + 1 };
  return {
    message: `"${bracket}" has no opening bracket; remove it`,
    span,
    candidateEdits: [[{ ...span, text: '' }]],
  };
}

const QUOTING_REASONS: readonly (readonly [form: RegExp, reason: string])[] = [
  [/^\{\{/, '"{" begins a map'],
  [/^@/, '"@" cannot begin a value'],
  [/^`/, '"`" cannot begin a value'],
  [/^%/, '"%" cannot begin a value'],
  [/^>(?![-+0-9]*\s*(?:#|$))/, '">" begins a block string'],
  [/^\|(?![-+0-9]*\s*(?:#|$))/, '"|" begins a block string'],
  [/^\*/, '"*" begins an alias'],
];

const URL_ENTRY = /^(\s*- +)((["']?)(https?:\/\/[^\s"']+)\3)\s*(?:\s#.*)?$/;

/** Fixes a request that is written as a URL alone but has fields below it. */
function fixFieldsOfUrl({ lines, line }: FixContext): SyntaxFix | null {
  const shown = lines.filter(({ blank }) => !blank);
  const at = shown.findLastIndex(({ start }) => start <= line.start);
  const index = [at, at - 1].find((one) => URL_ENTRY.test(shown[one]?.text ?? ''));
  const url = shown[index ?? -1];
  const field = shown[(index ?? -1) + 1];
  if (url === undefined || field === undefined) return null;
  if (field.indent <= url.indent || !/^\s*[\w-]+:(?:\s|$)/.test(field.text)) return null;
  const [, before = '', value = '', , address = ''] = URL_ENTRY.exec(url.text) ?? [];
  const start = url.start + before.length;
  return {
    message: `"${address}" has fields below it; write "url: ${address}"`,
    span: { start, end: start + value.length },
    candidateEdits: [[{ start, end: start, text: 'url: ' }]],
  };
}

function fixBareValue({ line, finding, tokens }: FixContext): SyntaxFix | null {
  const inFlow = flowValue(finding.pos[0], line, tokens);
  const parts = /^(\s*(?:- +)*(?:[^\s:#"'{[][^:#"']*:[ \t]+)?)(\S.*)$/.exec(line.text);
  const [, before = '', rest = ''] = parts ?? [];
  const value = inFlow?.value ?? rest.replace(/\s+(?:#.*)?$/, '');
  const start = inFlow?.start ?? line.start + before.length;
  if (value === '' || (inFlow === null && !/(?:: |- )\s*$/.test(before))) return null;
  const quoted = quoteValue(value);
  const edits = [{ start, end: start + value.length, text: quoted }];
  const span = { start, end: start + value.length };
  if (/^["']/.test(value)) {
    const ends = value.indexOf(value.charAt(0), 1);
    if (finding.code !== 'UNEXPECTED_TOKEN' || ends === -1 || ends === value.length - 1) return null;
    return {
      message: `${value} has text after its closing quote; write ${quoted}`,
      span,
      candidateEdits: [edits],
    };
  }
  const quotingReason = QUOTING_REASONS.find(([form]) => form.test(value))?.[1];
  const reason =
    quotingReason ??
    (inFlow !== null && value.includes('{')
      ? '"{" begins a map'
      : /:(?: |$)/.test(value) && !/^[[{]/.test(value)
        ? '": " ends a key'
        : null);
  if (reason === null) return null;
  return {
    message: `${JSON.stringify(value)} needs quotes, because ${reason}; write ${quoted}`,
    span,
    candidateEdits: [edits],
  };
}

export const TAG_RULE = 'only the tags of the YAML 1.2 core schema are supported; remove the tag';

/**
 * Fixes a plain string that begins with `!`. Text that begins with `!!` or precedes another kind of value is treated as
 * a YAML tag.
 */
function fixTextTag({ text, lines, at, line, finding }: FixContext): SyntaxFix | null {
  const [start, end] = finding.pos;
  if (!/^![^!<]/.test(text.slice(start, end))) return null;
  const inFlow = /[{[]/.test(line.text.slice(0, start - line.start));
  const rest = text.slice(start, line.end).replace(/\s+(?:#.*)?$/, '');
  const value = inFlow ? (/^[^,\]}]*/.exec(rest)?.[0].trimEnd() ?? '') : rest;
  const content = value.slice(end - start).trimStart();
  if (/^[[{|>&*"']|^- |:(?: |$)/.test(content)) return null;
  const next = lines.slice(at + 1).find(({ blank }) => !blank);
  if (content === '' && !inFlow && next !== undefined && next.indent > line.indent) return null;
  const quoted = quoteValue(value);
  const edits = [{ start, end: start + value.length, text: quoted }];
  const message = `${TAG_RULE}, or quote the value if it is a string: ${quoted}`;
  return { message, span: { start, end }, candidateEdits: [edits] };
}

/** Matches an entry of a list or map in brackets, including its `{{…}}`, `${…}` and `%{…}`. */
const FLOW_ENTRY = /(?:\{\{[^{}]*\}\}|[$%]\{[^{}]*\}|[^,[\]{}])+/g;
const FLOW_KEY = /^\s*(?:(?:"[^"]*"|'[^']*')\s*:\s*|[^\s:"'][^:"']*:\s+)?/;

/** Returns the value at an offset if it is in a list or map in brackets. */
function flowValue(
  at: number,
  line: TextLine,
  tokens: readonly CST.Token[],
): { readonly value: string; readonly start: number } | null {
  const entry = [...line.text.matchAll(FLOW_ENTRY)].find(
    ({ 0: part, index }) => at <= line.start + index + part.length,
  );
  if (entry === undefined) return null;
  const before = entry.index + (FLOW_KEY.exec(entry[0])?.[0].length ?? 0);
  const start = line.start + before;
  const isInFlow = tokensIn(tokens).some(
    (token) =>
      token.type === 'flow-collection' && token.offset < start && (token.end.at(-1)?.offset ?? at) >= at,
  );
  const value = entry[0]
    .slice(before - entry.index)
    .replace(/\s+#.*$/, '')
    .trimEnd();
  return isInFlow && start <= at ? { value, start } : null;
}

/** Quotes a value: in single quotes if it contains a double quote or a backslash, otherwise in double quotes. */
export function quoteValue(value: string): string {
  const bare = /^'(.*)'$|^"([^"]*)"$/.exec(value);
  const inner = bare?.[1] ?? bare?.[2] ?? value;
  return /["\\]/.test(inner) ? `'${inner.replaceAll("'", "''")}'` : `"${inner}"`;
}

function fixMissingColon({ lines, at, line }: FixContext): SyntaxFix | null {
  const [, before = '', word = '', rest = ''] = /^(\s*(?:- +)*)([\w.-]+)(.*)$/.exec(line.text) ?? [];
  const start = line.start + before.length;
  const end = start + word.length;
  const value = rest.replace(/\s+(?:#.*)?$/, '');
  const span = { start, end: end + value.length };
  if (/^:[^\s/]/.test(value)) {
    const message = `${JSON.stringify(word + value)} has no space after its colon; write "${word}: ${value.slice(1)}"`;
    return { message, span, candidateEdits: [[{ start: end + 1, end: end + 1, text: ' ' }]] };
  }
  if (word === '' || word.startsWith('-') || /:(?:\s|$)/.test(rest) || !/^(?:\s|$)/.test(rest)) return null;
  const next = lines.slice(at + 1).find(({ blank }) => !blank);
  if (value === '' && (next === undefined || next.indent < line.indent)) return null;
  const message = `${JSON.stringify(word + value)} has no colon; write "${word}:${value}"`;
  return { message, span, candidateEdits: [[{ start: end, end, text: ':' }]] };
}

/** Fixes a line whose column matches neither a sibling nor a parent above it. */
function fixWrongColumn({ lines, at, line, finding }: FixContext): SyntaxFix | null {
  if (!/^(?:BAD_INDENT|BLOCK_AS_IMPLICIT_KEY|MULTILINE_IMPLICIT_KEY)$/.test(finding.code)) return null;
  const isOwn = finding.code === 'BAD_INDENT' || /^\s*- /.test(line.text);
  const movedIndex = isOwn ? at : lines.findIndex((one, index) => index > at && !one.blank);
  const moved = lines[movedIndex];
  if (moved === undefined || moved.blank || (!isOwn && moved.indent <= line.indent)) return null;
  const columns = columnsAbove(lines.slice(0, movedIndex), moved).sort(
    (a, b) => Math.abs(a - moved.indent) - Math.abs(b - moved.indent) || b - a,
  );
  const [column] = columns;
  if (column === undefined) return null;
  const after = lines.slice(movedIndex + 1).findIndex(({ blank, indent }) => !blank && indent < moved.indent);
  const block = lines
    .slice(movedIndex, after === -1 ? undefined : movedIndex + 1 + after)
    .filter(({ blank }) => !blank);
  const candidateEdits = columns.slice(0, 3).map((targetColumn) =>
    block.map((one) => {
      const indent = Math.max(0, one.indent + targetColumn - moved.indent);
      return { start: one.start, end: one.start + one.indent, text: ' '.repeat(indent) };
    }),
  );
  const start = moved.start + moved.indent;
  const word = /^(?:- +)?([^\s:]*)/.exec(moved.text.slice(moved.indent))?.[0] ?? '';
  const message = `${JSON.stringify(word)} begins in column ${moved.indent + 1}, but its siblings begin in column ${column + 1}; align them`;
  return { message, span: { start, end: start + word.length }, candidateEdits };
}

/** Returns the columns of the open lists (for an item) or maps (for a key) above a line. */
function columnsAbove(above: readonly TextLine[], line: TextLine): number[] {
  const isItem = /^\s*-(?: |$)/.test(line.text);
  const open: { readonly column: number; readonly item: boolean }[] = [];
  for (const { text, indent, blank } of above) {
    if (blank) continue;
    while ((open.at(-1)?.column ?? -1) >= indent) open.pop();
    const dashes = /^\s*((?:- +)*)/.exec(text)?.[1]?.length ?? 0;
    if (dashes > 0) open.push({ column: indent, item: true });
    open.push({ column: indent + dashes, item: false });
  }
  return open.filter(({ item }) => item === isItem).map(({ column }) => column);
}

/** Returns all tokens, including nested ones, in text order. */
function tokensIn(tokens: readonly CST.Token[]): CST.Token[] {
  return tokens.flatMap((token): CST.Token[] => {
    if (token.type === 'document') return token.value === undefined ? [] : tokensIn([token.value]);
    if (!('items' in token)) return [token];
    const inner = token.items.flatMap(({ key, value }) => [key, value]);
    return [token, ...tokensIn(inner.filter((one) => one !== undefined && one !== null))];
  });
}

/** Edited text, with a function that converts its offsets to offsets in the original text. */
export interface FixedText {
  readonly text: string;
  readonly originalOffset: (offset: number) => number;
}

export function applyFix(text: string, edits: readonly TextEdit[]): FixedText {
  let fixed = '';
  let from = 0;
  for (const { start, end, text: inserted } of edits) {
    fixed += text.slice(from, start) + inserted;
    from = end;
  }
  fixed += text.slice(from);
  const originalOffset = (offset: number) => {
    let shift = 0;
    for (const { start, end, text: inserted } of edits) {
      const fixedStart = start + shift;
      if (offset <= fixedStart) break;
      if (offset < fixedStart + inserted.length) return Math.min(end, start + offset - fixedStart);
      shift += inserted.length - (end - start);
    }
    return offset - shift;
  };
  return { text: fixed, originalOffset };
}
