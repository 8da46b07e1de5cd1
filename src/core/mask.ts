/**
 * Masking of secrets in text, in the encodings that requests use (in URLs, forms, headers, JSON and Basic
 * authentication) and that responses may use.
 *
 * @remarks Texts are strings, or bytes that are represented as latin1 characters.
 */

const MASK = '***';

/** An encoding of a character. If `folded` is true, `text` is in lower case and matches both cases. */
interface Spelling {
  readonly text: string;
  readonly folded: boolean;
}

/** Encodings of one character, grouped by the first character of the encoding. */
type Spellings = ReadonlyMap<string, readonly Spelling[]>;

interface SecretPattern {
  readonly characters: readonly Spellings[];
  /** True if the pattern is part of a Base64 string. A Base64 string that contains a match is masked as a whole. */
  readonly inBase64: boolean;
}

type Span = readonly [from: number, to: number];

export class Mask {
  readonly #patterns: SecretPattern[] = [];
  readonly #known = new Set<string>();
  readonly #inText = cached(spellingsInText);
  readonly #inBase64 = cached(spellingsInBase64);

  constructor(secrets: Iterable<string>) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    // HTTP parsers remove whitespace around header values, so the trimmed secret must also be masked.
    for (const text of new Set([secret, secret.trim()])) {
      if (text === '' || this.#known.has(text)) continue;
      this.#known.add(text);
      this.#patterns.push({ characters: Array.from(text, this.#inText), inBase64: false });
      for (const piece of new Set([utf8(text), text].filter(isBytes).flatMap(base64Pieces)))
        this.#addBase64(piece);
    }
  }

  /** Adds a password, and the Base64 credentials of Basic authentication. */
  addBasic(login: string, password: string): void {
    this.add(password);
    this.#addBase64(base64(utf8(`${login}:${password}`)));
  }

  #addBase64(encoded: string): void {
    this.#patterns.push({ characters: Array.from(encoded, this.#inBase64), inBase64: true });
  }

  /**
   * Replaces each secret with `***`.
   * @param truncated - true if the text may end within a secret
   */
  apply(text: string, truncated = false): string {
    // Stryker disable next-line ConditionalExpression: without this, only the speed differs
    if (this.#patterns.length === 0) return text;
    const lower = lowerOf(text);
    const spans = this.#patterns.flatMap((pattern) => spansOf(pattern, { text, lower, truncated }));
    return withoutSpans(text, spans);
  }
}

interface SearchedText {
  readonly text: string;
  readonly lower: string;
  readonly truncated: boolean;
}

function spansOf(pattern: SecretPattern, searched: SearchedText): readonly Span[] {
  const { text } = searched;
  const [first] = pattern.characters;
  const spans: Span[] = [];
  for (let at = 0; at < text.length; at++) {
    if (first?.has(text.charAt(at)) !== true) continue;
    const end = endOfMatch(pattern, at, searched);
    if (end !== null) spans.push(pattern.inBase64 ? widenSpan(text, [at, end]) : [at, end]);
  }
  return spans;
}

/** Returns the end of the longest match that begins at `start`; null if there is none. */
function endOfMatch(
  pattern: SecretPattern,
  start: number,
  { text, lower, truncated }: SearchedText,
): number | null {
  let positions = [start];
  for (const spellings of pattern.characters) {
    const next: number[] = [];
    let ends = positions.includes(text.length);
    for (const position of positions) {
      for (const { text: spelling, folded } of spellings.get(text.charAt(position)) ?? []) {
        const searched = folded ? lower : text;
        const end = position + spelling.length;
        if (searched.startsWith(spelling, position)) {
          if (!next.includes(end)) next.push(end);
        } else if (spelling.startsWith(searched.slice(position))) ends = true;
      }
    }
    if (truncated && ends && text.length - start >= (pattern.inBase64 ? MIN_TRUNCATED_LENGTH : 1))
      return text.length;
    if (next.length === 0) return null;
    positions = next;
  }
  return Math.max(...positions);
}

/** Minimum length of a truncated Base64 piece to mask. */
const MIN_TRUNCATED_LENGTH = 4;

/** Matches a character of Base64, of Base64 for URLs, or of percent-encoded Base64. */
const IN_BASE64 = /[A-Za-z0-9+/=_%-]/;

