/** Glob patterns with `*` and `?`, as in flags and in `limits`. */

/**
 * Reports whether a text matches a pattern. The running time is at most proportional to the product of both lengths,
 * because patterns may be untrusted.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    const expected = pattern[inPattern];
    if (expected === '*') {
      star = inPattern++;
      afterStar = at;
    } else if (expected !== undefined && (expected === '?' || expected === text[at])) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      // Extends the match of the last star by one character.
      inPattern = star + 1;
      at = ++afterStar;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}

export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text));
}
