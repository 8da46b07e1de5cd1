/** Patterns with `*` and `?`, as flags and limits take them. */

/** Costs at most the product of both lengths: patterns come from files that anybody may propose. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      star = inPattern++;
      afterStar = at;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[at])) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      // The last star takes one more.
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
