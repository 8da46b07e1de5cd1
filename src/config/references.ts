/** The grammar of `${…}`. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'var'; readonly name: string; readonly written: string }
  | { readonly kind: 'secret'; readonly name: string; readonly written: string }
  | {
      readonly kind: 'env';
      readonly name: string;
      readonly fallback: string | null;
      readonly written: string;
    }
  | { readonly kind: 'file'; readonly path: string; readonly written: string }
  | { readonly kind: 'malformed'; readonly reason: string; readonly written: string };

/** Splits a text at its references; `$${` is a literal `${`. Neighbouring texts are one piece. */
export function splitReferences(text: string): Piece[] {
  const pieces: Piece[] = [];
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
    const end = text.indexOf('}', at);
    if (end === -1) {
      const written = text.slice(at, at + 40);
      return [
        ...pieces,
        {
          kind: 'malformed',
          reason: 'has no closing "}"; write "$${" for the characters themselves',
          written,
        },
      ];
    }
    pieces.push(readReference(text.slice(at, end + 1)));
    from = end + 1;
  }
  literal += text.slice(from);
  flush();
  return pieces;
}

function readReference(written: string): Piece {
  const inner = written.slice(2, -1);
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(inner)) return { kind: 'var', name: inner, written };
  const env = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(inner);
  if (env !== null) return { kind: 'env', name: env[1] ?? '', fallback: env[2] ?? null, written };
  const secret = /^secret:([A-Za-z_][A-Za-z0-9_]*)$/.exec(inner);
  if (secret !== null) return { kind: 'secret', name: secret[1] ?? '', written };
  if (inner.startsWith('file:') && inner.length > 5) return { kind: 'file', path: inner.slice(5), written };
  const forms = '${name}, ${env:NAME}, ${env:NAME:-default}, ${file:path} or ${secret:NAME}';
  return {
    kind: 'malformed',
    reason: `is not a valid reference; write ${forms}, or "$\${" for the characters themselves`,
    written,
  };
}
