/** Parser of HTTP/1.1 responses in a shared buffer. */
import { CHUNKED_FAULT, CHUNKED_MORE, ChunkedBody } from './chunked-body.ts';
import { CR, indexOfControl, isBlank, isHeaderName, isToken, LF } from './header-bytes.ts';
import {
  BAD_LENGTH,
  CHUNKED,
  CLOSE,
  CONNECTION,
  CONTENT_LENGTH,
  KEEP_ALIVE,
  LOCATION,
  RETRY_AFTER,
  SET_COOKIE,
  TRANSFER_ENCODING,
  digitOf,
  endOfItem,
  headerKindOf,
  isEmptyItem,
  isListItem,
  isListItemWithParameters,
  parseLength,
  unfold,
} from './header-fields.ts';
import type { BufferedBody } from './buffered-body.ts';
import type { ReceivedResponse } from './exchange.ts';
import {
  FIXED_LINE,
  IGNORED_LINE,
  VARIABLE_LINE,
  type ParsedHeader,
  type HeaderCache,
  type LineRole,
} from './header-cache.ts';

/** Results of `feed` and `finish`. */
export const MORE = 0;
export const DONE = 1;
export const FAULT = 2;

/** Faults of responses that the parser rejects. The values are the keys of `Tally.protocol`. */
export type ProtocolFault =
  | 'status_line'
  | 'header'
  | 'header_too_large'
  | 'content_length'
  | 'transfer_encoding'
  | 'length_and_encoding'
  | 'chunk'
  | 'switching_protocols'
  | 'too_many_interim'
  | 'truncated';

const STATUS_LINE = 0;
const HEADERS = 1;
const BODY_LENGTH = 2;
const BODY_CHUNKED = 3;
const BODY_UNTIL_CLOSE = 4;
const ENDED = 5;

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_INTERIM_RESPONSES = 20;
const INITIAL_CARRY_BYTES = 512;

const SPACE = 32;
const COLON = 58;

const NO_LENGTH = -1;

/** Values of `#transferCoding`. The last transfer coding determines where a body ends. */
const NO_CODING = 0;
const OTHER_CODING = 1;
const CHUNKED_LAST = 2;
const CHUNKED_NOT_LAST = 3;
/** Transfer coding without a defined meaning: `chunked` twice, or with a parameter. */
const INVALID_CODING = 4;

const LINE_INCOMPLETE = -1;
const LINE_FAULT = -2;

/**
 * Parser of the consecutive responses on one connection:
 *
 *     status line ─► headers ─┬─► 1xx: again, at most 20 times
 *                             ├─► no body (204, 304, HEAD) ─► done
 *                             ├─► length ─► done
 *                             ├─► chunked ─► done
 *                             └─► until the connection closes ─► done
 *
 * The parser rejects ambiguous framing even if the RFC permits tolerance, because an ambiguous response may belong to
 * another request. docs/internals/verification/engine.md lists the choices.
 * @see RFC 9112
 */
export class ResponseParser implements ReceivedResponse {
  /** Status of the final response; 0 before its status line is parsed. */
  status = 0;
  /** True if the connection cannot carry another request. */
  mustClose = false;
  /** True if any byte of this response was received. */
  hasBegun = false;
  /** Fault that made the latest call return FAULT. */
  fault: ProtocolFault = 'status_line';
  hasRetryAfter = false;
  hasCookiesOrRedirect = false;
  location: string | null = null;
  setCookies: string[] | null = null;
  readonly captured: (string | undefined)[] = [];
  /** Buffer of the response body; null if the body is not inspected. Set by the caller after `begin`. */
  body: BufferedBody | null = null;

  #state = ENDED;
  #headerNames: readonly Buffer[] = [];
  #headerCache: HeaderCache | null = null;
  #capturesCookies = false;
  #headersOnly = false;
  #headerBytes = 0;
  #interim = 0;
  #minorVersion = 1;
  #hasConnectionClose = false;
  #keepAlive = false;
  /** Value of Content-Length, NO_LENGTH or BAD_LENGTH. */
  #length = NO_LENGTH;
  #transferCoding: number = NO_CODING;
  #remainingBytes = 0;
  readonly #chunkedBody = new ChunkedBody();
  /** Buffer for a line that began in an earlier read or may continue on the next line. */
  #carry: Buffer | null = null;
  #carried = 0;

