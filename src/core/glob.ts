/**
 * Reports whether a text matches a pattern. Patterns may be untrusted, so the running time must not exceed O(pattern
 * length × text length).
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
    } else if (expected === '?' || expected === text[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      // Extends the match of the last `*` by one character.
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
