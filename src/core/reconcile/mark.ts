/**
 * The mark: the last line of a test's notes, by which this program knows its own.
 *
 * Shape:  [loadtests p=shop e=production k=checkout s=9f2c41d07ab3 w=50.51be0c9e r=1 n=5tq0mZ8c c=k7]
 *         `e` and `r` are left out where there is none; `c` are check characters over the rest.
 * Source: the reconciler's design, section 1.
 */

export interface Mark {
  readonly project: string;
  readonly environment: string | null;
  readonly key: string;
  /** Digest of what the list can show: 12 hex digits. */
  readonly shown: string;
  /** The error threshold in clear, a dot, a digest of the variables: what the list cannot show. */
  readonly hidden: string;
  readonly repetition: number;
  readonly nonce: string;
}

export type MarkReading =
  { readonly kind: 'none' } | { readonly kind: 'damaged' } | { readonly kind: 'mark'; readonly mark: Mark };

export interface ReadNotes {
  /** The user's own notes; null when there are none. */
  readonly own: string | null;
  readonly reading: MarkReading;
}

const OPENING = '[loadtests ';

export function formatMark(mark: Mark): string {
  const environment = mark.environment === null ? '' : ` e=${mark.environment}`;
  const repetition = mark.repetition === 0 ? '' : ` r=${mark.repetition}`;
  const rest = `p=${mark.project}${environment} k=${mark.key} s=${mark.shown} w=${mark.hidden}${repetition} n=${mark.nonce}`;
  return `${OPENING}${rest} c=${checkCharacters(rest)}]`;
}

/** The notes to send: the user's own, and the mark as their last line. */
export function notesWithMark(own: string | null, mark: Mark): string {
  return own === null ? formatMark(mark) : `${own}\n${formatMark(mark)}`;
}

/** Splits notes. A service may have changed line ends or added white space at the end. */
export function readNotes(notes: string | null): ReadNotes {
  const text = (notes ?? '').trimEnd();
  const at = text.lastIndexOf(OPENING);
  const alone = at === 0 || (at > 0 && /\s/.test(text.charAt(at - 1)));
  if (!alone || text.slice(at).includes('\n')) return { own: ownOf(text), reading: { kind: 'none' } };
  return { own: ownOf(text.slice(0, at)), reading: readMark(text.slice(at)) };
}

function ownOf(text: string): string | null {
  const own = text.replaceAll('\r\n', '\n').trimEnd();
  return own === '' ? null : own;
}

function readMark(line: string): MarkReading {
  const damaged: MarkReading = { kind: 'damaged' };
  const match = /^\[loadtests (.*) c=(\S+)\]$/.exec(line);
  if (match === null || checkCharacters(match[1] ?? '') !== match[2]) return damaged;
  const fields = new Map<string, string>();
  for (const part of (match[1] ?? '').split(' ')) fields.set(part.slice(0, 1), part.slice(2));
  const [project, key, shown, hidden, nonce] = ['p', 'k', 's', 'w', 'n'].map((name) => fields.get(name));
  if (project === undefined || key === undefined || shown === undefined) return damaged;
  if (hidden === undefined || nonce === undefined) return damaged;
  const environment = fields.get('e') ?? null;
  return {
    kind: 'mark',
    mark: { project, environment, key, shown, hidden, repetition: Number(fields.get('r') ?? 0), nonce },
  };
}

/** Two characters that change when the text does: FNV-1a, in base 36. */
function checkCharacters(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return (hash % 1296).toString(36).padStart(2, '0');
}
