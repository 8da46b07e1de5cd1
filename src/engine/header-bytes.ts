/** Which bytes may stand in a header, by the grammar. */

/**
 * Whether a byte may stand in a header's name.
 *
 * Source: RFC 9110, section 5.6.2, `tchar`.
 */
export function isToken(byte: number): boolean {
  return TOKEN[byte] === 1;
}

const TOKEN: Readonly<Uint8Array> = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Whether bytes are a name, which is given in lower case; only for bytes that are all tokens. */
export function isHeaderName(bytes: Buffer, from: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index++) {
    // Among tokens, only a letter and its capital differ by this bit in a way that hits a lower-case name.
    if (((bytes[from + index] ?? 0) | 32) !== name[index] && bytes[from + index] !== name[index])
      return false;
  }
  return true;
}

export const CR = 13;
export const LF = 10;
const TAB = 9;
const SPACE = 32;

export function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** The index of the first control character, or the end; a tab is none. */
export function indexOfControl(bytes: Buffer, from: number, to: number): number {
  let end = from;
  while (end < to) {
    const byte = bytes[end] ?? 0;
    if (byte < SPACE ? byte !== TAB : byte === 127) break;
    end++;
  }
  return end;
}
