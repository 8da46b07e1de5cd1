/** Texts of requests as constants with slots between them; all of it latin1 characters that stand for bytes. */
import { isUtf8 } from 'node:buffer';
import { findExpressions } from '../core/load/expression.ts';
import { compileTemplate } from '../core/load/template.ts';

/** Values of the slots of a pass, by index. */
export type SlotValues = readonly (string | undefined)[];

/** How a value is written where it stands. */
export type SlotEncoding = 'percent' | 'form' | 'header' | 'json' | 'raw';

export interface Slot {
  /** −1: never taken from any answer, so always undefined. */
  readonly variable: number;
  readonly encoding: SlotEncoding;
}

export type TemplatePart = string | Slot;

/** Gives what varies in texts its place among the values. */
export interface SlotIndexes {
  variable(name: string): number;
  /** Errors: throws for one that cannot be read. */
  expression(text: string): number;
}

/** A text's pieces. `escaped`: braces may also stand as URL parsers write them. */
export function parseTemplateParts(
  text: string,
  slots: SlotIndexes,
  how: {
    readonly encoding: SlotEncoding;
    readonly constant: (text: string) => string;
    readonly escaped?: boolean;
  },
): readonly TemplatePart[] {
  const escaped = how.escaped === true;
  const { constants, names } = compileTemplate(text, { escaped });
  return constants.flatMap((between, index): TemplatePart[] => {
    const pieces: TemplatePart[] = [];
    let from = 0;
    for (const expression of findExpressions(between, { escaped })) {
      pieces.push(how.constant(between.slice(from, expression.at)));
      pieces.push({ variable: slots.expression(expression.text), encoding: 'raw' });
      from = expression.end;
    }
    pieces.push(how.constant(between.slice(from)));
    const name = names[index];
    if (name !== undefined) pieces.push({ variable: slots.variable(name), encoding: how.encoding });
    return pieces;
  });
}

/** The text of pieces that do not vary; null when one does. */
export function constantOf(pieces: readonly TemplatePart[]): string | null {
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : null;
}

/** The text of pieces; null when a value is undefined, or breaks the line of a header. */
export function renderTemplate(pieces: readonly TemplatePart[], values: SlotValues): string | null {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const value = values[piece.variable];
    if (value === undefined) return null;
    const written = encodeValue(value, piece.encoding);
    if (written === null) return null;
    text += written;
  }
  return text;
}

function encodeValue(value: string, encoding: SlotEncoding): string | null {
  switch (encoding) {
    case 'raw':
      return value;
    case 'header':
      return LINE_BREAKING.test(value) ? null : value;
    case 'json':
      return escapeJsonString(value);
    case 'percent':
    case 'form':
      return percentEncode(value, encoding);
  }
}

const LINE_BREAKING = /[\r\n\0]/;

/** UTF-8, one latin1 character for each byte, so that the whole request can be written in one go. */
export function toByteString(text: string): string {
  // Most texts are their own bytes, which costs a fraction to find out.
  return OTHER_THAN_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

const OTHER_THAN_ASCII = /[^\t -~]/;

/** Source: RFC 3986, section 2.3 (unreserved); for forms the URL standard, where a space is a plus. */
export function percentEncode(bytes: string, encoding: 'percent' | 'form'): string {
  // Most values are of such characters alone, and to replace nothing costs three times as much as to find nothing.
  if (!RESERVED.test(bytes)) return bytes;
  return bytes.replace(EACH_RESERVED, (byte) =>
    byte === ' ' && encoding === 'form' ? '+' : toHexPair(byte),
  );
}

const RESERVED = /[^A-Za-z0-9\-._~]/;
const EACH_RESERVED = new RegExp(RESERVED, 'g');

/**
 * Bytes as they stand between the quotes of a JSON string. JSON is UTF-8: what is none, such as headers of old servers,
 * is taken for latin1.
 *
 * Source: RFC 8259, sections 7 and 8.1.
 */
export function escapeJsonString(bytes: string): string {
  const text =
    BEYOND_ASCII.test(bytes) && !isUtf8(Buffer.from(bytes, 'latin1')) ? toByteString(bytes) : bytes;
  return ESCAPED_IN_JSON.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

const BEYOND_ASCII = /[\x80-\xff]/;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const ESCAPED_IN_JSON = /["\\\x00-\x1f]/;

/** What may not stand in a request line; the rest of a path is the user's own. */
export function escapeUnprintable(text: string): string {
  return toByteString(text).replace(/[^\x21-\x7e]/g, toHexPair);
}

function toHexPair(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
