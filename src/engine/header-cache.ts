/**
 * Cache of one earlier response header and its parse result. Many servers send the same bytes until the `Date` changes,
 * or vary only a single line. Comparing a header is much faster than parsing it.
 *
 * Header names, their order, and the lines that the parser classifies as FIXED must match byte by byte. The values of
 * other lines may differ. If a VARIABLE line differs, the parser parses only the VARIABLE lines again.
 */
import { CR, indexOfControl, isBlank, LF } from './header-bytes.ts';

/**
 * Number of headers that may differ from the cached header before another header replaces it. A difference in an
 * ignored value also counts. The number is high because some servers vary almost every header.
 */
const MAX_MISSES = 256;

/** Parse result of a header, and the state of the parser after it. */
export interface ParsedHeader {
  readonly state: number;
  readonly status: number;
  readonly hasRetryAfter: boolean;
  readonly close: boolean;
  readonly remainingBytes: number;
  readonly captured: readonly (string | undefined)[];
  readonly location: string | null;
  readonly setCookies: string[] | null;
  /**
   * This and the following fields store the meaning of the fixed lines, so that only variable lines are parsed again.
   */
  readonly minorVersion: number;
  readonly hasConnectionClose: boolean;
  readonly keepAlive: boolean;
  readonly transferCoding: number;
}

/** Roles of a header line. The value of a VARIABLE_LINE is parsed, but does not affect the meaning of fixed lines. */
export const IGNORED_LINE = 0;
export const VARIABLE_LINE = 1;
export const FIXED_LINE = 2;

export type LineRole = typeof IGNORED_LINE | typeof VARIABLE_LINE | typeof FIXED_LINE;

/** Returns the role of the header line whose name is between `from` and `colon`. */
export type LineRoleOf = (bytes: Buffer, from: number, colon: number) => LineRole;

export class HeaderCache {
  parsed: ParsedHeader | null = null;
  /** True if a variable line differs in the latest matching header. `variableRanges` is valid only in this case. */
  hasChanges = false;
  /** Start and end, without CR LF, of each variable line in the latest matching header, in order of appearance. */
  readonly variableRanges: number[] = [];
  readonly #buffer: Buffer;
  readonly #view: DataView;
  #cached: Buffer = Buffer.alloc(0);
  #cachedView: DataView = viewOf(this.#cached);
  #length = 0;
  /** End of each line, after its CR LF. */
  #ends: number[] = [];
  /** Start of the part of each line that may differ. For a fixed line, this is the end of the line. */
  #values: number[] = [];
  #variableLines: number[] = [];
  #misses = 0;

  /** @param buffer - Shared read buffer. Headers in other buffers are not cached. */
  constructor(buffer: Buffer) {
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }

  /** Returns the length of the header at the start of the buffer if it matches the cached one; otherwise 0. */
  match(bytes: Buffer, length: number): number {
    if (this.#length === 0 || bytes !== this.#buffer) return 0;
    this.hasChanges = false;
    let at = 0;
    let cachedAt = 0;
    let line = 0;
    let located = 0;
    for (;;) {
      const equalCount = this.#countEqualBytes(at, cachedAt, Math.min(this.#length - cachedAt, length - at));
      at += equalCount;
      cachedAt += equalCount;
      if (cachedAt === this.#length) break;
      // `line` is 0 only at the first difference, so each header counts as at most one miss.
      if (line === 0 && ++this.#misses > MAX_MISSES) return 0;
      while ((this.#ends[line] ?? 0) <= cachedAt) line++;
      const end = this.#ends[line] ?? 0;
      // If the LF is the first difference, the line contains a bare CR.
      if (cachedAt < (this.#values[line] ?? 0) || cachedAt === end - 1) return 0;
      const lineEnd = indexOfControl(bytes, at, length);
      if (lineEnd + 2 > length || bytes[lineEnd] !== CR || bytes[lineEnd + 1] !== LF) return 0;
      located = this.#locateVariableLines(located, line, at - cachedAt);
      if (this.#variableLines[located - 1] === line) {
        this.hasChanges = true;
        this.variableRanges[2 * located - 1] = lineEnd;
      }
      at = lineEnd + 2;
      cachedAt = end;
    }
    if (this.hasChanges) this.#locateVariableLines(located, this.#ends.length, at - cachedAt);
    return at;
  }

  /** Sets the ranges from index `from` up to line `last`, shifted by `shift`. Returns the index of the next range. */
  #locateVariableLines(from: number, last: number, shift: number): number {
    let index = from;
    for (; index < this.#variableLines.length; index++) {
      const line = this.#variableLines[index] ?? 0;
      if (line > last) break;
      this.variableRanges[2 * index] = (this.#ends[line - 1] ?? 0) + shift;
      this.variableRanges[2 * index + 1] = (this.#ends[line] ?? 0) - 2 + shift;
    }
    return index;
  }

  /** Counts the equal bytes, at most `max`, from `at` in the buffer and from `cachedAt` in the cached header. */
  #countEqualBytes(at: number, cachedAt: number, max: number): number {
    const view = this.#view;
    const cachedView = this.#cachedView;
    let count = 0;
    // Eight bytes are compared as one float64. Equal numbers other than zero have equal bits, and the cached
    // header contains no NUL byte. NaN never equals itself, so the loop below compares bytes that form a NaN.
    while (
      count + 32 <= max &&
      view.getFloat64(at + count, true) === cachedView.getFloat64(cachedAt + count, true) &&
      view.getFloat64(at + count + 8, true) === cachedView.getFloat64(cachedAt + count + 8, true) &&
      view.getFloat64(at + count + 16, true) === cachedView.getFloat64(cachedAt + count + 16, true) &&
      view.getFloat64(at + count + 24, true) === cachedView.getFloat64(cachedAt + count + 24, true)
    ) {
      count += 32;
    }
    while (
      count + 8 <= max &&
      view.getFloat64(at + count, true) === cachedView.getFloat64(cachedAt + count, true)
    ) {
      count += 8;
    }
    while (count < max && this.#buffer[at + count] === this.#cached[cachedAt + count]) count++;
    return count;
  }

  shouldStore(bytes: Buffer): boolean {
    return (this.#length === 0 || this.#misses > MAX_MISSES) && bytes === this.#buffer;
  }

  /** Caches the first `length` bytes, which are one valid header. A header with a folded line is not cached. */
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
