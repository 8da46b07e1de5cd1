/** Aligns two lists, so that an added or removed member does not change the pairing of the others. */

/** The indexes of a pair of members; null in a list without a counterpart. */
export type Pair =
  | { readonly before: number; readonly now: number }
  | { readonly before: number; readonly now: null }
  | { readonly before: null; readonly now: number };

export interface Similarity<T> {
  /**
   * Functions that return keys to identify members. Each key is used only for members that remain unpaired after
   * earlier keys.
   */
  readonly keys: readonly ((member: T) => string)[];
  /** Reports whether two members are completely equal, to choose among members with the same key. */
  readonly equal: (a: T, b: T) => boolean;
}

/**
 * Pairs the members of two lists by their longest common subsequence of keys, with as many equal members as possible.
 * Members without a common key are paired by position.
 */
export function align<T>(before: readonly T[], now: readonly T[], alike: Similarity<T>): readonly Pair[] {
  const [key, ...others] = alike.keys;
  const pairs: Pair[] = [];
  let [a, b] = [0, 0];
  const gapUntil = (endA: number, endB: number) => {
    const between = [before.slice(a, endA), now.slice(b, endB)] as const;
    const inside =
      key === undefined ? pairInOrder(...between) : align(...between, { ...alike, keys: others });
    pairs.push(...inside.map((pair) => shiftPair(pair, a, b)));
  };
  for (const [toA, toB] of key === undefined
    ? []
    : commonSubsequence(before, now, { key, equal: alike.equal })) {
    gapUntil(toA, toB);
    pairs.push({ before: toA, now: toB });
    [a, b] = [toA + 1, toB + 1];
  }
  gapUntil(before.length, now.length);
  return pairs;
}

function pairInOrder(before: readonly unknown[], now: readonly unknown[]): readonly Pair[] {
  return Array.from({ length: Math.max(before.length, now.length) }, (_, at): Pair => {
    if (at >= before.length) return { before: null, now: at };
    return { before: at, now: at < now.length ? at : null };
  });
}

function shiftPair(pair: Pair, a: number, b: number): Pair {
  if (pair.before === null) return { before: null, now: pair.now + b };
  return { before: pair.before + a, now: pair.now === null ? null : pair.now + b };
}

interface KeyComparison<T> {
  readonly key: (member: T) => string;
  readonly equal: (a: T, b: T) => boolean;
}

type IndexPair = readonly [before: number, now: number];

/** Returns the pairs of the longest common subsequence. */
function commonSubsequence<T>(
  before: readonly T[],
  now: readonly T[],
  comparison: KeyComparison<T>,
): readonly IndexPair[] {
  const head = commonPrefix(before, now, comparison);
  const [restA, restB] = [before.slice(head), now.slice(head)];
  const tail = commonPrefix(restA.toReversed(), restB.toReversed(), comparison);
  const [endA, endB] = [restA.length - tail, restB.length - tail];
  return [
    ...indexPairs(head, 0, 0),
    ...longestCommonSubsequence(restA.slice(0, endA), restB.slice(0, endB), comparison).map(
      ([a, b]) => [a + head, b + head] as const,
    ),
    ...indexPairs(tail, head + endA, head + endB),
  ];
}

function commonPrefix<T>(before: readonly T[], now: readonly T[], { equal }: KeyComparison<T>): number {
  const end = before.findIndex((one, at) => {
    const other = now[at];
    return other === undefined || !equal(one, other);
  });
  return end < 0 ? before.length : end;
}

function indexPairs(count: number, a: number, b: number): readonly IndexPair[] {
  return Array.from({ length: count }, (_, at) => [a + at, b + at] as const);
}

/** Maximum product of the lengths of two lists; longer lists are paired by position, to limit time and memory. */
const MAX_PAIRS = 1_000_000;

function longestCommonSubsequence<T>(
  before: readonly T[],
  now: readonly T[],
  { key, equal }: KeyComparison<T>,
): readonly IndexPair[] {
  if (before.length * now.length > MAX_PAIRS) return [];
  // With this weight, one more pair counts more than any number of equal members.
  const weight = Math.min(before.length, now.length) + 1;
  const keys = now.map(key);
  const gains = before.map((one) => {
    const own = key(one);
    return now.map((other, b) => (own === keys[b] ? weight + (equal(one, other) ? 1 : 0) : 0));
  });
  const width = now.length + 1;
  // The best score for the remainder of both lists, for each pair of start indexes.
  const best = new Float64Array((before.length + 1) * width);
  const from = (a: number, b: number) => best[a * width + b] ?? 0;
  const paired = (a: number, b: number) => {
    const gain = gains[a]?.[b] ?? 0;
    return gain === 0 ? 0 : gain + from(a + 1, b + 1);
  };
  for (let a = before.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      best[a * width + b] = Math.max(paired(a, b), from(a + 1, b), from(a, b + 1));
    }
  }
  const found: IndexPair[] = [];
  for (let a = 0, b = 0; a < before.length && b < now.length;) {
    const target = from(a, b);
    if (target === from(a + 1, b)) a++;
    else if (target === from(a, b + 1)) b++;
    else found.push([a++, b++]);
  }
  return found;
}
