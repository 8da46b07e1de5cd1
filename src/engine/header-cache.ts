/**
 * The head of an earlier answer, and what the parser made of it: most servers send the same bytes for a second or
 * longer, and then another `Date`, or have a line that is another each time. To compare them costs a tenth of reading
 * them.
 *
 * Names and their order have to be the same, byte by byte, and so do the lines that the parser calls FIXED; what the
 * others say may be another text. Most mean nothing to the parser, whatever they say. Where one of those that do says
 * something else, it reads all of these again, and only these.
 */
import { CR, indexOfControl, isBlank, LF } from './header-bytes.ts';

/** So many heads differ from this one until one of them is kept instead: some differ each time. */
const MAX_MISSES = 256;

/** What the parser made of a head, and where it stands behind it. */
export interface ParsedHeader {
  readonly state: number;
  readonly status: number;
  readonly close: boolean;
  /** Body bytes to come. */
  readonly remainingBytes: number;
  readonly captured: readonly (string | undefined)[];
  readonly location: string | null;
  readonly setCookies: string[] | null;
  /** What the fixed lines say, for when others have to be read again. */
  readonly minorVersion: number;
  readonly hasConnectionClose: boolean;
  readonly keepAlive: boolean;
  readonly transferCoding: number;
}

/** What a line is to the parser. */
export const IGNORED_LINE = 0;
/** What it says is read, and does not change how the fixed ones are understood. */
export const VARIABLE_LINE = 1;
export const FIXED_LINE = 2;

export type LineRole = typeof IGNORED_LINE | typeof VARIABLE_LINE | typeof FIXED_LINE;

/** The role of a header, by its name, which begins at `from`. */
export type LineRoleOf = (bytes: Buffer, from: number, colon: number) => LineRole;

export class HeaderCache {
  parsed: ParsedHeader | null = null;
  /** A telling line differs in the head that fitted last; then `places` is up to date. */
  hasChanges = false;
  /** Where the telling lines are there, in their order: of each its begin, and its end without CR LF. */
  readonly variableRanges: number[] = [];
  readonly #buffer: Buffer;
  /** The same memory. */
  readonly #view: DataView;
  #cached: Buffer = Buffer.alloc(0);
  #cachedView: DataView = viewOf(this.#cached);
  #length = 0;
  /** Of each line, behind its CR LF. */
  #ends: number[] = [];
  /** Of each line, where what may differ begins; its end for a fixed one. */
  #values: number[] = [];
  /** Indexes of the telling lines. */
  #variableLines: number[] = [];
  /** Heads since this one was kept that were not the same. */
  #misses = 0;

  /** `buffer`: the one that answers are read from. */
  constructor(buffer: Buffer) {
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }

  /** The length of the head that `length` bytes at the buffer's start begin with, if it is this one; else 0. */
  match(bytes: Buffer, length: number): number {
    if (this.#length === 0 || bytes !== this.#buffer) return 0;
    this.hasChanges = false;
    let at = 0;
    let own = 0;
    let line = 0;
    let placed = 0;
    for (;;) {
      const same = this.#countEqualBytes(at, own, Math.min(this.#length - own, length - at));
      at += same;
      own += same;
      if (own === this.#length) break;
      // The first line is fixed, so this is the first difference.
      if (line === 0 && ++this.#misses > MAX_MISSES) return 0;
      while ((this.#ends[line] ?? 0) <= own) line++;
      const end = this.#ends[line] ?? 0;
      // One that differs only in its LF has a bare CR.
      if (own < (this.#values[line] ?? 0) || own === end - 1) return 0;
      const stop = indexOfControl(bytes, at, length);
      if (stop + 2 > length || bytes[stop] !== CR || bytes[stop + 1] !== LF) return 0;
      placed = this.#locateVariableLines(placed, line, at - own);
      if (this.#variableLines[placed - 1] === line) {
        this.hasChanges = true;
        this.variableRanges[2 * placed - 1] = stop;
      }
      at = stop + 2;
      own = end;
    }
    if (this.hasChanges) this.#locateVariableLines(placed, this.#ends.length, at - own);
    return at;
  }

  /** Notes the places of telling lines up to one line, as they are moved; returns how many are known then. */
  #locateVariableLines(from: number, last: number, moved: number): number {
    let index = from;
    for (; index < this.#variableLines.length; index++) {
      const line = this.#variableLines[index] ?? 0;
      if (line > last) break;
      this.variableRanges[2 * index] = (this.#ends[line - 1] ?? 0) + moved;
      this.variableRanges[2 * index + 1] = (this.#ends[line] ?? 0) - 2 + moved;
    }
    return index;
  }

  /** How many bytes, `most` at most, are the same from `at` in the buffer and from `own` in this head. */
  #countEqualBytes(at: number, own: number, most: number): number {
    const view = this.#view;
    const ownView = this.#cachedView;
    let count = 0;
    // As the numbers that eight bytes would be. Those are equal only if all bits are, but for zero, and this head holds
    // no NUL. Some bytes above 127 make what is equal to nothing, which is looked at below.
    while (
      count + 32 <= most &&
      view.getFloat64(at + count, true) === ownView.getFloat64(own + count, true) &&
      view.getFloat64(at + count + 8, true) === ownView.getFloat64(own + count + 8, true) &&
      view.getFloat64(at + count + 16, true) === ownView.getFloat64(own + count + 16, true) &&
      view.getFloat64(at + count + 24, true) === ownView.getFloat64(own + count + 24, true)
    ) {
      count += 32;
    }
    while (count + 8 <= most && view.getFloat64(at + count, true) === ownView.getFloat64(own + count, true)) {
      count += 8;
    }
    while (count < most && this.#buffer[at + count] === this.#cached[own + count]) count++;
    return count;
  }

  /** Whether the head that was read just now should be kept. */
  shouldStore(bytes: Buffer): boolean {
    return (this.#length === 0 || this.#misses > MAX_MISSES) && bytes === this.#buffer;
  }

  /** Keeps the first `length` bytes, which are one head that the parser took, unless a line of it is folded. */
  store(
    bytes: Buffer,
    length: number,
    { parsed, roleOf }: { parsed: ParsedHeader; roleOf: LineRoleOf },
  ): void {
    this.#length = 0;
    this.#misses = 0;
    this.#ends = [];
    this.#values = [];
    this.#variableLines = [];
    this.variableRanges.length = 0;
    for (let from = 0; from < length;) {
      if (isBlank(bytes[from])) return;
      const end = bytes.indexOf(LF, from) + 1;
      const isHeader = from > 0 && end - from > 2;
      const colon = bytes.indexOf(COLON, from);
      const role = isHeader ? roleOf(bytes, from, colon) : FIXED_LINE;
      if (role === VARIABLE_LINE) this.#variableLines.push(this.#ends.length);
      this.#ends.push(end);
      this.#values.push(role === FIXED_LINE ? end : colon + 1);
      from = end;
    }
    if (this.#cached.length < length) {
      this.#cached = Buffer.allocUnsafeSlow(length * 2);
      this.#cachedView = viewOf(this.#cached);
    }
    bytes.copy(this.#cached, 0, 0, length);
    this.parsed = parsed;
    this.#length = length;
  }
}

const COLON = 58;

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}
