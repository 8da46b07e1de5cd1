/** Finds the known word that a misspelled word most likely means. */
import { distance } from 'fastest-levenshtein';

/** Maximum length of a word to compare, because the computing time grows with the product of both lengths. */
const MAX_WORD_LENGTH = 100;

/** Maximum number of known words to compare with. */
const MAX_CANDIDATES = 500;

/** Number of problems after which suggestions are omitted. */
export const MAX_SUGGESTIONS = 50;

/** Returns the known word with the minimum edit distance; null if no word is similar enough. */
export function nearestKey(word: string, known: Iterable<string>): string | null {
  if (word.length > MAX_WORD_LENGTH) return null;
  // At most a third of the characters, rounded up, may differ, but not all characters. For example, "hots" is similar
  // to "host", but no word is similar to "x".
  const limit = Math.max(1, Math.floor((word.length + 2) / 3));
  let bestDistance = Math.min(limit + 1, word.length);
  let best: string | null = null;
  let compared = 0;
  for (const candidate of known) {
    if (compared++ === MAX_CANDIDATES) break;
    if (candidate.length > MAX_WORD_LENGTH) continue;
    const steps = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
  }
  return best;
}

/** Returns the number of edits between two words. A swap of two adjacent characters is one edit. */
function editDistance(word: string, other: string): number {
  const steps = distance(word, other);
  if (steps !== 2 || word.length !== other.length) return steps;
  const at = Array.from(word).findIndex((letter, index) => letter !== other[index]);
  return word[at] === other[at + 1] && word[at + 1] === other[at] ? 1 : 2;
}
