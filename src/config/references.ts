export type TextPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'var'; readonly name: string; readonly written: string }
  | { readonly kind: 'secret'; readonly name: string; readonly written: string }
  | {
      readonly kind: 'env';
      readonly name: string;
      /** Default for an unset or empty variable; null if there is none. */
      readonly fallback: readonly TextPiece[] | null;
      readonly written: string;
    }
  | { readonly kind: 'file'; readonly path: string; readonly written: string }
  | { readonly kind: 'malformed'; readonly reason: string; readonly written: string };

const MAX_NESTING = 64;
/** Maximum length, in a message, of a reference that is unclosed or too deeply nested. */
const MAX_SHOWN_LENGTH = 40;

// A loop over the character codes takes a tenth of the time of a regular expression.
const OPENING_BRACE = '{'.charCodeAt(0);
const CLOSING_BRACE = '}'.charCodeAt(0);

/** Splits a string at its references. `$${` is a literal `${`; adjacent literal strings form one piece. */
export function splitReferences(text: string): TextPiece[] {
  return split(text, 0);
}

function split(text: string, nesting: number): TextPiece[] {
  const pieces: TextPiece[] = [];
  let literal = '';
  const flush = () => {
    if (literal !== '') pieces.push({ kind: 'text', text: literal });
    literal = '';
  };
  let from = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', from)) {
    if (at > from && text[at - 1] === '$') {
      literal += `${text.slice(from, at - 1)}\${`;
      from = at + 2;
      continue;
    }
    literal += text.slice(from, at);
    flush();
    const end = endOfBraces(text, at + 1);
    if (end === -1) {
      const reason = 'has no closing "}"; add it, or write "$${" for a literal "${"';
      return [...pieces, { kind: 'malformed', reason, written: text.slice(at, at + MAX_SHOWN_LENGTH) }];
    }
    pieces.push(readReference(text.slice(at, end + 1), nesting));
    from = end + 1;
  }
  literal += text.slice(from);
  flush();
  return pieces;
}

/** Returns the offset of the brace that closes the brace at an offset; -1 if there is none. */
function endOfBraces(text: string, from: number): number {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPENING_BRACE) open++;
    else if (code === CLOSING_BRACE && --open === 0) return at;
  }
  return -1;
}

function readReference(written: string, nesting: number): TextPiece {
  const inner = written.slice(2, -1);
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(inner)) return { kind: 'var', name: inner, written };
  const env = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(inner);
  if (env !== null) {
    const [, name = '', fallback] = env;
    if (fallback === undefined) return { kind: 'env', name, fallback: null, written };
    if (nesting < MAX_NESTING) return { kind: 'env', name, fallback: split(fallback, nesting + 1), written };
    const reason = `has more than ${MAX_NESTING} nested defaults; reduce the nesting`;
    return { kind: 'malformed', reason, written: written.slice(0, MAX_SHOWN_LENGTH) };
  }
  const secret = /^secret:([A-Za-z_][A-Za-z0-9_]*)$/.exec(inner);
  if (secret !== null) return { kind: 'secret', name: secret[1] ?? '', written };
  if (inner.includes('${')) {
    const reason =
      'contains another reference, which is only allowed in a default, as in ${env:NAME:-${name}}';
    return { kind: 'malformed', reason, written };
  }
  if (inner.startsWith('file:') && inner.length > 5) return { kind: 'file', path: inner.slice(5), written };
  const forms = '${name}, ${env:NAME}, ${env:NAME:-default}, ${file:path} or ${secret:NAME}';
  return {
    kind: 'malformed',
    reason: `is not a valid reference; write ${forms}, or "$\${" for a literal "\${"`,
    written,
  };
}
