/** How deep JSON nests, looked at before anything is built from the text: what nests deep takes much memory then. */

/** Deeper than so many levels. */
export function isNestedDeeperThan(text: string, levels: number): boolean {
  return hasMoreBrackets(text, levels) && nestingOf(text, levels) === 'deep';
}

/** Each level needs a bracket. Most texts have few, which are counted sooner than the text is read. */
function hasMoreBrackets(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > most) return true;
    }
  }
  return false;
}

/**
 * In one pass and without recursion.
 *
 * Shape:  `deep`: deeper than so many levels; `open`: a bracket or a string is not closed at the end.
 */
export function nestingOf(text: string, levels: number): 'deep' | 'open' | 'closed' {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) return 'open';
    } else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      if (++depth > levels) return 'deep';
    } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth--;
  }
  return depth > 0 ? 'open' : 'closed';
}

/** From its first quote to its last, by leaps: most of a long list is strings. -1: it does not end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
