import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { align, type Pair } from '../../../../src/core/reconcile/align.ts';
import { digestsOf } from '../../../../src/core/reconcile/digests.ts';
import { listedDifferences } from '../../../../src/core/reconcile/differences.ts';
import { normalizeSpec } from '../../../../src/core/reconcile/normalize.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { arbitrarySpec } from '../../../support/arbitrary-declarations.ts';

/** A member: its key and its contents. */
type Member = readonly [key: string, contents: number];

const alike = {
  keys: [([key]: Member) => key, ([key]: Member) => key.toLowerCase()],
  equal: (a: Member, b: Member) => a[0] === b[0] && a[1] === b[1],
};

/** Formats an alignment: `a0 -a1 +b2 a0~a1` for equal, removed, added and changed members. */
function alignmentText(before: readonly Member[], now: readonly Member[]): string {
  const name = (member: Member | undefined) => member?.join('') ?? '?';
  return align(before, now, alike)
    .map(({ before: a, now: b }) => {
      if (a === null) return `+${name(now[b])}`;
      if (b === null) return `-${name(before[a])}`;
      const [one, other] = [name(before[a]), name(now[b])];
      return one === other ? one : `${one}~${other}`;
    })
    .join(' ');
}

function members(text: string): readonly Member[] {
  return text
    .split(' ')
    .flatMap((one) => (one === '' ? [] : [[one.slice(0, 1), Number(one.slice(1))] as const]));
}

describe('the alignment of two lists', () => {
  test.each([
    ['', '', ''],
    ['', 'a0', '+a0'],
    ['a0', '', '-a0'],
    ['a0 b0', 'a0 b0', 'a0 b0'],
    ['a0 b0', 'c0 a0 b0', '+c0 a0 b0'],
    ['a0 b0 c0', 'b0 c0', '-a0 b0 c0'],
    ['a0 b0 c0', 'a0 d0 c0', 'a0 b0~d0 c0'],
    ['a0 b0 c0', 'c1 a1 b1', '+c1 a0~a1 b0~b1 -c0'],
    // Among members with the same key, those with equal contents are paired.
    ['a1 a2', 'a0 a1 a2', '+a0 a1 a2'],
    ['a0 a1 a2', 'a1 a2', '-a0 a1 a2'],
    // The second key is used if the first one finds no pair.
    ['a0', 'x0 A0', '+x0 a0~A0'],
    ['a0 b0', 'x0 y0 z0', 'a0~x0 b0~y0 +z0'],
  ])(
    'the alignment of the lists %j and %j is %j (+ added, - removed, ~ changed)',
    (before, now, expected) => {
      expect(alignmentText(members(before), members(now))).toBe(expected);
    },
  );

  const list = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'A'), fc.nat(2)), { maxLength: 7 });

  test('an alignment contains all members of both lists in their order', () => {
    fc.assert(
      fc.property(list, list, (before, now) => {
        const pairs = align<Member>(before, now, alike);
        const of = (side: keyof Pair) => pairs.flatMap((pair) => pair[side] ?? []);
        expect(of('before')).toEqual(before.map((_, at) => at));
        expect(of('now')).toEqual(now.map((_, at) => at));
      }),
    );
  });

  test('an alignment pairs at least as many equal keys as the longest common subsequence of the lists contains', () => {
    fc.assert(
      fc.property(list, list, (before, now) => {
        const pairs = align<Member>(before, now, alike).filter(
          ({ before: a, now: b }) => a !== null && b !== null && before[a]?.[0] === now[b]?.[0],
        );
        expect(pairs.length).toBeGreaterThanOrEqual(longestByRecursion(before, now));
      }),
    );
  });

  test('the alignment of two lists of 20,000 members has 20,000 entries, or 20,001 if one member was inserted', () => {
    const long = (key: string) => Array.from({ length: 20_000 }, (_, at): Member => [key, at]);
    expect(align(long('a'), [['b', 0], ...long('a')], alike)).toHaveLength(20_001);
    expect(align(long('a'), long('b'), alike)).toHaveLength(20_000);
  });
});

function longestByRecursion(before: readonly Member[], now: readonly Member[]): number {
  const [a, ...restA] = before;
  const [b, ...restB] = now;
  if (a === undefined || b === undefined) return 0;
  if (a[0] === b[0]) return 1 + longestByRecursion(restA, restB);
  return Math.max(longestByRecursion(restA, now), longestByRecursion(before, restB));
}

describe('the alignment of the URLs of a test', () => {
  const spec = arbitrarySpec.map((one) => ({ ...one, name: 'Fixed' }));
  const position = fc.nat({ max: 3 });
  const added = { url: 'https://shop.example/added', headers: [{ name: 'X-Added', value: 'yes' }] };
  const empty = {
    method: null,
    credentials: null,
    awsSigv4: null,
    body: null,
    payloadFileUrl: null,
    payloadFile: null,
    variables: null,
    expect: null,
    delay: null,
    onFailure: null,
    resolveUrl: null,
  };

  test('if a URL is inserted at any position, only the fields of this URL are shown as changes', () => {
    fc.assert(
      fc.property(spec, position, (before, at) => {
        const index = Math.min(at, before.targets.length);
        const now = { ...before, targets: before.targets.toSpliced(index, 0, { ...empty, ...added }) };
        const { changes } = listedDifferences(normalizeSpec(before), normalizeSpec(now));
        expect(changes.map(({ field, from }) => [field, from])).toEqual([
          [`/urls/${index}/url`, null],
          [`/urls/${index}/headers/x-added`, null],
        ]);
        const back = listedDifferences(normalizeSpec(now), normalizeSpec(before)).changes;
        expect(back.map(({ field, from, to }) => [field, from, to])).toEqual([
          [`/urls/${index}/url`, added.url, null],
        ]);
        expect(digestsOf(now, sha256).listed).not.toBe(digestsOf(before, sha256).listed);
      }),
    );
  });
});
