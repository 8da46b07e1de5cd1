/** How deep JSON nests, looked at before anything is built from the text: what nests deep takes much memory then. */

/** Deeper than so many levels. */
export function nestsDeeper(text: string, levels: number): boolean {
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
    } else if (char === OPEN_LIST || char === OPEN_MAP) {
      if (++depth > levels) return 'deep';
    } else if (char === CLOSE_LIST || char === CLOSE_MAP) depth--;
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
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;
