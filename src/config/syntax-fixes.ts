/**
 * What a person meant by text that is no YAML: one sentence for the slip, and how to mend it, so that the rest of the
 * file can be read as it was meant.
 *
 * Shape:  looks at the line of the parser's first finding and at those around it; what it does not know, it leaves to
 *         the parser's own words.
 */
import type { CST } from 'yaml';
import type { Span } from './config-tree.ts';

/** What the parser found first. Offsets in the text. */
export interface ParserError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

export interface TextEdit extends Span {
  readonly text: string;
}

export interface SyntaxFix {
  /** One sentence: what is wrong, and what to write. */
  readonly message: string;
  readonly span: Span;
  /** Ways to mend it, the likeliest first; of one way, in the order of the text. */
  readonly candidateEdits: readonly (readonly TextEdit[])[];
}

/** @param tokens of the same text */
export function findSyntaxFix(
  text: string,
  finding: ParserError,
  tokens: readonly CST.Token[],
): SyntaxFix | null {
  const lines = linesOf(text);
  const at = lines.findLastIndex((line) => line.start <= finding.pos[0]);
  const line = lines[at];
  if (line === undefined) return null;
  const place: FixContext = { text, lines, at, line, finding, tokens };
  if (finding.code === 'TAG_RESOLVE_FAILED') return fixTextTag(place);
  for (const find of [
    fixTabs,
    fixOpenQuote,
    fixOpenBracket,
    fixStrayBracket,
    fixBareValue,
    fixMissingColon,
    fixWrongColumn,
  ]) {
    const slip = find(place);
    if (slip !== null) return slip;
  }
  return null;
}

interface TextLine extends Span {
  /** Without its end. */
  readonly text: string;
  /** How many blanks and tabs it begins with. */
  readonly indent: number;
  readonly blank: boolean;
}

interface FixContext {
  readonly text: string;
  readonly lines: readonly TextLine[];
  /** The line of the finding, by its index. */
  readonly at: number;
  readonly line: TextLine;
  readonly finding: ParserError;
  readonly tokens: readonly CST.Token[];
}

