export function isNestedDeeperThan(text: string, levels: number): boolean {
  return hasMoreBrackets(text, levels) && nestingOf(text, levels) === 'deep';
}

/**
 * Reports whether JSON text contains more than `maximum` opening brackets. Otherwise, the text is not nested deeper
 * than `maximum`. Counting brackets is faster than scanning the text.
 */
function hasMoreBrackets(text: string, maximum: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > maximum) return true;
    }
  }
  return false;
}

/** Returns `deep` if JSON text is nested deeper than `levels`, and `open` if a bracket or string is not closed. */
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

/**
 * Returns the index of the closing quote; -1 if the string is not closed. Searches for quotes with `indexOf`, which is
 * faster than checking each character.
 */
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
