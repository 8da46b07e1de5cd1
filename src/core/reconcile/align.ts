/**
 * Which member of one list stands for which of another, so that one that is added or removed leaves the others alone.
 */

/** Places in both lists; null: only the other list has it. */
export type Pair =
  | { readonly before: number; readonly now: number }
  | { readonly before: number; readonly now: null }
  | { readonly before: null; readonly now: number };

export interface Similarity<T> {
  /** By what members are known again. Where the first finds nothing, the next one is asked. */
  readonly keys: readonly ((member: T) => string)[];
  /** All of it. Decides between members with the same key. */
  readonly equal: (a: T, b: T) => boolean;
}

/**
 * Pairs the members of two lists: the longest common subsequence by their keys, and of several the one with most
 * members that are wholly equal. What no key pairs is paired in its order.
 *
 * Shape:  in the order of both lists.
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

/** The common subsequence. What is wholly equal at both ends belongs to it, and is most of it. */
function commonSubsequence<T>(
  before: readonly T[],
  now: readonly T[],
  how: KeyComparison<T>,
): readonly IndexPair[] {
  const head = commonPrefix(before, now, how);
  const [restA, restB] = [before.slice(head), now.slice(head)];
  const tail = commonPrefix(restA.toReversed(), restB.toReversed(), how);
  const [endA, endB] = [restA.length - tail, restB.length - tail];
  return [
    ...indexPairs(head, 0, 0),
    ...longestCommonSubsequence(restA.slice(0, endA), restB.slice(0, endB), how).map(
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

/** Lists of more pairs than these are paired in their order: a service may list anything. */
const MAX_PAIRS = 1_000_000;

function longestCommonSubsequence<T>(
  before: readonly T[],
  now: readonly T[],
  { key, equal }: KeyComparison<T>,
): readonly IndexPair[] {
  if (before.length * now.length > MAX_PAIRS) return [];
  // One more pair outweighs all that are wholly equal.
  const weight = Math.min(before.length, now.length) + 1;
  const keys = now.map(key);
  const gains = before.map((one) => {
    const own = key(one);
    return now.map((other, b) => (own === keys[b] ? weight + (equal(one, other) ? 1 : 0) : 0));
  });
  const width = now.length + 1;
  // What the rest of both lists gives, from each two places on.
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
    const most = from(a, b);
    if (most === from(a + 1, b)) a++;
    else if (most === from(a, b + 1)) b++;
    else found.push([a++, b++]);
  }
  return found;
}
