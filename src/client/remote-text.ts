/** Text from outside, made fit for a message. */

import { Mask } from '../core/mask.ts';

const MAX_LENGTH = 300;

/**
 * One line without control characters, marks of direction and lone surrogates; cut after 300 characters.
 *
 * Source: docs/internals/reconciler.md, section 4.2: a terminal never sees them.
 */
export function toSafeLine(text: string): string {
  const line = text
    .slice(0, 20 * MAX_LENGTH)
    // White space first, since line breaks are control characters too.
    .replace(/\s/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
  const points = Array.from(line);
  return points.length > MAX_LENGTH ? `${points.slice(0, MAX_LENGTH).join('')}…` : line;
}

/** Replaces what must never be shown, however it is spelled. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return new Mask(secrets).apply(text);
}
