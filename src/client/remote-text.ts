import { isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Mask } from '../core/mask.ts';

const MAX_LENGTH = 300;

/**
 * Returns the text as one line of at most 300 characters, followed by `…` if truncated. Removes control characters,
 * format characters such as direction marks, and lone surrogates.
 *
 * @see docs/internals/reconciler.md, section 4.2
 */
export function toSafeLine(text: string): string {
  const line = text
    .slice(0, 20 * MAX_LENGTH)
    // Whitespace is replaced first, because line breaks are control characters.
    .replace(/\s/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
  const points = Array.from(line);
  return points.length > MAX_LENGTH ? `${points.slice(0, MAX_LENGTH).join('')}…` : line;
}

export function redactSecrets(text: string, secrets: readonly string[]): string {
  return new Mask(secrets).apply(text);
}

/** Decodes UTF-8 and removes a byte order mark. Decodes ASCII text as Latin-1, which is faster. */
export function decodeText(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : new TextDecoder().decode(bytes);
}
