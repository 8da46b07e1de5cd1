/**
 * Notes after storage by a service: complete, truncated or dropped.
 * @see docs/internals/reconciler.md, section 1.3
 */
import { utf8Length } from '../utf8-length.ts';
import { MARKER_START, plainNotes, readMarker, type MarkerReading } from './ownership-marker.ts';

/**
 * Reports whether these notes may result from sending `own` and a marker: empty notes, a damaged marker, or a prefix.
 */
export function mayBeTruncated(notes: string | null, own: string | null): boolean {
  const stored = plainNotes(notes);
  if (stored === null || readMarker(stored).kind === 'damaged') return true;
  const sent = own === null ? MARKER_START : `${own}\n${MARKER_START}`;
  return inOneLine(sent).startsWith(inOneLine(withoutTruncationSigns(stored)));
}

/** Removes an ellipsis or incomplete character that a service may leave at the end of truncated notes. */
function withoutTruncationSigns(notes: string): string {
  const text = notes.replace(/(?:\u2026|\.{3})$/, '').trimEnd();
  return text.replace(/[\uFFFD\uD800-\uDBFF]{1,3}$/, '');
}

/** Replaces each sequence of whitespace with one space, and removes whitespace at both ends. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

interface WithNotes {
  readonly notes: string | null;
}

/** Evidence of how the service stores notes, collected from the tests of an account. */
export class NotesStorage {
  #storesNotes = false;
  #longestCharacters = 0;
  #longestBytes = 0;

  add({ notes }: WithNotes, { kind }: MarkerReading): void {
    this.#storesNotes ||= plainNotes(notes) !== null;
    if (kind !== 'marker' || notes === null) return;
    this.#longestCharacters = Math.max(this.#longestCharacters, notes.length);
    this.#longestBytes = Math.max(this.#longestBytes, utf8Length(notes));
  }

  /** Reports whether the service may have dropped or truncated the marker of a test without a complete marker. */
  mayHaveLostMarker({ notes }: WithNotes): boolean {
    if (notes === null || plainNotes(notes) === null) return !this.#storesNotes;
    return (
      notes.length + MAX_TRIMMED >= this.#longestCharacters ||
      utf8Length(notes) + MAX_TRIMMED >= this.#longestBytes
    );
  }
}

/** Maximum length of the whitespace or incomplete character that a service removes after truncating notes. */
const MAX_TRIMMED = 3;