  /** @param headerCache - Cache of an earlier response header that was parsed with the same options. */
  begin(
    headerNames: readonly Buffer[],
    capturesCookies: boolean,
    headerCache: HeaderCache | null = null,
    headersOnly = false,
  ): void {
    this.body = null;
    this.#headerNames = headerNames;
    this.#capturesCookies = capturesCookies;
    this.#headersOnly = headersOnly;
    this.#headerCache = headerCache;
    this.#interim = 0;
    this.hasBegun = false;
    this.mustClose = false;
    this.#hasConnectionClose = false;
    this.#beginHeader();
  }

  #beginHeader(): void {
    this.#state = STATUS_LINE;
    this.status = 0;
    this.hasRetryAfter = false;
    this.#headerBytes = 0;
    this.#minorVersion = 1;
    this.#keepAlive = false;
    this.#length = NO_LENGTH;
    this.#transferCoding = NO_CODING;
    this.#carried = 0;
    if (this.hasCookiesOrRedirect) {
      this.hasCookiesOrRedirect = false;
      this.location = null;
      this.setCookies = null;
    }
    for (let index = 0; index < this.#headerNames.length; index++) this.captured[index] = undefined;
  }

  /** Parses the first `length` bytes. If more bytes follow the response, `mustClose` becomes true. */
  feed(bytes: Buffer, length: number): number {
    const cache = this.hasBegun ? null : this.#headerCache;
    if (length > 0) this.hasBegun = true;
    let at = cache === null ? 0 : cache.match(bytes, length);
    if (cache !== null && at > 0 && at <= MAX_HEADER_BYTES) {
      const fault = this.#restoreHeader(cache, bytes);
      if (fault !== null) return this.#fail(fault);
    } else {
      at = 0;
      while (this.#state <= HEADERS) {
        at = this.#readLine(bytes, at, length);
        if (at === LINE_INCOMPLETE) return MORE;
        if (at === LINE_FAULT) return FAULT;
      }
      if (cache?.shouldStore(bytes) === true && this.#interim === 0) this.#storeHeader(cache, bytes, at);
    }
    switch (this.#state) {
      case BODY_LENGTH: {
        const available = Math.min(this.#remainingBytes, length - at);
        this.#remainingBytes -= available;
        this.body?.add(bytes, at, at + available);
        at += available;
        if (this.#remainingBytes > 0) return this.#awaitMore();
        break;
      }
      case BODY_CHUNKED:
        at = this.#chunkedBody.feed(bytes, at, length, this.body);
        if (at === CHUNKED_MORE) return this.#awaitMore();
        if (at === CHUNKED_FAULT) return this.#fail('chunk');
        break;
      case BODY_UNTIL_CLOSE:
        this.body?.add(bytes, at, length);
        return this.#awaitMore();
      default:
        break;
    }
    this.#state = ENDED;
    // Unsolicited bytes must never become part of the next response.
    if (at < length) this.mustClose = true;
    return DONE;
  }

  #awaitMore(): number {
    this.body?.detach();
    return MORE;
  }

  #storeHeader(cache: HeaderCache, bytes: Buffer, to: number): void {
    cache.store(bytes, to, {
      parsed: {
        state: this.#state,
        status: this.status,
        hasRetryAfter: this.hasRetryAfter,
        close: this.mustClose,
        remainingBytes: this.#remainingBytes,
        captured: [...this.captured],
        location: this.location,
        setCookies: this.setCookies,
        minorVersion: this.#minorVersion,
        hasConnectionClose: this.#hasConnectionClose,
        keepAlive: this.#keepAlive,
        transferCoding: this.#transferCoding,
      },
      roleOf: (line, from, colon) => this.#roleOf(line, from, colon),
    });
  }

  #roleOf(bytes: Buffer, from: number, colon: number): LineRole {
    const length = colon - from;
    const isCaptured = this.#headerNames.some(
      (name) => name.length === length && isHeaderName(bytes, from, name),
    );
    switch (headerKindOf(bytes, from, length)) {
      case CONNECTION:
      case TRANSFER_ENCODING:
        return FIXED_LINE;
      case CONTENT_LENGTH:
        return VARIABLE_LINE;
      case LOCATION:
        return isCaptured || isRedirect(this.status) ? VARIABLE_LINE : IGNORED_LINE;
      case SET_COOKIE:
        return isCaptured || this.#capturesCookies || isRedirect(this.status) ? VARIABLE_LINE : IGNORED_LINE;
      default:
        return isCaptured ? VARIABLE_LINE : IGNORED_LINE;
    }
  }

  #restoreHeader({ parsed, hasChanges, variableRanges }: HeaderCache, bytes: Buffer): ProtocolFault | null {
    if (parsed === null) throw new Error('Bug: a cached header has no parse result');
    this.status = parsed.status;
    this.hasRetryAfter = parsed.hasRetryAfter;
    if (hasChanges) return this.#rereadLines(parsed, variableRanges, bytes);
    this.#state = parsed.state;
    this.mustClose = parsed.close;
    this.#remainingBytes = parsed.remainingBytes;
    for (let index = 0; index < this.#headerNames.length; index++)
      this.captured[index] = parsed.captured[index];
    if (parsed.location !== null || parsed.setCookies !== null) {
      this.location = parsed.location;
      this.setCookies = parsed.setCookies;
      this.hasCookiesOrRedirect = true;
    }
    if (parsed.state === BODY_CHUNKED) this.#chunkedBody.begin();
    return null;
  }

  #rereadLines(parsed: ParsedHeader, ranges: readonly number[], bytes: Buffer): ProtocolFault | null {
    this.#minorVersion = parsed.minorVersion;
    this.#hasConnectionClose = parsed.hasConnectionClose;
    this.#keepAlive = parsed.keepAlive;
    this.#transferCoding = parsed.transferCoding;
    for (let index = 0; index < ranges.length; index += 2) {
      const fault = this.#parseHeader(bytes, ranges[index] ?? 0, ranges[index + 1] ?? 0);
      if (fault !== null) return fault;
    }
    // Also restores the values of captured headers on fixed lines.
    for (let index = 0; index < this.#headerNames.length; index++) {
      this.captured[index] ??= parsed.captured[index];
    }
    return this.#finishHeader();
  }

  /** True if the response ends only when the connection is closed. */
  get endsByClose(): boolean {
    return this.#state === BODY_UNTIL_CLOSE;
  }

  /**
   * Ends the response when the peer has closed the connection. Returns DONE if the response is then complete;
   * otherwise FAULT.
   * @param isClean - False if TLS was not closed properly.
   */
  finish(isClean = true): number {
    this.mustClose = true;
    if (!isClean || this.#state !== BODY_UNTIL_CLOSE) return this.#fail('truncated');
    this.#state = ENDED;
    return DONE;
  }

  #fail(fault: ProtocolFault): number {
    this.fault = fault;
    this.mustClose = true;
    this.#state = ENDED;
    return FAULT;
  }

  #failHeader(fault: ProtocolFault): number {
    this.#fail(fault);
    return LINE_FAULT;
  }

  /** Returns the index after the line, LINE_INCOMPLETE or LINE_FAULT. */
  #readLine(bytes: Buffer, from: number, to: number): number {
    if (from === to) return LINE_INCOMPLETE;
    if (this.#carried > 0) return this.#readCarriedLine(bytes, from, to);
    const end = indexOfControl(bytes, from, to);
    if (end >= to - 1 && (end === to || bytes[end] === CR)) return this.#appendCarry(bytes, from, to);
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return this.#failLine();
    const next = end + 2;
    const mayContinue = next === to || isBlank(bytes[next]);
    if (mayContinue && end > from && this.#state === HEADERS) {
      return this.#appendCarry(bytes, from, next) === LINE_FAULT ? LINE_FAULT : next;
    }
    return this.#parseLine(bytes, from, end) ? next : LINE_FAULT;
  }

  #failLine(): number {
    return this.#failHeader(this.#state === STATUS_LINE ? 'status_line' : 'header');
  }

  /** Stores a copy of the beginning of a line until the rest arrives, because the shared buffer will be overwritten. */
  #appendCarry(bytes: Buffer, from: number, to: number): number {
    const needed = this.#carried + to - from;
    if (this.#headerBytes + needed > MAX_HEADER_BYTES) return this.#failHeader('header_too_large');
    if (this.#carry === null || this.#carry.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(INITIAL_CARRY_BYTES, needed * 2));
      this.#carry?.copy(larger, 0, 0, this.#carried);
      this.#carry = larger;
    }
    bytes.copy(this.#carry, this.#carried, from, to);
    this.#carried = needed;
    return LINE_INCOMPLETE;
  }

  #readCarriedLine(bytes: Buffer, from: number, to: number): number {
    const last = this.#carry?.[this.#carried - 1];
    // The carried line is complete unless the next line begins with a blank and continues the carried line.
    if (last === LF && !isBlank(bytes[from])) return this.#parseCarriedLine() ? from : LINE_FAULT;
    let newline = from;
    if (last !== CR) {
      const end = indexOfControl(bytes, from, to);
      if (end >= to - 1 && (end === to || bytes[end] === CR)) return this.#appendCarry(bytes, from, to);
      if (bytes[end] !== CR) return this.#failLine();
      newline = end + 1;
    }
    if (bytes[newline] !== LF) return this.#failLine();
    if (this.#appendCarry(bytes, from, newline + 1) === LINE_FAULT) return LINE_FAULT;
    const isHeader = this.#state === HEADERS && this.#carried > 2;
    return isHeader || this.#parseCarriedLine() ? newline + 1 : LINE_FAULT;
  }

  #parseCarriedLine(): boolean {
    const carry = this.#carry;
    if (carry === null) throw new Error('Bug: no partial header line is stored');
    const folded = this.#carried - 2;
    const end = unfold(carry, folded);
    this.#headerBytes += folded - end;
    this.#carried = 0;
    return this.#parseLine(carry, 0, end);
  }

  #parseLine(bytes: Buffer, from: number, to: number): boolean {
    this.#headerBytes += to + 2 - from;
    if (this.#headerBytes > MAX_HEADER_BYTES) {
      this.#fail('header_too_large');
      return false;
    }
    const fault =
      this.#state === STATUS_LINE
        ? this.#parseStatusLine(bytes, from, to)
        : from === to
          ? this.#finishHeader()
          : this.#parseHeader(bytes, from, to);
    if (fault === null) return true;
    this.#fail(fault);
    return false;
  }

  /** Parses `HTTP/1.1 200 OK`. The reason phrase and the space before it may be missing. */
  #parseStatusLine(bytes: Buffer, from: number, to: number): ProtocolFault | null {
    const startsAsHttp =
      to - from >= 12 &&
      bytes[from] === 72 &&
      bytes[from + 1] === 84 &&
      bytes[from + 2] === 84 &&
      bytes[from + 3] === 80 &&
      bytes[from + 4] === 47 &&
      bytes[from + 6] === 46 &&
      bytes[from + 8] === SPACE;
    if (!startsAsHttp) return 'status_line';
    const major = digitOf(bytes[from + 5]);
    const minor = digitOf(bytes[from + 7]);
    const hundreds = digitOf(bytes[from + 9]);
    const tens = digitOf(bytes[from + 10]);
    const ones = digitOf(bytes[from + 11]);
    const status = hundreds * 100 + tens * 10 + ones;
    // Some servers send `HTTP/2.0` in an HTTP/1.1 status line. Such a connection is persistent only if a header
    // requests this.
    const isSupported = (major === 1 && minor >= 0) || (major === 2 && minor === 0);
    if (!isSupported || hundreds < 1 || tens < 0 || ones < 0) return 'status_line';
    if (to - from > 12 && bytes[from + 12] !== SPACE) return 'status_line';
    this.status = status;
    this.#minorVersion = minor;
    this.#state = HEADERS;
    return null;
  }

  #parseHeader(bytes: Buffer, from: number, to: number): ProtocolFault | null {
    let colon = from;
    while (colon < to && isToken(bytes[colon] ?? 0)) colon++;
    // Also refuses whitespace before the colon, and a folded line after the status line.
    if (colon === from || bytes[colon] !== COLON) return 'header';
    let start = colon + 1;
    let end = to;
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    for (let index = 0; index < this.#headerNames.length; index++) {
      const name = this.#headerNames[index];
      if (
        name?.length === colon - from &&
        this.captured[index] === undefined &&
        isHeaderName(bytes, from, name)
      ) {
        this.captured[index] = bytes.toString('latin1', start, end);
      }
    }
    switch (headerKindOf(bytes, from, colon - from)) {
      case LOCATION:
        if (isRedirect(this.status)) this.#parseLocation(bytes, start, end);
        return null;
      case CONNECTION:
        this.#parseConnection(bytes, start, end);
        return null;
      case SET_COOKIE:
        if (this.#capturesCookies || isRedirect(this.status)) this.#parseSetCookie(bytes, start, end);
        return null;
      case CONTENT_LENGTH:
        // Refuses a second Content-Length, even if it has the same value.
        this.#length = this.#length === NO_LENGTH ? parseLength(bytes, start, end) : BAD_LENGTH;
        return null;
      case TRANSFER_ENCODING:
        this.#parseTransferEncoding(bytes, start, end);
        return null;
      case RETRY_AFTER:
        this.hasRetryAfter = true;
        return null;
      default:
        return null;
    }
  }

  #parseTransferEncoding(bytes: Buffer, from: number, to: number): void {
    // A Transfer-Encoding header without a value still counts as a coding.
    if (this.#transferCoding === NO_CODING) this.#transferCoding = OTHER_CODING;
    for (let at = from; at <= to;) {
      const end = endOfItem(bytes, at, to);
      if (isListItem(bytes, at, end, CHUNKED)) {
        this.#transferCoding = this.#transferCoding === OTHER_CODING ? CHUNKED_LAST : INVALID_CODING;
      } else if (isListItemWithParameters(bytes, at, end, CHUNKED)) {
        this.#transferCoding = INVALID_CODING;
      } else if (this.#transferCoding === CHUNKED_LAST && !isEmptyItem(bytes, at, end)) {
        this.#transferCoding = CHUNKED_NOT_LAST;
      }
      at = end + 1;
    }
  }

  #parseLocation(bytes: Buffer, from: number, to: number): void {
    // Several Location headers make the target of the redirect ambiguous.
    this.location = this.location === null ? bytes.toString('latin1', from, to) : '';
    this.hasCookiesOrRedirect = true;
  }

  #parseSetCookie(bytes: Buffer, from: number, to: number): void {
    this.setCookies ??= [];
    this.setCookies.push(bytes.toString('latin1', from, to));
    this.hasCookiesOrRedirect = true;
  }

  #parseConnection(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at <= to;) {
      const end = endOfItem(bytes, at, to);
      if (isListItem(bytes, at, end, CLOSE)) this.#hasConnectionClose = true;
      else if (isListItem(bytes, at, end, KEEP_ALIVE)) this.#keepAlive = true;
      at = end + 1;
    }
  }

  #finishHeader(): ProtocolFault | null {
    this.mustClose = this.#hasConnectionClose;
    if (this.status < 200) return this.#finishInterim();
    const hasTransferCoding = this.#transferCoding !== NO_CODING;
    if (this.#minorVersion === 0 && (!this.#keepAlive || hasTransferCoding)) this.mustClose = true;
    if (this.#headersOnly || this.status === 204 || this.status === 304) {
      // The response has no body, regardless of its headers.
      this.#state = ENDED;
      return null;
    }
    if (this.#length === BAD_LENGTH) return 'content_length';
    if (this.#transferCoding === INVALID_CODING) return 'transfer_encoding';
    if (this.#length !== NO_LENGTH && hasTransferCoding) return 'length_and_encoding';
    if (this.#transferCoding === CHUNKED_LAST) {
      this.#chunkedBody.begin();
      this.#state = BODY_CHUNKED;
    } else if (this.#length !== NO_LENGTH) {
      this.#remainingBytes = this.#length;
      this.#state = BODY_LENGTH;
    } else {
      this.mustClose = true;
      this.#state = BODY_UNTIL_CLOSE;
    }
    return null;
  }

  #finishInterim(): ProtocolFault | null {
    // Rejects a switch to another protocol, because no request asks for one.
    if (this.status === 101) return 'switching_protocols';
    if (++this.#interim > MAX_INTERIM_RESPONSES) return 'too_many_interim';
    this.#beginHeader();
    return null;
  }
}

function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}
