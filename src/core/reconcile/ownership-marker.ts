/**
 * The ownership marker: a line that loadtests appends to the notes of each test that it creates.
 *
 * @remarks `[loadtests p=shop e=production k=checkout s=9f2c41d07ab3 w=50.51be0c9e r=1 n=5tq0mZ8c c=k7]`. `e` is
 * omitted without an environment, and `r` if it is 0; `c` is a checksum of the rest.
 * @see docs/internals/reconciler.md, section 1
 */

export interface Marker {
  readonly project: string;
  readonly environment: string | null;
  readonly key: string;
  /** Digest of the listed fields: 12 hex digits. */
  readonly listed: string;
  /** Data on the unlisted fields, as returned by `unlistedDigestOf`. */
  readonly unlisted: string;
  readonly repetition: number;
  readonly nonce: string;
}

export type MarkerReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'marker'; readonly marker: Marker };

export interface ReadNotes {
  /** The notes without the marker; null if there are none. */
  readonly own: string | null;
  readonly reading: MarkerReading;
}

export const MARKER_START = '[loadtests ';
/** Maximum length of a marker, which limits the time to search notes that contain many starts of markers. */
const MAX_MARKER_LENGTH = 512;

export function formatMarker(marker: Marker): string {
  const environment = marker.environment === null ? '' : ` e=${marker.environment}`;
  const repetition = marker.repetition === 0 ? '' : ` r=${marker.repetition}`;
  const rest = `p=${marker.project}${environment} k=${marker.key} s=${marker.listed} w=${marker.unlisted}${repetition} n=${marker.nonce}`;
  return `${MARKER_START}${rest} c=${checksumOf(rest)}]`;
}

/** Appends the marker to the user's notes as the last line. */
export function notesWithMarker(own: string | null, marker: Marker): string {
  return own === null ? formatMarker(marker) : `${own}\n${formatMarker(marker)}`;
}

/**
 * Separates the user's notes from the last complete marker.
 * @remarks If there is no complete marker, but the last line contains `MARKER_START` or is a prefix of it, the marker
 * counts as damaged.
 */
export function readNotes(notes: string | null): ReadNotes {
  const text = notes ?? '';
  const { reading, start, end } = locateMarker(text);
  const around = [text.slice(0, start), text.slice(end)].map(plainNotes);
  return { own: plainNotes(around.filter((part) => part !== null).join('\n')), reading };
}

/** Reads the marker in notes. */
export function readMarker(notes: string | null): MarkerReading {
  return locateMarker(notes ?? '').reading;
}

interface MarkerPlace {
  readonly reading: MarkerReading;
  readonly start: number;
  readonly end: number;
}

/** Finds the last complete marker. A damaged marker extends to the end of the text. */
function locateMarker(text: string): MarkerPlace {
  for (let start = text.lastIndexOf(MARKER_START); start !== -1; start = lastStartBefore(text, start)) {
    const end = start + text.slice(start, start + MAX_MARKER_LENGTH).indexOf(']') + 1;
    if (end === start || !isBorder(text, start - 1) || !isBorder(text, end)) continue;
    const marker = parseMarker(text.slice(start + MARKER_START.length - 1, end - 1));
    if (marker !== null) return { reading: { kind: 'marker', marker }, start, end };
  }
  const start = startOfDamagedMarker(text);
  const kind = start === null ? 'none' : 'damaged';
  return { reading: { kind }, start: start ?? text.length, end: text.length };
}

function lastStartBefore(text: string, start: number): number {
  return start === 0 ? -1 : text.lastIndexOf(MARKER_START, start - 1);
}

/** Reports whether the character at an index is whitespace or the index is outside the text. */
function isBorder(text: string, at: number): boolean {
  return text.charAt(at).trim() === '';
}

function startOfDamagedMarker(text: string): number | null {
  const end = text.trimEnd();
  const line = Math.max(end.lastIndexOf('\n'), end.lastIndexOf('\r')) + 1;
  // A service may have truncated the marker to a prefix of `MARKER_START`.
  if (line < end.length && MARKER_START.startsWith(end.slice(line))) return line;
  for (let at = end.indexOf(MARKER_START, line); at !== -1; at = end.indexOf(MARKER_START, at + 1)) {
    if (isBorder(end, at - 1)) return at;
  }
  return null;
}

/**
 * Normalizes line breaks and removes surrounding whitespace, because services may change both. Returns null if nothing
 * remains.
 */
export function plainNotes(text: string | null): string | null {
  if (text === null) return null;
  const plain = text.replaceAll(/\r\n?/g, '\n').trim();
  return plain === '' ? null : plain;
}

/** Parses the text between the brackets; null if it is not a complete marker. */
function parseMarker(text: string): Marker | null {
  const check = text.lastIndexOf(' c=');
  const fields = text.slice(0, check);
  if (check === -1 || text.slice(check + ' c='.length) !== checksumOf(fields.slice(1))) return null;
  if (fields.includes('[') || fields.includes('\n') || fields.includes('\r')) return null;
  const project = valueOf(' p=', fields);
  const key = valueOf(' k=', fields);
  const listed = valueOf(' s=', fields);
  const unlisted = valueOf(' w=', fields);
  const nonce = valueOf(' n=', fields);
  if (project === null || key === null || listed === null || unlisted === null || nonce === null) return null;
  const environment = valueOf(' e=', fields);
  return {
    project,
    environment,
    key,
    listed,
    unlisted,
    repetition: Number(valueOf(' r=', fields) ?? 0),
    nonce,
  };
}

function valueOf(field: string, fields: string): string | null {
  const start = fields.indexOf(field);
  if (start === -1) return null;
  const end = fields.indexOf(' ', start + field.length);
  return fields.slice(start + field.length, end === -1 ? undefined : end);
}

/** Returns a checksum of two characters: FNV-1a, in base 36. */
function checksumOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return (hash % 1296).toString(36).padStart(2, '0');
}

/** Reports whether two markers have the same declaration and repetition, regardless of their nonces. */
export function isSameCreation(a: Marker, b: Marker): boolean {
  return (
    a.project === b.project &&
    a.environment === b.environment &&
    a.key === b.key &&
    a.listed === b.listed &&
    a.unlisted === b.unlisted &&
    a.repetition === b.repetition
  );
}

/** Returns the test with the smallest ID among the tests with a matching marker. */
export function findMarkedTest<T extends { readonly id: string; readonly notes: string | null }>(
  tests: readonly T[],
  fits: (marker: Marker) => boolean,
): T | undefined {
  const found = tests.filter(({ notes }) => {
    const reading = readMarker(notes);
    return reading.kind === 'marker' && fits(reading.marker);
  });
  const [smallest] = found.map(({ id }) => id).sort();
  return found.find(({ id }) => id === smallest);
}
