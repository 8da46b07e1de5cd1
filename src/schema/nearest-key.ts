/** Did you mean: the known word that a misspelt one stands for. */
import { distance } from 'fastest-levenshtein';

/** Longer words are no misspelt keys, and the distance costs time by the product of the lengths. */
const MAX_WORD_LENGTH = 100;

/** A file may hold thousands of names, and thousands of slips. */
const MAX_CANDIDATES = 500;

/** So many problems are found before one that nobody reads its advice: for later ones none need be looked for. */
export const MAX_SUGGESTIONS = 50;

/**
 * The known word nearest to one that is not known.
 *
 * Errors: null where none is near enough to be meant.
 */
export function nearestKey(word: string, known: Iterable<string>): string | null {
  if (word.length > MAX_WORD_LENGTH) return null;
  // A third of a word may be wrong: "hots" is near "host", "x" near nothing.
  const limit = Math.max(1, Math.floor((word.length + 2) / 3));
  let bestDistance = Math.min(limit + 1, word.length);
  let best: string | null = null;
  let looked = 0;
  for (const candidate of known) {
    if (looked++ === MAX_CANDIDATES) break;
    if (candidate.length > MAX_WORD_LENGTH) continue;
    const steps = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
  }
  return best;
}

/** Two neighbours that have changed places are one step: "ulr" is near "url". */
function editDistance(word: string, other: string): number {
  const steps = distance(word, other);
  if (steps !== 2 || word.length !== other.length) return steps;
  const at = Array.from(word).findIndex((letter, index) => letter !== other[index]);
  return word[at] === other[at + 1] && word[at + 1] === other[at] ? 1 : 2;
}