function widenSpan(text: string, span: Span): Span {
  let [from, to] = span;
  while (IN_BASE64.test(text.charAt(from - 1))) from--;
  while (IN_BASE64.test(text.charAt(to))) to++;
  return [from, to];
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let masked = '';
  let shown = 0;
  let hidden = -1;
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (from > hidden) masked += text.slice(shown, from) + MASK;
    hidden = Math.max(hidden, to);
    shown = hidden;
  }
  return masked + text.slice(shown);
}

/** Converts text to lower case, except U+0130, the only character whose lowercase form is longer. */
function lowerOf(text: string): string {
  return text.replaceAll('\u0130', '\ufffd').toLowerCase();
}

interface CharacterSpellings {
  readonly exact: Iterable<string>;
  /** Encodings that begin with a character other than a letter. */
  readonly folded: Iterable<string>;
}

/** Groups the spellings of a character only once, because secrets repeat characters. */
function cached(spellingsOf: (character: string) => CharacterSpellings): (character: string) => Spellings {
  const known = new Map<string, Spellings>();
  return (character) => {
    const spellings = known.get(character) ?? groupByFirstCharacter(spellingsOf(character));
    known.set(character, spellings);
    return spellings;
  };
}

function groupByFirstCharacter({ exact, folded }: CharacterSpellings): Spellings {
  const spellings = new Map<string, Spelling[]>();
  const add = (beginning: string, spelling: Spelling) =>
    spellings.set(beginning, [...(spellings.get(beginning) ?? []), spelling]);
  for (const text of exact) add(text.charAt(0), { text, folded: false });
  for (const text of folded) add(text.charAt(0), { text, folded: true });
  return spellings;
}

function spellingsInBase64(character: string): CharacterSpellings {
  const others = { '+': ['-', ' '], '/': ['_', '\\/'] };
  const other = character === '+' || character === '/' ? others[character] : [];
  return { exact: [character, ...other], folded: [percent(character)] };
}

const ENTITIES: Readonly<Record<string, readonly string[]>> = {
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '"': ['&quot;'],
  "'": ['&apos;'],
};

function spellingsInText(character: string): CharacterSpellings {
  const bytes = utf8(character);
  const point = character.codePointAt(0) ?? 0;
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const json = JSON.stringify(character).slice(1, -1);
  const exact = [character, bytes, utf8(bytes), json, utf8(json), `&#${point};`];
  if (/[^A-Za-z0-9]/.test(character)) exact.push(`\\${character}`, `\\${bytes}`);
  if (character === ' ') exact.push('+');
  const folded = [bytes, ...(isBytes(character) ? [character] : [])].flatMap((one) => [
    percent(one),
    // A URL that is embedded in another URL is encoded twice.
    percent(one).replaceAll('%', '%25'),
  ]);
  folded.push(units.map((unit) => `\\u${unit}`).join(''), `&#x${hex(point, 1)};`);
  folded.push(...(ENTITIES[character] ?? []));
  return { exact: new Set(exact), folded: new Set(folded) };
}

function percent(bytes: string): string {
  return Array.from(bytes, (byte) => `%${hex(byte.charCodeAt(0), 2)}`).join('');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function isBytes(text: string): boolean {
  return Array.from(text).every((character) => character.charCodeAt(0) <= 0xff);
}

/** Encodes text as UTF-8, with one latin1 character per byte. */
function utf8(text: string): string {
  const wellFormed = text.replaceAll(/\p{Cs}/gu, '\ufffd');
  return encodeURIComponent(wellFormed).replaceAll(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

// The type declarations of Node.js and of browsers include this function, but the core layer is compiled without them.
declare const btoa: (bytes: string) => string;

const BASE64_BITS = 6;

/** Encodes bytes as Base64 without padding. */
function base64(bytes: string): string {
  return btoa(bytes).replace(/=+$/, '');
}

/** Minimum length of a Base64 piece to search for. Shorter pieces are likely to match unrelated text. */
const MIN_PIECE_LENGTH = 6;

/**
 * Returns the Base64 encodings of the bytes at the three possible offsets in a 3-byte group, without the characters
 * that depend on adjacent bytes. Omits pieces shorter than `MIN_PIECE_LENGTH`.
 */
function base64Pieces(bytes: string): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = base64('\0'.repeat(shift) + bytes);
    const piece = text.slice(
      Math.ceil((shift * 8) / BASE64_BITS),
      Math.floor(((shift + bytes.length) * 8) / BASE64_BITS),
    );
    return piece.length < MIN_PIECE_LENGTH ? [] : [piece];
  });
}
