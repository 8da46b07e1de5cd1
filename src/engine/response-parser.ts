/** Reads HTTP/1.1 answers from a shared buffer: status, end, and wanted headers. Keeps nothing else. */
import { CHUNKED_FAULT, CHUNKED_MORE, ChunkedBody } from './chunked-body.ts';
import { CR, endOfText, isBlank, isName, isToken, LF } from './header-bytes.ts';
import type { KeptBody } from './kept-body.ts';
import { FIXED, NEUTRAL, TELLING, type HeadMeaning, type KnownHead, type Role } from './known-head.ts';

/** What `feed` and `finish` say. */
export const MORE = 0;
export const DONE = 1;
export const FAULT = 2;

/** Why an answer is no HTTP answer: the keys of the ledger's `protocol`. */
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

const MOST_HEAD_BYTES = 16 * 1024;
const MOST_INTERIM = 20;
const FIRST_CARRY_BYTES = 512;

const SPACE = 32;
const COMMA = 44;
const COLON = 58;
const SEMICOLON = 59;

/** What is said of the length of a body, where it is no length. */
const NO_LENGTH = -1;
const BAD_LENGTH = -2;

/** What is said of transfer codings: which one is the last decides where a body ends. */
const UNCODED = 0;
const CODED = 1;
const CHUNKED_LAST = 2;
const CHUNKED_WITHIN = 3;
/** Chunked twice, or with a parameter: nobody knows what that means. */
const MISCODED = 4;

/** Line not complete in what has come; the head is over; the line is not one. */
const HEAD_MORE = -1;
const HEAD_FAULT = -2;

/**
 * One answer after the other on one connection.
 *
 *     status line ─► headers ─┬─► 1xx: again, at most 20 times
 *                             ├─► no body (204, 304, length 0, HEAD) ─► done
 *                             ├─► length ─► done
 *                             ├─► chunked ─► done
 *                             └─► until the connection closes ─► done
 *
 * Source: RFC 9112; where that leaves a choice, the strict one: a doubtful answer could be somebody else's. The choices
 *         are listed in docs/engine.md.
 */
export class ResponseParser {
  /** Of the final answer; 0 before it. */
  status = 0;
  /** The connection cannot carry another exchange. */
  close = false;
  /** Something of this answer has come. */
  begun = false;
  /** Why the last call said FAULT. */
  fault: ProtocolFault = 'status_line';
  /** Whether the answer sets cookies that were asked for, or leads elsewhere: the next two say how. */
  notable = false;
  /** Of a redirect; null when it has none, empty when it has several. */
  location: string | null = null;
  /** Values of `Set-Cookie`, if asked for or of a redirect; null for none. */
  setCookies: string[] | null = null;
  /** Values of the wanted headers, in the order in which they are wanted, as latin1 characters. */
  readonly captured: (string | undefined)[] = [];
  /** What takes the body of the answer in; null where nobody looks at it. Set after each `begin`. */
  body: KeptBody | null = null;

  #state = ENDED;
  #wanted: readonly Buffer[] = [];
  #known: KnownHead | null = null;
  #wantsCookies = false;
  #headOnly = false;
  #headBytes = 0;
  #interim = 0;
  #minor = 1;
  #saysClose = false;
  #keepAlive = false;
  /** As given; or one of the two that are none. */
  #length = NO_LENGTH;
  /** One of the words for what is said of transfer codings. */
  #coding: number = UNCODED;
  /** Body bytes still to come. */
  #left = 0;
  readonly #body = new ChunkedBody();
  /** A line that began in an earlier buffer, or goes on in the next line; made when first needed. */
  #carry: Buffer | null = null;
  #carried = 0;

  /**
   * Expects the next answer. `wanted`: names of headers in lower case. `known`: the head of an earlier answer for which
   * the same was asked. `headOnly`: the answer ends with its head.
   */
  begin(wanted: readonly Buffer[], cookies: boolean, known: KnownHead | null = null, headOnly = false): void {
    this.body = null;
    this.#wanted = wanted;
    this.#wantsCookies = cookies;
    this.#headOnly = headOnly;
    this.#known = known;
    this.#interim = 0;
    this.begun = false;
    this.close = false;
    this.#saysClose = false;
    this.#beginHead();
  }

  #beginHead(): void {
    this.#state = STATUS_LINE;
    this.status = 0;
    this.#headBytes = 0;
    this.#minor = 1;
    this.#keepAlive = false;
    this.#length = NO_LENGTH;
    this.#coding = UNCODED;
    this.#carried = 0;
    if (this.notable) {
      this.notable = false;
      this.location = null;
      this.setCookies = null;
    }
    for (let index = 0; index < this.#wanted.length; index++) this.captured[index] = undefined;
  }

