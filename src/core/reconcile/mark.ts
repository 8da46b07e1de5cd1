/**
 * The mark: the last line of a test's notes, by which this program knows its own.
 *
 * Shape:  [loadtests p=shop e=production k=checkout s=9f2c41d07ab3 w=50.51be0c9e r=1 n=5tq0mZ8c c=k7]
 *         `e` and `r` are left out where there is none; `c` are check characters over the rest.
 * Source: docs/design/reconciler.md, section 1.
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
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'mark'; readonly mark: Mark };

export interface ReadNotes {
  /** The user's own notes; null when there are none. */
  readonly own: string | null;
  readonly reading: MarkReading;
}

const OPENING = '[loadtests ';
/** No mark is longer, so that notes full of beginnings cost no more than others. */
const LONGEST = 512;

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
  const found = findWhole(text);
  if (found !== null) {
    const around = [text.slice(0, found.start), text.slice(found.end)].map(plainNotes);
    const own = plainNotes(around.filter((part) => part !== null).join('\n'));
    return { own, reading: { kind: 'mark', mark: found.mark } };
  }
  const start = startOfDamaged(text);
  return start === null
    ? { own: plainNotes(text), reading: { kind: 'none' } }
    : { own: plainNotes(text.slice(0, start)), reading: { kind: 'damaged' } };
}

/** What the notes say, without the user's part of them: an account may have tens of thousands. */
export function readMark(notes: string | null): MarkReading {
  if (notes?.includes(OPENING) !== true) return NONE;
  const found = findWhole(notes);
  if (found !== null) return { kind: 'mark', mark: found.mark };
  return startOfDamaged(notes) === null ? NONE : DAMAGED;
}

const NONE: MarkReading = { kind: 'none' };
const DAMAGED: MarkReading = { kind: 'damaged' };

interface Found {
  readonly mark: Mark;
  readonly start: number;
  readonly end: number;
}

function findWhole(text: string): Found | null {
  for (let start = text.lastIndexOf(OPENING); start !== -1; start = lastBefore(text, start)) {
    const end = start + text.slice(start, start + LONGEST).indexOf(']') + 1;
    if (end === start || !isBorder(text, start - 1) || !isBorder(text, end)) continue;
    const mark = parseMark(text.slice(start + OPENING.length - 1, end - 1));
    if (mark !== null) return { mark, start, end };
  }
  return null;
}

function lastBefore(text: string, start: number): number {
  return start === 0 ? -1 : text.lastIndexOf(OPENING, start - 1);
}

/** White space, or outside the text. */
function isBorder(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return true;
  const code = text.charCodeAt(at);
  return code === LINE_FEED || code === SPACE || /\s/.test(text.charAt(at));
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;

function startOfDamaged(text: string): number | null {
  const end = text.trimEnd();
  const line = Math.max(end.lastIndexOf('\n'), end.lastIndexOf('\r')) + 1;
  for (let at = end.indexOf(OPENING, line); at !== -1; at = end.indexOf(OPENING, at + 1)) {
    if (isBorder(end, at - 1)) return at;
  }
  return null;
}

/** Notes as they are compared: services change line ends and the white space around. Null: none. */
export function plainNotes(text: string | null): string | null {
  const plain = (text ?? '').replaceAll(/\r\n?/g, '\n').trim();
  return plain === '' ? null : plain;
}

/** Of what stands between the brackets, with the space before it. Null: it is no whole mark. */
function parseMark(text: string): Mark | null {
  const check = text.lastIndexOf(' c=');
  const fields = text.slice(0, check);
  if (check === -1 || text.slice(check + ' c='.length) !== checkCharacters(fields.slice(1))) return null;
  if (fields.includes('[') || fields.includes('\n') || fields.includes('\r')) return null;
  const project = valueOf(' p=', fields);
  const key = valueOf(' k=', fields);
  const shown = valueOf(' s=', fields);
  const hidden = valueOf(' w=', fields);
  const nonce = valueOf(' n=', fields);
  if (project === null || key === null || shown === null || hidden === null || nonce === null) return null;
  const environment = valueOf(' e=', fields);
  return { project, environment, key, shown, hidden, repetition: Number(valueOf(' r=', fields) ?? 0), nonce };
}

function valueOf(field: string, fields: string): string | null {
  const start = fields.indexOf(field);
  if (start === -1) return null;
  const end = fields.indexOf(' ', start + field.length);
  return fields.slice(start + field.length, end === -1 ? undefined : end);
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
      const reading = readMark(notes);
      return reading.kind === 'mark' && fits(reading.mark);
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))[0];
}
