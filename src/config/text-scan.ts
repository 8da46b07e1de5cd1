/**
 * Scans YAML tokens before composition, because composition is recursive and requires a limited nesting depth.
 * @remarks The scan is iterative, and stops at the first exceeded bound.
 */
import { Lexer, Parser, type CST } from 'yaml';
import { problem, type Problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import type { LocateSpan } from './config-tree.ts';

export const MAX_BYTES = 1024 * 1024;
export const FILE_TOO_LARGE = 'the file is larger than 1 MiB; split it into several projects';
export const MAX_DEPTH = 64;
/** Maximum number of tokens, to limit the parsing time. */
const MAX_TOKENS = 300_000;
const MAX_PROPERTIES = 10_000;
const MAX_ERRORS = 50;

/**
 * Returns the tokens of the single document, or a problem if the text is too large or complex, is invalid, or has
 * several documents.
 */
export function scanText(text: string, locate: LocateSpan): Result<readonly CST.Token[]> {
  if (Buffer.byteLength(text, 'utf8') > MAX_BYTES) {
    return unreadableProblem(FILE_TOO_LARGE, locate, 0);
  }
  const control = UNPRINTABLE.exec(text);
  if (control !== null) {
    const name = `U+${(control[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return unreadableProblem(
      `the file contains the character ${name}, which YAML does not allow; remove it`,
      locate,
      control.index,
    );
  }
  const parser = new Parser();
  let lexemes = 0;
  let properties = 0;
  let errors = 0;
  let documents = 0;
  const tokens: CST.Token[] = [];
  const add = (found: Iterable<CST.Token>): Problem | null => {
    for (const token of found) {
      if (token.type === 'document') {
        if (documents > 0 && !hasDocumentMarker(token) && isBlank(token)) continue;
        documents++;
        // Ignores a document marker at the end of the text without another document.
        if (documents === 2 && isBlank(token)) continue;
        if (documents > 1) return problemAt(ONE_DOCUMENT, locate, token.offset);
      }
      if (token.type === 'directive') {
        const fault = directiveProblem(token.source);
        if (fault !== null) return problemAt(fault, locate, token.offset);
        if (documents > 0) continue;
      }
      tokens.push(token);
      if (token.type === 'error') errors++;
    }
    return null;
  };
  for (const lexeme of new Lexer().lex(text)) {
    const violation = add(parser.next(lexeme));
    if (violation !== null) return fail([violation]);
    // Ends the scan after too many errors, because further errors are not useful.
    if (errors > MAX_ERRORS) return ok(tokens);
    const at = Math.max(0, parser.offset - lexeme.length);
    lexemes++;
    if (/^[&*!]/.test(lexeme)) properties++;
    if (lexemes > MAX_TOKENS || properties > MAX_PROPERTIES) {
      return unreadableProblem(TOO_COMPLEX, locate, at);
    }
    if (depthOf(parser.stack) > MAX_DEPTH) {
      return unreadableProblem(
        `the file is nested deeper than ${MAX_DEPTH} levels; reduce the nesting`,
        locate,
        at,
      );
    }
  }
  const violation = add(parser.end());
  return violation === null ? ok(tokens) : fail([violation]);
}

const ONE_DOCUMENT = 'the file contains more than one YAML document; keep only the first';

const TOO_COMPLEX =
  'the file contains more than 300,000 YAML tokens, or more than 10,000 anchors, aliases and tags; split it into several projects';

function hasDocumentMarker(document: CST.Document): boolean {
  return document.start.some(({ type }) => type === 'doc-start');
}

function isBlank(document: CST.Document): boolean {
  const isSpace = ({ type }: CST.SourceToken) => /^(?:doc-start|space|comment|newline)$/.test(type);
  return document.value === undefined && document.start.every(isSpace);
}

function directiveProblem(text: string): string | null {
  const [name, version] = text.split(/[ \t]+/);
  if (name !== '%YAML') return '"%YAML 1.2" is the only supported directive; remove this line';
  if (version === '1.2') return null;
  return `"%YAML ${version ?? ''}" is not supported; remove this line, and write true or false instead of yes, no, on or off`;
}

/** Matches characters that YAML does not allow, and lone surrogates. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]|\p{Cs}/u;

function depthOf(stack: readonly CST.Token[]): number {
  // Avoids counting unless the stack may be too deep: it contains the collections, the document and at most one scalar.
  if (stack.length <= MAX_DEPTH) return 0;
  return stack.filter(
    ({ type }) => type === 'block-map' || type === 'block-seq' || type === 'flow-collection',
  ).length;
}

function problemAt(message: string, locate: LocateSpan, offset: number): Problem {
  return problem('LT_CONFIG_UNREADABLE', message, { source: locate({ start: offset, end: offset + 1 }) });
}

function unreadableProblem(message: string, locate: LocateSpan, offset: number): Result<never> {
  return fail([problemAt(message, locate, offset)]);
}