function linesOf(text: string): TextLine[] {
  let start = 0;
  return text.split('\n').map((whole) => {
    const line = whole.replace(/\r$/, '');
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    const read = { start, end: start + line.length, text: line, indent, blank: /^\s*(?:#|$)/.test(line) };
    start += whole.length + 1;
    return read;
  });
}

const TAB_WIDTHS = [2, 4, 8];

/** All lines with tabs are one slip, of the editor. */
function fixTabs({ lines, finding, line }: FixContext): SyntaxFix | null {
  const tabbed = lines.filter((one) => /^ *\t/.test(one.text) && !one.blank);
  const first = tabbed[0];
  if (first === undefined || (finding.code !== 'TAB_AS_INDENT' && first.start > line.end)) return null;
  const start = first.start + first.text.indexOf('\t');
  const others = tabbed.length - 1;
  const more = others === 0 ? '' : `, here and in ${others} more ${others === 1 ? 'line' : 'lines'}`;
  const above = lines.findLast(({ start, blank }) => start < first.start && !blank);
  const wanted = (above?.indent ?? 0) + (above?.text.trimEnd().endsWith(':') === true ? 2 : 0);
  const indentOf = (width: number) =>
    first.text.slice(0, first.indent).replaceAll('\t', ' '.repeat(width)).length;
  const distance = (width: number) => Math.abs(indentOf(width) - wanted);
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

/** A quote that is not closed takes in the lines below, up to the next one. */
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
    message: `"${bracket}" closes nothing; remove it`,
    span,
    candidateEdits: [[{ ...span, text: '' }]],
  };
}

/** Why a value cannot stand without quotes, by what it begins with. */
const QUOTING_REASONS: readonly (readonly [form: RegExp, reason: string])[] = [
  [/^\{\{/, '"{" begins a map'],
  [/^@/, '"@" cannot begin a value'],
  [/^`/, '"`" cannot begin a value'],
  [/^%/, '"%" cannot begin a value'],
  [/^>(?![-+0-9]*\s*(?:#|$))/, '">" begins a block of text'],
  [/^\|(?![-+0-9]*\s*(?:#|$))/, '"|" begins a block of text'],
  [/^\*/, '"*" begins an alias'],
];

function fixBareValue({ text, line, finding }: FixContext): SyntaxFix | null {
  const inFlow = flowValue(text, finding.pos[0], line);
  const parts = /^(\s*(?:- +)*(?:[^\s:#"'{[][^:#"']*:[ \t]+)?)(\S.*)$/.exec(line.text);
  const [, before = '', rest = ''] = parts ?? [];
  const value = inFlow?.value ?? rest.replace(/\s+(?:#.*)?$/, '');
  const start = inFlow?.start ?? line.start + before.length;
  if (value === '' || (inFlow === null && !/(?:: |- )\s*$/.test(before))) return null;
  const quoted = quoteValue(value);
  const way = [{ start, end: start + value.length, text: quoted }];
  const span = { start, end: start + value.length };
  if (/^["']/.test(value)) {
    const ends = value.indexOf(value.charAt(0), 1);
    if (finding.code !== 'UNEXPECTED_TOKEN' || ends === -1 || ends === value.length - 1) return null;
    return { message: `${value} ends at its second quote; write ${quoted}`, span, candidateEdits: [way] };
  }
  const begins = QUOTING_REASONS.find(([form]) => form.test(value))?.[1];
  const reason = begins ?? (/:(?: |$)/.test(value) && !/^[[{]/.test(value) ? '": " ends a key' : null);
  if (reason === null) return null;
  return {
    message: `${JSON.stringify(value)} needs quotes, since ${reason}; write ${quoted}`,
    span,
    candidateEdits: [way],
  };
}

export const TAG_RULE = 'only the tags of the YAML 1.2 core schema are supported; remove the tag';

/** Text that begins with "!". Tags of YAML have two, and tags of values that are no text are meant as tags. */
function fixTextTag({ text, lines, at, line, finding }: FixContext): SyntaxFix | null {
  const [start, end] = finding.pos;
  if (!/^![^!<]/.test(text.slice(start, end))) return null;
  const inFlow = /[{[]/.test(line.text.slice(0, start - line.start));
  const rest = text.slice(start, line.end).replace(/\s+(?:#.*)?$/, '');
  const value = inFlow ? (/^[^,\]}]*/.exec(rest)?.[0].trimEnd() ?? '') : rest;
  const behind = value.slice(end - start).trimStart();
  if (/^[[{|>&*"']|^- |:(?: |$)/.test(behind)) return null;
  const next = lines.slice(at + 1).find(({ blank }) => !blank);
  if (behind === '' && !inFlow && next !== undefined && next.indent > line.indent) return null;
  const quoted = quoteValue(value);
  const way = [{ start, end: start + value.length, text: quoted }];
  const message = `${TAG_RULE}, or put the value in quotes if it is text: ${quoted}`;
  return { message, span: { start, end }, candidateEdits: [way] };
}

/** A value inside of brackets that begins where the finding is. */
function flowValue(
  text: string,
  start: number,
  line: TextLine,
): { readonly value: string; readonly start: number } | null {
  if (!/[{[]/.test(line.text.slice(0, start - line.start))) return null;
  const value = /^[@`%*](?:\{[^}\n]*\}|[^\s,\]}])*/.exec(text.slice(start, line.end))?.[0];
  return value === undefined ? null : { value, start };
}

/** In the kind of quotes that needs no escapes. */
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

/** A line that stands neither beside nor below what is above it. */
function fixWrongColumn({ lines, at, line, finding }: FixContext): SyntaxFix | null {
  if (!/^(?:BAD_INDENT|BLOCK_AS_IMPLICIT_KEY|MULTILINE_IMPLICIT_KEY)$/.test(finding.code)) return null;
  const isOwn = finding.code === 'BAD_INDENT' || /^\s*- /.test(line.text);
  const wrong = isOwn ? at : lines.findIndex((one, index) => index > at && !one.blank);
  const moved = lines[wrong];
  if (moved === undefined || moved.blank || (!isOwn && moved.indent <= line.indent)) return null;
  const columns = columnsAbove(lines.slice(0, wrong), moved).sort(
    (a, b) => Math.abs(a - moved.indent) - Math.abs(b - moved.indent) || b - a,
  );
  const [column] = columns;
  if (column === undefined) return null;
  const after = lines.slice(wrong + 1).findIndex(({ blank, indent }) => !blank && indent < moved.indent);
  const block = lines
    .slice(wrong, after === -1 ? undefined : wrong + 1 + after)
    .filter(({ blank }) => !blank);
  const candidateEdits = columns.slice(0, 3).map((wanted) =>
    block.map((one) => {
      const indent = Math.max(0, one.indent + wanted - moved.indent);
      return { start: one.start, end: one.start + one.indent, text: ' '.repeat(indent) };
    }),
  );
  const start = moved.start + moved.indent;
  const word = /^(?:- +)?([^\s:]*)/.exec(moved.text.slice(moved.indent))?.[0] ?? '';
  const message = `${JSON.stringify(word)} begins in column ${moved.indent + 1}, and what stands beside it in column ${column + 1}; begin both in the same`;
  return { message, span: { start, end: start + word.length }, candidateEdits };
}

/** Where what is still open above a line begins: lists for an item, keys for a key. */
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

/** A token and all that is in it, in the order of the text. The depth is bounded before. */
function tokensIn(tokens: readonly CST.Token[]): CST.Token[] {
  return tokens.flatMap((token): CST.Token[] => {
    if (token.type === 'document') return token.value === undefined ? [] : tokensIn([token.value]);
    if (!('items' in token)) return [token];
    const inner = token.items.flatMap(({ key, value }) => [key, value]);
    return [token, ...tokensIn(inner.filter((one) => one !== undefined && one !== null))];
  });
}

/** A text after edits, and where its places were before. */
export interface FixedText {
  readonly text: string;
  readonly originalOffset: (offset: number) => number;
}

/** @param edits in the order of the text */
export function applyFix(text: string, edits: readonly TextEdit[]): FixedText {
  let mended = '';
  let from = 0;
  for (const { start, end, text: put } of edits) {
    mended += text.slice(from, start) + put;
    from = end;
  }
  mended += text.slice(from);
  const originalOffset = (offset: number) => {
    let shift = 0;
    for (const { start, end, text: put } of edits) {
      const begins = start + shift;
      if (offset <= begins) break;
      if (offset < begins + put.length) return Math.min(end, start + offset - begins);
      shift += put.length - (end - start);
    }
    return offset - shift;
  };
  return { text: mended, originalOffset };
}
