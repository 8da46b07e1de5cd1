/** Byte classes of the HTTP header grammar. */

/**
 * Reports whether a byte is allowed in a header name.
 * @see RFC 9110, section 5.6.2, `tchar`
 */
export function isToken(byte: number): boolean {
  return TOKEN[byte] === 1;
}

const TOKEN: Readonly<Uint8Array> = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Reports whether the bytes at `from` equal a header name, ignoring case. `name` is in lower case, and all compared
 * bytes must be token characters.
 */
export function isHeaderName(bytes: Buffer, from: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index++) {
    const byte = bytes[from + index] ?? 0;
    // `| 32` converts uppercase letters to lower case.
    if (byte !== name[index] && ((byte | 32) !== name[index] || byte > UPPERCASE_Z)) return false;
  }
  return true;
}

const UPPERCASE_Z = 90;

export const CR = 13;
export const LF = 10;
const TAB = 9;
const SPACE = 32;

export function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** Returns the index of the first control character other than a tab; `to` if there is none. */
export function indexOfControl(bytes: Buffer, from: number, to: number): number {
  let end = from;
  while (end < to) {
    const byte = bytes[end] ?? 0;
    if (byte < SPACE ? byte !== TAB : byte === 127) break;
    end++;
  }
  return end;
}
