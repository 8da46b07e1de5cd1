import { isUtf8 } from 'node:buffer';
import { decodeText } from './remote-text.ts';

/**
 * Default minimum length of a piece, in bytes. Longer texts are allocated outside the young generation of V8, which
 * takes more time.
 */
const PIECE_BYTES = 96 * 1024;
const MAX_START_BYTES = 256;
const COMMA = 0x2c;
const CLOSING_BRACKET = 0x5d;

/** Parser of the first members of a JSON list, for lists that are parsed while they are received. */
export class ListPieces {
  readonly members: unknown[] = [];
  readonly #pieceBytes: number;
  /** Text with which each member starts; null if it is unknown. */
  #memberStart: string | null = null;
  #isDivisible = true;
  /** Length of the text that contains no end of the next piece. */
  #searched = 0;

  constructor(pieceBytes = PIECE_BYTES) {
    this.#pieceBytes = pieceBytes;
  }

  /**
   * Parses the first members of a list, if they have the length of a piece. Adds them to `members`.
   *
   * @param list - The received part of the list. It starts with the bracket, followed by the first member that was not
   * parsed.
   * @returns The index of the comma after the last parsed member; 0 if no member was parsed.
   */
  parse(list: Buffer): number {
    if (!this.#isDivisible || list.length <= this.#pieceBytes) return 0;
    const comma = this.#findComma(list);
    if (comma === 0) return 0;
    const members = parseMembers(list, comma);
    this.members.push(...members);
    this.#isDivisible = members.length > 0;
    return this.#isDivisible ? comma : 0;
  }

  /** Returns the index of the comma after a piece; 0 if it was not received or the list cannot be divided. */
  #findComma(list: Buffer): number {
    this.#memberStart ??= memberStartOf(list);
    const start = this.#memberStart;
    const next = list.indexOf(start, Math.max(this.#pieceBytes, this.#searched), 'latin1');
    this.#searched = next === -1 ? list.length - start.length : 0;
    const comma = next === -1 ? 0 : list.lastIndexOf(COMMA, next);
    const isSeparator = comma > 0 && list.toString('latin1', comma + 1, next).trim() === '';
    this.#isDivisible = start !== '' && (next === -1 || isSeparator);
    return this.#isDivisible ? comma : 0;
  }
}

/** Returns the text with which each member starts; an empty string if the text is not a list of objects. */
function memberStartOf(list: Buffer): string {
  const head = list.toString('latin1', 0, MAX_START_BYTES);
  return /^[ \t\r\n]*\[[ \t\r\n]*(\{[ \t\r\n]*"[^"\\]*"[ \t\r\n]*:)/.exec(head)?.[1] ?? '';
}

/** Parses the members before a comma. Returns none if the comma is not between two members. */
function parseMembers(list: Buffer, comma: number): readonly unknown[] {
  const piece = list.subarray(0, comma + 1);
  // The comma is between two members if the text is valid JSON with a bracket in its place.
  piece[comma] = CLOSING_BRACKET;
  try {
    return isUtf8(piece) ? (JSON.parse(decodeText(piece)) as readonly unknown[]) : [];
  } catch {
    return [];
  } finally {
    piece[comma] = COMMA;
  }
}
