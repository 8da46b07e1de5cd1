/** Untrusted regular expressions in RE2 syntax. Matching takes time linear in the length of the text. */
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import type { PatternResult } from '../core/model/pattern.ts';

/** Returns the text of the first group; undefined if the pattern or the group does not match. */
export type Pattern = (text: string) => string | undefined;

/** Results of `readPattern`, by pattern text. A file is checked several times, once for each environment. */
const readingCache = new Map<string, PatternResult>();
const MAX_CACHED_READINGS = 500;

/** Checks a pattern. The caller must limit the length of the text, which determines the compilation time. */
export function readPattern(text: string): PatternResult {
  const cached = readingCache.get(text);
  if (cached !== undefined) return cached;
  const result = readUncached(text);
  if (readingCache.size === MAX_CACHED_READINGS) readingCache.clear();
  readingCache.set(text, result);
  return result;
}

/** @throws Error if `readPattern` rejects the text. */
export function compilePattern(text: string): Pattern {
  const compiled = loadRe2().RE2JS.compile(text).re2();
  return (body) => {
    // `findSubmatchIndex` searches once, but a matcher would search twice. The result contains the start and end
    // offsets of each group; −1 for a group that did not match.
    const offsets = compiled.findSubmatchIndex(body) as readonly number[] | null; // The documentation states this type.
    const from = offsets?.[2] ?? -1;
    return from < 0 ? undefined : body.slice(from, offsets?.[3]);
  };
}

/** Reports whether a pattern matches any part of a text. */
export type Matcher = (text: string) => boolean;

/** @throws Error if the pattern is invalid. */
export function compileMatcher(text: string): Matcher {
  const compiled = loadRe2().RE2JS.compile(text);
  return (body) => compiled.test(body);
}

/** Returns a pattern that matches a text verbatim. */
export function quotePattern(text: string): string {
  return loadRe2().RE2JS.quote(text);
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

/** The relative path is valid from the source and from the bundles. */
function loadRe2(): typeof Re2 {
  loadedRe2 ??= createRequire(import.meta.url)('../pattern/re2.cjs') as typeof Re2;
  return loadedRe2;
}
