/** Text from elsewhere, made safe for a terminal. */

/** One line: white space becomes spaces; control characters and marks of direction become visible. */
export function printable(text: string): string {
  return text.replaceAll(/[\s\u2028\u2029]/g, ' ').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\ufffd');
}