  /**
   * Reads the next bytes, `length` of them from the buffer's start.
   *
   * Shape: DONE when the answer is complete; bytes behind its end make `close` true.
   */
  feed(bytes: Buffer, length: number): number {
    const known = this.begun ? null : this.#known;
    if (length > 0) this.begun = true;
    let at = known === null ? 0 : known.fit(bytes, length);
    if (known !== null && at > 0 && at <= MOST_HEAD_BYTES) {
      const fault = this.#recall(known, bytes);
      if (fault !== null) return this.#failed(fault);
    } else {
      at = 0;
      while (this.#state <= HEADERS) {
        at = this.#line(bytes, at, length);
        if (at === HEAD_MORE) return MORE;
        if (at === HEAD_FAULT) return FAULT;
      }
      if (known?.learns(bytes) === true && this.#interim === 0) this.#learn(known, bytes, at);
    }
    switch (this.#state) {
      case BODY_LENGTH: {
        const here = Math.min(this.#left, length - at);
        this.#left -= here;
        this.body?.add(bytes, at, at + here);
        at += here;
        if (this.#left > 0) return this.#more();
        break;
      }
      case BODY_CHUNKED:
        at = this.#body.feed(bytes, at, length, this.body);
        if (at === CHUNKED_MORE) return this.#more();
        if (at === CHUNKED_FAULT) return this.#failed('chunk');
        break;
      case BODY_UNTIL_CLOSE:
        this.body?.add(bytes, at, length);
        return this.#more();
      default:
        break;
    }
    this.#state = ENDED;
    // What was not asked for can belong to no request: it must never be taken for the next one's answer.
    if (at < length) this.close = true;
    return DONE;
  }

  #more(): number {
    this.body?.settle();
    return MORE;
  }

  #learn(known: KnownHead, bytes: Buffer, to: number): void {
    known.learn(bytes, to, {
      meaning: {
        state: this.#state,
        status: this.status,
        close: this.close,
        left: this.#left,
        captured: [...this.captured],
        location: this.location,
        setCookies: this.setCookies,
        minor: this.#minor,
        saysClose: this.#saysClose,
        keepAlive: this.#keepAlive,
        coding: this.#coding,
      },
      roleOf: (line, from, colon) => this.#roleOf(line, from, colon),
    });
  }

  /** What a line of this head is to `#header` and `#recall`. */
  #roleOf(bytes: Buffer, from: number, colon: number): Role {
    const length = colon - from;
    const isWanted = this.#wanted.some((name) => name.length === length && isName(bytes, from, name));
    switch (kindOf(bytes, from, length)) {
      case CONNECTION:
      case TRANSFER_ENCODING:
        return FIXED;
      case CONTENT_LENGTH:
        return TELLING;
      case LOCATION:
        return isWanted || isRedirect(this.status) ? TELLING : NEUTRAL;
      case SET_COOKIE:
        return isWanted || this.#wantsCookies || isRedirect(this.status) ? TELLING : NEUTRAL;
      default:
        return isWanted ? TELLING : NEUTRAL;
    }
  }

  /** Takes over what a known head means. */
  #recall({ meaning, changed, places }: KnownHead, bytes: Buffer): ProtocolFault | null {
    if (meaning === null) throw new Error('Bug: a head without a meaning');
    this.status = meaning.status;
    if (changed) return this.#readAgain(meaning, places, bytes);
    this.#state = meaning.state;
    this.close = meaning.close;
    this.#left = meaning.left;
    for (let index = 0; index < this.#wanted.length; index++) this.captured[index] = meaning.captured[index];
    if (meaning.location !== null || meaning.setCookies !== null) {
      this.location = meaning.location;
      this.setCookies = meaning.setCookies;
      this.notable = true;
    }
    if (meaning.state === BODY_CHUNKED) this.#body.begin();
    return null;
  }

