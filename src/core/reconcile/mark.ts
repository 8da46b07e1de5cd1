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

/**
 * Splits notes. A service may have changed line ends or added white space; somebody may have written below the mark.
 *
 * Shape:  the last whole mark counts. Where there is none, what stands last and begins like one is damaged.
 */
export function readNotes(notes: string | null): ReadNotes {
  const text = notes ?? '';
  // Most tests of an account are not ours.
  if (!text.includes('[loadtests ')) return { own: plainNotes(text), reading: { kind: 'none' } };
  const candidates = [...text.matchAll(/(?<=^|\s)\[loadtests [^[\]\r\n]*\]?(?=\s|$)/g)].reverse();
  for (const { index, 0: line } of candidates) {
    const reading = readMark(line);
    if (reading.kind !== 'mark') continue;
    const around = [text.slice(0, index), text.slice(index + line.length)].map(plainNotes);
    return { own: plainNotes(around.filter((part) => part !== null).join('\n')), reading };
  }
  const opening = /(?<=^|\s)\[loadtests [^\r\n]*$/.exec(text.trimEnd());
  return opening === null
    ? { own: plainNotes(text), reading: { kind: 'none' } }
    : { own: plainNotes(text.slice(0, opening.index)), reading: { kind: 'damaged' } };
}

/** Notes as they are compared: services change line ends and the white space around. Null: none. */
export function plainNotes(text: string | null): string | null {
  const plain = (text ?? '').replaceAll(/\r\n?/g, '\n').trim();
  return plain === '' ? null : plain;
}

function readMark(line: string): MarkReading {
  const damaged: MarkReading = { kind: 'damaged' };
  const match = /^\[loadtests (.*) c=(\S+)\]$/.exec(line);
  if (match?.[1] === undefined || checkCharacters(match[1]) !== match[2]) return damaged;
  const fields = new Map<string, string>();
  for (const part of match[1].split(' ')) fields.set(part.slice(0, 1), part.slice(2));
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

/** The same declaration in the same repetition: whose nonce it carries does not matter. */
export function sameCreation(a: Mark, b: Mark): boolean {
  return (
    a.project === b.project &&
    a.environment === b.environment &&
    a.key === b.key &&
    a.shown === b.shown &&
    a.hidden === b.hidden &&
    a.repetition === b.repetition
  );
}

/** Of the tests whose mark fits, the one that counts: the smallest id. */
export function findMark<T extends { readonly id: string; readonly notes: string | null }>(
  tests: readonly T[],
  fits: (mark: Mark) => boolean,
): T | undefined {
  return tests
    .filter(({ notes }) => {
      const { reading } = readNotes(notes);
      return reading.kind === 'mark' && fits(reading.mark);
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))[0];
}
