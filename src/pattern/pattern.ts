/** Regular expressions of strangers: in the syntax of RE2, and run in time that the length of the text allows. */
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import type { PatternResult } from '../core/model/pattern.ts';

/** Finds what the first group of a pattern takes of a text; undefined where it does not fit, or without that group. */
export type Pattern = (text: string) => string | undefined;

/** Of the patterns judged last, by their text: a file is judged once for each of its environments. */
const readingCache = new Map<string, PatternResult>();
const MAX_CACHED_READINGS = 500;

/** Shape: `PatternResult`. The text has to be short: it is compiled, in time that its length allows. */
export function readPattern(text: string): PatternResult {
  const known = readingCache.get(text);
  if (known !== undefined) return known;
  const reading = readUncached(text);
  if (readingCache.size === MAX_CACHED_READINGS) readingCache.clear();
  readingCache.set(text, reading);
  return reading;
}

/** Errors: throws for a text that `readPattern` finds a fault in. */
export function compilePattern(text: string): Pattern {
  const compiled = loadRe2().RE2JS.compile(text).re2();
  return (body) => {
    // In one search, which a matcher makes twice: for the match, and for its groups. Where each begins and ends; −1 for
    // one without a part in the match.
    const places = compiled.findSubmatchIndex(body) as readonly number[] | null; // as its documentation says
    const from = places?.[2] ?? -1;
    return from < 0 ? undefined : body.slice(from, places?.[3]);
  };
}

function readUncached(text: string): PatternResult {
  const { RE2JS, RE2JSSyntaxException } = loadRe2();
  try {
    const compiled = RE2JS.compile(text);
    return { ok: true, groups: compiled.groupCount(), steps: compiled.programSize() };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const message = error.getDescription();
    const part = error.getPattern();
    return { ok: false, message, part: part ?? '' };
  }
}

let loadedRe2: typeof Re2 | null = null;

/** The same path from here and from where the bundles lie. */
function loadRe2(): typeof Re2 {
  // What the file exports.
  loadedRe2 ??= createRequire(import.meta.url)('../pattern/re2.cjs') as typeof Re2;
  return loadedRe2;
}