  /** The fixed lines are as they were, and the telling ones are read. */
  #readAgain(meaning: HeadMeaning, places: readonly number[], bytes: Buffer): ProtocolFault | null {
    this.#minor = meaning.minor;
    this.#saysClose = meaning.saysClose;
    this.#keepAlive = meaning.keepAlive;
    this.#coding = meaning.coding;
    for (let index = 0; index < places.length; index += 2) {
      const fault = this.#header(bytes, places[index] ?? 0, places[index + 1] ?? 0);
      if (fault !== null) return fault;
    }
    // A fixed line may be wanted as well.
    for (let index = 0; index < this.#wanted.length; index++) {
      this.captured[index] ??= meaning.captured[index];
    }
    return this.#endOfHead();
  }

  /** Whether only the end of the connection ends the answer that is read. */
  get endsByClose(): boolean {
    return this.#state === BODY_UNTIL_CLOSE;
  }

  /** The other side has closed, in good order or not: DONE when that ends the answer, else FAULT. */
  finish(orderly = true): number {
    this.close = true;
    if (!orderly || this.#state !== BODY_UNTIL_CLOSE) return this.#failed('truncated');
    this.#state = ENDED;
    return DONE;
  }

  #failed(fault: ProtocolFault): number {
    this.fault = fault;
    this.close = true;
    this.#state = ENDED;
    return FAULT;
  }

  #headFailed(fault: ProtocolFault): number {
    this.#failed(fault);
    return HEAD_FAULT;
  }

  /** Reads one line of the head; returns the index behind it. */
  #line(bytes: Buffer, from: number, to: number): number {
    if (from === to) return HEAD_MORE;
    if (this.#carried > 0) return this.#carriedLine(bytes, from, to);
    const end = endOfText(bytes, from, to);
    if (end >= to - 1 && (end === to || bytes[end] === CR)) return this.#carryOn(bytes, from, to);
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return this.#badLine();
    const next = end + 2;
    const mayGoOn = next === to || isBlank(bytes[next]);
    if (mayGoOn && end > from && this.#state === HEADERS) {
      return this.#carryOn(bytes, from, next) === HEAD_FAULT ? HEAD_FAULT : next;
    }
    return this.#takeLine(bytes, from, end) ? next : HEAD_FAULT;
  }

  #badLine(): number {
    return this.#headFailed(this.#state === STATUS_LINE ? 'status_line' : 'header');
  }

  /** Keeps the beginning of a line until the rest of it comes: the shared buffer will be written over. */
  #carryOn(bytes: Buffer, from: number, to: number): number {
    const needed = this.#carried + to - from;
    if (this.#headBytes + needed > MOST_HEAD_BYTES) return this.#headFailed('header_too_large');
    if (this.#carry === null || this.#carry.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_CARRY_BYTES, needed * 2));
      this.#carry?.copy(larger, 0, 0, this.#carried);
      this.#carry = larger;
    }
    bytes.copy(this.#carry, this.#carried, from, to);
    this.#carried = needed;
    return HEAD_MORE;
  }

  #carriedLine(bytes: Buffer, from: number, to: number): number {
    const last = this.#carry?.[this.#carried - 1];
    // The line of a header, which goes on if the next one begins with a blank.
    if (last === LF && !isBlank(bytes[from])) return this.#takeCarried() ? from : HEAD_FAULT;
    let newline = from;
    if (last !== CR) {
      const end = endOfText(bytes, from, to);
      if (end >= to - 1 && (end === to || bytes[end] === CR)) return this.#carryOn(bytes, from, to);
      if (bytes[end] !== CR) return this.#badLine();
      newline = end + 1;
    }
    if (bytes[newline] !== LF) return this.#badLine();
    if (this.#carryOn(bytes, from, newline + 1) === HEAD_FAULT) return HEAD_FAULT;
    const isHeader = this.#state === HEADERS && this.#carried > 2;
    return isHeader || this.#takeCarried() ? newline + 1 : HEAD_FAULT;
  }

  #takeCarried(): boolean {
    const carry = this.#carry;
    if (carry === null) throw new Error('Bug: nothing was carried');
    const folded = this.#carried - 2;
    const end = unfold(carry, folded);
    this.#headBytes += folded - end;
    this.#carried = 0;
    return this.#takeLine(carry, 0, end);
  }

  #takeLine(bytes: Buffer, from: number, to: number): boolean {
    this.#headBytes += to + 2 - from;
    if (this.#headBytes > MOST_HEAD_BYTES) {
      this.#failed('header_too_large');
      return false;
    }
    const fault =
      this.#state === STATUS_LINE
        ? this.#statusLine(bytes, from, to)
        : from === to
          ? this.#endOfHead()
          : this.#header(bytes, from, to);
    if (fault === null) return true;
    this.#failed(fault);
    return false;
  }

  /** `HTTP/1.1 200 OK`; the reason may be missing, with its space. */
  #statusLine(bytes: Buffer, from: number, to: number): ProtocolFault | null {
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
    const major = digit(bytes[from + 5]);
    const minor = digit(bytes[from + 7]);
    const hundreds = digit(bytes[from + 9]);
    const tens = digit(bytes[from + 10]);
    const ones = digit(bytes[from + 11]);
    const status = hundreds * 100 + tens * 10 + ones;
    // Some servers say 2.0 in text; what they know of kept connections they have to say as well.
    const known = (major === 1 && minor >= 0) || (major === 2 && minor === 0);
    if (!known || hundreds < 1 || tens < 0 || ones < 0) return 'status_line';
    if (to - from > 12 && bytes[from + 12] !== SPACE) return 'status_line';
    this.status = status;
    this.#minor = minor;
    this.#state = HEADERS;
    return null;
  }

  #header(bytes: Buffer, from: number, to: number): ProtocolFault | null {
    let colon = from;
    while (colon < to && isToken(bytes[colon] ?? 0)) colon++;
    // Also refuses white space before the colon, and a folded line behind none.
    if (colon === from || bytes[colon] !== COLON) return 'header';
    let start = colon + 1;
    let end = to;
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    for (let index = 0; index < this.#wanted.length; index++) {
      const name = this.#wanted[index];
      if (name?.length === colon - from && this.captured[index] === undefined && isName(bytes, from, name)) {
        this.captured[index] = bytes.toString('latin1', start, end);
      }
    }
    switch (kindOf(bytes, from, colon - from)) {
      case LOCATION:
        if (isRedirect(this.status)) this.#location(bytes, start, end);
        return null;
      case CONNECTION:
        this.#connection(bytes, start, end);
        return null;
      case SET_COOKIE:
        if (this.#wantsCookies || isRedirect(this.status)) this.#setCookie(bytes, start, end);
        return null;
      case CONTENT_LENGTH:
        // A second one is refused even if it says the same.
        this.#length = this.#length === NO_LENGTH ? lengthOf(bytes, start, end) : BAD_LENGTH;
        return null;
      case TRANSFER_ENCODING:
        this.#transferEncoding(bytes, start, end);
        return null;
      default:
        return null;
    }
  }

  #transferEncoding(bytes: Buffer, from: number, to: number): void {
    // One without any coding says that there is one.
    if (this.#coding === UNCODED) this.#coding = CODED;
    for (let at = from; at <= to;) {
      const end = endOfItem(bytes, at, to);
      if (isItem(bytes, at, end, CHUNKED)) {
        this.#coding = this.#coding === CODED ? CHUNKED_LAST : MISCODED;
      } else if (isItemWithMore(bytes, at, end, CHUNKED)) {
        this.#coding = MISCODED;
      } else if (this.#coding === CHUNKED_LAST && !isEmpty(bytes, at, end)) {
        this.#coding = CHUNKED_WITHIN;
      }
      at = end + 1;
    }
  }

  #location(bytes: Buffer, from: number, to: number): void {
    // Of two, nobody knows which one is meant.
    this.location = this.location === null ? bytes.toString('latin1', from, to) : '';
    this.notable = true;
  }

  #setCookie(bytes: Buffer, from: number, to: number): void {
    this.setCookies ??= [];
    this.setCookies.push(bytes.toString('latin1', from, to));
    this.notable = true;
  }

  #connection(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at <= to;) {
      const end = endOfItem(bytes, at, to);
      if (isItem(bytes, at, end, CLOSE)) this.#saysClose = true;
      else if (isItem(bytes, at, end, KEEP_ALIVE)) this.#keepAlive = true;
      at = end + 1;
    }
  }

  #endOfHead(): ProtocolFault | null {
    this.close = this.#saysClose;
    if (this.status < 200) return this.#endOfInterim();
    const isCoded = this.#coding !== UNCODED;
    if (this.#minor === 0 && (!this.#keepAlive || isCoded)) this.close = true;
    if (this.#headOnly || this.status === 204 || this.status === 304) {
      // Whatever the head says of a body.
      this.#state = ENDED;
      return null;
    }
    if (this.#length === BAD_LENGTH) return 'content_length';
    if (this.#coding === MISCODED) return 'transfer_encoding';
    if (this.#length !== NO_LENGTH && isCoded) return 'length_and_encoding';
    if (this.#coding === CHUNKED_LAST) {
      this.#body.begin();
      this.#state = BODY_CHUNKED;
    } else if (this.#length !== NO_LENGTH) {
      this.#left = this.#length;
      this.#state = BODY_LENGTH;
    } else {
      this.close = true;
      this.#state = BODY_UNTIL_CLOSE;
    }
    return null;
  }

  /** Ends with its head, as 204 does. */
  #endOfInterim(): ProtocolFault | null {
    // Nobody asked for another protocol.
    if (this.status === 101) return 'switching_protocols';
    if (++this.#interim > MOST_INTERIM) return 'too_many_interim';
    this.#beginHead();
    return null;
  }
}

const CHUNKED = Buffer.from('chunked');
const CLOSE = Buffer.from('close');
const KEEP_ALIVE = Buffer.from('keep-alive');

/** Headers that are read for what they say. */
const OTHER = 0;
const LOCATION = 1;
const CONNECTION = 2;
const SET_COOKIE = 3;
const CONTENT_LENGTH = 4;
const TRANSFER_ENCODING = 5;

const LOCATION_NAME = Buffer.from('location');
const CONNECTION_NAME = Buffer.from('connection');
const SET_COOKIE_NAME = Buffer.from('set-cookie');
const CONTENT_LENGTH_NAME = Buffer.from('content-length');
const TRANSFER_ENCODING_NAME = Buffer.from('transfer-encoding');

/** Which one a name of `length` bytes is. */
function kindOf(bytes: Buffer, from: number, length: number): number {
  switch (length) {
    case 8:
      return isName(bytes, from, LOCATION_NAME) ? LOCATION : OTHER;
    case 10:
      if (isName(bytes, from, CONNECTION_NAME)) return CONNECTION;
      return isName(bytes, from, SET_COOKIE_NAME) ? SET_COOKIE : OTHER;
    case 14:
      return isName(bytes, from, CONTENT_LENGTH_NAME) ? CONTENT_LENGTH : OTHER;
    case 17:
      return isName(bytes, from, TRANSFER_ENCODING_NAME) ? TRANSFER_ENCODING : OTHER;
    default:
      return OTHER;
  }
}

/** Whether a status asks for another request. */
function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

function endOfItem(bytes: Buffer, from: number, to: number): number {
  let end = from;
  while (end < to && bytes[end] !== COMMA) end++;
  return end;
}

/** Whether an item of a list, white space around it aside, is a word in any case. */
function isItem(bytes: Buffer, from: number, to: number, word: Buffer): boolean {
  const start = behindBlanks(bytes, from, to);
  return behindWord(bytes, start, to, word) === to;
}

/** Whether it is the word with parameters. */
function isItemWithMore(bytes: Buffer, from: number, to: number, word: Buffer): boolean {
  const end = behindWord(bytes, behindBlanks(bytes, from, to), to, word);
  return end < to && bytes[end] === SEMICOLON;
}

function isEmpty(bytes: Buffer, from: number, to: number): boolean {
  return behindBlanks(bytes, from, to) === to;
}

/** The index behind a word and the white space that follows it; −1 where there is another one. */
function behindWord(bytes: Buffer, from: number, to: number, word: Buffer): number {
  const end = from + word.length;
  if (end > to) return -1;
  for (let index = 0; index < word.length; index++) {
    const byte = bytes[from + index] ?? 0;
    if (byte !== word[index] && (!isToken(byte) || (byte | 32) !== word[index])) return -1;
  }
  return behindBlanks(bytes, end, to);
}

function behindBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at])) at++;
  return at;
}

function lengthOf(bytes: Buffer, from: number, to: number): number {
  if (from === to) return BAD_LENGTH;
  let length = 0;
  for (let at = from; at < to; at++) {
    const next = digit(bytes[at]);
    if (next < 0) return BAD_LENGTH;
    length = length * 10 + next;
    if (length > Number.MAX_SAFE_INTEGER) return BAD_LENGTH;
  }
  return length;
}

/**
 * Puts a folded line in one, in its place: each fold becomes a space. Returns its new end; it holds no control characters
 * but tabs, and CR LF where it is folded.
 *
 * Source: RFC 9112, section 5.2.
 */
function unfold(bytes: Buffer, to: number): number {
  let from = endOfText(bytes, 0, to);
  let end = from;
  while (from < to) {
    while (end > 0 && isBlank(bytes[end - 1])) end--;
    from = behindBlanks(bytes, from + 2, to);
    bytes[end++] = SPACE;
    const next = endOfText(bytes, from, to);
    bytes.copyWithin(end, from, next);
    end += next - from;
    from = next;
  }
  return end;
}

/** −1 for what is none. */
function digit(byte: number | undefined): number {
  return byte !== undefined && byte >= 48 && byte <= 57 ? byte - 48 : -1;
}
