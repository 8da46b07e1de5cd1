/**
 * Takes secrets out of texts, however they are spelled there: as they are sent (in URLs, forms, headers, JSON, Basic)
 * and as whoever received them may write them back.
 *
 * Shape:  works on texts and on bytes, which come as latin1 characters.
 */

const MASK = '***';

/** A way to write a character. Folded ones are in lower case, and the text may have them in capitals. */
interface Spelling {
  readonly text: string;
  readonly folded: boolean;
}

/** All ways to write one character, by what they begin with. */
type Spellings = ReadonlyMap<string, readonly Spelling[]>;

interface SecretPattern {
  readonly characters: readonly Spellings[];
  /** It is a part of a longer text in Base64, of which the rest must not be shown either. */
  readonly inBase64: boolean;
}

type Span = readonly [from: number, to: number];

export class Mask {
  readonly #patterns: SecretPattern[] = [];
  readonly #known = new Set<string>();

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    // Servers trim the values of headers.
    for (const text of new Set([secret, secret.trim()])) {
      if (text === '' || this.#known.has(text)) continue;
      this.#known.add(text);
      this.#patterns.push(toSecretPattern(text, false));
      const pieces = new Set([utf8(text), text].filter(isBytes).flatMap(base64Pieces));
      this.#patterns.push(...Array.from(pieces, (piece) => toSecretPattern(piece, true)));
    }
  }

  /** Credentials as Basic writes them. */
  addBasic(login: string, password: string): void {
    this.add(password);
    const whole = base64(utf8(`${login}:${password}`));
    this.#patterns.push(toSecretPattern(whole.replace(/=+$/, ''), true));
  }

  /** @param cut whether the text may end within a secret */
  apply(text: string, truncated = false): string {
    if (this.#patterns.length === 0) return text;
    const lower = lowerOf(text);
    const spans = this.#patterns.flatMap((word) => spansOf(word, { text, lower, truncated }));
    return withoutSpans(text, spans);
  }
}

interface SearchedText {
  readonly text: string;
  readonly lower: string;
  readonly truncated: boolean;
}

function spansOf(word: SecretPattern, searched: SearchedText): readonly Span[] {
  const { text } = searched;
  const [first] = word.characters;
  const spans: Span[] = [];
  for (let at = 0; at < text.length; at++) {
    if (first?.has(text.charAt(at)) !== true) continue;
    const end = endOfMatch(word, at, searched);
    if (end !== null) spans.push(word.inBase64 ? widenSpan(text, [at, end]) : [at, end]);
  }
  return spans;
}

/** Where a word that begins here ends; null: there is none. All ways to write it are followed at once. */
function endOfMatch(
  word: SecretPattern,
  start: number,
  { text, lower, truncated }: SearchedText,
): number | null {
  let places = [start];
  for (const spellings of word.characters) {
    const next: number[] = [];
    let ends = places.includes(text.length);
    for (const place of places) {
      for (const { text: spelling, folded } of spellings.get(text.charAt(place)) ?? []) {
        const where = folded ? lower : text;
        const end = place + spelling.length;
        if (where.startsWith(spelling, place)) {
          if (!next.includes(end)) next.push(end);
        } else if (end > text.length && spelling.startsWith(where.slice(place))) ends = true;
      }
    }
    if (truncated && ends && text.length - start >= (word.inBase64 ? MIN_TRUNCATED_LENGTH : 1))
      return text.length;
    if (next.length === 0) return null;
    places = next;
  }
  return Math.max(...places);
}

/** What is left of a piece of Base64 says nothing when it is shorter. */
const MIN_TRUNCATED_LENGTH = 4;

/** Of Base64 in any of its alphabets, also within a URL. */
const IN_BASE64 = /[A-Za-z0-9+/=_%-]/;

function widenSpan(text: string, span: Span): Span {
  let [from, to] = span;
  while (from > 0 && IN_BASE64.test(text.charAt(from - 1))) from--;
  while (to < text.length && IN_BASE64.test(text.charAt(to))) to++;
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

/** As long as the text: some letters become two when they are made small. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function toSecretPattern(text: string, inBase64: boolean): SecretPattern {
  return { characters: Array.from(text, (character) => spellingsOf(character, inBase64)), inBase64 };
}

const SPELLING_CACHE = { inText: new Map<string, Spellings>(), inBase64: new Map<string, Spellings>() };
const MAX_CACHED_SPELLINGS = 1000;

function spellingsOf(character: string, inBase64: boolean): Spellings {
  const known = SPELLING_CACHE[inBase64 ? 'inBase64' : 'inText'];
  const before = known.get(character);
  if (before !== undefined) return before;
  const made = groupByFirstCharacter(inBase64 ? spellingsInBase64(character) : spellingsInText(character));
  if (known.size < MAX_CACHED_SPELLINGS) known.set(character, made);
  return made;
}

interface CharacterSpellings {
  readonly exact: Iterable<string>;
  readonly folded: Iterable<string>;
}

function groupByFirstCharacter({ exact, folded }: CharacterSpellings): Spellings {
  const spellings = new Map<string, Spelling[]>();
  const add = (beginning: string, spelling: Spelling) => {
    spellings.set(beginning, [...(spellings.get(beginning) ?? []), spelling]);
  };
  for (const text of exact) add(text.charAt(0), { text, folded: false });
  for (const text of folded) {
    const beginning = text.charAt(0);
    for (const letter of new Set([beginning, beginning.toUpperCase()])) add(letter, { text, folded: true });
  }
  return spellings;
}

function spellingsInBase64(character: string): CharacterSpellings {
  const others = { '+': ['-', ' '], '/': ['_', '\\/'] };
  const other = character === '+' || character === '/' ? others[character] : [];
  return { exact: [character, ...other], folded: other.length === 0 ? [] : [percent(character)] };
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
    // What was in a URL that became a part of a URL.
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

/** As UTF-8, a latin1 character for each byte. */
function utf8(text: string): string {
  const whole = text.replaceAll(/\p{Cs}/gu, '\ufffd');
  return encodeURIComponent(whole).replaceAll(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64_BITS = 6;

/** Source: RFC 4648, section 4, without the padding. */
function base64(bytes: string): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first, second, third] = [0, 1, 2].map((after) => bytes.charCodeAt(at + after) || 0);
    const group = ((first ?? 0) << 16) | ((second ?? 0) << 8) | (third ?? 0);
    for (const shift of [18, 12, 6, 0]) text += BASE64.charAt((group >> shift) & 63);
  }
  return text.slice(0, Math.ceil((bytes.length * 8) / BASE64_BITS));
}

/** Shorter ones would be found everywhere. */
const MIN_PIECE_LENGTH = 6;

/** What of Base64 is the same whatever stands around the bytes, for each place that they can have in three bytes. */
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
